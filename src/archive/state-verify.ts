import { hash } from 'node:crypto'
import { committedIn, isState, openDisclosure, stateText } from '../audit/disclosure.ts'
import { type AuditRecord, recordIn } from '../audit/entry.ts'
import type { Archive } from '../storage/archive.ts'
import { COLUMNS, isStub, keyOf } from '../storage/rows.ts'
import type { DumpRow, Store } from '../storage/store.ts'

export interface StateReport {
  /** Rows that are as the log says. */
  readonly bound: number
  /** Rows of an older program, which the log binds with their next step. */
  readonly unbound: number
  /** Each as a sentence that names the row. */
  readonly wrong: readonly string[]
}

type Doc = Readonly<Record<string, unknown>>
type Cells = DumpRow['row']

interface ComparedRow {
  readonly table: string
  /** The row for people. */
  readonly name: string
  readonly state: string
  readonly doc: Doc
  readonly cells: Cells
}

/** An entry, and what it commits to. */
interface Commitment {
  readonly id: number
  readonly rev: number
  readonly state: string
}

/** Subjects of the log by the table of their rows. */
const KINDS: Readonly<Record<string, AuditRecord['sub']['k']>> = {
  handoff: 'handoff',
  content: 'handoff',
  task: 'task',
  agent: 'agent',
  token: 'agent',
  artifact: 'artifact',
  audit_session: 'session',
  run: 'run',
  block: 'record',
}
const KIND_NAMES = new Set<string>(Object.values(KINDS))
/** An engine keeps the instant for itself, and may be behind with it. */
const UNSEEN = ['due_at', 'due_kind']
const columnsOf = COLUMNS as Readonly<Record<string, (doc: never) => Doc>>

/** Compares every row of a store with what the log commits to: changed, added and missing rows and texts. */
export async function verifyStates(store: Store): Promise<StateReport> {
  const check = new StateCheck()
  check.archive = await store.archive()
  for await (const row of store.dump()) check.take(row)
  return check.report()
}

class StateCheck {
  readonly #rows = new Map<string, ComparedRow>()
  readonly #committed = new Map<string, Commitment>()
  /** The newest entry about a subject that commits to nothing, and the instants of such entries. */
  readonly #silent = new Map<string, Commitment>()
  readonly #silentAt = new Set<unknown>()
  /** Records that an entry names, and notices that were seen, each with its instant. */
  readonly #named = new Set<unknown>()
  readonly #acknowledged = new Map<unknown, string>()
  /** Tokens that ended. */
  readonly #revoked = new Set<unknown>()
  /** Subjects of entries as their rows say, where they are not simply those that they name. */
  readonly #subjects: (readonly [where: string, named: string, subject: unknown])[] = []
  readonly #owners = new Map<string, unknown[]>()
  /** Texts that are not there, by their digest. */
  readonly #missing = new Map<string, string>()
  readonly #redacted = new Set<string>()
  readonly #dependencies = new Set<string>()
  readonly #blobs = new Set<unknown>()
  readonly #streams = new Set<unknown>()
  readonly #wrong = new Set<string>()
  archive: Archive | undefined

  take({ table, row }: DumpRow): void {
    if (table === 'entry') this.#entry(row)
    else if (table === 'stream') this.#streams.add(row.uid)
    else if (table === 'task_dep') this.#dependencies.add(`${row.task} ${row.depends_on}`)
    else if (table === 'blob') {
      this.#blobs.add(row.sha256)
      if (hash('sha256', row.bytes as Uint8Array, 'hex') !== row.sha256) this.#changed(`bytes ${row.sha256}`)
    } else if (table === 'content' || (table !== 'delivery' && table in COLUMNS)) this.#row(table, row)
  }

  report(): StateReport {
    let [bound, unbound] = [0, 0]
    for (const [key, kept] of this.#rows) {
      const said = this.#committed.get(key)
      if (this.#isOlder(key, kept, said)) unbound += 1
      else if (!said)
        this.#wrong.add(`The row of ${kept.name} was added outside Baton: the log tells nothing of it`)
      else if (said.state !== kept.state) this.#changed(kept.name)
      else bound += 1
      this.#follow(kept)
    }
    for (const [where, named, subject] of this.#subjects)
      if (!this.#owners.get(named)?.includes(subject) && this.#owners.has(named)) this.#changed(where)
    for (const key of this.#committed.keys()) {
      // Notices that were seen and sessions that ended are cleared away in time.
      const [table, uid] = key.split(' ', 2)
      const isSwept =
        (table === 'notice' && this.#acknowledged.has(uid)) || (table === 'token' && this.#revoked.has(uid))
      if (!this.#rows.has(key) && !isSwept) this.#gone(`The row of ${key}`)
    }
    for (const named of this.#silent.keys()) {
      const [kind = '', id] = named.split(' ', 2)
      if (KIND_NAMES.has(kind) && !this.#owners.has(named) && !this.#revoked.has(id))
        this.#gone(`The row of ${named}`)
    }
    for (const [digest, where] of this.#missing)
      if (!this.#redacted.has(digest)) this.#gone(`The text ${where}`)
    for (const each of this.#dependencies) this.#wrong.add(`A dependency was added outside Baton: ${each}`)
    return { bound, unbound, wrong: [...this.#wrong] }
  }

  #row(table: string, cells: Cells): void {
    const key = String(cells[keyOf(table)])
    try {
      const doc: Doc = JSON.parse(String(cells.doc))
      const columns: Doc = columnsOf[table]?.(doc as never) ?? {}
      const uid = String(table === 'content' ? key : (doc.uid ?? doc.name))
      const name = `${table.replace('_', ' ')} ${doc.id ?? uid}`
      if (
        Object.keys(columns).some((column) => !UNSEEN.includes(column) && columns[column] !== cells[column])
      )
        this.#changed(name)
      const state = hash('sha256', stateText(table, doc), 'base64url')
      // Most rows are these, and nothing follows from their fields: a large store must fit into memory.
      const kept = table === 'handoff' || table === 'content' ? { doc: {}, cells: {} } : { doc, cells }
      this.#rows.set(`${table} ${uid}`, { table, name, state, ...kept })
      const kind = KINDS[table] ?? table
      const owners = [uid, doc.agent, doc.handoff, doc.about]
      if (table !== 'content') this.#owners.set(`${kind} ${table === 'task' ? doc.id : uid}`, owners)
    } catch {
      this.#changed(`${table} ${key}`)
    }
  }

  #entry(cells: Cells): void {
    const { id, stream, seq, subject, disclosures } = cells
    const where = `entry ${seq} of stream ${stream}`
    const text = entryText(cells.body)
    const [body = text, ...texts] = (isStub(text) && this.archive?.held(text)) || []
    try {
      const [, , of, place] = body.split('\n', 4)
      const { act, sub, ts, h = [], sd = {} } = recordIn({ body })
      const isInPlace = of === stream && Number(place) === Number(seq) && this.#streams.has(stream)
      if (!isInPlace || act !== cells.act || ts !== cells.at) this.#changed(where)
      for (const digest of h) this.#redacted.add(digest)
      const said = { id: Number(id), rev: sub.rev, state: '' }
      const names = new Map(Object.entries(sd).map(([name, digest]) => [digest, name]))
      for (const text of disclosures ? (JSON.parse(String(disclosures)) as readonly string[]) : texts) {
        const digest = hash('sha256', text, 'base64url')
        const name = names.get(digest)
        if (name === undefined) this.#changed(where)
        else if (name === 'record') this.#named.add(openDisclosure(text).value)
        else if (isState(name)) this.#commit(openDisclosure(text).value, said)
        names.delete(digest)
      }
      for (const [digest, name] of names) this.#missing.set(digest, `${name} of ${where}`)
      const named = `${sub.k} ${sub.id}`
      if (subject !== sub.id) this.#subjects.push([where, named, subject])
      if (act === 'token.revoke') this.#revoked.add(sub.id)
      if (act === 'notice.ack') this.#acknowledged.set(sub.id, ts)
      if (Object.keys(sd).some(isState)) return
      this.#silentAt.add(ts)
      if (said.id > (this.#silent.get(named)?.id ?? 0)) this.#silent.set(named, said)
    } catch {
      this.#changed(where)
    }
  }

  #commit(committed: unknown, said: Commitment): void {
    const [key, state] = committedIn(committed)
    if (said.id > (this.#committed.get(key)?.id ?? 0)) this.#committed.set(key, { ...said, state })
  }

  /** Whether the last step of a row was taken by a program that binds nothing. A step need not change the content. */
  #isOlder(key: string, { table, doc }: ComparedRow, said: Commitment | undefined): boolean {
    const id = table === 'task' ? String(doc.id) : key.slice(table.length + 1)
    if (table === 'record' && this.#named.has(id)) return !said
    if (table === 'record' || table === 'notice') return !said && this.#silentAt.has(doc.created_at)
    const silent = this.#silent.get(`${KINDS[table]} ${id}`)
    const step = (table === 'content' && this.#committed.get(`handoff ${id}`)) || said
    return silent !== undefined && (!said || !step || (silent.id > step.id && silent.rev > step.rev))
  }

  /** Cells that follow from other rows. */
  #follow({ table, name, doc, cells }: ComparedRow): void {
    if (table === 'notice' && (cells.seen_at ?? undefined) !== this.#acknowledged.get(doc.uid))
      this.#changed(name)
    if (table === 'audit_session' && (doc.state === 'sealed') !== (doc.seal !== undefined))
      this.#changed(name)
    if (table === 'artifact' && doc.stored && !this.#blobs.has(doc.sha256))
      this.#gone(`The stored file of ${name}`)
    if (table !== 'task' || !Array.isArray(doc.depends_on)) return
    const uids = doc.depends_on.map((id) => String(this.#owners.get(`task ${id}`)?.[0]))
    const open = uids.filter((uid) => this.#rows.get(`task ${uid}`)?.doc.status !== 'done').length
    const found = uids.filter((uid) => this.#dependencies.delete(`${doc.uid} ${uid}`)).length
    if (found !== uids.length || cells.open_deps !== open) this.#changed(name)
  }

  #changed(name: string): void {
    this.#wrong.add(`The row of ${name} was changed outside Baton`)
  }

  #gone(name: string): void {
    this.#wrong.add(`${name} is missing, and the log tells of it`)
  }
}

const entryText = (body: unknown): string =>
  body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : String(body)
