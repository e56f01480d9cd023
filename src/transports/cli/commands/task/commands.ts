import { readSettings } from '../../../../config/file.ts'
import { DEFAULT_COMMANDS } from '../../../../git/stage-one.ts'
import { findWorkspace } from '../../../../workspace/workspace.ts'
import type { Shell } from '../../shell.ts'

/** The commands of Stage 1, or why they may not run. */
export async function stageOneCommands(
  shell: Shell,
): Promise<{ readonly commands: readonly string[] } | { readonly problem: string }> {
  const { cwd, env } = shell.io
  const workspace = await findWorkspace(cwd, env)
  if (workspace?.configFile === undefined) return { commands: DEFAULT_COMMANDS }
  const read = await readSettings(workspace.configFile)
  const commands = read.config.checks?.commands ?? []
  if (commands.length === 0) return { commands: DEFAULT_COMMANDS }
  const { trustState } = await import('../../../../workspace/trust.ts')
  const { waiting } = await trustState(workspace, read, env)
  if (!waiting.includes('checks.commands')) return { commands }
  return {
    problem: `${workspace.configFile} sets checks.commands, which run only after: baton trust (in CI: BATON_TRUST)`,
  }
}
