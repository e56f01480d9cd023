import type { Agent } from '../../domain/agent.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { present } from '../../domain/present.ts'
import { RANK } from '../../domain/priority.ts'
import { dueFirst, dueWithin, mergeReads } from '../group-commit.ts'
import { emptyLoaded, gatedOf, idemKey, type Loaded, takeGates, takeLatest } from '../loaded.ts'
import type { DueItem, Unit } from '../store.ts'
import { type Call, call, type Rows, type Statement, type Value } from './connection/round-trip.ts'
import { SQL } from './load-statements.ts'
import { beginYear, drawNumbers } from './numbers.ts'
import { columnsOf } from './tables.ts'

/** A call and what becomes of its answer. */
export interface Load {
  readonly call: Call
  readonly take: (rows: Rows) => void
}

export interface LoadOptions {
  /** Agents that are read are locked too: for a second try after one was changed under the first. */
  readonly lockAgents?: boolean
}

/** Reads and locks what a batch touches, in one order for everybody: agents, handoffs, tasks, sessions, streams. */
export class Loader {
  readonly loaded: Loaded = emptyLoaded()
  /** Documents of the agents as they were read: a changed agent is written only where it is still the same. */
  readonly agentDocs = new Map<string, string>()
  due: readonly DueItem[] = []
  /** A counted agent was made after its lock was asked for, so its count may be outdated. */
  isOvertaken = false
  readonly #ws: number
  readonly #units: readonly Unit<unknown>[]
  readonly #reads: ReturnType<typeof mergeReads>
  readonly #options: LoadOptions
  constructor(ws: number, units: readonly Unit<unknown>[], options: LoadOptions) {
    this.#ws = ws
    this.#options = options
    this.#units = units
    this.#reads = mergeReads(units)
  }

  /**
   * Claims pass over locked rows and so never wait: taking them after the other handoffs keeps the order of
   * locks. Agents are counted by a statement of their own, behind the one that locks them: it sees what whoever
   * held the lock before has committed.
   */
  first(settled: ReadonlySet<string> | 'skip'): Load[] {
    const { agents, counted, claims, numbers } = this.#reads
    const handoffs = this.#handoffs()
    const locked = this.#options.lockAgents ? [...new Set([...agents, ...counted])].sort() : counted
    for (const agent of claims.keys()) this.loaded.claims.set(agent, [])
    return [
      this.#start(settled),
      ...this.#load(SQL.locked, this.#agent, locked),
      ...this.#load(SQL.handoffs, this.#handoff, handoffs),
      ...this.#load(SQL.claims, this.#claim, [...claims.keys()], [...claims.values()], handoffs),
      ...this.#load(SQL.counts, this.#count, counted),
      ...(numbers === 0 ? [] : this.#draw(numbers)),
      ...this.#belonging(handoffs.length + claims.size > 0),
    ]
  }

  /** The rows that belong to the handoffs, which the server knows by now, and those that were asked for. */
  #belonging(isTouched: boolean): Load[] {
    const { contents, notices, idems, pairs, sessions, runs, blocks, deliveries, tasks, agents, claims } =
      this.#reads
    const streams = [...new Set([...this.#reads.streams, ...sessions, ...runs])]
    const load = (isWanted: boolean, sql: Statement, take: Take, ...keys: (readonly Key[])[]) =>
      isWanted ? [this.#loadAll(sql, take, ...keys)] : []
    return [
      ...load(isTouched || tasks.length > 0, SQL.tasks, this.#task, tasks),
      ...this.#load(SQL.latest, this.#latest, ...columnsOf(pairs, 'task', 'from', 'to')),
      ...this.#load(SQL.sessions, into(this.loaded.sessions), sessions),
      ...load(isTouched || streams.length + tasks.length > 0, SQL.streams, this.#stream, streams, tasks),
      ...this.#load(SQL.runs, into(this.loaded.runs), runs),
      ...load(isTouched || agents.length > 0, SQL.agents, this.#unlockedAgent, agents),
      ...load(contents.length + claims.size > 0, SQL.contents, into(this.loaded.contents), contents),
      ...this.#load(SQL.blocks, into(this.loaded.blocks), blocks),
      ...this.#load(SQL.deliveries, into(this.loaded.deliveries), deliveries),
      ...this.#load(SQL.notices, this.#notice, notices),
      ...this.#load(SQL.idems, this.#idem, ...columnsOf(idems, 'actor', 'op', 'key')),
    ]
  }

  /**
   * Few handoffs belong to a run or have gates, so these are fetched where one does. Both are guarded by the lock on a
   * stream: their run's, or that of the chain.
   */
  second(): Load[] {
    this.#rankClaims()
    const short = [...this.#reads.claims].flatMap(([agent, wanted]) =>
      (this.loaded.claims.get(agent)?.length ?? 0) < wanted ? [agent] : [],
    )
    const runs = new Set<string>()
    for (const { run } of this.loaded.handoffs.values())
      if (run !== undefined && !this.loaded.runs.has(run)) runs.add(run)
    const gates = ([uid, docs]: readonly string[]) => takeGates(this.loaded, uid!, JSON.parse(docs!))
    return [
      ...this.#load(SQL.runs, into(this.loaded.runs), [...runs].sort()),
      ...this.#load(SQL.passed, ([agent]) => this.loaded.passed.add(agent!), short, [
        ...this.loaded.handoffs.keys(),
      ]),
      ...this.#load(SQL.gates, gates, gatedOf(this.loaded)),
    ]
  }

  /** Whether numbers are missing: the year has not begun yet, or ids of those that were drawn are taken. */
  get isShort(): boolean {
    return this.loaded.numbers.length < this.#reads.numbers
  }

  moreNumbers(): Load[] {
    const { numbers, year } = this.#reads
    const beginning = { call: beginYear(this.#ws, year), take: () => undefined }
    return [beginning, ...this.#draw(numbers - this.loaded.numbers.length)]
  }

  #draw(count: number): Load[] {
    return [{ call: drawNumbers(this.#ws, count, this.#reads.year), take: this.#number }]
  }

  /** A content is guarded by the lock on its handoff. They are locked as they come: in one order. */
  #handoffs(): readonly string[] {
    const { handoffs, contents } = this.#reads
    return [...new Set([...handoffs, ...contents])].sort()
  }

  #start(settled: ReadonlySet<string> | 'skip'): Load {
    const { at, limit } = settled === 'skip' ? { at: '', limit: 0 } : dueWithin(this.#units, settled)
    return {
      call: call(SQL.start, this.#ws, at, limit),
      take: (rows) => {
        const due = rows.map(
          ([uid, kind, holder]) => ({ uid, kind, ...present({ holder: holder ?? undefined }) }) as DueItem,
        )
        this.due = settled === 'skip' ? due : dueFirst(due, this.#units, settled)
      },
    }
  }

  /** Nothing where no key is given. */
  #load(sql: Statement, take: Take, ...keys: (readonly Key[])[]): Load[] {
    return keys[0]?.length === 0 ? [] : [this.#loadAll(sql, take, ...keys)]
  }

  #loadAll(sql: Statement, take: Take, ...values: Value[]): Load {
    return {
      call: call(sql, this.#ws, ...values),
      // Columns that may be absent are read with a check where they are taken; the others are NOT NULL.
      take: (rows) => {
        for (const row of rows) take(row as readonly string[])
      },
    }
  }

  #handoff = ([doc]: readonly string[]): Handoff => {
    const handoff: Handoff = JSON.parse(doc!)
    this.loaded.handoffs.set(handoff.uid, handoff)
    return handoff
  }

  #number = (rows: Rows): void => {
    this.loaded.numbers.push(...rows.map(([number, id]) => ({ number: Number(number), id: id! })))
  }

  #latest = ([task, from, to, doc]: readonly string[]): void => {
    takeLatest(this.loaded, { task: task!, from: from!, to: to! }, doc!)
  }

  #claim = ([agent, ...row]: readonly string[]): void => {
    this.loaded.claims.get(agent!)?.push(this.#handoff(row).uid)
  }

  /** A handoff that another unit of the batch names is a candidate too: whoever is decided first gets it. */
  #rankClaims(): void {
    const { claims, handoffs } = this.loaded
    const place = (uid: string) => `${RANK[handoffs.get(uid)?.priority ?? 'low']}:${uid}`
    for (const [agent, claimed] of claims) {
      const named = [...handoffs.values()].filter((h) => h.to === agent && h.state === 'offered')
      const candidates = [...new Set([...claimed, ...named.map(({ uid }) => uid)])]
      claims.set(
        agent,
        candidates.sort((a, b) => (place(a) < place(b) ? -1 : 1)),
      )
    }
  }

  #agent = ([name, doc]: readonly string[]): void => {
    const agent: Agent = JSON.parse(doc!)
    this.loaded.agents.set(name!, agent)
    this.agentDocs.set(name!, doc!)
  }

  #unlockedAgent = (row: readonly string[]): void => {
    this.isOvertaken ||= !this.agentDocs.has(row[0]!) && this.#reads.counted.includes(row[0]!)
    this.#agent(row)
  }

  #count = ([name, outgoing, incoming]: readonly string[]): void => {
    this.loaded.outgoing.set(name!, Number(outgoing))
    this.loaded.incoming.set(name!, Number(incoming))
  }

  #task = ([id, open, doc]: readonly string[]): void => {
    this.loaded.tasks.set(id!, { task: JSON.parse(doc!), open_deps: Number(open) })
  }

  #stream = ([uid, seq, head, progress]: readonly string[]): void => {
    const stream = { uid: uid!, seq: Number(seq), head: head!, progress_seq: Number(progress) }
    this.loaded.streams.set(uid!, stream)
  }

  #notice = ([uid, seen, doc]: readonly (string | null)[]): void => {
    this.loaded.notices.set(uid!, { ...JSON.parse(doc!), ...(seen !== null && { seen_at: seen }) })
  }

  #idem = ([actor, op, key, input_hash, subject, rev, at]: readonly string[]): void => {
    const idem = { actor: actor!, op: op!, key: key!, input_hash: input_hash!, subject: subject!, at: at! }
    this.loaded.idems.set(idemKey(idem), { ...idem, rev: Number(rev) })
  }
}

type Key = string | number
type Take = (row: readonly string[]) => void

/** Rows of a key and a document. */
const into =
  <T>(map: Map<string, T>) =>
  ([key, doc]: readonly string[]): void => {
    map.set(key!, JSON.parse(doc!))
  }
