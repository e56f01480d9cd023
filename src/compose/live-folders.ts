import { readFileSync, realpathSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { formatsIn, gitEnvironment } from '../config/config.ts'
import { orElse } from '../domain/once.ts'
import { markdownFolder } from '../folders/markdown/kind.ts'
import { packageFolder } from '../folders/package/kind.ts'
import { queueFolder } from '../folders/queue/kind.ts'
import { relativeFolder } from '../folders/relative.ts'
import type { FoldersOptions, LiveFolder } from '../folders/sync.ts'
import { headAt } from '../git/files.ts'
import type { Erasing, ServiceDeps } from '../service/deps.ts'
import type { Service } from '../service/service.ts'
import type { Context } from './open.ts'

const FOLDER_KINDS = { markdown: markdownFolder, queue: queueFolder, package: packageFolder }

/** The live folders of a workspace, as its `baton.yaml` lists them; undefined without any. */
export function liveFolders(
  context: Pick<Context, 'config' | 'workspace' | 'service'>,
): FoldersOptions | undefined {
  const { config, workspace, service } = context
  if (!workspace || !config?.folders?.length) return undefined
  const root = realpathSync(workspace.root)
  const formats = formatsIn(config)
  const folders = config.folders.map(({ dialect, path, accept = [], format }): LiveFolder => {
    const base = FOLDER_KINDS[dialect]
    const own = formats.find(({ name }) => name === format)
    return { kind: own ? relativeFolder(base, own) : base, path, accept }
  })
  return { root, dir: workspace.dir, folders, service, git: headAt(root, gitEnvironment()), host: hostOf() }
}

/** The service's functions for document 001's folder, if the workspace has one. The first call loads them. */
export function queueDeps(
  config: Context['config'],
  workspace: Context['workspace'],
  service: () => Service,
): Pick<ServiceDeps, 'shared' | 'pickUp' | 'judgeOutput'> {
  const live = config?.folders?.find(({ dialect }) => dialect === 'queue')
  if (!live || !workspace || !config) return {}
  const root = (): string => join(realpathSync(workspace.root), live.path)
  return {
    shared: async () => {
      const { sharedContext } = await import('../folders/queue/shared.ts')
      return sharedContext(root())
    },
    pickUp: async (handoff, commit) => {
      const { pickUp } = await import('../folders/queue/pick-up.ts')
      const options = liveFolders({ config, workspace, service: service() })
      return options ? pickUp(options, handoff, commit) : commit()
    },
    judgeOutput: async (handoff, result) => {
      const { judgeOutput } = await import('../folders/queue/output.ts')
      return judgeOutput(root(), service().deps, handoff, result)
    },
  }
}

/** Takes texts out of all live folders of a workspace; answers which files of others may hold them. */
export async function eraseFiles(
  context: Pick<Context, 'config' | 'workspace' | 'service'>,
  erasing: Erasing,
): Promise<readonly string[]> {
  const options = liveFolders(context)
  return options ? (await import('../folders/erase.ts')).eraseInFolders(options, erasing) : []
}

/** Containers of one machine share its kernel, and with it the locks; their names differ. */
const hostOf = (): string =>
  orElse(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), hostname())
