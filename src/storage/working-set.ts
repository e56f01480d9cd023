import { appendToChain, EMPTY_CHAIN } from '../audit/chain.ts'
import { encodeDisclosure } from '../audit/disclosure.ts'
import { salt, sha256 } from '../crypto/crypto.ts'
import type { Agent } from '../domain/agent.ts'
import type { AuditSession } from '../domain/audit-session.ts'
import type { Block } from '../domain/blocks/block.ts'
import { unavailable, wrongState } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Content } from '../domain/handoffs/package.ts'
import type { Delivery } from '../domain/people/delivery.ts'
import type { Notice } from '../domain/people/notice.ts'
import type { Task, ThoughtRecord } from '../domain/tasks/task.ts'
import type { Run } from '../domain/workflow/run.ts'
import { isWithin, type Outcome, TransactionLost } from './group-commit.ts'
import {
  emptyRows,
  follow,
  gatesBelow,
  idemKey,
  type Left,
  type Loaded,
  type Numbered,
  noWrites,
  pairKey,
  shiftDependencies,
  statesIn,
  type Writes,
} from './loaded.ts'
import type { Artifact, Idem, MoreReads, Pair, Reads, Stream, TaskRow, Token, Unit } from './store.ts'
import { Needs } from './store.ts'
import type { Append, Redaction, View } from './view.ts'

const held = () => unavailable('another agent is taking the next handoff of this queue; try again')

const sealed = (uid: string) =>
  wrongState('this audit session is sealed and takes nothing more; begin another with audit_session_start', {
    session: uid,
  })

/** One transaction's memory: units are decided against it in order, each atomically. */
export class WorkingSet {
  readonly loaded: Loaded
  readonly origin: string
  readonly writes: Writes = noWrites()

  constructor(loaded: Loaded, origin: string) {
    this.loaded = loaded
    this.origin = origin
  }

  /** Runs one decision; what it staged takes effect only when it returns and needs no more reads. */
  decide<T>(reads: Reads, decision: (view: View) => T): T {
    const view = new UnitView(this, reads)
    const value = decision(view)
    if (value instanceof Needs) return value
    view.enter()
    for (const apply of view.staged) apply()
    return value
  }

  /** The outcome of each decision, in their order; one that throws has changed nothing. */
  decideAll(units: readonly Unit<unknown>[]): readonly Outcome[] {
    return units.map((unit) => {
      try {
        return { ok: true, value: this.decide(unit.reads, (view) => unit.decide(view)) }
      } catch (error) {
        return { ok: false, error }
      }
    })
  }

  /** Whether there is anything to write. */
  get isDirty(): boolean {
    return Object.values(this.writes).some((rows) => (Array.isArray(rows) ? rows.length : rows.size) > 0)
  }
}

/** A unit's own overlay: reads see what it staged itself, the set does not until the decision returned. */
class UnitView implements View {
  readonly staged: (() => void)[] = []
  readonly #appended: (Append & { readonly seq: number; readonly before: Stream | undefined })[] = []
  readonly #left = new Map<string, Left>()
  readonly #set: WorkingSet
  readonly #reads: Reads
  readonly #own = emptyRows()

  constructor(set: WorkingSet, reads: Reads) {
    this.#set = set
    this.#reads = reads
  }

  handoff(uid: string): Handoff | undefined {
    return this.#own.handoffs.get(uid) ?? this.#set.loaded.handoffs.get(uid)
  }

  content(uid: string): Content | undefined {
    return this.#own.contents.get(uid) ?? this.#set.loaded.contents.get(uid)
  }

  claimed(agent: string): Handoff | undefined {
    for (const uid of this.#set.loaded.claims.get(agent) ?? []) {
      const handoff = this.handoff(uid)
      // An earlier unit of the same transaction may have taken it.
      if (handoff?.state === 'offered' && handoff.to === agent) return handoff
    }
    // "Nothing to do" would be a lie as long as the other transaction may leave it where it is.
    if (this.#set.loaded.passed.has(agent)) throw new TransactionLost(held())
    return undefined
  }

  latest(pair: Pair): Handoff | undefined {
    const key = pairKey(pair)
    const isRead = this.#reads.latest?.some((each) => pairKey(each) === key)
    const uid = isRead ? this.#set.loaded.latest.get(key) : undefined
    return uid === undefined ? undefined : this.handoff(uid)
  }

  agent(name: string): Agent | undefined {
    return this.#own.agents.get(name) ?? this.#set.loaded.agents.get(name)
  }

  openOutgoing(agent: string): number | undefined {
    return this.#set.loaded.outgoing.get(agent)
  }

  openIncoming(agent: string): number | undefined {
    return this.#set.loaded.incoming.get(agent)
  }

  task(id: string): TaskRow | undefined {
    return this.#own.tasks.get(id) ?? this.#set.loaded.tasks.get(id)
  }

  stream(uid: string): Stream | undefined {
    return this.#own.streams.get(uid) ?? this.#set.loaded.streams.get(uid)
  }

  notice(uid: string): Notice | undefined {
    return this.#set.loaded.notices.get(uid)
  }

  session(uid: string): AuditSession | undefined {
    return this.#own.sessions.get(uid) ?? this.#set.loaded.sessions.get(uid)
  }

  run(uid: string): Run | undefined {
    return this.#own.runs.get(uid) ?? this.#set.loaded.runs.get(uid)
  }

  block(digest: string): Block | undefined {
    return this.#own.blocks.get(digest) ?? this.#set.loaded.blocks.get(digest)
  }

  gates(uid: string): readonly Handoff[] {
    return gatesBelow(this.#set.loaded, this.#own.handoffs, uid)
  }

  delivery(uid: string): Delivery | undefined {
    return this.#own.deliveries.get(uid) ?? this.#set.loaded.deliveries.get(uid)
  }

  idem(): Idem | undefined {
    return this.#reads.idem && this.#set.loaded.idems.get(idemKey(this.#reads.idem))
  }

  hasRead(reads: MoreReads): boolean {
    return isWithin(this.#reads, reads)
  }

  number(): number {
    return this.#numbered().number
  }

  nextId(): string {
    return this.#numbered().id
  }

  #numbered(): Numbered {
    const next = this.#set.loaded.numbers.shift()
    if (next === undefined) throw new Error('a unit took more numbers than it asked for')
    return next
  }

  #put<K extends 'contents' | 'agents' | 'streams' | 'sessions' | 'runs' | 'deliveries'>(
    kind: K,
    key: string,
    row: NonNullable<ReturnType<Loaded[K]['get']>>,
  ): void {
    const { loaded, writes } = this.#set
    const [own, ...shared]: readonly Map<string, unknown>[] = [this.#own[kind], loaded[kind], writes[kind]]
    own!.set(key, row)
    this.staged.push(() => {
      for (const rows of shared) rows.set(key, row)
    })
  }

  putHandoff(handoff: Handoff): void {
    const before = this.handoff(handoff.uid)
    this.#own.handoffs.set(handoff.uid, handoff)
    this.#leave('handoff', handoff.uid, handoff)
    const { loaded, writes } = this.#set
    this.staged.push(() => {
      if (!before) {
        writes.newHandoffs.add(handoff.uid)
        if (handoff.task !== undefined)
          loaded.latest.set(pairKey({ task: handoff.task, from: handoff.from, to: handoff.to }), handoff.uid)
      } else if (!writes.newHandoffs.has(handoff.uid) && !writes.oldHandoffs.has(handoff.uid))
        writes.oldHandoffs.set(handoff.uid, before)
      writes.handoffs.set(handoff.uid, handoff)
      follow(loaded, before, handoff)
    })
  }

  putContent(uid: string, content: Content): void {
    if (!this.content(uid)) this.staged.push(() => this.#set.writes.newContents.add(uid))
    this.#put('contents', uid, content)
    this.#leave('content', uid, content)
  }

  putAgent(agent: Agent): void {
    this.#put('agents', agent.name, agent)
    this.#leave('agent', agent.name, agent)
  }

  putTask(
    task: Task,
    created?: { readonly depends_on: readonly string[]; readonly open_deps: number },
  ): void {
    const row = { task, open_deps: created?.open_deps ?? this.task(task.id)?.open_deps ?? 0 }
    this.#own.tasks.set(task.id, row)
    this.#leave('task', task.uid, task)
    const { loaded, writes } = this.#set
    this.staged.push(() => {
      if (created) writes.newTasks.set(task.uid, created)
      loaded.tasks.set(task.id, row)
      writes.tasks.set(task.uid, task)
    })
  }

  shiftDependents(uid: string, by: -1 | 1): void {
    const { loaded, writes } = this.#set
    this.staged.push(() => {
      writes.dependents.push({ uid, by })
      // Tasks of this very transaction are not in the store yet: engines shift first and insert afterwards.
      for (const [task, created] of writes.newTasks) {
        if (created.depends_on.includes(uid))
          writes.newTasks.set(task, { ...created, open_deps: created.open_deps + by })
      }
      shiftDependencies(loaded, uid, by)
    })
  }

  addNotice(notice: Notice): void {
    this.#leave('notice', notice.uid, notice, notice.about)
    this.staged.push(() => {
      this.#set.loaded.notices.set(notice.uid, notice)
      this.#set.writes.notices.push(notice)
    })
  }

  seeNotice(uid: string, at: string): void {
    const { loaded, writes } = this.#set
    this.staged.push(() => {
      const notice = loaded.notices.get(uid)
      if (notice) loaded.notices.set(uid, { ...notice, seen_at: at })
      writes.seen.set(uid, at)
    })
  }

  addRecord(record: ThoughtRecord): void {
    this.#leave('record', record.uid, record, this.task(record.task_id)?.task.uid ?? '')
    this.staged.push(() => this.#set.writes.records.push(record))
  }

  addArtifact(artifact: Artifact, bytes?: Uint8Array): void {
    this.#leave('artifact', artifact.uid, artifact, artifact.handoff ?? '')
    this.staged.push(() => {
      this.#set.writes.artifacts.push(artifact)
      if (bytes && artifact.sha256) this.#set.writes.blobs.set(artifact.sha256, bytes)
    })
  }

  putToken(token: Token): void {
    this.#leave('token', token.uid, token, token.agent)
    this.staged.push(() => this.#set.writes.tokens.set(token.hash, token))
  }

  putSession(session: AuditSession): void {
    this.#put('sessions', session.uid, session)
    this.#leave('audit_session', session.uid, session)
  }

  putRun(run: Run): void {
    this.#put('runs', run.uid, run)
    this.#leave('run', run.uid, run)
  }

  addBlock(block: Block): void {
    if (this.block(block.digest)) return
    this.#own.blocks.set(block.digest, block)
    this.#leave('block', block.uid, block)
    this.staged.push(() => {
      this.#set.loaded.blocks.set(block.digest, block)
      this.#set.writes.blocks.push(block)
    })
  }

  putDelivery(delivery: Delivery): void {
    this.#put('deliveries', delivery.uid, delivery)
  }

  redact(redaction: Redaction): void {
    const { notices: notice, records: record, artifacts: artifact, blocks: block } = redaction
    for (const [table, rows] of Object.entries({ notice, record, artifact, block }))
      for (const row of rows) this.#leave(table, row.uid, row, '')
    this.staged.push(() => {
      for (const notice of redaction.notices)
        if (this.#set.loaded.notices.has(notice.uid)) this.#set.loaded.notices.set(notice.uid, notice)
      this.#set.writes.redactions.push(redaction)
    })
  }

  addIdem(idem: Idem): void {
    this.staged.push(() => {
      this.#set.loaded.idems.set(idemKey(idem), idem)
      this.#set.writes.idems.push(idem)
    })
  }

  append(append: Append): number {
    const { stream: uid, progress } = append
    if (this.session(uid)?.state === 'sealed') throw sealed(uid)
    const before = this.stream(uid)
    const seq = (before?.seq ?? -1) + 1
    this.#appended.push({ ...append, seq, before })
    const progress_seq = progress ? seq : (before?.progress_seq ?? -1)
    this.#own.streams.set(uid, { uid, seq, head: '', progress_seq })
    return seq
  }

  /** Writes the entries of the unit, now that the rows are known which they leave. */
  enter(): void {
    const { writes, origin } = this.#set
    const states = statesIn(this.#appended, this.#left)
    const heads = new Map<string, string>()
    for (const append of this.#appended) {
      const { stream: uid, subject, record, seq, before } = append
      const { digests, disclosures } = disclose({ ...append.fields, ...states.get(append) })
      const sd = disclosures.length > 0 && { sd: digests }
      const { entry: body, head } = appendToChain(
        before ? { seq: before.seq, hash: heads.get(uid) ?? before.head } : EMPTY_CHAIN,
        { origin, stream: uid, record: { ...record, ...sd, v: 1 } },
        leafHash,
      )
      const { hash } = head
      heads.set(uid, hash)
      const entry = { stream: uid, seq, subject, act: record.act, at: record.ts, hash, body }
      this.staged.push(() => {
        if (!before) writes.newStreams.add(uid)
        writes.entries.push({ ...entry, ...(sd && { disclosures }) })
      })
    }
    for (const [uid, head] of heads) this.#put('streams', uid, { ...this.stream(uid)!, head })
  }

  #leave(table: string, key: string, row: object, owner = key): void {
    this.#left.set(`${table} ${key}`, { table, owner, row })
  }
}

/** RFC 6962 leaf hash of an entry, in base64: SHA-256 over a zero byte and the entry's bytes. */
export const leafHash = (entry: string): string => sha256(`\0${entry}`, 'base64')

/** Commits to the values of an entry: digests for the log, and the strings that open them. */
function disclose(fields: Readonly<Record<string, unknown>>) {
  const digests: Record<string, string> = {}
  const disclosures: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    const disclosure = encodeDisclosure(salt(), name, value)
    digests[name] = sha256(disclosure, 'base64url')
    disclosures.push(disclosure)
  }
  return { digests, disclosures }
}
