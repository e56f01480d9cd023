import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type Environment, gitEnvironment } from '../config/config.ts'
import { BatonError, storeRefused } from '../domain/errors.ts'
import { startGit } from '../git/git.ts'
import { logKeyOf } from '../service/audit/log-key.ts'
import { storePlace } from '../service/audit/trust.ts'
import type { ServiceDeps } from '../service/deps.ts'
import type { Store, StoreInfo } from '../storage/store.ts'
import { openLogKeys } from '../workspace/log-keys.ts'
import { trustedBy } from '../workspace/trust.ts'
import { adoptStore, headOf, noteStore, seenHead, storeNote } from '../workspace/workspace.ts'

/** Refuses a store that git tracks: it came with a clone, or would go with the next push. */
export async function refuseTracked(path: string, index: string): Promise<void> {
  const bytes = readFileSync(index)
  const name = basename(path)
  // From version 4 on, and in an index that is split in two, a path may not be written out.
  const isPlain = bytes.length < 8 || (bytes.readUInt32BE(4) < 4 && !bytes.includes('link\0\0'))
  if (isPlain && !bytes.includes(name)) return
  const { stdout } = await startGit(['ls-files', '--', name], {
    cwd: dirname(path),
    env: gitEnvironment(),
  }).catch(() => ({ stdout: isPlain ? name : '' }))
  if (stdout === '') return
  throw storeRefused(
    `git tracks ${path}, so it came with this repository or would go with it, and Baton does not open it. To make it yours, run: git rm --cached ${path}, then: baton trust. To replace it, move it away and run: baton init`,
    { file: path, tracked: true },
  )
}

/**
 * Looks at a store that the home does not know as its own. It is ours where this user has seen its log signed in this
 * place, which older programs remembered too. Otherwise a warning tells of it, the first time.
 */
export async function meet(environment: Environment, info: StoreInfo) {
  const about = `${info.location} ${info.origin}`
  // A home that cannot be read knows nothing.
  const seen = await openLogKeys(environment)
    .originAt(storePlace(info))
    .catch(() => undefined)
  const wasHere = seen === info.origin
  if (wasHere) adoptStore(environment, info)
  const isOurs = wasHere || trustedBy(environment).includes(info.origin)
  if (isOurs || storeNote(environment, about) === 'met') return { isOurs, warnings: [] }
  noteStore(environment, about, 'met')
  return { isOurs, warnings: [notOurs(info)] }
}

const notOurs = ({ location, origin }: StoreInfo): string =>
  `${location} was not made by you on this machine. You can work in it; its tokens, sessions and keys count only after: baton trust (in CI and containers: BATON_TRUST=${origin})`

/** Refuses what would let others in by the tokens of a store that nobody here has looked at. */
export function refuseUnadopted({ info }: Store): never {
  throw new BatonError('not_allowed', notOurs(info), { location: info.location, origin: info.origin })
}

/** Refuses where this home has signed the log and lost the key, or what it remembered of the log, but no person said so. */
export async function demandKept(environment: Environment, deps: ServiceDeps): Promise<void> {
  const { origin } = deps.store.info
  const keys = openLogKeys(environment)
  const named = await logKeyOf(deps)
  const file = keys.fileOf(origin)
  if (named?.host !== keys.host || named.file !== file) return
  const isLost = (await keys.key(origin))?.vkey !== named.vkey
  if (!isLost && ((await keys.remembered(origin)) || seenHead(environment, origin) !== undefined)) return
  throw storeRefused(
    isLost
      ? `the key that signed this log is not in ${file} any more. Put it back; if it is lost, a person begins another with: baton audit trust --new-key`
      : `the key of ${origin} is here, and what you remembered of that log is gone: somebody deleted it. Compare the log with a backup; a person starts over with: baton audit trust --reset`,
    { origin, file },
  )
}

/** The sentence on a store without the checkpoint that this user has seen: an older copy or another history. */
export async function otherThanSeen(store: Store, seen: string): Promise<BatonError> {
  const { origin, location } = store.info
  const [remembered, size] = [Number.parseInt(seen, 10), (await store.counts()).entries]
  const [newest] = await store.checkpoints({ limit: 1 })
  const what =
    size < remembered
      ? `is an older copy: its log had ${remembered} signed entries when you saw it last, and has ${size} now`
      : `has another history: you have seen a checkpoint of ${remembered} entries that is not here`
  const message = `${location} ${what}. Restore the right copy, or let a person start over with: baton audit trust --reset`
  const here = newest && headOf(newest.note)
  return storeRefused(message, { location, origin, remembered, size, seen, here })
}
