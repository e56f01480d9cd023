import { readSettings } from '../../../../config/file.ts'
import { present } from '../../../../domain/present.ts'
import { findWorkspace } from '../../../../workspace/workspace.ts'
import type { Shell } from '../../shell.ts'

export interface TaskRules {
  /** Whether document 003's rules hold beside the record; undefined: as the repository is. */
  readonly isStrict?: boolean
  /** Undefined: those of the repository. */
  readonly commands?: readonly string[]
  /** Why the commands of the settings may not run. */
  readonly problem?: string
}

/** The trusted settings about finished tasks. */
export async function taskRules(shell: Shell): Promise<TaskRules> {
  const { cwd, env } = shell.io
  const workspace = await findWorkspace(cwd, env)
  if (workspace?.configFile === undefined) return {}
  const read = await readSettings(workspace.configFile)
  const { checks: { commands = [] } = {}, tasks } = read.config
  if (commands.length === 0 && tasks === undefined) return {}
  const { trustState } = await import('../../../../workspace/trust.ts')
  const { waiting, config } = await trustState(workspace, read, env)
  const isStrict = config.tasks?.rules && config.tasks.rules === 'task-records'
  if (commands.length === 0) return present({ isStrict })
  if (!waiting.includes('checks.commands')) return present({ isStrict, commands })
  const problem = `${workspace.configFile} sets checks.commands, which run only after: baton trust (in CI: BATON_TRUST)`
  return present({ isStrict, problem })
}
