import { relative } from 'node:path'
import type { Environment } from '../../../../config/config.ts'
import { loadConfig } from '../../../../config/file.ts'
import { needsNoTrust } from '../../../../config/guarded-settings.ts'
import type { Workspace } from '../../../../workspace/find.ts'
import { applyInit, type InitFile, planInit } from '../../../../workspace/init.ts'
import { trust } from '../../../../workspace/trust.ts'
import type { Command } from '../../command.ts'
import { flag, isOn, textOf } from '../../input/args.ts'
import { askYesNo } from '../../prompt.ts'
import { wrap } from '../../screen/width.ts'

/** A first handoff in the formats that ask for more than a receiver and a title. */
const FIRST: Readonly<Record<string, string>> = {
  markdown:
    'baton send --as grok --to claude --task BPRD-2026-0001 --title "First task" --purpose "Try the folder" --context "A new workspace" --deliverable "A reply" --criterion "1 reply within 1 day" --meeting meetings/first.md --skill skills/reply.md',
  package:
    'baton send --to codex --title "First task" --summary "The workspace was made today. Reply with one sentence about it."',
}

const PROGRAMS =
  'to connect an agent: baton setup claude-code (codex, gemini, copilot, opencode, qwen, cursor, vscode, git)'

/** A person has just let Baton write this file, so it needs no second yes. */
async function trustNew(workspace: Workspace, files: readonly InitFile[], env: Environment): Promise<void> {
  const made = files.find(({ path, state }) => state === 'new' && path.endsWith('baton.yaml'))
  const config = made && (await loadConfig(made.path))
  if (config && !needsNoTrust(config)) trust(workspace, config, env)
}

export const init: Command = {
  name: 'init',
  summary: 'Makes a workspace here and writes a commented baton.yaml. Touches nothing it did not make.',
  flags: [
    flag('dialect <name>', 'The format of handoffs: native, markdown, queue, block, writeback or package'),
    flag('dry-run', 'Only show what would be written'),
  ],
  examples: ['baton init', 'baton init --dialect markdown', 'baton init --dry-run'],
  async run(shell, args) {
    const { io, screen } = shell
    const dialect = textOf(args, 'dialect')
    const plan = await planInit({ cwd: io.cwd, environment: io.env, dialect })
    for (const note of plan.notes) shell.warn(note)
    const isDry = isOn(args, 'dry-run')
    if (!isDry && plan.changes && io.isTerminal && !shell.isJson) {
      shell.say(filesText(plan.files, 'will be written'))
      if (!(await askYesNo(io, 'Write these?', true))) return 0
    }
    const files = isDry ? plan.files : await applyInit(plan)
    if (!isDry && io.isTerminal && io.env.codingAgent === undefined)
      await trustNew(plan.workspace, files, io.env)
    const answer = {
      root: plan.workspace.root,
      files: files.map(({ path, state }) => ({ path, state })),
      written: !isDry && plan.changes,
    }
    shell.answer(answer, () => {
      if (!plan.changes) return `${screen.tick} everything is there already`
      const width = screen.isTerminal ? screen.columns - 2 : Number.POSITIVE_INFINITY
      const first = FIRST[dialect ?? ''] ?? 'baton send --to codex --title "First task"'
      // A line that ends in \ goes on when it is copied into a shell.
      const next = `${wrap(`next: ${first}`, width).join(' \\\n')}\n${wrap(PROGRAMS, width).join('\n')}`
      return isDry
        ? filesText(files, 'would be written')
        : `${filesText(files, 'written')}\n\n${screen.dim(next)}`
    })
    return 0

    function filesText(files: readonly InitFile[], done: string): string {
      return files
        .map(({ path, state }) => {
          const mark =
            state === 'exists'
              ? screen.dim('·')
              : done === 'written'
                ? screen.tick
                : screen.paint('green', '+')
          const what =
            state === 'exists' ? 'is there, left alone' : state === 'update' ? `${done} again` : done
          return `${mark} ${relative(io.cwd, path) || path}  ${screen.dim(what)}`
        })
        .join('\n')
    }
  },
}
