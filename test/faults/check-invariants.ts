import assert from 'node:assert/strict'
import { verifyChain } from '../../src/audit/chain.ts'
import { type AuditRecord, decodeEntry } from '../../src/audit/entry.ts'
import type { Agent } from '../../src/domain/agent.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { isEnd, isHeld, isOpen, type State, TRANSITIONS } from '../../src/domain/lifecycle.ts'
import type { AgentLimits } from '../../src/domain/limits.ts'
import type { Notice } from '../../src/domain/people/notice.ts'
import type { Task } from '../../src/domain/tasks/task.ts'
import { tableRow } from '../../src/storage/rows.ts'
import type { DumpRow, Store } from '../../src/storage/store.ts'
import { leafHash } from '../../src/storage/working-set.ts'

/** An answer that somebody was given: this revision of this handoff had this state. */
export interface Acknowledged {
  readonly uid: string
  readonly rev: number
  readonly state: State
}

export interface Expectations {
  /** Everything that was answered; nothing of it may be missing (I6). */
  readonly acknowledged?: readonly Acknowledged[]
  /** Limits that held from the beginning; no prefix of the log may exceed them (I2). */
  readonly limits?: Readonly<Record<string, AgentLimits>>
}

type Row = DumpRow['row']

/** One entry of the log, decoded. */
interface Said extends Omit<AuditRecord, 'sd'> {
  readonly id: number
  readonly stream: string
  readonly seq: number
}

/**
 * What must hold of every store after every fault, by the numbers of the threat model: chains without gaps
 * (I9, I10), no effect without an entry and no entry without an effect (I7), legal steps only (I5), one holder
 * and one acceptance for each attempt (I1, I4), limits (I2), one effect for each key (I8), one answer for each
 * debt, and nothing lost that was acknowledged (I6).
 */
export async function checkInvariants(store: Store, expected: Expectations = {}): Promise<void> {
  const tables = new Map<string, Row[]>()
  for await (const { table, row } of store.dump()) {
    const rows = tables.get(table)
    if (rows) rows.push(row)
    else tables.set(table, [row])
  }
  const rows = (table: string): readonly Row[] => tables.get(table) ?? []
  const docs = <T>(table: string): readonly T[] => rows(table).map((row) => JSON.parse(String(row.doc)) as T)
  const handoffs = docs<Handoff>('handoff')
  const tasks = docs<Task>('task')
  const notices = docs<Notice>('notice')

  const said = checkChains(rows('stream'), rows('entry'))
  const bySubject = Map.groupBy(said, ({ sub }) => `${sub.k} ${sub.id}`)
  const storyOf = (kind: string, id: string): readonly Said[] => bySubject.get(`${kind} ${id}`) ?? []

  for (const handoff of handoffs) {
    const story = storyOf('handoff', handoff.uid)
    checkStory(handoff.id, handoff.rev, story)
    checkSteps(handoff, story)
    checkAttempts(handoff, story)
  }
  for (const task of tasks) checkStory(task.id, task.rev, storyOf('task', task.id))
  for (const { name, rev } of docs<Agent>('agent')) checkStory(name, rev, storyOf('agent', name))
  checkColumns(rows('handoff'), rows('task'))
  checkContents(handoffs, rows('content'))
  checkDependencies(tasks, rows('task'), rows('task_dep'))
  checkDebts(handoffs, notices)
  checkKeys(rows('idem'), handoffs)
  checkLimits(said, handoffs, expected.limits ?? {})
  const known = new Set(
    handoffs.map(({ uid }) => `handoff ${uid}`).concat(tasks.map(({ id }) => `task ${id}`)),
  )
  const strays = said.filter(
    ({ sub }) => ['handoff', 'task'].includes(sub.k) && !known.has(`${sub.k} ${sub.id}`),
  )
  assert.deepEqual(strays, [], 'I7: no entry about something that is not there')
  for (const { uid, rev, state } of expected.acknowledged ?? []) {
    const entry = storyOf('handoff', uid).find(({ sub }) => sub.rev === rev)
    assert.ok(entry, `I6: revision ${rev} of ${uid} was acknowledged and is gone`)
    if (entry.to !== undefined)
      assert.equal(entry.to, state, `I6: ${uid} was ${state} when it was acknowledged`)
  }
}

function checkChains(streams: readonly Row[], entries: readonly Row[]): readonly Said[] {
  const said: Said[] = []
  const sorted = [...entries].sort((a, b) => Number(a.seq) - Number(b.seq))
  const byStream = Map.groupBy(sorted, ({ stream }) => String(stream))
  assert.deepEqual([...byStream.keys()].sort(), streams.map(({ uid }) => String(uid)).sort())
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length, 'I10: every entry has its number')
  for (const { uid, seq, head } of streams) {
    const chain = (byStream.get(String(uid)) ?? []).map((row) => ({
      row,
      entry: Buffer.from(row.body as Uint8Array).toString('utf8'),
    }))
    const verdict = verifyChain(chain, leafHash, { seq: Number(seq), hash: String(head) })
    assert.ok(verdict.ok, `I9: chain of ${uid}: ${verdict.ok ? '' : verdict.reason}`)
    let last = -1
    for (const { row, entry } of chain) {
      assert.equal(row.hash, leafHash(entry))
      assert.ok(Number(row.id) > last, `I10: entry ${row.seq} of ${uid} is numbered before the one before it`)
      last = Number(row.id)
      const decoded = decodeEntry(entry)
      assert.ok(decoded.ok)
      const record = decoded.record as unknown as AuditRecord
      said.push({ ...record, id: last, stream: decoded.stream, seq: decoded.seq })
    }
  }
  return said.sort((a, b) => a.id - b.id)
}

/** Each revision has exactly one entry, in order; what was written twice or half would show here. */
function checkStory(name: string, rev: number, story: readonly Said[]): void {
  assert.deepEqual(
    story.map(({ sub }) => sub.rev),
    Array.from({ length: rev }, (_, i) => i + 1),
    `I7: one entry for each revision of ${name}`,
  )
}

const LEGAL = new Set(TRANSITIONS.map(({ from, to }) => `${from} ${to}`))

function checkSteps(handoff: Handoff, story: readonly Said[]): void {
  let state: string | undefined
  for (const step of story) {
    if (step.to === undefined) continue
    if (state !== undefined) {
      assert.equal(step.from, state, `I7: ${handoff.id} goes on from where it was`)
      assert.ok(
        LEGAL.has(`${step.from} ${step.to}`),
        `I5: ${handoff.id} went from ${step.from} to ${step.to}`,
      )
    }
    state = step.to
  }
  assert.equal(state, handoff.state, `I7: the log of ${handoff.id} ends in its state`)
  assert.equal(
    handoff.ended_at !== undefined,
    isEnd(handoff.state),
    `I7: ${handoff.id} has an end or has none`,
  )
  const expired = story.filter(({ to }) => to === 'expired').length
  assert.ok(expired <= 1, `I5: ${handoff.id} expired ${expired} times`)
}

function checkAttempts(handoff: Handoff, story: readonly Said[]): void {
  const { id, attempts, state } = handoff
  const accepted = story.filter(({ act }) => act === 'handoff.accept')
  assert.equal(accepted.length, attempts.length, `I1: one acceptance for each attempt of ${id}`)
  assert.equal(new Set(attempts.map((a) => a.attempt)).size, attempts.length, `I1: attempts of ${id} repeat`)
  for (const [i, { holder }] of attempts.entries())
    assert.equal(accepted[i]?.actor.id, holder, `I1: ${id} was accepted by its addressee`)
  const open = attempts.filter(({ ended_at }) => ended_at === undefined)
  const isTaken = isHeld(state) || (state === 'needs_input' && handoff.holder !== undefined)
  assert.equal(open.length, isTaken ? 1 : 0, `I4: ${id} is ${state} and has ${open.length} open attempts`)
  assert.equal(handoff.holder, open[0]?.holder, `I4: ${id} is held by whoever has its open attempt`)
  assert.equal(handoff.instance, open[0]?.instance)
}

/** What is indexed is what the document says. */
function checkColumns(handoffs: readonly Row[], tasks: readonly Row[]): void {
  for (const row of handoffs)
    assert.deepEqual({ ...row }, tableRow('handoff')(JSON.parse(String(row.doc))), 'I7: columns of a handoff')
  for (const { open_deps: _, height: __, ...row } of tasks)
    assert.deepEqual(row, tableRow('task')(JSON.parse(String(row.doc))), 'I7: columns of a task')
}

function checkContents(handoffs: readonly Handoff[], rows: readonly Row[]): void {
  const contents = new Map(rows.map((row) => [String(row.uid), JSON.parse(String(row.doc))]))
  assert.equal(contents.size, handoffs.length, 'I7: a content for each handoff')
  for (const { uid, id, state, home, type } of handoffs) {
    const content = contents.get(uid)
    assert.ok(content, `I7: the content of ${id}`)
    if (home !== 'native' || type === 'return') continue
    // Evidence and state are written together: neither is there without the other.
    const isHandedIn = state === 'in_review' || state === 'completed'
    if (isHandedIn) assert.ok(content.result, `I7: ${id} is ${state} and nothing was handed in`)
    assert.equal(content.verifications.length > 0, state === 'completed', `I7: verification of ${id}`)
  }
}

function checkDependencies(tasks: readonly Task[], rows: readonly Row[], links: readonly Row[]): void {
  const status = new Map(tasks.map((task) => [task.uid, task.status]))
  const open = new Map<unknown, number>()
  for (const { task, depends_on } of links)
    if (status.get(String(depends_on)) !== 'done') open.set(task, (open.get(task) ?? 0) + 1)
  for (const { uid, id, open_deps } of rows)
    assert.equal(open_deps, open.get(uid) ?? 0, `I7: open dependencies of ${id}`)
  const heights = new Map(rows.map(({ uid, height }) => [uid, Number(height)]))
  for (const { task, depends_on } of links)
    assert.ok(heights.get(depends_on)! > heights.get(task)!, `I7: chain of ${depends_on} over ${task}`)
}

/** Whoever asked is told once, by a return or by a notice. */
function checkDebts(handoffs: readonly Handoff[], notices: readonly Notice[]): void {
  const returns = Map.groupBy(
    handoffs.filter(({ type }) => type === 'return'),
    ({ in_reply_to }) => in_reply_to,
  )
  const told = Map.groupBy(notices, ({ about }) => about)
  for (const { uid, id, state, debt, from, type } of handoffs) {
    if (type === 'return') continue
    const answers = told.get(uid)?.filter(({ to, kind }) => to === from && kind !== 'answered') ?? []
    const back = returns.get(uid)?.length ?? 0
    if (debt !== undefined) {
      assert.equal(debt, isEnd(state) ? 'answered' : 'open', `debt of ${id}, which is ${state}`)
      if (state !== 'cancelled') assert.equal(back + answers.length, isEnd(state) ? 1 : 0, `answers to ${id}`)
    }
    if (state === 'expired' || state === 'rejected')
      assert.equal(answers.length, 1, `I5: the sender of ${id} is told once that it is ${state}`)
  }
}

function checkKeys(idems: readonly Row[], handoffs: readonly Handoff[]): void {
  const keys = idems.map(({ actor, op, key }) => JSON.stringify([actor, op, key]))
  assert.equal(new Set(keys).size, keys.length, 'I8: one row for each key')
  const revisions = new Map(handoffs.map(({ uid, rev }) => [uid, rev]))
  for (const { op, subject, rev } of idems) {
    if (!String(op).startsWith('handoff_') || Number(rev) === 0) continue
    const now = revisions.get(String(subject))
    assert.ok(now !== undefined && now >= Number(rev), `I8: what ${op} answered is there`)
  }
}

/** Follows the log and counts the open handoffs of each agent after every entry. */
function checkLimits(
  said: readonly Said[],
  handoffs: readonly Handoff[],
  limits: Readonly<Record<string, AgentLimits>>,
): void {
  const byUid = new Map(handoffs.map((handoff) => [handoff.uid, handoff]))
  const open = new Map<string, number>()
  const count = (key: string, by: number): number => {
    const now = (open.get(key) ?? 0) + by
    open.set(key, now)
    return now
  }
  const isExempt = new Set(['return', 'gate', 'escalation'])
  for (const { sub, from, to } of said) {
    const handoff = sub.k === 'handoff' ? byUid.get(sub.id) : undefined
    if (!handoff || to === undefined) continue
    const [was, is] = [from !== undefined && sub.rev > 1 && isOpen(from as State), isOpen(to as State)]
    if (was === is) continue
    const outgoing = count(`from ${handoff.from}`, is ? 1 : -1)
    const incoming = count(`to ${handoff.to}`, is ? 1 : -1)
    if (!is || isExempt.has(handoff.type)) continue
    const [ofSender, ofReceiver] = [limits[handoff.from]?.outgoing, limits[handoff.to]?.incoming]
    assert.ok(ofSender === undefined || outgoing <= ofSender, `I2: ${handoff.from} sent ${outgoing}`)
    assert.ok(ofReceiver === undefined || incoming <= ofReceiver, `I2: ${handoff.to} has ${incoming}`)
  }
}
