// The peers' own cycle of enqueue, claim and complete, one job at a time, on the same PostgreSQL. They are
// installed on demand below bench/.cache and are no dependencies of Baton.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { throughput } from './measure.ts'

const CACHE = join(import.meta.dirname, '../.cache')
const PEERS = { 'pg-boss': '12.38.0', 'graphile-worker': '0.18.0', bullmq: '6.7.0', pg: '8.23.1' }

export interface Peer {
  readonly name: string
  /** Jobs a second, each enqueued, claimed and completed by itself. */
  run(url: string, callers: number, jobs: number): Promise<number>
}

/** Installs what is missing and answers the peers. */
export function loadPeers(): readonly Peer[] {
  mkdirSync(CACHE, { recursive: true })
  const manifest = JSON.stringify({
    private: true,
    dependencies: PEERS,
    // pg-boss asks for a patch release that is not published everywhere.
    overrides: { 'rrule-temporal': '2.2.7' },
  })
  const stamp = join(CACHE, 'package.json')
  if (!existsSync(join(CACHE, 'node_modules', 'bullmq'))) {
    writeFileSync(stamp, manifest)
    process.stderr.write('  installing pg-boss, graphile-worker and BullMQ for the comparison\n')
    const npm = process.env.npm_execpath
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    const { status } = npm
      ? spawnSync(process.execPath, [npm, ...args], { cwd: CACHE, stdio: 'inherit' })
      : spawnSync('npm', args, { cwd: CACHE, stdio: 'inherit' })
    if (status !== 0) throw new Error('the peers could not be installed; is the npm registry reachable?')
  }
  return [pgBoss, graphileWorker, bullmq]
}

const require = createRequire(join(CACHE, 'package.json'))
const load = (name: string): Promise<Record<string, unknown>> =>
  import(pathToFileURL(require.resolve(name)).href)

interface Boss {
  on(event: 'error', listener: (error: Error) => void): void
  start(): Promise<unknown>
  stop(options?: object): Promise<void>
  createQueue(name: string): Promise<unknown>
  send(queue: string, data: object): Promise<string | null>
  fetch(queue: string): Promise<{ id: string }[]>
  complete(queue: string, id: string): Promise<unknown>
}

const pgBoss: Peer = {
  name: 'pg-boss',
  async run(url, callers, jobs) {
    const { PgBoss } = (await load('pg-boss')) as { PgBoss: new (options: object) => Boss }
    const boss = new PgBoss({ connectionString: url, max: callers, supervise: false, schedule: false })
    boss.on('error', () => undefined)
    await boss.start()
    const queue = `bench-${callers}-${Date.now()}`
    await boss.createQueue(queue)
    const rate = await throughput(callers, jobs, async (i) => {
      await boss.send(queue, { i })
      const [job] = await boss.fetch(queue)
      if (job) await boss.complete(queue, job.id)
    })
    await boss.stop({ graceful: false })
    return rate
  },
}

interface Graphile {
  run(options: object): Promise<{ stop(): Promise<void>; readonly promise: Promise<void> }>
  makeWorkerUtils(options: object): Promise<{
    migrate(): Promise<void>
    addJob(task: string, payload: object): Promise<unknown>
    release(): Promise<void>
  }>
  Logger: new (factory: () => () => void) => object
}

const graphileWorker: Peer = {
  name: 'graphile-worker',
  async run(url, callers, jobs) {
    const { run, makeWorkerUtils, Logger } = (await load('graphile-worker')) as unknown as Graphile
    const logger = new Logger(() => () => undefined)
    const utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: callers, logger })
    await utils.migrate()
    let done = 0
    const finished = Promise.withResolvers<void>()
    const runner = await run({
      connectionString: url,
      concurrency: callers,
      maxPoolSize: callers + 2,
      noHandleSignals: true,
      pollInterval: 1_000,
      logger,
      taskList: {
        bench: async () => {
          if (++done === jobs) finished.resolve()
        },
      },
    })
    const started = performance.now()
    await throughput(callers, jobs, (i) => utils.addJob('bench', { i }))
    await finished.promise
    const rate = (jobs / (performance.now() - started)) * 1_000
    await runner.stop()
    await utils.release()
    return rate
  },
}

/** Jobs a second of one worker, with handlers of `ms`; all were added before it began. */
export async function graphileJobs(
  url: string,
  { concurrency, jobs, ms }: { readonly concurrency: number; readonly jobs: number; readonly ms: number },
): Promise<number> {
  loadPeers()
  const { run, makeWorkerUtils, Logger } = (await load('graphile-worker')) as unknown as Graphile
  const logger = new Logger(() => () => undefined)
  const utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: 10, logger })
  await utils.migrate()
  await throughput(10, jobs, (i) => utils.addJob('worker', { i }))
  await utils.release()
  let left = jobs
  const finished = Promise.withResolvers<void>()
  const started = performance.now()
  const runner = await run({
    connectionString: url,
    concurrency,
    maxPoolSize: concurrency + 2,
    noHandleSignals: true,
    pollInterval: 1_000,
    logger,
    taskList: {
      worker: async () => {
        await new Promise((resolve) => setTimeout(resolve, ms))
        if (--left === 0) finished.resolve()
      },
    },
  })
  await finished.promise
  const rate = (jobs / (performance.now() - started)) * 1_000
  await runner.stop()
  // Its connections have ended too: the server may stop.
  await runner.promise
  return rate
}

interface Bull {
  Queue: new (
    name: string,
    options: object,
    backend: unknown,
  ) => {
    add(name: string, data: object): Promise<unknown>
    waitUntilReady(): Promise<unknown>
    close(): Promise<void>
  }
  Worker: new (
    name: string,
    work: () => Promise<void>,
    options: object,
    backend: unknown,
  ) => { waitUntilReady(): Promise<unknown>; close(): Promise<void> }
  setDefaultBackendFactory(factory: unknown): void
  createPostgresBackend: unknown
}

const bullmq: Peer = {
  name: 'BullMQ on PostgreSQL',
  async run(url, callers, jobs) {
    const { Queue, Worker, setDefaultBackendFactory, createPostgresBackend } = (await load(
      'bullmq',
    )) as unknown as Bull
    setDefaultBackendFactory(createPostgresBackend)
    const name = `bench-${callers}-${Date.now()}`
    const options = { connection: { connectionString: url, max: callers, migrate: true } }
    const queue = new Queue(name, options, undefined)
    await queue.waitUntilReady()
    let done = 0
    const finished = Promise.withResolvers<void>()
    const work = async () => {
      if (++done === jobs) finished.resolve()
    }
    const worker = new Worker(name, work, { ...options, concurrency: callers }, undefined)
    await worker.waitUntilReady()
    const started = performance.now()
    await throughput(callers, jobs, (i) => queue.add('job', { i }))
    await finished.promise
    const rate = (jobs / (performance.now() - started)) * 1_000
    await worker.close()
    await queue.close()
    return rate
  },
}
