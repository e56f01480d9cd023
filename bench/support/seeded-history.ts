import pg from 'pg'
import { appendToChain, EMPTY_CHAIN } from '../../src/audit/chain.ts'
import type { AuditRecord } from '../../src/audit/entry.ts'
import { createService, openStore, toStoreTarget } from '../../src/compose/main.ts'
import type { Content } from '../../src/domain/handoffs/package.ts'
import { facetWord, indexText, searchedHandoff } from '../../src/domain/search.ts'
import { agedUid, uuid7 } from '../../src/service/uuid7.ts'
import { tableRow } from '../../src/storage/rows.ts'
import type { DumpRow } from '../../src/storage/store.ts'
import { leafHash } from '../../src/storage/working-set.ts'
import { seededHandoff, seededTask } from './seeded.ts'
import { aBlock, aRun } from './seeded-workspace.ts'

const VOCABULARY = 20_000
/** Handoffs for each task, run, record, block and session of the log. */
const EACH = { task: 40, run: 200, record: 20, block: 40, session: 400 }
const DAYS_MS = 60 * 86_400_000
const WORDS_AT_ONCE = 2_000
const PUT = `INSERT INTO baton.word (ws, uid, seq, at, words) SELECT 1, uid, seq, at, array_to_tsvector(string_to_array(words, ' '))
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS r (uid, seq, at, words)`

/** So many words of a vocabulary in which few are common, as in a language: `w1x` is in nearly every document, `w15000x` in few. */
export const seededWords = (count: number): string =>
  Array.from({ length: count }, () => `w${Math.floor(VOCABULARY ** Math.random())}x`).join(' ')

/**
 * Fills a new database of PostgreSQL as two months leave it: tasks, runs, records and blocks, handoffs with packages, an
 * entry of the log for each, and the index of their words as a search would have made it. Rows are written past the engine: history is not the
 * question here. One index is made at the end, which is as the migration makes it.
 */
export async function fillHistory(address: string, handoffs: number, agents: number): Promise<void> {
  const store = await openStore(toStoreTarget(address))
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    const [{ indexdef } = { indexdef: '' }] = (
      await client.query(`SELECT indexdef FROM pg_indexes WHERE indexname = 'word_words'`)
    ).rows
    await client.query('SET synchronous_commit = off; DROP INDEX baton.word_words')
    const cut: [uids: string[], seqs: number[], ats: string[], words: string[]] = [[], [], [], []]
    const put = async (least: number) => {
      if (cut[0].length >= least) await client.query(PUT, cut)
      if (cut[0].length >= least) for (const column of cut) column.length = 0
    }
    await store.restore(
      history(handoffs, agents, store.info.origin, async (uid, seq, at, words) => {
        for (const [i, value] of [uid, seq, at, words].entries()) cut[i]!.push(value as never)
        await put(WORDS_AT_ONCE)
      }),
    )
    await put(1)
    await client.query(indexdef)
    // As if these had been sent: a send would try each of their numbers, one after the other.
    if (handoffs > 0) await client.query(`SELECT setval('baton.handoff_number_1', ${handoffs})`)
    // A server would do it beside the calls that are measured.
    await (await createService(store).audit()).sequence()
    await client.query('VACUUM ANALYZE')
  } finally {
    await client.end()
    await store.close()
  }
}

type Index = (uid: string, seq: number, at: string, words: string) => Promise<void>

/** A restore writes rows of one table that follow each other at once. */
const ROWS_AT_ONCE = 500

async function* history(
  handoffs: number,
  agents: number,
  origin: string,
  index: Index,
): AsyncIterable<DumpRow> {
  const start = Date.now() - DAYS_MS
  const workspace = facetWord('workspace', '1')
  const rows = {
    handoff: [] as DumpRow['row'][],
    content: [] as DumpRow['row'][],
    stream: [] as DumpRow['row'][],
    entry: [] as DumpRow['row'][],
  }
  yield* besideHandoffs(handoffs, agents, start)
  const tasks = Math.ceil(handoffs / EACH.task)
  const runs = Array.from({ length: Math.ceil(handoffs / EACH.run) }, (_, i) => aRun(i, start, handoffs))
  for (const run of runs) yield { table: 'run', row: { ...tableRow('run')(run) } }
  for (let i = 0; i < handoffs; i += 1) {
    const atMs = start + Math.floor((DAYS_MS * i) / handoffs)
    const [uid, at] = [agedUid(uuid7(), atMs), new Date(atMs).toISOString()]
    const seeded = seededHandoff(uid, i, at, agents)
    const ended_at = new Date(Math.min(atMs + (1 + (i % 97)) * 60_000, Date.now())).toISOString()
    const ended = seeded.ended_at && { ended_at, updated_at: ended_at }
    const place = {
      task: taskOf(i % tasks),
      ...(i % 2 === 0 && { run: runs[Math.floor(i / EACH.run)]!.uid }),
    }
    const handoff = { ...seeded, ...place, title: seededWords(5), ...ended }
    const content: Content = {
      package: { summary: seededWords(25), context: seededWords(25) },
      thread: [],
      verifications: [],
    }
    const record: AuditRecord = {
      act: 'handoff.send',
      actor: { id: handoff.from },
      auth: 'token',
      from: 'draft',
      sub: { id: uid, k: 'handoff', rev: 1 },
      to: 'offered',
      ts: at,
      v: 1,
    }
    const { entry, head } = appendToChain(EMPTY_CHAIN, { origin, stream: uid, record }, leafHash)
    const { seq, hash } = head
    rows.handoff.push({ ...tableRow('handoff')(handoff) })
    rows.content.push({ uid, doc: JSON.stringify(content) })
    rows.stream.push({ uid, seq, head: hash, progress_seq: seq })
    const named = { id: i + 1, stream: uid, seq, subject: uid, act: record.act, at, hash }
    rows.entry.push({ ...named, body: Buffer.from(entry), disclosures: null })
    await index(uid, i + 1, at, `${workspace} ${indexText(searchedHandoff(handoff, content))}`)
    if (rows.handoff.length < ROWS_AT_ONCE && i < handoffs - 1) continue
    for (const [table, all] of Object.entries(rows)) for (const row of all.splice(0)) yield { table, row }
  }
}

const taskOf = (index: number): string => seededTask('', index, '').id

/** Tasks, their records, blocks and sessions of the log. */
function* besideHandoffs(handoffs: number, agents: number, start: number): Iterable<DumpRow> {
  const many = (each: number) => Array.from({ length: Math.ceil(handoffs / each) }, (_, i) => i)
  const at = new Date(start).toISOString()
  for (const i of many(EACH.task)) {
    const task = { ...seededTask(agedUid(uuid7(), start), i, at), owner: `receiver-${i % agents}` }
    yield { table: 'task', row: { ...tableRow('task')(task), open_deps: i % 3, height: 1 } }
  }
  for (const i of many(EACH.record)) {
    const lists = { tests_run: [], blockers: [], files_changed: [], related_thought_records: [] }
    const by = `receiver-${i % agents}`
    const record = {
      uid: uuid7(),
      task_id: taskOf(Math.floor((i * EACH.record) / EACH.task)),
      by,
      summary: seededWords(20),
    }
    const row = tableRow('record')({ ...record, ...lists, shape: 'completion', created_at: at })
    yield { table: 'record', row: { seq: i + 1, ...row } }
  }
  for (const i of many(EACH.block)) {
    const block = { ...aBlock(i, start, handoffs / EACH.block), task: taskOf(i) }
    yield { table: 'block', row: { seq: i + 1, ...tableRow('block')(block) } }
  }
  for (const i of many(EACH.session)) {
    const session = { uid: uuid7(), id: `session-${i}`, rev: 1, by: `receiver-${i % agents}`, started_at: at }
    yield { table: 'audit_session', row: { ...tableRow('audit_session')({ ...session, state: 'open' }) } }
  }
}
