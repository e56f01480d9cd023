import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { createService, openStore } from '../../src/compose/main.ts'
import { BatonError } from '../../src/domain/errors.ts'
import type { Service } from '../../src/service/service.ts'
import type { Store } from '../../src/storage/store.ts'
import { type Acknowledged, checkInvariants } from '../faults/check-invariants.ts'
import { type About, OPERATIONS } from '../faults/life.ts'
import { query } from '../support/store/store-places.ts'

const DEBIAN = '/usr/lib/postgresql'
/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534
const LOOPS = 12
const PHASE_MS = 5_000
const FROZEN_MS = 20_000
const SETTINGS = ['search_path', 'enable_seqscan', 'statement_timeout', 'plan_cache_mode']

/** A server with a folder of its own, which may be the primary or the standby of another. */
class Member {
  readonly url: string
  readonly #bin: string
  readonly #folder: string
  readonly #port: number
  readonly #user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  #process: ChildProcess | undefined

  private constructor(bin: string, folder: string, port: number) {
    this.#bin = bin
    this.#folder = folder
    this.#port = port
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`
  }

  static async make(t: TestContext): Promise<Member> {
    const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : []
    const bin = versions
      .map((version) => join(DEBIAN, version, 'bin'))
      .find((each) => existsSync(join(each, 'pg_basebackup')))
    assert.ok(bin, 'pg_basebackup is missing; install it with: sh scripts/long-tools.sh')
    const folder = mkdtempSync(join(tmpdir(), 'baton-member-'))
    if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY)
    const member = new Member(bin, folder, await freePort())
    t.after(async () => {
      await member.crash()
      rmSync(folder, { recursive: true, force: true })
    })
    return member
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`
  }

  async makeNew(): Promise<void> {
    this.#run(
      'initdb',
      '-D',
      this.#data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    )
    await this.start()
  }

  /** Begins anew as the standby of another, whatever this server was before. */
  async follow(primary: Member): Promise<void> {
    rmSync(this.#data, { recursive: true, force: true })
    const { hostname, port } = new URL(primary.url)
    this.#run(
      'pg_basebackup',
      '-D',
      this.#data,
      '-h',
      hostname,
      '-p',
      port,
      '-U',
      'postgres',
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
    )
    await this.start()
  }

  async start(): Promise<void> {
    // Every commit waits for a standby, whichever of the two is the primary.
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'synchronous_standby_names=*']
    const args = [
      '-D',
      this.#data,
      '-p',
      String(this.#port),
      ...settings.flatMap((setting) => ['-c', setting]),
    ]
    const server = spawn(join(this.#bin, 'postgres'), args, {
      ...this.#user,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#process = server
    let log = ''
    await new Promise<void>((ready, failed) => {
      server.once('exit', () => failed(new Error(log)))
      server.stderr?.on('data', (chunk) => {
        if (log.length < 100_000) log += chunk
        if (log.includes('ready to accept')) ready()
      })
    })
  }

  promote = () => query(this.url, 'SELECT pg_promote()')

  async crash(): Promise<void> {
    const server = this.#process
    if (server?.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGQUIT')
    await ended
  }

  /** Stops the server and all of its sessions, which go on later as if nothing had been. */
  async freeze(forMs: number): Promise<void> {
    const pid = this.#process?.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    const parts = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    for (const part of parts) process.kill(Number(part), 'SIGSTOP')
    await pause(forMs)
    for (const part of [...parts.map(Number), pid]) process.kill(part, 'SIGCONT')
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  #run(program: string, ...args: readonly string[]): void {
    const { status, stderr } = spawnSync(join(this.#bin, program), args, {
      ...this.#user,
      cwd: this.#folder,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
  }
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
  } catch {
    return undefined
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Work that never gives up: a call that was not answered is repeated with its key. */
class Load {
  readonly acknowledged: Acknowledged[] = []
  readonly titles: string[] = []
  repeated = 0
  #isOver = false
  #isStopped = false
  readonly #loops: readonly Promise<void>[]

  constructor(services: readonly Service[]) {
    this.#loops = Array.from({ length: LOOPS }, (_, i) =>
      this.#loop(services[i % services.length]!, `loop-${i}`),
    )
  }

  /** Waits until this many more calls were answered than now. */
  async grown(by: number): Promise<void> {
    const from = this.acknowledged.length
    const deadline = Date.now() + 120_000
    while (this.acknowledged.length < from + by) {
      assert.ok(
        Date.now() < deadline,
        `only ${this.acknowledged.length - from} calls were answered in two minutes`,
      )
      await Promise.race([pause(50), Promise.all(this.#loops)])
    }
  }

  /** Ends what is under way too, where a test has failed. */
  stop(): void {
    this.#isOver = true
    this.#isStopped = true
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#loops)
  }

  async #loop(service: Service, name: string): Promise<void> {
    let steps = 0
    const step = async (actor: string, op: string, about: About = {}) => {
      steps += 1
      const call = {
        actor: { name: actor, instance: name, kind: 'agent', auth: 'os-user' },
        key: `${name}-${steps}`,
      } as const
      for (;;) {
        try {
          const handoff = await OPERATIONS[op]?.(service, call, about)
          if (handoff) this.acknowledged.push({ uid: handoff.uid, rev: handoff.rev, state: handoff.state })
          return handoff
        } catch (error) {
          if (this.#isStopped || !(error instanceof BatonError && error.retry)) throw error
          this.repeated += 1
          await pause(100)
        }
      }
    }
    for (let round = 0; !this.#isOver; round++) {
      const title = `${name}-${round}`
      await step(`planner-${name}`, 'send', { input: { to: `codex-${name}`, title, deliverables: ['code'] } })
      this.titles.push(title)
      const claimed = await step(`codex-${name}`, 'claim')
      assert.equal(claimed?.title, title)
      await step(`codex-${name}`, 'submit', { uid: claimed.uid })
      await step(`planner-${name}`, 'verify', { uid: claimed.uid })
    }
  }
}

/** Every call that was answered is there, and every work once. */
async function checkAll(store: Store, { acknowledged, titles }: Load): Promise<void> {
  await checkInvariants(store, { acknowledged })
  const found: string[] = []
  for await (const { table, row } of store.dump())
    if (table === 'handoff') found.push(JSON.parse(String(row.doc)).title)
  assert.deepEqual(found.toSorted(), titles.toSorted())
}

async function opened(t: TestContext, url: string, count = 2) {
  const stores: Store[] = []
  t.after(() => Promise.all(stores.map((store) => store.close())))
  for (let i = 0; i < count; i++)
    stores.push(await openStore({ engine: 'postgres', url, workspace: 'default' }))
  const load = new Load(stores.map((store) => createService(store)))
  t.after(() => load.stop())
  return { stores, load }
}

async function neighbourOn(t: TestContext, { url }: Member) {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  t.after(() => client.end().catch(() => undefined))
  const text = `SELECT ${SETTINGS.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}, pg_backend_pid()`
  return async () => (await client.query(text)).rows[0]
}

describe('PostgreSQL with a synchronous standby', () => {
  it('loses and doubles nothing when the standby takes over, twice, and the old primary comes back', async (t) => {
    const [first, second] = [await Member.make(t), await Member.make(t)]
    await first.makeNew()
    await second.follow(first)
    const { stores, load } = await opened(t, `postgres://postgres@${first.host},${second.host}/postgres`)
    await load.grown(200)

    for (const [primary, standby] of [
      [first, second],
      [second, first],
    ] as const) {
      const neighbour = await neighbourOn(t, standby)
      const before = await neighbour()
      await pause(PHASE_MS)
      await primary.crash()
      await standby.promote()
      await primary.follow(standby)
      await load.grown(200)
      assert.deepEqual(await neighbour(), before)
    }
    await load.end()

    t.diagnostic(`${load.acknowledged.length} calls were answered, ${load.repeated} were repeated`)
    assert.ok(load.repeated > 0, 'nobody noticed the change')
    await checkAll(stores[0]!, load)
  })

  it('loses and doubles nothing while the server stands still', async (t) => {
    const [primary, standby] = [await Member.make(t), await Member.make(t)]
    await primary.makeNew()
    await standby.follow(primary)
    const { stores, load } = await opened(t, primary.url)
    const neighbour = await neighbourOn(t, primary)
    const before = await neighbour()
    await load.grown(200)

    await primary.freeze(FROZEN_MS)
    await load.grown(200)
    await load.end()

    assert.deepEqual(await neighbour(), before)
    t.diagnostic(`${load.acknowledged.length} calls were answered, ${load.repeated} were repeated`)
    await checkAll(stores[0]!, load)
  })
})
