import { type AuditRecord, recordIn, SUBJECTS } from '../audit/entry.ts'
import { invalidInput } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { present } from '../domain/present.ts'
import type { Task } from '../domain/tasks/task.ts'
import type { Trace } from '../domain/trace.ts'
import type { LogEntry } from '../storage/store.ts'
import { LOOK_AGAIN_MS } from './waits.ts'
import { UseCases } from './write.ts'

/** One line of the log, told to whoever follows what happens. */
export interface Event {
  /** The cursor to go on from after this one. */
  readonly cursor: string
  readonly at: string
  readonly act: string
  readonly by: string
  readonly auth: string
  /** The kind of its subject: handoff, task, agent, … */
  readonly kind: string
  readonly subject: string
  readonly rev: number
  /** Id and title of the handoff or task. */
  readonly id?: string
  readonly title?: string
  /** Sender and receiver of the handoff. */
  readonly from?: string
  readonly to?: string
  readonly task?: string
  /** The state that the step led to. */
  readonly state?: string
  /** W3C trace context of the call that sent the handoff. */
  readonly trace?: Trace
  readonly hash: string
}

/** The kinds of subjects. */
export const EVENT_KINDS: readonly string[] = SUBJECTS

/** The events that a listener wants: all that is given must agree. */
export interface EventFilter {
  /** The agent that acted, sent the handoff or receives it. */
  readonly agent?: string | undefined
  /** Id or uid of a handoff. */
  readonly handoff?: string | undefined
  /** A task: its own events and those of its handoffs. */
  readonly task?: string | undefined
  /** The kind of subject: handoff, task, agent, … */
  readonly kind?: string | undefined
  /** The act, for example `handoff.send`, or the beginning of several, for example `handoff`. */
  readonly act?: string | undefined
}

export function isWanted(event: Event, { agent, handoff, task, kind, act }: EventFilter): boolean {
  const { by, from, to, subject, id } = event
  return (
    (agent === undefined || by === agent || from === agent || to === agent) &&
    (handoff === undefined || subject === handoff || id === handoff) &&
    (task === undefined || event.task === task || (event.kind === 'task' && id === task)) &&
    (kind === undefined || event.kind === kind) &&
    (act === undefined || event.act === act || event.act.startsWith(`${act}.`))
  )
}

export interface FollowOptions {
  /** Begin after this one; absent: with what comes from now on. */
  readonly since?: string | undefined
  readonly signal: AbortSignal
  /** Called when nothing that comes can be missed any more. */
  readonly onReady?: () => void
}

const EVENT_PAGE = 200
/** How many of the newest are kept for those who follow closely; who is further behind reads the log. */
const KEPT = 2_000
/** Under load commits come faster than reads: each read takes what has gathered meanwhile. */
const TAIL_PAGE = KEPT
/** One that is less behind must catch up: its reads wait for no call. Who reads the whole log waits as others do. */
const NEAR = 10 * KEPT
const FIRST = { agent: '', isFirst: true }
const KNOWN_SUBJECTS = 5_000
const REDACTION = 'audit.redact'

/**
 * The events of a workspace, for any number of followers of one process. The log is read once for all of them, and
 * only while somebody follows; each follower takes what it has not had, at its own pace.
 */
export class Events extends UseCases {
  readonly #recent: Event[] = []
  readonly #subjects = new Map<string, { readonly rev: number; readonly subject: EventSubject }>()
  readonly #pages = new Map<string, Promise<readonly Event[]>>()
  readonly #waiting = new Set<() => void>()
  #followers = 0
  #end: string | undefined
  #tail: Promise<void> | undefined
  #wake: () => void = () => undefined
  #failure: unknown
  #lagMs = 0
  #reading: number | undefined

  /** How late the log was read for streams at most, since the last time it was asked. */
  lag(): number {
    const ms = Math.max(this.#lagMs, this.#reading === undefined ? 0 : performance.now() - this.#reading)
    this.#lagMs = 0
    return ms / 1_000
  }

  /** The cursor to start from; the end of the log when none is given. */
  async startOf(since: string | undefined): Promise<string> {
    const { store } = this.deps
    if (since === undefined) return this.#newest()
    // Only committed entries are told, so no valid cursor of this log lies beyond the newest.
    const { newest } = await store.readAs(FIRST, () => store.tree())
    if (Number(since) <= newest) return since
    throw invalidInput(
      `the cursor ${since} is past the end of the log (${newest}); leave it out, or use 0 for all events`,
      { cursor: since, end: String(newest) },
    )
  }

  async #newest(): Promise<string> {
    const { store } = this.deps
    return (await store.readAs(FIRST, () => store.changes(undefined, 1))).cursor
  }

  /** Everything after the cursor, each once and in order, then whatever comes. */
  async *follow(options: FollowOptions): AsyncGenerator<Event> {
    for await (const page of this.pages(options))
      for (const event of page) {
        if (options.signal.aborted) return
        yield event
      }
  }

  /** The same, as many at a time as there are. */
  async *pages({ since, signal, onReady }: FollowOptions): AsyncGenerator<readonly Event[]> {
    this.#followers += 1
    const stop = () => this.#rouse()
    signal.addEventListener('abort', stop)
    try {
      await this.#begin()
      let cursor = since ?? this.#end!
      onReady?.()
      while (!signal.aborted) {
        const next = await this.#after(cursor)
        cursor = next.at(-1)?.cursor ?? cursor
        if (next.length === 0) await this.#more(cursor, signal)
        else yield next
      }
    } finally {
      signal.removeEventListener('abort', stop)
      this.#followers -= 1
      if (this.#followers === 0) this.#wake()
    }
  }

  async #begin(): Promise<void> {
    if (this.#tail) return
    const cursor = await this.#newest()
    // Others may have begun meanwhile.
    if (this.#tail) return
    this.#end = cursor
    this.#failure = undefined
    // Under load the calls would let it wait at each of its reads.
    const tail = this.deps.store.readAs(FIRST, () => this.#run())
    this.#tail = tail.finally(() => {
      this.#tail = undefined
      this.#forget()
      this.#rouse()
    })
    this.#tail.catch((error: unknown) => {
      this.#failure = error
    })
  }

  /** From the newest ones where they reach back far enough, else from the log. */
  async #after(cursor: string): Promise<readonly Event[]> {
    const first = this.#recent[0]
    if (first && Number(cursor) >= Number(first.cursor)) {
      const at = this.#recent.findLastIndex((event) => Number(event.cursor) <= Number(cursor)) + 1
      return this.#recent.slice(at, at + EVENT_PAGE)
    }
    if (Number(cursor) >= Number(this.#end)) return []
    return this.#page(cursor)
  }

  /** Many come back at once after a server was replaced: those at the same place read the log together. */
  #page(cursor: string): Promise<readonly Event[]> {
    const known = this.#pages.get(cursor)
    if (known) return known
    const { store } = this.deps
    const read = async () => this.#told((await store.changes(cursor, EVENT_PAGE)).entries)
    const isNear = Number(this.#end) - Number(cursor) < NEAR
    const page = (isNear ? store.readAs(FIRST, read) : read()).finally(() => this.#pages.delete(cursor))
    this.#pages.set(cursor, page)
    return page
  }

  /** Resolves when there may be more after the cursor. */
  async #more(cursor: string, signal: AbortSignal): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (!this.#tail) return this.#begin()
    if (signal.aborted || Number(cursor) < Number(this.#end)) return
    await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  /** The kept events may hold a text that was redacted since. */
  #forget(): void {
    this.#recent.length = 0
    this.#subjects.clear()
  }

  #rouse(): void {
    const all = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of all) resolve()
  }

  /** Reads the log for everybody until nobody follows any more. */
  async #run(): Promise<void> {
    const { store } = this.deps
    let woken = false
    let settled = Number.NEGATIVE_INFINITY
    let settling: Promise<unknown> | undefined
    this.#wake = () => {
      woken = true
    }
    // Subscribed before the first look: what happens in between must not be missed.
    const unsubscribe = store.subscribe((changed) => {
      // Rows that this process has written itself need not be read again.
      for (const handoff of changed?.handoffs?.values() ?? []) this.#know(handoff, handoff)
      this.#wake()
    })
    try {
      while (this.#followers > 0) {
        woken = false
        if (performance.now() - settled >= LOOK_AGAIN_MS) {
          settled = performance.now()
          // It wakes by what it writes. A store that is away is told by the read below.
          settling = store.settle(this.deps.now().toISOString()).catch(() => undefined)
        }
        this.#reading = performance.now()
        const { entries } = await store.changes(this.#end, TAIL_PAGE)
        if (entries.some(({ act }) => act === REDACTION)) this.#forget()
        for (const event of await this.#told(entries)) this.#recent.push(event)
        if (this.#recent.length > KEPT) this.#recent.splice(0, this.#recent.length - KEPT)
        const last = entries.at(-1)
        if (last) {
          this.#lagMs = Math.max(this.#lagMs, this.deps.now().getTime() - Date.parse(entries[0]!.at))
          this.#end = String(last.id)
          this.#rouse()
          continue
        }
        this.#reading = undefined
        if (woken) continue
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, LOOK_AGAIN_MS)
          this.#wake = () => {
            woken = true
            clearTimeout(timer)
            resolve()
          }
        })
      }
    } finally {
      this.#reading = undefined
      unsubscribe()
      await settling
    }
  }

  async #told(entries: readonly LogEntry[]): Promise<readonly Event[]> {
    const records = entries.map(recordIn)
    const found = await this.#subjectsOf(entries, records)
    return entries.map((entry, i) => toEvent(entry, records[i]!, found.get(entry.subject) ?? {}))
  }

  /** Handoffs and tasks as they were at these revisions or later; read again only when they have moved on. */
  async #subjectsOf(
    entries: readonly LogEntry[],
    records: readonly AuditRecord[],
  ): Promise<ReadonlyMap<string, EventSubject>> {
    const { store } = this.deps
    const found = new Map<string, EventSubject>()
    const unknown = new Set<string>()
    for (const [i, { subject }] of entries.entries()) {
      const known = this.#subjects.get(subject)
      if (known && known.rev >= records[i]!.sub.rev) found.set(subject, known.subject)
      else unknown.add(subject)
    }
    const about = async (uid: string) => {
      const handoff = await store.handoff(uid)
      const subject = handoff ?? (await store.task(uid))?.task
      if (subject) found.set(uid, this.#know(subject, handoff))
    }
    // Asked for together: the store answers all of them with one read.
    await Promise.all([...unknown].map(about))
    return found
  }

  #know(about: Handoff | Task, handoff?: Handoff): EventSubject {
    const { from, to, task, trace } = handoff ?? {}
    const subject: EventSubject = present({ id: about.id, title: about.title, from, to, task, trace })
    if (this.#subjects.size >= KNOWN_SUBJECTS) this.#subjects.clear()
    this.#subjects.set(about.uid, { rev: about.rev, subject })
    return subject
  }
}

type EventSubject = Pick<Event, 'id' | 'title' | 'from' | 'to' | 'task' | 'trace'>

const toEvent = (entry: LogEntry, record: AuditRecord, subject: EventSubject): Event => ({
  cursor: String(entry.id),
  at: entry.at,
  act: entry.act,
  by: record.actor.id,
  auth: record.auth,
  kind: record.sub.k,
  subject: entry.subject,
  rev: record.sub.rev,
  ...subject,
  ...present({ state: record.to }),
  hash: entry.hash,
})
