import { invalidInput } from '../domain/errors.ts'
import { DEFAULT_POLICY } from '../domain/policy.ts'
import type { ServiceDeps } from '../service/deps.ts'
import { Service } from '../service/service.ts'
import { uuid7 } from '../service/uuid7.ts'
import type { StoreLimits } from '../storage/pools.ts'
import type { Store } from '../storage/store.ts'

/** Which store to open: a SQLite file, or a PostgreSQL address with a workspace in it. */
export type StoreTarget = (
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string; readonly workspace: string }
) & {
  readonly readOnly?: boolean
  readonly upgrade?: boolean
  readonly limits?: Partial<StoreLimits>
  readonly replica?: string
  /** Told the name of the log of a new store before others can find it. */
  readonly onMake?: (origin: string, location: string) => void
}

/** A store's address as people write it: `postgres://…`, `:memory:` or a path. */
export function toStoreTarget(address: string, workspace = 'default'): StoreTarget {
  if (/^postgres(ql)?:\/\//.test(address)) return { engine: 'postgres', url: address, workspace }
  if (/^[a-z][a-z0-9+]*:\/\//i.test(address))
    // Not the address itself: it may hold a password.
    throw invalidInput(
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

/** SQL for a PostgreSQL role that uses a store and cannot change its log. */
export const grantsFor = async (role: string): Promise<string> =>
  (await import('../storage/postgres/grants.ts')).grants(role)

/** Parts of the service's world that a caller may replace. */
export type ServiceOptions = Partial<Omit<ServiceDeps, 'store' | 'follow'>>

/** Most calls run no check, so what runs them is loaded by the first that does. */
export const checkRunner =
  (root: string, commands: readonly string[]): NonNullable<ServiceDeps['runChecks']> =>
  async (checks, result) => {
    const { createCheckRunner } = await import('../service/handoffs/acceptance.ts')
    return createCheckRunner({ root, commands })(checks, result)
  }

/** The service over a store, in the real world unless a part of it is replaced. */
export function createService(store: Store, options: ServiceOptions = {}): Service {
  return new Service({
    now: () => store.now(),
    newUid: () => uuid7(),
    policy: DEFAULT_POLICY,
    home: 'native',
    ...options,
    store,
  })
}
