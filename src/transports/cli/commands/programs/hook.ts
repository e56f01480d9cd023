import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { config } from 'zod'
import { hookEnvironment, startedAgent } from '../../../../config/config.ts'
import { BatonError } from '../../../../domain/errors.ts'
import { orElse } from '../../../../domain/once.ts'
import { findWorkspace } from '../../../../workspace/find.ts'
// Not loaded late: each file is a millisecond, and an agent waits for this command at every stop.
import { answerHook, DEFAULT_REFUSALS, tellAgent } from '../../../hooks/agent-hook.ts'
import {
  EVENTS,
  eventOf,
  maySimplyStop,
  PROGRAMS,
  type Program,
  readHookInput,
} from '../../../hooks/hook-input.ts'
import type { Command } from '../../command.ts'
import { type Arguments, choiceOf, flag, isOn, numberOf, textOf, withCaller } from '../../input/args.ts'
import type { Io } from '../../io.ts'
import { oneLine } from '../../screen/plain-text.ts'
import { notesFolder, type Session, seatsOf } from '../../session/session.ts'
import { Shell } from '../../shell.ts'

export const hook: Command = {
  name: 'hook',
  summary:
    'Answers the hooks of a coding agent (session-start, stop, subagent-stop, pre-compact, task-completed, news), and git (pre-commit).',
  words: ['event'],
  takesMore: true,
  flags: [
    flag('agent <agent>', 'The agent whose session it is; the same as --as'),
    flag('for <program>', 'The program that asks', { choices: PROGRAMS }),
    flag('refusals <number>', 'How often a session is kept from stopping (2)'),
    flag('user', 'Set up for all projects: no answer outside your own workspaces'),
    flag('strict', 'pre-commit: warnings refuse too'),
  ],
  examples: [
    'baton hook session-start --agent claude --for claude-code',
    'baton hook stop --agent codex --for codex --refusals 1',
    'baton hook pre-commit',
  ],
  async run(shell, args) {
    const [word = ''] = args.words
    if (word === 'pre-commit') return preCommit(shell, args)
    const named = eventOf(word)
    if (named === undefined)
      throw new BatonError('invalid_input', `there is no event ${word}: ${EVENTS.join(', ')} or pre-commit`, {
        event: word,
      })
    // Code that is generated for a schema pays off from the second use on, and a hook uses each once.
    config({ jitless: true })
    const input = await readHookInput(shell.io.pull ?? shell.io.stdin)
    const event = named === 'stop' && input.isBelow ? 'subagent-stop' : named
    const asked = choiceOf(args, 'for', PROGRAMS)
    // Cursor runs the hooks of Claude Code too; its own entry answers there.
    if (input.isCursor && asked !== undefined && asked !== 'cursor') return 0
    if (maySimplyStop(event, input)) return 0
    const program = asked ?? (input.isCursor ? 'cursor' : word.startsWith('after') ? 'gemini' : 'claude-code')
    const answer = await inTime(shell.io, async () => {
      const inner = new Shell(at(shell.io, input.cwd), namedAgent(shell.io, args))
      try {
        if (isOn(args, 'user') && !(await isForUserHooks(inner.io, program))) return undefined
        const session = await openedFor(inner)
        if (session === undefined) return undefined
        if (typeof session === 'string')
          return event === 'session-start' && !isOn(args, 'user') ? tellAgent(program, session) : undefined
        return await answerHook({
          event,
          ...(await sessionFor(inner.io, session, event === 'session-start' && program !== 'cursor')),
          program,
          refusals: numberOf(args, 'refusals', 0, 99) ?? DEFAULT_REFUSALS,
          input,
          session,
          folder: await notesFolder(inner.io),
          now: new Date(),
        })
      } finally {
        await inner.close()
      }
    })
    if (answer?.stdout) shell.print(JSON.stringify(answer.stdout))
    if (answer?.stderr !== undefined) shell.io.stderr.write(`${answer.stderr}\n`)
    return answer?.exit ?? 0
  },
}

/** The agent with its session. One that begins gets a seat, so that its server and its commands find the same. */
async function sessionFor(io: Io, session: Session, isBeginning: boolean) {
  const { name: agent, instance = io.env.instance } = await session.actor()
  // Between the two is the shell of the hook.
  const asker = Number.parseInt((await io.above?.())?.[1]?.name ?? '', 10)
  if (io.env.instance !== undefined) return { agent, instance, asker }
  const seats = () => seatsOf(io, session.place, agent)
  const ended = async () => (await seats()).ended()
  return { agent, instance: isBeginning ? ((await seats()).reserve() ?? instance) : instance, ended, asker }
}

/** A store that came with a clone could hold any instructions. */
const NOT_OURS =
  'Baton: the store of this workspace was not made by this user, so nothing of it is shown here. A person can look at it and run: baton trust'

/** A hundred times what an answer takes; the agent waits as long. */
const PATIENCE_MS = 5_000

/** A store or a server that hangs must not hold up the agent. */
async function inTime<T>(io: Io, answer: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    io.leave?.()
    reject(new BatonError('timed_out', `there was no answer within ${PATIENCE_MS / 1_000} seconds`))
  }, PATIENCE_MS)
  try {
    return await Promise.race([answer(), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Agents go to many folders, and most have no workspace: that is not a failure. An agent should hear of a store that
 * somebody named and that is not there: in one line.
 */
async function openedFor(shell: Shell): Promise<Session | string | undefined> {
  try {
    const session = await shell.open({ write: false })
    return session.context?.isOurs === false ? NOT_OURS : session
  } catch (error) {
    if (!(error instanceof BatonError) || error.code !== 'not_found') throw error
    const isNamed = shell.store !== undefined || shell.io.env.store !== undefined
    return isNamed ? `Baton: ${oneLine(error.message)}` : undefined
  }
}

/**
 * Hooks that are set up for all projects run in every folder. They keep out of folders without a workspace, and out of
 * stores that this user neither made nor adopted. A project with hooks of its own answers by those.
 */
async function isForUserHooks({ cwd, env }: Io, program: Program): Promise<boolean> {
  if (env.url !== undefined || env.store !== undefined) return true
  const workspace = await findWorkspace(cwd, env).catch(() => undefined)
  if (workspace === undefined) return false
  const [{ knownStores }, { targetOf }] = await Promise.all([
    import('../../../../workspace/workspace.ts'),
    import('../../../../setup/targets.ts'),
  ])
  const { hooks } = targetOf(program).project
  const isOurs = () => knownStores(env, 'ours').includes(workspace.database)
  if (statSync(workspace.database, { throwIfNoEntry: false }) && !isOurs()) return false
  const text = orElse(() => readFileSync(join(workspace.checkout, hooks ?? ''), 'utf8'), '')
  return !text.includes('baton hook ')
}

function at(io: Io, cwd: string | undefined): Io {
  const isFolder = cwd !== undefined && statSync(cwd, { throwIfNoEntry: false })?.isDirectory()
  return { ...io, cwd: isFolder ? cwd : io.cwd }
}

/** `--agent` is what setup writes; `--as` is what every command understands. */
function namedAgent({ env }: Io, args: Arguments): Arguments {
  const agent = startedAgent(env) ?? textOf(args, 'as') ?? textOf(args, 'agent')
  return agent === undefined ? args : withCaller(args, agent)
}

async function preCommit(shell: Shell, args: Arguments): Promise<number> {
  const { runPreCommit } = await import('../../../../git/pre-commit.ts')
  const options = { env: hookEnvironment(), strict: isOn(args, 'strict') }
  const { exit, text } = await runPreCommit(shell.io.cwd, options)
  if (text !== '') shell.io.stderr.write(text.endsWith('\n') ? text : `${text}\n`)
  return exit
}
