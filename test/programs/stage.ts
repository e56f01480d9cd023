import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Ended } from '../package/program.ts'
import { MODEL_URL, Model, type ModelRequest, type Step } from './model.ts'
import { PROGRAM_NAMES, type ProgramName, programOf, type Run } from './programs.ts'

export interface Tools {
  /** The folder with links to the programs and to Node. */
  readonly bin: string
  /** The `baton.js` of an installed package. */
  readonly baton: string
}

export interface Played extends Ended {
  readonly requests: readonly ModelRequest[]
}

interface How extends Run {
  readonly program?: ProgramName
  /** A text in its requests, where the prompt does not stand in them. */
  readonly mark?: string
  /** The folder of the repository that it is started in; its root unless said. */
  readonly folder?: string
}

/** The words of a program to Baton. */
export interface Recorded {
  readonly hooks: Readonly<Record<string, readonly unknown[]>>
  readonly hello: readonly unknown[]
}

type Variables = Readonly<Record<string, string>>

/** How long one run of a program may take. */
const PATIENCE_MS = 90_000

/** A home, a repository and a path of their own for one program: nothing of this machine shows through. */
export class Stage {
  readonly program: ProgramName
  readonly repo: string
  readonly home: string
  /** The inputs of hooks and the first messages of clients, as they came. */
  readonly records: string
  readonly #folder: string
  readonly #tools: Tools
  #model: Model | undefined
  #running: ChildProcess | undefined
  #server: ChildProcess | undefined

  constructor(program: ProgramName, tools: Tools) {
    this.program = program
    this.#tools = tools
    this.#folder = mkdtempSync(join(tmpdir(), `baton-${program}-`))
    const [repo, home, records] = ['repo', 'home', 'records'].map((name) => join(this.#folder, name))
    this.repo = repo!
    this.home = home!
    this.records = records!
    for (const folder of [this.repo, this.home, this.records]) mkdirSync(folder)
    for (const name of PROGRAM_NAMES)
      for (const [file, text] of Object.entries(programOf(name).home?.(MODEL_URL, this.repo) ?? {}))
        this.put(file, text)
    this.git('init', '-q', '-b', 'main', '.')
    writeFileSync(join(this.repo, 'README.md'), '# demo\n')
    this.git('add', '.')
    this.git('commit', '-qm', 'init')
    this.putBaton('node')
  }

  [Symbol.dispose](): void {
    this.#model?.close()
    this.#server?.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Puts `baton` on the path, run by this Node; without one it is missing. */
  putBaton(node: 'node' | 'old-node' | undefined): void {
    const bin = join(this.#folder, 'bin')
    rmSync(bin, { recursive: true, force: true })
    mkdirSync(bin)
    if (node === undefined) return
    const run = `"${join(this.#tools.bin, node)}" "${this.#tools.baton}" "$@"`
    const file = `"${this.records}/$1-$2-$(date +%s%N)"`
    const recording = `case $1 in hook|mcp) tee ${file} | ${run};; *) exec ${run};; esac`
    // Only a command that reads its input to the end is recorded.
    const script = `#!/bin/sh
${node === 'node' ? recording : `exec ${run}`}
`
    writeFileSync(join(bin, 'baton'), script)
    chmodSync(join(bin, 'baton'), 0o755)
  }

  get batonFile(): string {
    return join(this.#folder, 'bin/baton')
  }

  get variables(): Record<string, string> {
    const person = { AUTHOR_NAME: 'tester', AUTHOR_EMAIL: 't@example.com', COMMITTER_NAME: 'tester' }
    return {
      PATH: [join(this.#folder, 'bin'), this.#tools.bin, '/usr/bin', '/bin'].join(':'),
      ...{
        HOME: this.home,
        LANG: 'C.UTF-8',
        TERM: 'dumb',
        USER: 'tester',
        GIT_COMMITTER_EMAIL: 't@example.com',
      },
      ...Object.fromEntries(Object.entries(person).map(([name, value]) => [`GIT_${name}`, value])),
    }
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.repo, env: this.variables, encoding: 'utf8' })
  }

  /** The command, which must succeed. */
  baton(...args: readonly string[]): Promise<string> {
    return this.batonOf({}, ...args)
  }

  batonOf(env: Variables, ...args: readonly string[]): Promise<string> {
    return this.#baton(args, env)
  }

  /** Starts a server with a workspace of its own. Answers the variables by which each agent reaches it. */
  async serve(...agents: readonly string[]): Promise<readonly Variables[]> {
    const office = '../office'
    // A repository of its own: a workspace above it would be found otherwise.
    this.git('init', '-q', office)
    await this.#baton(['init'], {}, office)
    const options = { cwd: join(this.repo, office), env: this.variables }
    const args = ['serve', '--port', '0', '--json']
    const server = spawn(this.batonFile, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] })
    this.#server = server
    const ended = once(server, 'exit').then(([code]) => {
      throw new Error(`baton serve ended with ${code}`)
    })
    const [line] = await Promise.race([once(createInterface(server.stdout), 'line'), ended])
    const found: Variables[] = []
    for (const agent of agents) {
      const grant = ['--agent', agent, '--scope', 'handoff:write', '--expires', '1d', '--json']
      const { secret } = JSON.parse(await this.#baton(['token', 'create', ...grant], {}, office))
      found.push({ BATON_URL: JSON.parse(line).url, BATON_TOKEN: secret })
    }
    return found
  }

  async #baton(args: readonly string[], env: Variables, folder?: string): Promise<string> {
    const { code, stdout, stderr } = await this.#run(this.batonFile, args, env, folder)
    if (code !== 0) throw new Error(`baton ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`)
    return stdout
  }

  setup(...more: readonly string[]): Promise<string> {
    return this.setupOf(this.program, ...more)
  }

  setupOf(program: ProgramName, ...more: readonly string[]): Promise<string> {
    return this.baton('setup', programOf(program).target ?? program, '--yes', ...more)
  }

  async stateOf(id: string): Promise<string> {
    return JSON.parse(await this.baton('show', id, '--json')).handoff.state
  }

  /** The steps of a handoff in the log, each with its agent. */
  async stepsOf(id: string): Promise<readonly string[]> {
    const { timeline } = JSON.parse(await this.baton('show', id, '--json'))
    return timeline.map(({ by, act }: { by: string; act: string }) => `${by} ${act}`)
  }

  /** Sends work to the program's agent and answers its id. */
  async send(
    title = 'Add rate limiting',
    to: string = this.program,
    more: readonly string[] = [],
    env: Variables = {},
  ): Promise<string> {
    const about = ['--summary', 'API needs limits before launch; the plan was agreed on']
    const wanted = ['--deliverable', 'Middleware in src/', '--criterion', 'npm test passes', '--json']
    const sent = await this.batonOf(
      env,
      'send',
      '--as',
      'planner',
      '--to',
      to,
      '--title',
      title,
      ...about,
      ...wanted,
      ...more,
    )
    return JSON.parse(sent).handoff.id
  }

  /** Runs a program to its end with a model that plays these steps. Each prompt is a text of its own. */
  async play(prompt: string, steps: readonly Step[], how: How = {}): Promise<Played> {
    const { program = this.program, more = [] } = how
    const { args, env } = programOf(program)
    this.#model ??= await Model.start()
    const requests = this.#model.play(how.mark ?? prompt, steps)
    const run = [...args(prompt), ...more]
    const variables = { ...env(MODEL_URL), ...how.env }
    const ended = await this.#run(join(this.#tools.bin, program), run, variables, how.folder)
    return { ...ended, requests }
  }

  /** The steps of a subagent that is started with this text. */
  async subagent(mark: string, steps: readonly Step[]): Promise<readonly ModelRequest[]> {
    this.#model ??= await Model.start()
    return this.#model.play(mark, steps, true)
  }

  /** Ends the program that was started last, as a crash does. */
  async crash(): Promise<void> {
    process.kill(-this.#running!.pid!, 'SIGKILL')
  }

  /** Runs the program itself, without a model. */
  start(...args: readonly string[]): Promise<Ended> {
    return this.#run(join(this.#tools.bin, this.program), args, programOf(this.program).env(MODEL_URL))
  }

  /** The folder of plugins in the installed package. */
  get plugins(): string {
    return join(dirname(dirname(this.#tools.baton)), 'plugins')
  }

  /** Writes a file into the home. */
  put(file: string, text: string): void {
    const path = join(this.home, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  #run(program: string, args: readonly string[], env: Variables, folder = ''): Promise<Ended> {
    return new Promise((done, failed) => {
      const options = { cwd: join(this.repo, folder), env: { ...this.variables, ...env }, detached: true }
      const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
      this.#running = child
      // The programs start helpers of their own: all of them end with the group.
      const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), PATIENCE_MS)
      let [stdout, stderr] = ['', '']
      child.stdout.on('data', (chunk) => {
        stdout += chunk
      })
      child.stderr.on('data', (chunk) => {
        stderr += chunk
      })
      child.once('error', failed)
      child.once('close', (code) => {
        clearTimeout(timer)
        appendFileSync(
          join(this.#folder, 'log'),
          `${program} ${args.join(' ')}: ${code}\n${stdout}\n${stderr}\n`,
        )
        done({ code, stdout, stderr })
      })
    })
  }

  /** The inputs of hooks by their event, and what the client said to the server first; paths are replaced. */
  recorded(): Recorded {
    const files = readdirSync(this.records).sort()
    const read = (name: string): readonly unknown[] =>
      readFileSync(join(this.records, name), 'utf8')
        .replaceAll(this.repo, '<repo>')
        .replaceAll(this.home, '<home>')
        .replaceAll(this.repo.replaceAll('/', '-'), '-repo')
        .split('\n')
        .flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)]))
    const hooks: Record<string, unknown[]> = {}
    for (const name of files.filter((file) => file.startsWith('hook-'))) {
      const event = name.replace(/^hook-|-\d+$/g, '')
      hooks[event] = [...(hooks[event] ?? []), ...read(name)]
    }
    const first = files.find((file) => file.startsWith('mcp-'))
    return { hooks, hello: first === undefined ? [] : read(first).slice(0, 3) }
  }

  /** Facts that explain a failed check. */
  log(): string {
    const file = join(this.#folder, 'log')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
}
