import type { Policy } from '../domain/policy.ts'
import type { FoldersOptions } from '../folders/sync.ts'
import type { Service } from '../service/service.ts'
import { createService } from './main.ts'

/** What a program has open that brings Baton with it. */
export interface Opened {
  readonly service: Service
  readonly base: string
  readonly folders?: FoldersOptions | undefined
}

/** While a workspace is open, its live folders are kept in step: whoever waits here wakes when a file is moved. */
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
  const watching = watchFolders(options, { signal: ended.signal, onFailure: warn })
  return {
    stop: async () => {
      ended.abort()
      await watching
      // What was done last is in the files when the process ends.
      await syncFolders(options).catch(warn)
    },
  }
}

/** The workspace around the folder, with the rules of its `baton.yaml`. */
export async function openAround(cwd: string, policy?: Partial<Policy>): Promise<Opened> {
  const [{ openContext }, { readEnvironment }] = await Promise.all([
    import('./open.ts'),
    import('../config/config.ts'),
  ])
  const environment = readEnvironment()
  // Who calls is said with every call, by `as`; opening needs a name only where a coding agent must give one.
  const as = environment.agent ?? 'baton'
  const context = await openContext({ cwd, environment, as, isTerminal: false, write: true })
  for (const warning of context.warnings) process.emitWarning(warning, 'BatonWarning')
  const { deps } = context.service
  const service = policy
    ? createService(deps.store, { ...deps, policy: { ...deps.policy, ...policy } })
    : context.service
  const { liveFolders } = context.config?.folders?.length ? await import('./live-folders.ts') : {}
  return { service, base: context.workspace?.root ?? cwd, folders: liveFolders?.({ ...context, service }) }
}
