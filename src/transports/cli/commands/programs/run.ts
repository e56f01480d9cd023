import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { foldersOf, settingsAround } from '../../../../compose/open.ts'
import { type Config, programEnvironment } from '../../../../config/config.ts'
import { invalidInput, notAllowed, wrongState } from '../../../../domain/errors.ts'
import { orElse } from '../../../../domain/once.ts'
import { present } from '../../../../domain/present.ts'
import type { Repository } from '../../../../git/git.ts'
import { KNOWN_PROGRAMS, type ReadyRunner, readyRunner } from '../../../../programs/known-programs.ts'
import { INBOX_PAGE, isFor, isHeldBy, type RunnerEvent, runPrograms } from '../../../../programs/runner.ts'
import type { Link } from '../../../../runner/link.ts'
import type { AgentTargetName } from '../../../../setup/targets.ts'
import { Seats } from '../../../../workspace/seat.ts'
import type { Command } from '../../command.ts'
import { flag, isOn } from '../../input/args.ts'
import { safeJson } from '../../screen/plain-text.ts'
import { cut } from '../../screen/width.ts'
import { storePlace } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'
import { repositoryAt } from '../task/repository.ts'

export const run: Command = {
  name: 'run',
  summary:
    'Starts the programs of agents when work arrives, until Ctrl-C. A trusted baton.yaml lists them as runners.',
  flags: [
    flag('once', 'End when nothing is left to start'),
    flag('dry-run', 'Show what would start now, and start nothing'),
    flag('doctor', 'Say for each runner whether it could start now'),
  ],
  lacks: ['as', 'key'],
  examples: ['baton run', 'baton run --once', 'baton run --dry-run', 'baton run --doctor'],
  async run(shell, args) {
    refuseAgents(shell)
    const stopped = new AbortController()
    const closing = shell.io.lasting(() => stopped.abort())
    if (isOn(args, 'doctor')) {
      const { url } = shell.io.env
      const isRemote = url !== undefined && shell.store === undefined
      const place = isRemote ? await openRemote(shell, url) : await openPlace(shell)
      return doctor(shell, place, runnersIn(place))
    }
    // Only a run that starts something may make a workspace.
    const world = await openWorld(shell, !isOn(args, 'dry-run'))
    try {
      const runners = runnersIn(world)
      if (isOn(args, 'dry-run')) return await dryRun(shell, world, runners)
      refuseUnready(shell, world, runners)
      const table = new LiveTable(shell)
      let failed = 0
      try {
        await runPrograms(
          {
            link: world.link,
            root: world.root,
            repository: world.repository,
            seat: (agent) => seatsOf(shell, world.store, agent).take(),
            environment: ({ agent, env }, instance) => ({
              ...programEnvironment(env),
              ...world.way(agent),
              BATON_AGENT: agent,
              BATON_INSTANCE: instance,
              TERM: 'dumb',
            }),
            guard: [process.execPath, ...process.execArgv, process.argv[1] ?? '', '__guard'],
            tell: (event) => {
              if (event.kind === 'ended' && event.text !== 'exit code 0') failed += 1
              table.tell(event)
            },
            closing,
            stopped: stopped.signal,
            once: isOn(args, 'once'),
          },
          runners,
        )
      } finally {
        table.end()
      }
      return isOn(args, 'once') && failed > 0 ? 1 : 0
    } finally {
      await world.link.close()
    }
  },
}

/** An agent that could start others would give orders in a person's name. */
function refuseAgents({ io }: Shell): void {
  const name = io.env.agent ?? io.env.codingAgent
  if (name !== undefined)
    throw notAllowed(
      `baton run starts agents and is for people and CI, and ${io.env.agent === undefined ? `${name} shows a coding agent` : `BATON_AGENT says ${name}`}; ask a person to run it`,
      { name },
    )
}

interface RunnerPlace {
  readonly config?: Config | undefined
  readonly root: string
  readonly repository: Repository | undefined
  /** The variables by which a program finds the same workspace. */
  readonly way: (agent: string) => Readonly<Record<string, string>>
}

interface World extends RunnerPlace {
  readonly link: Link
  /** Tells the seats of different stores apart. */
  readonly store: string
}

/** The settings that this user trusts; a store is not needed for them. */
async function openPlace(shell: Shell): Promise<RunnerPlace> {
  const { env, cwd } = shell.io
  const { warnings, ...settings } = await settingsAround(cwd, env)
  for (const warning of warnings) shell.warn(warning)
  return { ...settings, repository: await repositoryAt(settings.root), way: () => ({}) }
}

async function openRemote(shell: Shell, url: string): Promise<World> {
  const { remoteLink } = await import('../../../http/client/remote-link.ts')
  const place = await openPlace(shell)
  const token = shell.io.env.token ?? ''
  const link = await remoteLink({ url, token, compile: () => Promise.resolve(() => []) })
  const way = (agent: string) => ({ BATON_URL: url, ...present({ BATON_TOKEN: link.tokens.get(agent) }) })
  return { ...place, link, store: url, way }
}

async function openWorld(shell: Shell, write: boolean): Promise<World> {
  const { env, cwd } = shell.io
  if (env.url !== undefined && shell.store === undefined) return openRemote(shell, env.url)
  const context = await shell.openLocal({ write, explicit: true })
  const { service, config, workspace, isOurs } = context
  if (!isOurs) (await import('../../../../compose/own-store.ts')).refuseUnadopted(service.deps.store)
  const { localLink } = await import('../../../../runner/local-link.ts')
  const root = workspace?.root ?? cwd
  // Files that others put into a live folder are work too, and its files follow what programs do.
  const folders = write ? await foldersOf(context) : undefined
  const kept = folders && (await (await import('../../../../compose/embedded.ts')).keepFolders(folders))
  // An agent may have cleared its environment. A runner has a terminal of its own by right.
  const doubt = await shell.io.doubt?.(false)
  return {
    // The shell closes the store.
    link: localLink({ service, base: root, close: async () => kept?.stop(), doubt }),
    config,
    root,
    repository: await repositoryAt(root),
    store: storePlace(context),
    way: () => ({ BATON_WORKSPACE: root, ...present({ BATON_STORE: shell.store ?? env.store }) }),
  }
}

function runnersIn({ config }: RunnerPlace): readonly ReadyRunner[] {
  const named = Object.entries(config?.runners ?? {})
  if (named.length === 0)
    throw invalidInput(
      'no runner is in force; write one into baton.yaml, such as runners: {claude: {}}, and then: baton trust',
    )
  return named.map(([agent, given]) => {
    const runner = readyRunner(agent, given)
    if (runner) return runner
    throw invalidInput(
      `runners.${agent} has no command, and Baton knows the programs ${Object.keys(KNOWN_PROGRAMS).join(', ')}; write command: [program, argument]`,
      { agent },
    )
  })
}

/** Why a runner could not start now; empty when it could. */
function problemsOf({ io }: Shell, place: RunnerPlace, runner: ReadyRunner): readonly string[] {
  const { root, repository, way } = place
  const [program = ''] = runner.command
  const variables = programEnvironment(runner.env)
  const missing = runner.env.filter((name) => variables[name] === undefined)
  return [
    ...(isThere(program, root, io.env.path) ? [] : [`${program} was not found on PATH; install it`]),
    ...(runner.worktree && !repository ? [`worktree: true needs a git repository around ${root}`] : []),
    ...(missing.length > 0 ? [`${missing.join(', ')} of env: is not set here`] : []),
    ...('BATON_URL' in way(runner.agent) && !('BATON_TOKEN' in way(runner.agent))
      ? [
          `BATON_TOKEN holds no token of ${runner.agent}; make one: baton token create --agent ${runner.agent}`,
        ]
      : []),
  ]
}

function isThere(program: string, root: string, path = ''): boolean {
  const places = /[\\/]/.test(program)
    ? [isAbsolute(program) ? program : resolve(root, program)]
    : path.split(delimiter).map((folder) => join(folder, program))
  const isProgram = (place: string) => {
    accessSync(place, constants.X_OK)
    return statSync(place).isFile()
  }
  return places.some((place) => orElse(() => isProgram(place), false))
}

function refuseUnready(shell: Shell, world: World, runners: readonly ReadyRunner[]): void {
  for (const runner of runners)
    for (const problem of problemsOf(shell, world, runner))
      throw wrongState(`the runner ${runner.agent} cannot start: ${problem}`, {
        agent: runner.agent,
      })
}

async function doctor(shell: Shell, place: RunnerPlace, runners: readonly ReadyRunner[]): Promise<number> {
  const found = await Promise.all(
    runners.map(async (runner) => {
      const problems = [...problemsOf(shell, place, runner), ...(await unconnected(shell, runner))]
      return { agent: runner.agent, command: runner.command, ok: problems.length === 0, problems }
    }),
  )
  shell.answer({ runners: found }, () =>
    shell.screen.table(
      found.map(({ agent, command, ok, problems }) => [
        ok ? shell.screen.tick : shell.screen.cross,
        agent,
        command.join(' '),
        { text: ok ? 'could start now' : problems.join('; '), fill: true },
      ]),
    ),
  )
  return found.every(({ ok }) => ok) ? 0 : 1
}

/** A program that hands in by calls needs the server of Baton in its settings. */
async function unconnected(shell: Shell, runner: ReadyRunner): Promise<readonly string[]> {
  const { setup, answer, command } = runner
  const { isSetUp } = await import('../workspace/setup.ts')
  const isConnected = !setup || answer !== 'calls' || (await isSetUp(shell, setup as AgentTargetName))
  return isConnected ? [] : [`${command[0]} is not connected to Baton; connect it: baton setup ${setup}`]
}

const seatsOf = ({ io }: Shell, store: string, agent: string): Seats =>
  new Seats(io.env.home, store, `${agent}.runner`)

async function dryRun(
  shell: Shell,
  { link, store }: World,
  runners: readonly ReadyRunner[],
): Promise<number> {
  const items = (
    await Promise.all(
      runners.map(async (runner) => {
        const { agent, command, concurrency } = runner
        const { items } = await link.as(agent).inbox(INBOX_PAGE)
        // The seats that a run would take: it goes on with the work of their last programs.
        const seats = [...seatsOf(shell, store, agent).ended()].slice(0, concurrency)
        const held = items.filter((item) => seats.some((seat) => isHeldBy(item, agent, seat)))
        const next = [...held, ...items.filter((item) => isFor(runner, item))]
        return next.map(({ id, title, from }) => ({ agent, id, title, from, command }))
      }),
    )
  ).flat()
  shell.answer({ items }, () =>
    shell.list(
      { items },
      'nothing would start: no work is offered to a runner, and none was left by one',
      ['agent', 'id', 'title', 'from'],
      (item) => [item.agent, item.id, { text: item.title, fill: true }, item.from],
    ),
  )
  return 0
}

const REDRAW_MS = 1_000

/** The running programs, redrawn in place on a terminal; elsewhere a line for each event. */
class LiveTable {
  readonly #shell: Shell
  readonly #running = new Map<string, RunnerEvent & { readonly since: number }>()
  readonly #timer: NodeJS.Timeout | undefined
  #drawn = 0

  constructor(shell: Shell) {
    this.#shell = shell
    if (shell.isJson) return
    const doing = isOn(shell.args, 'once') ? 'starting the offered work' : 'waiting for work'
    shell.say(shell.screen.dim(`${doing}; Ctrl-C stops starting, a second one ends what runs`))
    if (shell.screen.isTerminal) this.#timer = setInterval(() => this.#draw(), REDRAW_MS)
  }

  tell(event: RunnerEvent): void {
    const key = `${event.agent} ${event.id}`
    if (event.kind === 'started') this.#running.set(key, { ...event, since: Date.now() })
    if (event.kind === 'ended') this.#running.delete(key)
    this.#clear()
    if (this.#shell.isJson) this.#shell.print(safeJson({ at: new Date().toISOString(), ...event }))
    else if (event.kind === 'warning') this.#shell.warn(event.text ?? '')
    else {
      const { agent, id = '', kind, title = '', folder = '', text = '' } = event
      const what = kind === 'started' ? `started ${folder}` : `ended, ${text}`
      this.#shell.print(this.#shell.screen.table([[agent, id, { text: title, fill: true }, what]]))
    }
    this.#draw()
  }

  end(): void {
    clearInterval(this.#timer)
    this.#clear()
  }

  #clear(): void {
    // A typed Ctrl-C shows as ^C and leaves the cursor behind it.
    if (this.#drawn > 0) this.#shell.io.stdout.write(`\r\u001b[${this.#drawn}A\u001b[J`)
    this.#drawn = 0
  }

  #draw(): void {
    if (this.#timer === undefined) return
    this.#clear()
    const rows = [...this.#running.values()].map(({ agent, id = '', title = '', folder = '', since }) => {
      const s = Math.floor((Date.now() - since) / 1_000)
      const time = [s / 60, s % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')
      return [agent, id, { text: title, fill: true }, `working ${time}`, folder]
    })
    // A row that the terminal breaks would take two lines and be cleared as one.
    const text = this.#shell.screen.table(rows).replaceAll(/.+/g, (row) => cut(row, this.#shell.io.columns))
    this.#shell.print(text)
    this.#drawn = text.match(/.+/g)?.length ?? 0
  }
}
