import assert from 'node:assert/strict'
import { verifyStates } from '../../../src/archive/state-verify.ts'
import { verifyChain } from '../../../src/audit/chain.ts'
import { decodeEntry } from '../../../src/audit/entry.ts'
import type { Agent } from '../../../src/domain/agent.ts'
import type { AuditSession } from '../../../src/domain/audit-session.ts'
import type { Handoff } from '../../../src/domain/handoffs/handoff.ts'
import type { Task } from '../../../src/domain/tasks/task.ts'
import type { Run } from '../../../src/domain/workflow/run.ts'
import { KEY_STREAM } from '../../../src/service/audit/log-key.ts'
import { ARCHIVE_STREAM } from '../../../src/storage/rows.ts'
import type { DumpRow, Store } from '../../../src/storage/store.ts'
import { leafHash } from '../../../src/storage/working-set.ts'

type Row = DumpRow['row']

interface Said {
  readonly act: string
  readonly from?: string
  readonly to?: string
  readonly sub: { readonly id: string; readonly k: string; readonly rev: number }
}

/** Every row of a store by table. */
export async function tablesOf(store: Store): Promise<ReadonlyMap<string, readonly Row[]>> {
  const tables = new Map<string, Row[]>()
  for await (const { table, row } of store.dump()) addTo(tables, table, row)
  return tables
}

function addTo<T>(groups: Map<string, T[]>, key: string, value: T): void {
  const group = groups.get(key)
  if (group) group.push(value)
  else groups.set(key, [value])
}

/** The fields of a log entry that were disclosed with it, by name. */
export const disclosed = ({ disclosures = [] }: { readonly disclosures?: readonly string[] | undefined }) =>
  Object.fromEntries(
    disclosures.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()).slice(1)),
  ) as Readonly<Record<string, unknown>>

/**
 * What must hold of every workspace at rest: each stream's chain verifies up to its head, every revision of
 * every row has exactly one entry, every entry is about something that is there, and the newest binds its row.
 */
export async function checkLog(store: Store, unbound = 0): Promise<void> {
  const states = await verifyStates(store)
  assert.deepEqual([states.unbound, states.wrong], [unbound, []], 'the log binds every row')
  const tables = await tablesOf(store)
  const rows = (table: string): readonly Row[] => tables.get(table) ?? []
  const docs = <T>(table: string): readonly T[] => rows(table).map((row) => JSON.parse(String(row.doc)) as T)
  // Read as everybody reads it: archived entries have no text in their rows.
  const { entries } = await store.changes('0', 1_000_000)
  const said = checkChains(
    rows('stream'),
    entries.map((entry) => ({ ...entry })),
  )

  const about = new Map<string, Said[]>()
  for (const each of said) addTo(about, `${each.sub.k} ${each.sub.id}`, each)
  const handoffs = docs<Handoff>('handoff')
  for (const { uid, rev, state } of handoffs) {
    checkRevisions(about, 'handoff', uid, rev)
    checkStates(about, uid, state)
  }
  for (const { id, rev } of docs<Task>('task')) checkRevisions(about, 'task', id, rev)
  const tokens = new Set(docs<{ uid: string }>('token').map(({ uid }) => uid))
  for (const { name, rev } of docs<Agent>('agent')) checkRevisions(about, 'agent', name, rev)
  for (const { uid } of docs<{ uid: string }>('artifact')) checkRevisions(about, 'artifact', uid, 1)

  for (const { uid, rev } of docs<AuditSession>('audit_session')) checkRevisions(about, 'session', uid, rev)
  for (const { uid, rev } of docs<Run>('run')) checkRevisions(about, 'run', uid, rev)

  const blocks = docs<{ uid: string }>('block').map(({ uid }) => uid)
  for (const uid of blocks) checkRevisions(about, 'record', uid, 1)

  const contents = rows('content').map((row) => String(row.uid))
  assert.deepEqual(contents.sort(), handoffs.map(({ uid }) => uid).sort(), 'a content for each handoff')
  const seen = rows('notice').filter((row) => row.seen_at !== null).length
  assert.equal(said.filter(({ act }) => act === 'notice.ack').length, seen, 'an entry for each notice seen')
  const records = said.filter(({ act }) => act === 'thought_record' || act === 'task.reinstate').length
  assert.equal(records, rows('record').length, 'an entry for each record')

  const known = new Set([
    ...handoffs.map(({ uid }) => uid),
    ...docs<Task>('task').map(({ id }) => id),
    ...docs<Agent>('agent').map(({ name }) => name),
    ...rows('artifact').map((row) => String(row.uid)),
    ...rows('notice').map((row) => String(row.uid)),
    ...tokens,
    // Sessions that ended are cleared away in time.
    ...said.filter(({ act }) => act === 'token.revoke').map(({ sub }) => sub.id),
    ...rows('audit_session').map((row) => String(row.uid)),
    ...rows('run').map((row) => String(row.uid)),
    ...blocks,
    KEY_STREAM,
    ARCHIVE_STREAM,
    // The workspace itself.
    store.info.origin.split('/').at(-1),
  ])
  assert.deepEqual(
    said.filter(({ sub }) => !known.has(sub.id)),
    [],
    'no entry about nothing',
  )
}

function checkChains(streams: readonly Row[], entries: readonly Row[]): readonly Said[] {
  const said: Said[] = []
  const byStream = new Map<string, Row[]>()
  for (const entry of [...entries].sort((a, b) => Number(a.seq) - Number(b.seq)))
    addTo(byStream, String(entry.stream), entry)
  assert.deepEqual([...byStream.keys()].sort(), streams.map((row) => String(row.uid)).sort())
  for (const { uid, seq, head } of streams) {
    const chain = (byStream.get(String(uid)) ?? []).map((row) => ({ row, entry: textOf(row.body) }))
    const remembered = { seq: Number(seq), hash: String(head) }
    const verdict = verifyChain(chain, leafHash, remembered)
    assert.ok(verdict.ok, `chain of ${uid}: ${verdict.ok ? '' : `${verdict.reason} at ${verdict.at}`}`)
    for (const { row, entry } of chain) {
      assert.equal(row.hash, leafHash(entry))
      const decoded = decodeEntry(entry)
      assert.ok(decoded.ok && decoded.seq === Number(row.seq) && decoded.stream === uid)
      // The log takes only records of this shape: `encodeEntry` refuses others.
      said.push(decoded.record as unknown as Said)
    }
  }
  return said
}

type About = ReadonlyMap<string, readonly Said[]>

function checkRevisions(about: About, kind: string, id: string, rev: number): void {
  const revisions = (about.get(`${kind} ${id}`) ?? []).map(({ sub }) => sub.rev)
  const expected = Array.from({ length: rev }, (_, i) => i + 1)
  assert.deepEqual(
    revisions.sort((a, b) => a - b),
    expected,
    `one entry for each revision of ${kind} ${id}`,
  )
}

/** Each step begins where the one before ended, and the last one ends in the state of the row. */
function checkStates(about: About, uid: string, state: string): void {
  const steps = (about.get(`handoff ${uid}`) ?? [])
    .filter(({ to }) => to !== undefined)
    .sort((a, b) => a.sub.rev - b.sub.rev)
  for (const [i, step] of steps.entries())
    if (i > 0) assert.equal(step.from, steps[i - 1]?.to, `${uid} went on from where it was`)
  assert.equal(steps.at(-1)?.to, state, `the log of ${uid} ends in its state`)
}

const textOf = (body: unknown): string =>
  typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString('utf8')
