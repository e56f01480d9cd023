// What does a search over 100 thousand handoffs cost, against the engine's own ranked text query over the same words?
// The search looks whether the index is behind, reads what it found and names the places; warm, one caller. The first
// search, which fills the index, is told and has no bound.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { createService, openStore, type StoreTarget } from '../../src/compose/main.ts'
import { uuid7 } from '../../src/service/uuid7.ts'
import { tableRow } from '../../src/storage/rows.ts'
import type { DumpRow } from '../../src/storage/store.ts'
import { by } from '../../test/support/program/workspace.ts'
import { startPostgres } from '../../test/support/servers/postgres.ts'
import { aContent, aHandoff } from '../../test/support/store/builders.ts'
import { type Finding, inFolder, median } from './measure.ts'
import { seededWords } from './seeded-history.ts'

const SIZE = 100_000
const CALLS = 15
const PAGE = 20
/** Common, less common and rare words: a word of rank n is in about one document of n. */
const SOUGHT = ['w3x', 'w40x w70x', 'w900x', 'w5x w2000x', 'w15000x', 'nowhere']

export async function search(): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  await inFolder(async (folder) => {
    const path = join(folder, 'search.db')
    const bare = () => {
      const db = new DatabaseSync(path, { readOnly: true })
      const found = db.prepare(
        `SELECT uid FROM search JOIN word ON n = search.rowid WHERE search MATCH ? ORDER BY rank LIMIT ${PAGE}`,
      )
      const ask = async (words: string[]) => found.all(words.map((word) => `"${word}"*`).join(' AND '))
      return { ask, close: async () => db.close() }
    }
    findings.push(...(await compare('SQLite', { engine: 'sqlite', path }, bare)))
  })
  const server = await startPostgres()
  try {
    const bare = () => {
      const pool = new pg.Pool({ connectionString: server.url, max: 1 })
      const text = `SELECT uid FROM baton.word, CAST($1 AS tsquery) AS q WHERE words @@ q ORDER BY ts_rank(words, q) DESC LIMIT ${PAGE}`
      const ask = async (words: string[]) =>
        (await pool.query(text, [words.map((word) => `'${word}':*`).join(' & ')])).rows
      return { ask, close: () => pool.end() }
    }
    const target: StoreTarget = { engine: 'postgres', url: server.url, workspace: 'search' }
    findings.push(...(await compare('PostgreSQL', target, bare)))
  } finally {
    await server.stop()
  }
  return findings
}

interface Bare {
  ask(words: string[]): Promise<readonly unknown[]>
  close(): Promise<void>
}

async function compare(engine: string, target: StoreTarget, open: () => Bare): Promise<readonly Finding[]> {
  const store = await openStore(target)
  process.stderr.write(`  ${engine}: filling ${SIZE.toLocaleString('en')}\n`)
  await store.restore(written())
  const { looking } = createService(store)
  const ask = (text: string) => looking.search(by('planner'), { text, facets: {} }, { limit: PAGE })
  const began = performance.now()
  await ask('w1x')
  const filled = performance.now() - began
  process.stderr.write(`  ${engine}: filled in ${(filled / 1_000).toFixed(1)} s\n`)
  const bare = open()
  const times = new Map(SOUGHT.map((text) => [text, { ours: [] as number[], bare: [] as number[] }]))
  for (let i = 0; i < CALLS; i++)
    for (const [text, { ours, bare: theirs }] of times) {
      ours.push(await timed(() => ask(text)))
      theirs.push(await timed(() => bare.ask(text.split(' '))))
    }
  await bare.close()
  await store.close()
  const all = [...times].map(([text, { ours, bare: theirs }]) => ({
    text,
    ratio: median(ours) / median(theirs),
    detail: `${median(ours).toFixed(2)} ms, ${median(theirs).toFixed(2)} ms`,
  }))
  const each = all.map(({ text, ratio, detail }) => `${text}: ${ratio.toFixed(2)} (${detail})`).join('; ')
  const ours = median([...times.values()].flatMap(({ ours }) => ours))
  const theirs = median([...times.values()].flatMap(({ bare: theirs }) => theirs))
  return [
    {
      question: `${engine}, a search, against the engine's own ranked text query, of 100,000`,
      ratio: ours / theirs,
      detail: `${each}; filling the index ${(filled / 1_000).toFixed(1)} s`,
      bound: { sign: '<=', value: 3 },
    },
  ]
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Handoffs whose packages have fifty words of a vocabulary in which few are common, as in a language. */
async function* written(): AsyncIterable<DumpRow> {
  for (let i = 1; i <= SIZE; i++) {
    const uid = uuid7()
    const handoff = aHandoff({
      uid,
      id: `HO-2026-${i}`,
      root: uid,
      title: seededWords(5),
      state: 'completed',
    })
    yield { table: 'handoff', row: { ...tableRow('handoff')(handoff) } }
    const content = aContent({ package: { summary: seededWords(25), context: seededWords(25) } })
    yield { table: 'content', row: { uid, doc: JSON.stringify(content) } }
    const entry = {
      id: i,
      stream: uid,
      seq: 0,
      subject: uid,
      act: 'handoff.send',
      hash: '',
      disclosures: null,
    }
    const at = '2026-11-16T08:00:00.000Z'
    yield { table: 'entry', row: { ...entry, at, body: new Uint8Array(9) } }
  }
}
