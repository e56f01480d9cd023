import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../../../src/client.ts'
import { createService, openStore, toStoreTarget } from '../../../src/compose/main.ts'
import type { Service } from '../../../src/service/service.ts'
import { folders } from '../documents/folders.ts'
import { checkLog } from '../log/log.ts'
import type { Where } from '../program/command.ts'
import { newDatabase } from '../store/store-places.ts'
import { Crew, quantile } from './crew.ts'
import { newToken } from './http-workspace.ts'
import { type ServerProcess, startServer } from './servers.ts'

/** A host with a home of its own, whose server can be killed and started again on the same port. */
class Host {
  /** When it last raised the alarm over entries without a signature. */
  alarmedAt = 0
  /** When it was last ready; absent while it is down. */
  upSince: number | undefined
  #process: ServerProcess | undefined
  readonly #start: (port: number) => Promise<ServerProcess>

  constructor(start: (port: number) => Promise<ServerProcess>) {
    this.#start = start
  }

  get url(): string {
    return this.#process!.url
  }

  get port(): number {
    return this.#process!.port
  }

  async start(): Promise<void> {
    this.#process = await this.#start(this.#process?.port ?? 0)
    createInterface({ input: this.#process.child.stderr! }).on('line', (line) => {
      if (line.includes('entries of the log are unsigned')) this.alarmedAt = Date.parse(JSON.parse(line).time)
    })
    this.upSince = Date.now()
  }

  async kill(): Promise<void> {
    this.upSince = undefined
    this.#process!.child.kill('SIGKILL')
    await once(this.#process!.child, 'exit')
  }
}

interface Hosts {
  readonly service: Service
  readonly hosts: readonly [Host, Host]
  readonly crew: Crew
}

/** Two hosts on one PostgreSQL and agents that work through those that are up. The first host has the key of the log. */
async function twoHosts(t: TestContext, agents: number): Promise<Hosts> {
  const database = await newDatabase()
  const store = await openStore(toStoreTarget(database))
  t.after(() => store.close())
  const service = createService(store)
  const made = folders(t)
  const newHost = (name: string) => {
    const env = { CI: 'true', BATON_TRUST: store.info.origin }
    const where: Where = { cwd: made.folder(name, 'work'), env }
    return new Host((port) =>
      startServer(t, where, '--store', database, '--as', 'ops', '--port', String(port)),
    )
  }
  const hosts = [newHost('one'), newHost('two')] as const
  await hosts[0].start()
  const members: { name: string; token: string }[] = []
  for (let i = 0; i < agents; i += 1)
    members.push({ name: `agent-${i}`, token: await newToken(service, `agent-${i}`) })
  const ports = () => hosts.filter(({ upSince }) => upSince !== undefined).map(({ port }) => port)
  const crew = new Crew(members, ports)
  while ((await store.checkpoints({ limit: 1 })).length === 0) await crew.work(1_000, 50)
  await hosts[1].start()
  return { service, hosts, crew }
}

const LISTENERS = 20

/** Listeners at two servers hear everything in time while agents work as fast as they can, and across a kill. */
export function describeStreams({ agents, seconds }: { readonly agents: number; readonly seconds: number }) {
  describe(`${LISTENERS} listeners at two servers beside ${agents} agents`, () => {
    it('are at most a second behind at p99, new ones at once, and hear each event once in order across a kill', async (t) => {
      const { service, hosts, crew } = await twoHosts(t, agents)
      const token = await newToken(service, 'watcher', ['report:read'])
      const stop = new AbortController()
      t.after(() => stop.abort())
      const { store } = service.deps
      const { newest: since } = await store.tree()
      let lags: number[] = []
      const heard = Array.from({ length: LISTENERS }, () => [] as string[])
      const listening = heard.map(async (cursors, n) => {
        const client = createClient({ url: hosts[n % 2]!.url, token })
        for await (const { cursor, at } of client.events({ since: String(since), signal: stop.signal })) {
          cursors.push(cursor)
          lags.push(Date.now() - Date.parse(at))
        }
      })

      const saturated = crew.work(seconds * 1_000, 0)
      await pause(seconds * 500)
      const firsts = hosts.map(async ({ url }) => {
        const asked = performance.now()
        for await (const _ of createClient({ url, token }).events({ signal: stop.signal }))
          return performance.now() - asked
        return Number.POSITIVE_INFINITY
      })
      const times = [...(await saturated).values()].flat()
      const first = Math.round(Math.max(...(await Promise.all(firsts))))
      const [lag, call] = [quantile(lags, 0.99), Math.round(quantile(times, 0.99))]
      const told = `${Math.round(times.length / seconds)} calls/s, p99 ${call} ms; lag p50 ${quantile(lags, 0.5)}, p99 ${lag} ms; first event of a new listener ${first} ms`
      t.diagnostic(told)
      lags = []
      const working = crew.work(seconds * 1_000, 200)
      await pause(seconds * 200)
      await hosts[1].kill()
      await pause(seconds * 300)
      await hosts[1].start()
      await working

      const log = await cursorsAfter(service, String(since))
      const deadline = Date.now() + 30_000
      while (heard.some((each) => each.length < log.length) && Date.now() < deadline) await pause(50)
      stop.abort()
      await Promise.allSettled(listening)
      for (const cursors of heard) assert.deepEqual(cursors, log)
      assert.ok(lag <= 1_000 && first <= 1_000, told)
      await checkLog(store)
    })
  })
}

async function cursorsAfter({ deps: { store } }: Service, since: string): Promise<readonly string[]> {
  const cursors: string[] = []
  for (;;) {
    const { entries } = await store.changes(cursors.at(-1) ?? since, 1_000)
    if (entries.length === 0) return cursors
    cursors.push(...entries.map(({ id }) => String(id)))
  }
}

const MOST = { entries: 512, seconds: 60 }
/** A host that has just started signs all that came while it was away. */
const CATCH_UP_MS = 10_000
/** An alarm comes with the next look, and is repeated after a minute. */
const ALARM_MS = 65_000

/** Random kills of either host: what is unsigned stays within bounds while the key's host is up, else it is told. */
export function describeSigning({ minutes, agents }: { readonly minutes: number; readonly agents: number }) {
  describe(`two hosts, one key, ${minutes} minutes with random kills`, () => {
    it('leave at most 60 s or 512 entries unsigned while the key is there, and raise an alarm otherwise', async (t) => {
      const { service, hosts, crew } = await twoHosts(t, agents)
      const [holder, other] = hosts
      const audit = await service.audit()
      const until = Date.now() + minutes * 60_000
      const wrong: string[] = []
      const met = { kills: [0, 0], alarms: 0, entries: 0, seconds: 0 }

      const killing = (async () => {
        while (Date.now() < until) {
          await pause(5_000 + Math.random() * 15_000)
          const which = Math.random() < 0.5 ? 0 : 1
          await hosts[which]!.kill()
          met.kills[which]! += 1
          await pause(2_000 + Math.random() * 20_000)
          await hosts[which]!.start()
        }
      })()
      const watching = (async () => {
        let brokenSince: number | undefined
        while (Date.now() < until) {
          await pause(250)
          const { entries, seconds } = await audit.unsigned()
          const now = Date.now()
          const isOver = entries > MOST.entries || seconds > MOST.seconds
          const isHeld = holder.upSince !== undefined && now - holder.upSince > CATCH_UP_MS
          if (isHeld) met.entries = Math.max(met.entries, entries)
          if (isHeld) met.seconds = Math.max(met.seconds, seconds)
          if (isHeld && isOver) wrong.push(`${entries} entries, ${Math.round(seconds)} s unsigned`)
          brokenSince = isOver ? (brokenSince ?? now) : undefined
          if (brokenSince === undefined || now - Math.max(brokenSince, other.upSince ?? now) < 5_000) continue
          met.alarms += 1
          if (now - other.alarmedAt > ALARM_MS) wrong.push('the host without the key raised no alarm')
        }
      })()
      await Promise.all([crew.work(minutes * 60_000, 200), killing, watching])

      t.diagnostic(JSON.stringify(met))
      assert.deepEqual([...new Set(wrong)], [])
      assert.ok(met.kills.every((kills) => kills > 0) && met.alarms > 0, JSON.stringify(met))
      await checkLog(service.deps.store)
    })
  })
}
