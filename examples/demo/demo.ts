import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../src/compose/open.ts'
import { BatonError } from '../../src/domain/errors.ts'
import type { Command } from '../../src/transports/cli/command.ts'
import { besideServer, portOf } from '../../src/transports/cli/commands/programs/serve.ts'
import { isOn, textOf } from '../../src/transports/cli/input/args.ts'
import type { Shell } from '../../src/transports/cli/shell.ts'
import { CONFIG, isPlayer, TEAM, WORKFLOW, WORKFLOW_NAME } from './team.ts'

/** For whoever has to find the link and the window first. */
const BEFORE_S = 6

export const demo: Command = {
  name: 'demo',
  summary: 'Five agents of five dialects pass work in front of your browser, and a gate waits for you.',
  flags: [
    { name: 'auto', about: 'Nobody is there: the gate is approved, and it ends by itself' },
    { name: 'pace', placeholder: 'number', about: 'How long its pauses are (1); 0 leaves none' },
    { name: 'port', placeholder: 'number', about: 'Port to listen on (a free one)' },
  ],
  examples: ['baton demo', 'baton demo --auto --pace 0'],
  // The name of a player, in the processes that it starts.
  takesMore: true,
  async run(shell, args) {
    const pace = toPace(textOf(args, 'pace'))
    const [player] = args.words
    if (player !== undefined) return playOne(shell, player, pace)
    const signal = shell.io.lasting()
    const folder = newProject()
    try {
      return await perform(shell, {
        folder,
        pace,
        signal,
        port: portOf(args) ?? 0,
        isAuto: isOn(args, 'auto'),
      })
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  },
}

interface Performance {
  readonly folder: string
  readonly pace: number
  readonly signal: AbortSignal
  readonly port: number
  readonly isAuto: boolean
}

async function perform(shell: Shell, { folder, pace, signal, port, isAuto }: Performance): Promise<number> {
  const [
    { openContext },
    { loadConfig },
    { trust },
    { serve },
    { startTeam },
    { waitAtGate },
    { summaryOf },
  ] = await Promise.all([
    import('../../src/compose/open.ts'),
    import('../../src/config/file.ts'),
    import('../../src/workspace/trust.ts'),
    import('../../src/transports/http/server/serve.ts'),
    import('./start-team.ts'),
    import('./gate.ts'),
    import('./summary.ts'),
  ])
  const environment = ownEnvironment(shell, folder)
  trust({ root: folder }, await loadConfig(join(folder, 'baton.yaml')), environment)
  const context = await openContext({
    cwd: folder,
    environment,
    isTerminal: shell.io.isTerminal,
    write: true,
    explicit: true,
  })
  const server = await serve({
    service: context.service,
    port,
    beside: await besideServer(context),
    // The narration is what a person follows here.
    log: () => undefined,
  })
  const over = new AbortController()
  if (signal.aborted) over.abort()
  void server.closed.then(
    () => over.abort(),
    () => over.abort(),
  )
  const tell = narrator(shell)
  const speak = (name: string, text: string) => tell(name, text)
  try {
    await welcome(shell, context, server.url)
    await pauseUnless(over.signal, isAuto ? 0 : BEFORE_S * pace)
    const team = startTeam({ folder, pace, signal: over.signal, say: speak })
    const gate = waitAtGate(context, { url: server.url, isAuto, signal: over.signal, say: speak })
    // Whoever ends the demo ends all of it; an agent that fails ends it too, with its reason.
    await Promise.race([Promise.all([team, gate]), aborted(over.signal)])
    if (over.signal.aborted) return 0
    const summary = await summaryOf(context.service)
    shell.answer({ url: server.url, ...summary.numbers }, () => `\n${shell.screen.tick} ${summary.text}`)
    if (isAuto) return 0
    shell.print(`  look around at ${server.url}; Ctrl-C ends it and removes the folder`)
    await server.closed
    return 0
  } finally {
    over.abort()
    await server.close()
  }
}

/** The person's own name, and nothing else of where the command was typed: the demo lives in its own folder. */
function ownEnvironment({ io }: Shell, folder: string): Shell['io']['env'] {
  const { home: _, user, uid, ci, noColor, debug } = io.env
  return { home: join(folder, '.home'), user, ...(uid !== undefined && { uid }), ci, noColor, debug }
}

async function welcome(shell: Shell, { actor, service }: Context, url: string): Promise<void> {
  const code = await (await service.tokens()).loginCode({ actor }, actor.name)
  const { screen } = shell
  if (shell.isJson) return
  shell.print(
    [
      `${screen.bold('Baton, in a minute.')} A shop puts limits on its API. Five agents do it, each in its own process and its own way:`,
      '',
      ...TEAM.map(
        ({ name, dialect, about }) => `  ${name.padEnd(17)} ${screen.dim(dialect.padEnd(10))} ${about}`,
      ),
      '',
      `Open this and watch it move (good once, for ten minutes; you are ${actor.name}):`,
      `  ${screen.paint('cyan', `${url}/#login=${code}`)}`,
      '',
    ].join('\n'),
  )
}

/** One line for each thing that somebody does. */
function narrator(shell: Shell): (name: string, text: string) => void {
  const { screen } = shell
  return (name, text) => {
    const player = TEAM.find((each) => each.name === name)
    const time = new Date().toTimeString().slice(0, 8)
    const who = player ? screen.bold(name.padEnd(17)) : screen.paint('yellow', name.padEnd(17))
    shell.say(`${screen.dim(time)}  ${who} ${screen.dim((player?.dialect ?? '').padEnd(10))} ${text}`)
  }
}

function newProject(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-demo-')))
  mkdirSync(join(folder, 'workflows'))
  writeFileSync(join(folder, 'baton.yaml'), CONFIG)
  writeFileSync(join(folder, 'workflows', `${WORKFLOW_NAME}.yaml`), WORKFLOW)
  return folder
}

/** The other side of `start-team.ts`: what the demo starts for each agent. */
async function playOne(shell: Shell, name: string, pace: number): Promise<number> {
  if (!isPlayer(name))
    throw new BatonError('invalid_input', `the demo has no ${name}; start it with: baton demo`, { name })
  const { play } = await import('./play.ts')
  const { cwd: folder, stdin } = shell.io
  const gone = new AbortController()
  // Whoever started it holds the other end: it closes when that process ends, however it ends.
  stdin.once('end', () => gone.abort()).resume()
  try {
    await play(name, { folder, pace, signal: gone.signal, say: (text) => shell.print(text) })
  } catch (error) {
    if (!gone.signal.aborted) throw error
  } finally {
    stdin.destroy()
  }
  return 0
}

function toPace(text: string | undefined): number {
  const pace = Number(text ?? 1)
  if (Number.isFinite(pace) && pace >= 0 && pace <= 20) return pace
  throw new BatonError('invalid_input', `--pace ${text} is not a number from 0 to 20`, { option: 'pace' })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function pauseUnless(signal: AbortSignal, seconds: number): Promise<void> {
  const timer = Promise.withResolvers<void>()
  const timeout = setTimeout(timer.resolve, seconds * 1_000)
  await Promise.race([timer.promise, aborted(signal)])
  clearTimeout(timeout)
}
