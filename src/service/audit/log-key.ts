import { ENGINE } from '../../domain/actor.ts'
import { BatonError } from '../../domain/errors.ts'
import type { ServiceDeps } from '../deps.ts'
import type { LogKey } from './keys.ts'

/** The stream whose first entry names the key of the log. */
export const KEY_STREAM = 'log.key'

/** Which key signs this log, and where it was made. */
export interface NamedKey {
  readonly vkey: string
  readonly host: string
  readonly file: string
}

/** The key that the log names; undefined before the first checkpoint. */
export async function logKeyOf({ store }: ServiceDeps): Promise<NamedKey | undefined> {
  const [entry] = await store.entries(KEY_STREAM, 0, 1)
  if (!entry) return undefined
  const fields = new Map((entry.disclosures ?? []).map(disclosed))
  const text = (name: string) => String(fields.get(name) ?? '')
  return { vkey: text('vkey'), host: text('host'), file: text('file') }
}

/** The key to sign with: made at the first need, and named in the log so that everybody knows it. */
export async function signingKey(deps: ServiceDeps): Promise<LogKey> {
  const { origin } = deps.store.info
  const keys = await deps.keys?.()
  if (!keys) throw new BatonError('unmet', 'this process has no place for keys, so it cannot sign the log')
  const named = await logKeyOf(deps)
  const own = await keys.key(origin)
  if (named) return demandNamed(named, own, keys.fileOf(origin))
  const key = own ?? (await keys.makeKey(origin))
  await nameKey(deps, { vkey: key.vkey, host: keys.host, file: key.file })
  // Another machine may have named its own in the same moment.
  return demandNamed((await logKeyOf(deps)) ?? key, key, key.file)
}

function nameKey({ store, now }: ServiceDeps, fields: NamedKey): Promise<void> {
  const at = now().toISOString()
  return store.transact({
    reads: { streams: [KEY_STREAM] },
    at,
    decide: (view) => {
      if (view.stream(KEY_STREAM)) return
      view.append({
        stream: KEY_STREAM,
        subject: KEY_STREAM,
        record: {
          act: 'log.key',
          actor: { id: ENGINE.name },
          auth: ENGINE.auth,
          sub: { id: KEY_STREAM, k: 'workspace', rev: 1 },
          ts: at,
        },
        fields: { ...fields },
      })
    },
  })
}

function demandNamed(
  named: { readonly vkey: string; readonly host?: string; readonly file?: string },
  own: LogKey | undefined,
  here: string,
): LogKey {
  if (own?.vkey === named.vkey) return own
  throw new BatonError(
    'unmet',
    `this log is signed with a key that is in ${named.file} on ${named.host} and not in ${here}; sign there, or through a server there (BATON_URL), or copy that file here. Reading and verifying need no key`,
    { vkey: named.vkey, host: named.host, file: named.file, here },
  )
}

/** Name and value of a disclosure: RFC 9901 keeps them behind a salt. */
function disclosed(disclosure: string): readonly [string, unknown] {
  const [, name, value] = JSON.parse(Buffer.from(disclosure, 'base64url').toString('utf8')) as unknown[]
  return [String(name), value]
}
