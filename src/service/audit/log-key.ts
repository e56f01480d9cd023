import { openDisclosure } from '../../audit/disclosure.ts'
import type { AuditRecord } from '../../audit/entry.ts'
import { ENGINE } from '../../domain/actor.ts'
import { BatonError } from '../../domain/errors.ts'
import { present } from '../../domain/present.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { logRecord, withDoubt } from '../log-record.ts'
import type { LogKey } from './keys.ts'

/** The stream whose entries name the keys of the log; the last one signs. */
export const KEY_STREAM = 'log.key'
/** More than a log is given anew in its life. */
const MOST_KEYS = 100

/** Which key signs this log, and where it was made. */
export interface NamedKey {
  readonly vkey: string
  readonly host: string
  readonly file: string
}

/** Every key that has signed this log, the present one last; none before the first checkpoint. */
export async function logKeysOf({ store }: ServiceDeps): Promise<readonly NamedKey[]> {
  const entries = await store.entries(KEY_STREAM, 0, MOST_KEYS)
  return entries.map(({ disclosures = [] }) => {
    const fields = new Map(disclosures.map(openDisclosure).map(({ name, value }) => [name, value]))
    const text = (name: string) => String(fields.get(name) ?? '')
    return { vkey: text('vkey'), host: text('host'), file: text('file') }
  })
}

export const logKeyOf = async (deps: ServiceDeps): Promise<NamedKey | undefined> =>
  (await logKeysOf(deps)).at(-1)

/** The key to sign with: made at the first need, and named in the log so that everybody knows it. */
export async function signingKey(deps: ServiceDeps): Promise<LogKey> {
  const { origin } = deps.store.info
  const keys = await deps.keys?.()
  if (!keys) throw noKeys()
  const named = await logKeyOf(deps)
  const own = await keys.key(origin)
  if (named) return demandNamed(named, own, keys.fileOf(origin))
  const key = own ?? (await keys.makeKey(origin))
  const { vkey, file } = key
  await nameInLog(deps, { actor: ENGINE }, KEY_STREAM, { vkey, host: keys.host, file }, 'first')
  // Another machine may have named its own in the same moment.
  return demandNamed((await logKeyOf(deps)) ?? key, key, key.file)
}

/** Why this process cannot sign; absent when it can, or when the first key is still to be made. */
export async function signingProblem(deps: ServiceDeps): Promise<string | undefined> {
  const { origin } = deps.store.info
  const keys = await deps.keys?.()
  const named = await logKeyOf(deps)
  const own = await keys?.key(origin)
  if (keys && (!named || own?.vkey === named.vkey)) return undefined
  return (keys && named ? keyElsewhere(named, keys.fileOf(origin)) : noKeys()).message
}

const noKeys = (): BatonError =>
  new BatonError(
    'unmet',
    'this process keeps no keys for this log; if the store is new to you, run: baton trust',
  )

/**
 * Begins another key, because the one before is lost or has signed a history that is gone. Whoever remembers the
 * old one is told of the change and has to agree to it: that is the point. For people: callers make sure of it.
 */
export async function renewKey(deps: ServiceDeps, call: Call): Promise<LogKey> {
  const { origin } = deps.store.info
  const keys = await deps.keys?.()
  if (!keys) throw noKeys()
  await keys.retireKey(origin)
  const key = await keys.makeKey(origin)
  await nameInLog(deps, call, KEY_STREAM, { vkey: key.vkey, host: keys.host, file: key.file })
  return key
}

/** An entry of a stream whose last one counts, perhaps with a signed head; `first` where nothing is named yet. */
export function nameInLog(
  { store, now }: ServiceDeps,
  { actor }: Call,
  stream: string,
  fields: object,
  more?: AuditRecord['cp'] | 'first',
): Promise<void> {
  const at = now().toISOString()
  return store.transact({
    reads: { streams: [stream] },
    at,
    decide: (view) => {
      const before = view.stream(stream)
      if (before && more === 'first') return
      const rev = (before?.seq ?? -1) + 2
      const cp = more === 'first' ? undefined : more
      const made = logRecord(stream, actor, { id: stream, k: 'workspace', rev }, at)
      const record = { ...made, ...present({ cp }) }
      view.append({ stream, subject: stream, record, fields: { ...withDoubt(actor, { ...fields }) } })
    },
  })
}

type Named = Partial<NamedKey> & Pick<NamedKey, 'vkey'>

function demandNamed(named: Named, own: LogKey | undefined, here: string): LogKey {
  if (own?.vkey === named.vkey) return own
  throw keyElsewhere(named, here)
}

const keyElsewhere = (named: Partial<NamedKey>, here: string): BatonError =>
  new BatonError(
    'unmet',
    `the key of this log is in ${named.file} on ${named.host}, not in ${here}. Sign there, or through a server there (BATON_URL), or copy that file here. If it is lost, a person can make another with: baton audit trust --new-key. Reading and verifying need no key`,
    { vkey: named.vkey, host: named.host, file: named.file, here },
  )
