// How soon does a receiver in another process learn of a new handoff, against a bare signal of the same kind
// between the same two processes: a touched file that is watched, or LISTEN/NOTIFY? And what does waiting cost
// while nothing happens? The receiver's time runs from the sender's answer to the receiver's message.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, futimesSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createService, openStore, type StoreTarget } from '../src/compose/main.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { type Finding, inFolder, median } from './support/measure.ts'

const TRIES = 150
const IDLE_MS = 5_000
const BOUND = 20

export async function wake(): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  await inFolder(async (folder) => {
    const touched = join(folder, 'touched')
    const fd = openSync(touched, 'a')
    const bare = () => futimesSync(fd, Date.now() / 1_000, Date.now() / 1_000)
    const target: StoreTarget = { engine: 'sqlite', path: join(folder, 'baton.db') }
    findings.push(...(await measure('SQLite', target, { kind: 'file', path: touched }, async () => bare())))
    closeSync(fd)
  })
  const server = await startPostgres()
  const { Client } = (await import('pg')).default
  const client = new Client({ connectionString: server.url })
  await client.connect()
  try {
    const target: StoreTarget = { engine: 'postgres', url: server.url, workspace: 'wake' }
    const bare = async () => void (await client.query('NOTIFY bench_bare'))
    findings.push(...(await measure('PostgreSQL', target, { kind: 'notify', url: server.url }, bare)))
  } finally {
    await client.end()
    await server.stop()
  }
  return findings
}

async function measure(
  engine: string,
  target: StoreTarget,
  signal: object,
  bare: () => Promise<void>,
): Promise<readonly Finding[]> {
  const store = await openStore(target)
  const service = createService(store)
  const sender = { actor: { name: 'sender', kind: 'agent' as const, auth: 'os-user' as const } }
  const send = async () => void (await service.sending.send(sender, { to: 'receiver', title: 'Wake up' }))
  await send()
  const child = fork(join(import.meta.dirname, 'support/wake-receiver.ts'), { env: { ...process.env } })
  child.send({ target, signal })
  await message(child, 'ready')
  await message(child, 'handoff')
  const times = { ours: [] as number[], bare: [] as number[] }
  for (let i = 0; i < TRIES; i++) {
    times.bare.push(await timed(child, 'bare', bare))
    times.ours.push(await timed(child, 'handoff', send))
  }
  child.send({ idle: IDLE_MS })
  const idle = (await message(child, 'idle')) as { share: number }
  child.kill()
  await store.close()
  const ms = (values: readonly number[]) => `${median(values).toFixed(2)} ms`
  return [
    {
      question: `${engine}: another process learns of a handoff, against a bare signal`,
      ratio: median(times.ours) / median(times.bare),
      detail: `${ms(times.ours)} against ${ms(times.bare)}`,
      bound: { sign: '<=', value: BOUND },
    },
    {
      question: `${engine}: share of one core that an idle waiter takes, in %`,
      ratio: idle.share * 100,
      detail: `over ${IDLE_MS / 1_000} s`,
      bound: { sign: '<=', value: 1 },
    },
  ]
}

/** Milliseconds from the end of `act` to the receiver's message; a message that was faster counts as none. */
async function timed(child: ChildProcess, kind: string, act: () => Promise<void>): Promise<number> {
  const arrived = message(child, kind).then(() => performance.now())
  await act()
  const done = performance.now()
  return Math.max((await arrived) - done, 0.01)
}

async function message(child: ChildProcess, kind: string): Promise<unknown> {
  for (;;) {
    const [received] = (await once(child, 'message')) as [{ kind: string }]
    if (received.kind === kind) return received
  }
}
