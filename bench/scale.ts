// Does a call cost more when the store holds a hundred times as much? Next actions, inbox and accept at 10
// thousand, 100 thousand and 1 million tasks and handoffs. Rows are put in through the port's restore; nine
// tenths of the handoffs are over, as history is. Not measured: cold caches.
import { join } from 'node:path'
import { createService, openStore, type StoreTarget } from '../src/compose/main.ts'
import { uuid7 } from '../src/service/uuid7.ts'
import { tableRow } from '../src/storage/rows.ts'
import type { DumpRow, Store } from '../src/storage/store.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { type Finding, inFolder, median } from './support/measure.ts'
import { seededHandoff, seededTask } from './support/seeded.ts'

const SIZES = [10_000, 100_000, 1_000_000]
const CALLS = 300
const AGENTS = 50

export async function scale(): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  await inFolder(async (folder) => {
    findings.push(
      ...(await compare('SQLite', (size) => ({ engine: 'sqlite', path: join(folder, `${size}.db`) }))),
    )
  })
  const server = await startPostgres()
  try {
    const target = (size: number): StoreTarget => ({
      engine: 'postgres',
      url: server.url,
      workspace: `scale-${size}`,
    })
    findings.push(...(await compare('PostgreSQL', target)))
  } finally {
    await server.stop()
  }
  return findings
}

async function compare(engine: string, target: (size: number) => StoreTarget): Promise<readonly Finding[]> {
  const stores = new Map<number, Store>()
  for (const size of SIZES) {
    const store = await openStore(target(size))
    process.stderr.write(`  ${engine}: filling ${size.toLocaleString('en')}\n`)
    await store.restore(rows(size))
    stores.set(size, store)
  }
  const calls = [...stores].flatMap(([size, store]) => measuredCalls(size, store))
  const times = new Map(calls.map((call) => [`${call.name} ${call.size}`, [] as number[]]))
  // Interleaved call by call: a slow moment of the disk meets every size.
  for (let i = 0; i < CALLS; i++)
    for (const call of calls) {
      const started = performance.now()
      await call.run(i)
      times.get(`${call.name} ${call.size}`)?.push(performance.now() - started)
    }
  for (const store of stores.values()) await store.close()
  const of = (name: string, size: number) => median(times.get(`${name} ${size}`) ?? [])
  return ['next actions', 'inbox', 'accept'].map((name) => ({
    question: `${engine}, ${name} at 1 million against 10 thousand`,
    ratio: of(name, 1_000_000) / of(name, 10_000),
    detail: SIZES.map(
      (size) => `${size.toLocaleString('en')}: ${(of(name, size) * 1_000).toFixed(0)} µs`,
    ).join(', '),
    bound: { sign: '<=', value: 3 },
  }))
}

function measuredCalls(size: number, store: Store) {
  const service = createService(store)
  const receiver = (i: number) => ({
    actor: { name: `receiver-${i % AGENTS}`, kind: 'agent' as const, auth: 'os-user' as const },
  })
  return [
    { name: 'next actions', size, run: () => service.tasks.next(20) as Promise<unknown> },
    {
      name: 'inbox',
      size,
      run: (i: number) => service.looking.inbox(`receiver-${i % AGENTS}`, { limit: 20 }),
    },
    { name: 'accept', size, run: (i: number) => service.receiving.claim(receiver(i)) },
  ]
}

async function* rows(size: number): AsyncIterable<DumpRow> {
  const at = new Date().toISOString()
  for (let i = 0; i < size; i++) {
    const task = seededTask(uuid7(), i, at)
    // One task in a hundred can be started; the others are done or wait.
    yield {
      table: 'task',
      row: {
        ...tableRow('task')(task),
        open_deps: i % 100 === 0 ? 0 : (i % 3) + 1,
        height: (Math.floor(i / 100) % 5) + 1,
      },
    }
  }
  for (let i = 0; i < size; i++) {
    const handoff = seededHandoff(uuid7(), i, at, AGENTS)
    yield { table: 'handoff', row: { ...tableRow('handoff')(handoff) } }
  }
}
