import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path'
import { packageRoot } from '../../../../compose/version.ts'
import { gitEnvironment } from '../../../../config/config.ts'
import { AGENT_NAME } from '../../../../domain/actor.ts'
import { BatonError, invalidInput } from '../../../../domain/errors.ts'
import { changeOf, diffOf, SIGNS } from '../../../../setup/diff.ts'
import { applyEdits, type FileEdit, isChange } from '../../../../setup/file-edit.ts'
import {
  filesOfOthers,
  type Ground,
  type PlannedEdit,
  planParts,
  planRemoval,
} from '../../../../setup/plan.ts'
import {
  AGENT_TARGET_NAMES,
  type AgentTargetName,
  allowsText,
  allParts,
  fileParts,
  permissionParts,
  type TargetOptions,
  targetOf,
} from '../../../../setup/targets.ts'
import { UndoFile } from '../../../../setup/undo.ts'
import {
  knownStores,
  makeFolder,
  noteStore,
  placeWorkspace,
  type Workspace,
} from '../../../../workspace/workspace.ts'
import type { Command } from '../../command.ts'
import { type Arguments, flag, isOn, numberOf, textOf } from '../../input/args.ts'
import { askYesNo } from '../../prompt.ts'
import { plainText } from '../../screen/plain-text.ts'
import type { Shell } from '../../shell.ts'

/** Nothing was written, because nobody agreed to it: conditions are not met. */
const NOT_WRITTEN = 8
const TARGETS = [...AGENT_TARGET_NAMES, 'git'] as const
const DIFF_STYLES = { file: 'bold', added: 'green', removed: 'red', same: 'dim', gap: 'dim' } as const

/** The edits to make, the step that makes them, and the permission that is asked for after them. */
interface Plan {
  readonly edits: readonly FileEdit[]
  readonly agent?: string
  readonly afterwards?: string
  readonly permission?: {
    readonly edits: readonly FileEdit[]
    readonly allows: string
    apply(): Promise<unknown>
  }
  /** The program's own rule, where no permission is written. */
  readonly unasked?: string | undefined
  apply(): Promise<unknown>
}

export const setup: Command = {
  name: 'setup',
  summary: `Connects a program with Baton: ${TARGETS.join(', ')}. Shows what it will write and asks first.`,
  words: [TARGETS.join('|')],
  flags: [
    flag('agent <name>', 'Name of the agent (claude, codex, gemini, copilot, opencode, qwen, cursor)'),
    flag('proof', 'With the tools that make work provable'),
    flag('refusals <number>', 'How often a session with open work is kept from stopping (2)'),
    flag('user', 'For all your projects, in your home folder'),
    flag('shared', 'Write the permission into a file of the project, for everybody'),
    flag('remove', 'Put everything back as it was'),
    flag('yes', 'Write without asking, the permission too', { also: ['y'] }),
    flag('dry-run', 'Only show what would be written'),
  ],
  examples: [
    'baton setup claude-code',
    'baton setup codex --agent reviewer --yes',
    'baton setup claude-code --proof',
    'baton setup gemini --remove',
    'baton setup claude-code --user',
    'baton setup git',
  ],
  async run(shell, args) {
    const target = readTarget(args)
    const plan = target === 'git' ? await gitPlan(shell) : await agentPlan(shell, target)
    const edits = plan.edits.filter(isChange)
    const isDry = isOn(args, 'dry-run')
    const isAgreed = edits.length === 0 || (!isDry && (await agreed(shell, edits, questionOf(args))))
    if (isAgreed && edits.length > 0) await plan.apply()
    const allowed = isAgreed && !isDry ? await permitted(shell, plan) : []
    const proposed = [...edits, ...(plan.permission?.edits.filter(isChange) ?? [])]
    const done = isAgreed && !isDry ? [...edits, ...allowed] : []
    const isWritten = done.length > 0
    const answer = {
      program: target,
      agent: plan.agent,
      files: (isWritten ? done : proposed).map((edit) => ({
        path: edit.path,
        change: changeOf(edit),
        why: edit.why,
      })),
      written: isWritten,
    }
    shell.answer(answer, () => {
      if (isWritten) return written(shell, done)
      const settled = isOn(args, 'remove')
        ? `nothing of ${target} is set up here`
        : `${target} is set up already`
      if (proposed.length === 0) return `${shell.screen.tick} ${settled}`
      return isDry || !shell.io.isTerminal ? diffFor(shell, proposed) : ''
    })
    if (isWritten && plan.afterwards !== undefined) {
      if (!isInstalled(shell.io.env.path))
        shell.warn(
          `${target} will not find the command baton; first: npm install --global --prefix ~/.local ${packageRoot()}`,
        )
      if (plan.permission === undefined && plan.unasked !== undefined) shell.say(plan.unasked)
      shell.say(`next: ${plan.afterwards}`)
    }
    if (proposed.length === 0 || isWritten || isDry) return 0
    shell.warn('nothing was written; to write this, add --yes')
    return NOT_WRITTEN
  },
}

const questionOf = (args: Arguments): string => (isOn(args, 'remove') ? 'Take this out?' : 'Write this?')

/** Asks for the permission after everything else, in a question of its own. Answers the edits that were made. */
async function permitted(shell: Shell, { permission }: Plan): Promise<readonly FileEdit[]> {
  const edits = permission?.edits.filter(isChange) ?? []
  if (permission === undefined || edits.length === 0) return []
  if (shell.io.env.codingAgent !== undefined) {
    shell.warn('no permission was written, because an agent called; a person gives it with the same command')
    return []
  }
  const isYes = isOn(shell.args, 'yes')
  if (isYes || shell.io.isTerminal) shell.warn(permission.allows)
  if (!(await agreed(shell, edits, 'Allow this?'))) return []
  await permission.apply()
  return edits
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

async function agentPlan(shell: Shell, target: AgentTargetName): Promise<Plan> {
  const { args } = shell
  const { agent, title, afterwards, unasked, user: places, shared } = targetOf(target)
  const [isUser, isShared, isRemoval] = ['user', 'shared', 'remove'].map((name) => isOn(args, name))
  if (isUser && places === undefined)
    throw new BatonError('invalid_input', `${title} is set up for each project; run it there without --user`)
  if (isShared && (isUser || shared === undefined))
    throw invalidInput(
      isUser
        ? '--user writes into your home folder, which nobody shares; leave --shared or --user out'
        : `${title} takes permissions only from the person's own settings; leave --shared out`,
    )
  const ground = await groundOf(shell, isUser === true)
  const options: TargetOptions = {
    agent: readAgent(textOf(args, 'agent') ?? agent),
    proof: isOn(args, 'proof'),
    refusals: numberOf(args, 'refusals', 0, 99),
    user: isUser === true,
    shared: isShared === true,
    root: ground.root,
    tools: await toolNames(isOn(args, 'proof') || isRemoval === true),
  }
  if (isRemoval) {
    const files = knownStores(shell.io.env, 'ours', 'set up').filter(isAbsolute)
    const projects = files.map((file) => dirname(dirname(file)))
    const others = await filesOfOthers(ground, target, options, projects)
    const edits = await planRemoval(ground, allParts(target, options), others)
    return { edits, agent: options.agent, apply: () => inTurn(edits, ground, 'restore') }
  }
  const edits = await planParts(ground, fileParts(target, options))
  const allowing = permissionParts(target, options)
  const permits = await planParts(ground, allowing, edits)
  const apply = async () => {
    if (ground.workspace && (await makeFolder(ground.workspace.dir)))
      shell.note('created workspace .baton/ (SQLite)')
    // A project may have its store elsewhere, or none yet.
    if (!isUser) noteStore(shell.io.env, `${join(ground.root, '.baton', 'baton.db')} setup`, 'set up')
    return inTurn(edits, ground, 'apply')
  }
  return {
    ...{ edits, agent: options.agent, unasked, apply },
    afterwards: isUser ? afterwards.replace('in this folder', 'in a project') : afterwards,
    ...(allowing.length > 0 && {
      permission: {
        edits: permits,
        allows: allowsText(target, options),
        apply: () => inTurn(permits, ground, 'apply'),
      },
    }),
  }
}

/** Files of the project and of the home are remembered apart. */
async function inTurn(
  edits: readonly PlannedEdit[],
  ground: Ground,
  step: 'apply' | 'restore',
): Promise<void> {
  const ofHome = edits.filter(({ isOfHome }) => isOfHome)
  const ofProject = edits.filter(({ isOfHome }) => !isOfHome)
  if (ofProject.length > 0) await ground.undo[step](ofProject)
  if (ofHome.length === 0) return
  mkdirSync(ground.own, { recursive: true, mode: 0o700 })
  await ground.homeUndo[step](ofHome)
}

async function groundOf(shell: Shell, isUser: boolean): Promise<Ground & { readonly workspace?: Workspace }> {
  const { cwd, env } = shell.io
  const home = env.userHome ?? env.home
  const dir = join(env.home, '.baton')
  const homeUndo = new UndoFile({ dir, root: home })
  if (isUser) return { root: home, home, own: dir, undo: homeUndo, homeUndo }
  const workspace = await placeWorkspace(cwd, env, { explicit: true })
  return { root: workspace.checkout, home, own: dir, undo: new UndoFile(workspace), homeUndo, workspace }
}

/**
 * Everything that setup wrote for any program, as edits that take it out; of a file that several share, the first.
 * Home files that all projects use stay until the home is asked for.
 */
export async function allRemovals(shell: Shell, isUser: boolean) {
  const ground = await groundOf(shell, isUser)
  const tools = await toolNames(true)
  const partsOf = (user: boolean) =>
    AGENT_TARGET_NAMES.filter((name) => !user || targetOf(name).user).flatMap((name) =>
      allParts(name, { agent: targetOf(name).agent, user, root: ground.root, tools, proof: true }),
    )
  const ofAll = new Set(isUser ? [] : partsOf(true).map(({ file }) => file))
  const parts = partsOf(isUser).filter(({ file }) => !ofAll.has(file))
  const edits = (await planRemoval(ground, parts, new Set())).filter(isChange)
  const hooks = isUser ? [] : (await gitEdits(shell, true)).filter(isChange)
  const first = edits.filter(({ path }, i) => edits.findIndex((edit) => edit.path === path) === i)
  const apply = async () => {
    await inTurn(first, ground, 'restore')
    await applyEdits(hooks)
  }
  return { edits: [...first, ...hooks], apply }
}

/** Whether the server of this program is in its settings, for this project or for all. */
export async function isSetUp(shell: Shell, name: AgentTargetName): Promise<boolean> {
  const { agent } = targetOf(name)
  for (const user of [false, true]) {
    const ground = await groundOf(shell, user)
    const [server] = fileParts(name, { agent, user, root: ground.root, tools: [], proof: false })
    if (server && (await planRemoval(ground, [server], new Set())).some(isChange)) return true
  }
  return false
}

/** The tools that the server offers. A removal knows those of every set. */
async function toolNames(withProof: boolean): Promise<readonly string[]> {
  const { listTools, parseToolset } = await import('../../../mcp/tools.ts')
  const tools = await listTools(parseToolset(withProof ? 'default,proof' : 'default'))
  return tools.map(({ name }) => name)
}

async function gitPlan(shell: Shell): Promise<Plan> {
  const edits = await gitEdits(shell, isOn(shell.args, 'remove'))
  return { edits, apply: () => applyEdits(edits) }
}

async function gitEdits({ io }: Shell, remove: boolean): Promise<readonly FileEdit[]> {
  const workspace = await placeWorkspace(io.cwd, io.env, { explicit: true })
  const [{ preCommitEdits }, { prePushEdits }] = await Promise.all([
    import('../../../../git/pre-commit-install.ts'),
    import('../../../../git/pre-push-install.ts'),
  ])
  const options = { env: gitEnvironment(), remove }
  return [
    ...(await preCommitEdits(workspace.checkout, options)),
    ...(await prePushEdits(workspace.checkout, options)),
  ]
}

function readAgent(text: string): string {
  const name = text.trim().replace(/^@/, '').toLowerCase()
  // It becomes a part of a command line, so nothing but a name may come through.
  if (AGENT_NAME.test(name)) return name
  throw invalidInput(
    `--agent is ${JSON.stringify(text)}: an agent name is letters, digits, dots, dashes or underscores, for example codex`,
    { agent: text },
  )
}

async function agreed(shell: Shell, edits: readonly FileEdit[], question: string): Promise<boolean> {
  if (isOn(shell.args, 'yes')) return true
  if (!shell.io.isTerminal || shell.isJson) return false
  shell.say(diffFor(shell, edits))
  return askYesNo(shell.io, question)
}

function diffFor(shell: Shell, edits: readonly FileEdit[]): string {
  return diffOf(edits, shell.io.cwd)
    .map(({ kind, text }) => shell.screen.paint(DIFF_STYLES[kind], `${SIGNS[kind]}${plainText(text)}`))
    .join('\n')
}

function written(shell: Shell, edits: readonly FileEdit[]): string {
  const { screen, io } = shell
  return edits
    .map(
      (edit) =>
        `${screen.tick} ${relative(io.cwd, edit.path)}  ${screen.dim(`${changeOf(edit)}: ${edit.why}`)}`,
    )
    .join('\n')
}
