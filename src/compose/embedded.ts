import type { Policy } from '../domain/policy.ts'
import type { FoldersOptions } from '../folders/sync.ts'
import type { Service } from '../service/service.ts'
import type { Store } from '../storage/store.ts'
import { checkRunner, createService, openStore, type ServiceOptions, type StoreTarget } from './main.ts'

/** The open workspace of a program that embeds Baton. */
export interface Opened {
  readonly service: Service
  readonly base: string
  readonly folders?: FoldersOptions | undefined
}

/**
 * Keeps the live folders in step while a workspace is open: a waiting call wakes when a file is moved. Resolves after
 * the first pass, so that a file which lies there already is found.
 */
export async function keepFolders(options: FoldersOptions): Promise<{ stop: () => Promise<void> }> {
  const [{ watchFolders }, { syncFolders }] = await Promise.all([
    import('../folders/watch.ts'),
    import('../folders/sync.ts'),
  ])
  const ended = new AbortController()
  let last = ''
  // A pass that fails is tried again each second; the reason is said once.
  const warn = (error: Error): void => {
    if (error.message !== last) process.emitWarning(error.message, 'BatonWarning')
    last = error.message
  }
  const { promise: ready, resolve: onReady } = Promise.withResolvers<void>()
  const watching = watchFolders(options, { signal: ended.signal, onReady, onFailure: warn })
  await Promise.race([ready, watching])
  return {
    stop: async () => {
      ended.abort()
      await watching
      // The last changes are in the files when the process ends.
      await syncFolders(options).catch(warn)
    },
  }
}

/** The store that a program names; one that this call makes is this user's own. */
export async function openNamed(target: StoreTarget): Promise<Store> {
  const [{ adoptStore }, { readEnvironment }] = await Promise.all([
    import('../workspace/workspace.ts'),
    import('../config/config.ts'),
  ])
  const onMake = (origin: string, location: string) => adoptStore(readEnvironment(), { origin, location })
  return openStore({ ...target, onMake })
}

/** A store without a workspace around it: declared checks run in the folder, and no command does. */
export const serviceAt = (store: Store, root: string, options: ServiceOptions): Service =>
  createService(store, { ...options, runChecks: checkRunner(root, []) })

/** The workspace around the folder, with the rules of its `baton.yaml`. */
export async function openAround(cwd: string, policy?: Partial<Policy>): Promise<Opened> {
  const [{ foldersOf, openContext }, { readEnvironment }] = await Promise.all([
    import('./open.ts'),
    import('../config/config.ts'),
  ])
  const environment = readEnvironment()
  // Every call names its caller by `as`; opening needs a name only where a coding agent must give one.
  const as = environment.agent ?? 'baton'
  const context = await openContext({ cwd, environment, as, isTerminal: false, write: true })
  for (const warning of context.warnings) process.emitWarning(warning, 'BatonWarning')
  const { deps } = context.service
  const service = policy
    ? createService(deps.store, { ...deps, policy: { ...deps.policy, ...policy } })
    : context.service
  const folders = await foldersOf({ ...context, service })
  return { service, base: context.workspace?.root ?? cwd, folders }
}
