import { existsSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { gitEnvironment } from '../../../../config/config.ts'
import { AGENT_NAME } from '../../../../domain/actor.ts'
import { BatonError } from '../../../../domain/errors.ts'
import { diffOf, SIGNS } from '../../../../setup/diff.ts'
import { applyEdits, type FileEdit, isChange } from '../../../../setup/file-edit.ts'
import { planRemoval, planTarget } from '../../../../setup/plan.ts'
import {
  AGENT_TARGET_NAMES,
  type AgentTargetName,
  type TargetOptions,
  targetOf,
} from '../../../../setup/targets.ts'
import { UndoFile } from '../../../../setup/undo.ts'
import { makeFolder, placeWorkspace, type Workspace } from '../../../../workspace/workspace.ts'
import type { Command } from '../../command.ts'
import { type Arguments, isOn, numberOf, textOf } from '../../input/args.ts'
import { askYesNo } from '../../prompt.ts'
import { plainText } from '../../screen/plain-text.ts'
import type { Shell } from '../../shell.ts'

/** Nothing was written, because nobody agreed to it: conditions are not met. */
const NOT_WRITTEN = 8
const TARGETS = [...AGENT_TARGET_NAMES, 'git'] as const
const DIFF_STYLES = { file: 'bold', added: 'green', removed: 'red', same: 'dim', gap: 'dim' } as const

/** The edits to make, and the step that makes them. */
interface Plan {
  readonly edits: readonly FileEdit[]
  readonly agent?: string
  readonly afterwards?: string
  apply(): Promise<unknown>
}

export const setup: Command = {
  name: 'setup',
  summary: `Connects a program with Baton: ${TARGETS.join(', ')}. Shows what it will write and asks first.`,
  words: [TARGETS.join('|')],
  flags: [
    {
      name: 'agent',
      placeholder: 'name',
      about: 'Name of the agent (claude, codex, gemini, cursor, copilot)',
    },
    { name: 'proof', about: 'With the tools that make work provable' },
    {
      name: 'refusals',
      placeholder: 'number',
      about: 'How often a session with open work is kept from stopping (2)',
    },
    { name: 'remove', about: 'Put everything back as it was' },
    { name: 'yes', also: ['y'], about: 'Write without asking' },
    { name: 'dry-run', about: 'Only show what would be written' },
  ],
  examples: [
    'baton setup claude-code',
    'baton setup codex --agent reviewer --yes',
    'baton setup claude-code --proof',
    'baton setup gemini --remove',
    'baton setup git',
  ],
  async run(shell, args) {
    const target = readTarget(args)
    const workspace = await placeWorkspace(shell.io.cwd, shell.io.env, { explicit: true })
    const plan = target === 'git' ? await gitPlan(workspace, args) : await agentPlan(shell, workspace, target)
    const edits = plan.edits.filter(isChange)
    const isDry = isOn(args, 'dry-run')
    const isAgreed = edits.length > 0 && !isDry && (await agreed(shell, args, edits))
    if (isAgreed) await plan.apply()
    const answer = {
      program: target,
      agent: plan.agent,
      files: edits.map((edit) => ({ path: edit.path, change: changeOf(edit), why: edit.why })),
      written: isAgreed,
    }
    shell.answer(answer, () => {
      if (edits.length === 0) return `${shell.screen.tick} ${nothingToDo(target, args)}`
      if (!isAgreed) return isDry || !shell.io.isTerminal ? diffFor(shell, edits) : ''
      return written(shell, edits)
    })
    if (isAgreed && plan.afterwards !== undefined && !isOn(args, 'remove')) {
      if (!isInstalled(shell.io.env.path))
        shell.warn(`${target} will not find the command baton; first: npm install --global batonpass`)
      shell.say(`next: ${plan.afterwards}`)
    }
    if (edits.length === 0 || isAgreed || isDry) return 0
    shell.warn('nothing was written; to write this, add --yes')
    return NOT_WRITTEN
  },
}

/** Programs start it by its name. What npx and npm put on the path is gone when they end. */
const isInstalled = (path = ''): boolean =>
  path
    .split(delimiter)
    .some((folder) => !/node_modules[\\/]\.bin$/.test(folder) && existsSync(join(folder, 'baton')))

type Target = (typeof TARGETS)[number]

function readTarget({ words: [program] }: Arguments): Target {
  const target = TARGETS.find((each) => each === program)
  if (target !== undefined) return target
  throw new BatonError('invalid_input', `setup does not know ${program}: ${TARGETS.join(', ')}`, { program })
}

async function agentPlan(shell: Shell, workspace: Workspace, target: AgentTargetName): Promise<Plan> {
  const { args } = shell
  const { agent, afterwards } = targetOf(target)
  const options: TargetOptions = {
    agent: readAgent(textOf(args, 'agent') ?? agent),
    proof: isOn(args, 'proof'),
    refusals: numberOf(args, 'refusals', 0, 99),
  }
  const undo = new UndoFile(workspace)
  if (isOn(args, 'remove')) {
    const edits = await planRemoval(workspace.checkout, target, options, undo)
    return { edits, agent: options.agent, apply: () => undo.restore(edits) }
  }
  const edits = await planTarget(workspace.checkout, target, options)
  const apply = async () => {
    if (await makeFolder(workspace.dir)) shell.note('created workspace .baton/ (SQLite)')
    return undo.apply(edits)
  }
  return { edits, agent: options.agent, afterwards, apply }
}

async function gitPlan(workspace: Workspace, args: Arguments): Promise<Plan> {
  const [{ preCommitEdits }, { prePushEdits }] = await Promise.all([
    import('../../../../git/pre-commit-install.ts'),
    import('../../../../git/pre-push-install.ts'),
  ])
  const options = { env: gitEnvironment(), remove: isOn(args, 'remove') }
  const edits = [
    ...(await preCommitEdits(workspace.checkout, options)),
    ...(await prePushEdits(workspace.checkout, options)),
  ]
  return { edits, apply: () => applyEdits(edits) }
}

function readAgent(text: string): string {
  const name = text.trim().replace(/^@/, '').toLowerCase()
  // It becomes a part of a command line, so nothing but a name may come through.
  if (AGENT_NAME.test(name)) return name
  throw new BatonError(
    'invalid_input',
    `--agent is ${JSON.stringify(text)}: an agent name is letters, digits, dots, dashes or underscores, for example codex`,
    { agent: text },
  )
}

async function agreed(shell: Shell, args: Arguments, edits: readonly FileEdit[]): Promise<boolean> {
  if (isOn(args, 'yes')) return true
  if (!shell.io.isTerminal || shell.isJson) return false
  shell.say(diffFor(shell, edits))
  return askYesNo(shell.io, isOn(args, 'remove') ? 'Take this out?' : 'Write this?')
}

function diffFor(shell: Shell, edits: readonly FileEdit[]): string {
  return diffOf(edits, shell.io.cwd)
    .map(({ kind, text }) => shell.screen.paint(DIFF_STYLES[kind], `${SIGNS[kind]}${plainText(text)}`))
    .join('\n')
}

const changeOf = ({ before, after }: FileEdit): string =>
  before === undefined ? 'new' : after === undefined ? 'removed' : 'changed'

function written(shell: Shell, edits: readonly FileEdit[]): string {
  const { screen, io } = shell
  return edits
    .map(
      (edit) =>
        `${screen.tick} ${relative(io.cwd, edit.path)}  ${screen.dim(`${changeOf(edit)}: ${edit.why}`)}`,
    )
    .join('\n')
}

function nothingToDo(target: Target, args: Arguments): string {
  return isOn(args, 'remove') ? `nothing of ${target} is set up here` : `${target} is set up already`
}
