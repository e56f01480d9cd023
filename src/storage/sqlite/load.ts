import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { dueFirst, dueWithin, mergeReads } from '../group-commit.ts'
import { beforeYear, emptyLoaded, gatedOf, idemKey, type Loaded, takeGates, takeLatest } from '../loaded.ts'
import { keyOf } from '../rows.ts'
import type { DueItem, Idem, Stream, Unit } from '../store.ts'
import type { Remembered } from './remembered.ts'
import type { Statements } from './statements.ts'

const REMEMBERED = new Set(['handoff', 'content', 'agent'])

/** Everything that the units read. The write lock is held, so nothing can change before they are decided. */
export function load(db: Statements, units: readonly Unit<unknown>[], remembered: Remembered): Loaded {
  const reads = mergeReads(units)
  const loaded = emptyLoaded()
  const streams = new Set(reads.streams)
  const agents = new Set([...reads.agents, ...reads.counted])
  const tasks = new Set(reads.tasks)
  const take = (doc: string) => {
    const handoff: Handoff = JSON.parse(doc)
    if (handoff.task !== undefined) tasks.add(handoff.task)
    loaded.handoffs.set(handoff.uid, handoff)
    streams.add(handoff.root)
    agents.add(handoff.from).add(handoff.to)
  }
  const docOf = (table: string, key: string) => {
    const read = () => documentOf(db, table, key)
    return REMEMBERED.has(table) ? remembered.get(`${table} ${key}`, read) : read()
  }
  const fill = <T>(rows: Map<string, T>, table: string, keys: Iterable<string>) => {
    for (const key of keys) {
      const doc = docOf(table, key)
      if (doc !== undefined) rows.set(key, JSON.parse(doc))
    }
  }

  for (const [agent, wanted] of reads.claims) {
    const rows = db.all(
      `SELECT uid, doc FROM handoff WHERE to_agent = ? AND state = 'offered' ORDER BY rank, uid LIMIT ?`,
      agent,
      // Units of this batch that name a handoff may take it before the claim has its turn.
      wanted + reads.handoffs.length,
    )
    loaded.claims.set(
      agent,
      rows.map((row) => row.uid as string),
    )
    for (const row of rows) take(row.doc as string)
    fill(loaded.contents, 'content', loaded.claims.get(agent)!)
  }
  for (const uid of reads.handoffs) {
    const doc = docOf('handoff', uid)
    if (doc !== undefined) take(doc)
  }
  fill(loaded.contents, 'content', reads.contents)
  for (const id of tasks) {
    const row = db.get('SELECT doc, open_deps FROM task WHERE id = ?', id)
    if (!row) continue
    const task = JSON.parse(row.doc as string)
    loaded.tasks.set(id, { task, open_deps: row.open_deps as number })
    streams.add(task.uid)
  }
  for (const pair of reads.pairs) {
    const row = db.get(
      `SELECT doc FROM handoff WHERE task = ? AND from_agent = ? AND to_agent = ? ORDER BY uid DESC LIMIT 1`,
      pair.task,
      pair.from,
      pair.to,
    )
    if (row) takeLatest(loaded, pair, row.doc as string)
  }
  fill(loaded.agents, 'agent', agents)
  for (const name of reads.counted) {
    const count = (column: string) =>
      db.get(`SELECT count(*) AS n FROM handoff WHERE ${column} = ? AND open = 1`, name)?.n as number
    loaded.outgoing.set(name, count('from_agent'))
    loaded.incoming.set(name, count('to_agent'))
  }
  fill(loaded.sessions, 'audit_session', reads.sessions)
  for (const uid of loaded.sessions.keys()) streams.add(uid)
  const runs = new Set(reads.runs)
  for (const { run } of loaded.handoffs.values()) if (run !== undefined) runs.add(run)
  for (const uid of runs) streams.add(uid)
  fill(loaded.runs, 'run', runs)
  fill(loaded.blocks, 'block', reads.blocks)
  fill(loaded.deliveries, 'delivery', reads.deliveries)
  for (const uid of gatedOf(loaded)) {
    const rows = db.all(
      `SELECT doc FROM handoff WHERE parent = ? AND json_extract(doc, '$.type') IN ('gate', 'delegation') ORDER BY uid`,
      uid,
    )
    takeGates(
      loaded,
      uid,
      rows.map((row) => row.doc as string),
    )
  }
  for (const uid of streams) {
    const stream = remembered.get(`stream ${uid}`, () =>
      db.get('SELECT uid, seq, head, progress_seq FROM stream WHERE uid = ?', uid),
    )
    if (stream) loaded.streams.set(uid, stream as unknown as Stream)
  }
  for (const uid of reads.notices) {
    const row = db.get('SELECT doc, seen_at FROM notice WHERE uid = ?', uid)
    if (row)
      loaded.notices.set(uid, {
        ...JSON.parse(row.doc as string),
        ...(row.seen_at && { seen_at: row.seen_at }),
      })
  }
  for (const key of reads.idems) {
    const { actor, op, key: chosen } = key
    const row = db.get('SELECT * FROM idem WHERE actor = ? AND op = ? AND key = ?', actor, op, chosen)
    if (row) loaded.idems.set(idemKey(key), row as unknown as Idem)
  }
  if (reads.numbers > 0) drawNumbers(db, loaded, reads)
  return loaded
}

/** Passes over ids that documents brought along, and those of older programs that do not count by year. */
function drawNumbers(db: Statements, { numbers }: Loaded, reads: ReturnType<typeof mergeReads>): void {
  let number = (db.get("SELECT value FROM counter WHERE name = 'handoff'")?.value ?? 0) as number
  const before = numbersBefore(db, reads.year, number)
  while (numbers.length < reads.numbers) {
    const id = `HO-${reads.year}-${String(++number - before).padStart(3, '0')}`
    if (!db.get("SELECT uid FROM handoff WHERE id IN (?1, ?1 || '-R')", id)) numbers.push({ number, id })
  }
  countTo(db, number)
}

const countTo = (db: Statements, number: number): void =>
  void db.run(
    `INSERT INTO counter (name, value) VALUES ('handoff', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1`,
    number,
  )

/** How many numbers were given out before this year. In a year that an older program began, none counts as such. */
function numbersBefore(db: Statements, year: string, last: number): number {
  const kept = db.get('SELECT value FROM meta WHERE key = ?', beforeYear(year))
  if (kept) return Number(kept.value)
  const { begun } = db.get(
    `SELECT EXISTS (SELECT 1 FROM handoff WHERE id > ? AND id < ?)
       AND NOT EXISTS (SELECT 1 FROM meta WHERE key LIKE ?) AS begun`,
    `HO-${year}-`,
    `HO-${year}.`,
    beforeYear('____'),
  )!
  const before = begun ? 0 : last
  db.run('INSERT INTO meta (key, value) VALUES (?, ?)', beforeYear(year), String(before))
  return before
}

/** Numbers that no unit took are the last ones and still ours alone: whoever comes next takes them. */
export function giveBack(db: Statements, { numbers }: Loaded): void {
  if (numbers[0]) countTo(db, numbers[0].number - 1)
}

/** A document as its text: what is made of it is somebody's own, who may change it. */
export const documentOf = (db: Statements, table: string, key: string) =>
  db.get(`SELECT doc FROM ${table} WHERE ${keyOf(table)} = ?`, key)?.doc as string | undefined

/** The handoffs to settle before these units are judged. */
export function dueBefore(
  db: Statements,
  units: readonly Unit<unknown>[],
  settled: ReadonlySet<string>,
  remembered: Remembered,
): readonly DueItem[] {
  const { at, limit } = dueWithin(units, settled)
  if (remembered.get(EARLIEST_DUE, () => earliestDue(db)) > at) return []
  const due = probeDue(db, at, limit)
  // The earliest due handoff was moved or has ended.
  if (due.length === 0) remembered.forget(EARLIEST_DUE)
  return dueFirst(due, units, settled)
}

/** Nothing is due before this instant. What is moved to a later one leaves it as it is. */
export const EARLIEST_DUE = 'earliest due'

const NEVER = '~'

const earliestDue = (db: Statements): string =>
  (db.get('SELECT due_at FROM handoff WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1')?.due_at as string) ??
  NEVER

export const probeDue = (db: Statements, at: string, limit: number): readonly DueItem[] =>
  db
    .all(
      'SELECT uid, due_kind AS kind, holder FROM handoff WHERE due_at <= ? ORDER BY due_at, uid LIMIT ?',
      at,
      limit,
    )
    .map(({ uid, kind, holder }) => ({ uid, kind, ...(holder !== null && { holder }) }) as DueItem)
