import { BatonError } from '../domain/errors.ts'
import type { Home } from '../domain/home.ts'
import { DEFAULT_POLICY, type Policy } from '../domain/policy.ts'
import type { ServiceDeps } from '../service/deps.ts'
import { Service } from '../service/service.ts'
import { uuid7 } from '../service/uuid7.ts'
import type { Store } from '../storage/store.ts'

/** Which store to open: a SQLite file, or a PostgreSQL address with a workspace in it. */
export type StoreTarget =
  | {
      readonly engine: 'sqlite'
      readonly path: string
      readonly readOnly?: boolean
      readonly upgrade?: boolean
    }
  | {
      readonly engine: 'postgres'
      readonly url: string
      readonly workspace: string
      readonly readOnly?: boolean
      readonly upgrade?: boolean
    }

/** A store's address as people write it: `postgres://…`, `:memory:` or a path. */
export function toStoreTarget(address: string, workspace = 'default'): StoreTarget {
  if (/^postgres(ql)?:\/\//.test(address)) return { engine: 'postgres', url: address, workspace }
  if (/^[a-z][a-z0-9+]*:\/\//i.test(address))
    // Not the address itself: it may hold a password.
    throw new BatonError(
      'invalid_input',
      `unknown kind of store ${address.slice(0, address.indexOf(':'))}; use a file path or postgres://…`,
    )
  return { engine: 'sqlite', path: address }
}

/** Opens an engine. Each is loaded when it is asked for: a SQLite user never pays for PostgreSQL. */
export async function openStore(target: StoreTarget): Promise<Store> {
  if (target.engine === 'sqlite') {
    const { openSqliteStore } = await import('../storage/sqlite/sqlite-store.ts')
    return openSqliteStore(target)
  }
  const { openPostgresStore } = await import('../storage/postgres/postgres-store.ts')
  return openPostgresStore(target)
}

export interface ServiceOptions {
  readonly policy?: Policy
  readonly home?: Home
  readonly live?: ReadonlySet<Home>
  readonly shared?: ServiceDeps['shared']
  readonly pickUp?: ServiceDeps['pickUp']
  readonly judgeOutput?: ServiceDeps['judgeOutput']
  readonly eraseFiles?: ServiceDeps['eraseFiles']
  readonly now?: () => Date
  readonly newUid?: () => string
  readonly runChecks?: ServiceDeps['runChecks']
  readonly project?: ServiceDeps['project']
  readonly notify?: ServiceDeps['notify']
  readonly keys?: ServiceDeps['keys']
  readonly agentKeys?: ServiceDeps['agentKeys']
}

/** The service over a store, in the real world unless a part of it is replaced. */
export function createService(store: Store, options: ServiceOptions = {}): Service {
  return new Service({
    store,
    now: options.now ?? (() => new Date()),
    newUid: options.newUid ?? (() => uuid7()),
    policy: options.policy ?? DEFAULT_POLICY,
    home: options.home ?? 'native',
    ...(options.live && { live: options.live }),
    ...(options.shared && { shared: options.shared }),
    ...(options.pickUp && { pickUp: options.pickUp }),
    ...(options.judgeOutput && { judgeOutput: options.judgeOutput }),
    ...(options.eraseFiles && { eraseFiles: options.eraseFiles }),
    ...(options.runChecks && { runChecks: options.runChecks }),
    ...(options.project && { project: options.project }),
    ...(options.notify && { notify: options.notify }),
    ...(options.keys && { keys: options.keys }),
    ...(options.agentKeys && { agentKeys: options.agentKeys }),
  })
}
