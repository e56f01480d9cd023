import { unavailable } from '../domain/errors.ts'
import {
  type Facets,
  facetWord,
  HEAD_MARK,
  hitOf,
  indexText,
  isWithin,
  type Searched,
  type SearchQuery,
  searchedAgent,
  searchedHandoff,
  searchedRun,
  searchedTask,
} from '../domain/search.ts'
import { cursorParts, numberCursor, toPage } from './page.ts'
import type { Rows } from './queries.ts'
import type { Cell } from './rows.ts'
import type { Store } from './store.ts'

/** A row of the index: the words of a document as it was at the entry `seq` or later. */
export interface WordRow {
  readonly seq: number
  readonly at: string
  readonly uid: string
  readonly words: string
}

/** The part that differs between engines. */
export interface SearchEngine {
  /** Subjects, number and instant of their last entry, in this order, above the last number in the index. */
  behind(most: number): Promise<Rows>
  /** Uid, handoff and content of these handoffs. */
  documents(uids: readonly string[]): Promise<Rows>
  /** Replaces older rows of these documents; a newer one stays. */
  put(rows: readonly WordRow[]): Promise<unknown>
  /** While one process does this work, others wait with theirs. */
  inTurn(work: () => Promise<void>): Promise<void>
  /** Lets other calls go on, after work that took so long. */
  rest(ms: number): Promise<unknown>
  /** Tier, number, uid, and documents of a handoff, of rows that match: by tier, the highest number first; once the index caught up. */
  match(tiers: readonly Tier[], since: string, limit: number, catchUp: () => Promise<void>): Promise<Rows>
  readonly write: Syntax
}

export interface Tier {
  readonly tier: number
  readonly expression: string
  /** Rows with lower numbers. */
  readonly below: number
}

export interface Syntax {
  readonly and: string
  readonly or: string
  readonly not: string
  prefix(word: string): string
  whole(word: string): string
}

/** Entries carry no text and may be many; documents are put in few at a time, so that others can write. */
const MOST_BEHIND = 50_000
const MOST_DOCUMENTS = 32
const MOST_RECORDS = 1_000

export function searchOver(store: Store, engine: SearchEngine): Store['search'] {
  let last: Promise<void> = Promise.resolve()
  // Each search waits for its own look at the log: one that has begun may have missed the last entries.
  const caughtUp = () => {
    last = last.catch(() => undefined).then(() => catchUp(store, engine))
    return last
  }
  return async (query, { limit, cursor }) => {
    if (Object.values(query.facets).some(({ length }) => length === 0)) return { items: [] }
    const [from = 0, seq] = cursorParts(cursor)
    const first = query.words.length === 0 ? 1 : Number(from)
    const tiers = [0, 1].slice(first).map((tier) => ({
      tier,
      expression: expressionOf(query, tier === 0, engine.write),
      below: tier === first && seq !== undefined ? numberCursor(seq) : Number.MAX_SAFE_INTEGER,
    }))
    // A page of one has no place for it.
    const named = limit > 1 ? await namedBy(store, query) : undefined
    const isFirst = named !== undefined && cursor === undefined
    const most = isFirst ? limit - 1 : limit
    const rows = await engine.match(tiers, query.since ?? '', most + 1, caughtUp)
    const page = toPage(rows, most, ([tier, seq]) => `${tier}:${seq}`)
    const read = reader(store)
    const documents = await Promise.all(
      page.items.map(([, , uid, handoff, content]) =>
        handoff ? fromTexts(handoff, content) : read(String(uid)),
      ),
    )
    const others = documents.filter((each) => each !== undefined && each.uid !== named?.uid)
    const hits = [...(isFirst ? [named] : []), ...others].map((each) => hitOf(each!, query.words))
    return { ...page, items: hits }
  }
}

/** The handoff whose whole id was typed stands before those that have its number at their end. */
async function namedBy(store: Store, query: SearchQuery): Promise<Searched | undefined> {
  const { id = '' } = query
  const handoff = /-\d+$/.test(id) ? await store.handoff(id) : undefined
  const named = handoff && searchedHandoff(handoff, await store.content(handoff.uid))
  return named && isWithin(named, query) ? named : undefined
}

/** Takes in what the log says since the last time. A kill loses nothing: what is missing is still behind. */
async function catchUp(store: Store, engine: SearchEngine): Promise<void> {
  const first = await engine.behind(MOST_BEHIND)
  if (first.length > 0 && store.info.readOnly)
    throw unavailable(
      `the search index is ${first.length} documents behind and this store is read-only for you; let its owner search once`,
    )
  // Another process may be at the same work: much of it is done once.
  if (first.length <= MOST_DOCUMENTS) return takeIn(store, engine, first)
  await engine.inTurn(async () => {
    for (;;) {
      const behind = await engine.behind(MOST_BEHIND)
      await takeIn(store, engine, behind)
      if (behind.length < MOST_BEHIND) return
    }
  })
}

async function takeIn(store: Store, engine: SearchEngine, behind: Rows): Promise<void> {
  const read = reader(store)
  for (let i = 0; i < behind.length; i += MOST_DOCUMENTS) {
    const begun = performance.now()
    const part = behind.slice(i, i + MOST_DOCUMENTS)
    const rows = await engine.documents(part.map(([uid]) => String(uid)))
    const found = new Map(rows.map(([uid, ...texts]) => [uid, fromTexts(...texts)]))
    const documents = await Promise.all(part.map(([uid]) => found.get(uid!) ?? read(String(uid))))
    await engine.put(
      part.map(([uid, seq, at], n) => ({
        ...{ seq: Number(seq), at: String(at), uid: String(uid) },
        words: documents[n] ? indexText(documents[n]) : '',
      })),
    )
    if (i + MOST_DOCUMENTS < behind.length) await engine.rest(performance.now() - begun)
  }
}

const fromTexts = (handoff?: Cell, content?: Cell): Searched =>
  searchedHandoff(JSON.parse(String(handoff)), content ? JSON.parse(String(content)) : undefined)

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-/

/** The document that a subject of the log names, other than a handoff. */
function reader(store: Store): (subject: string) => Promise<Searched | undefined> {
  let agents: ReturnType<Store['agents']> | undefined
  return async (subject) => {
    if (!UID.test(subject)) {
      agents ??= store.agents()
      const agent = (await agents).find(({ name }) => name === subject)
      return agent && searchedAgent(agent)
    }
    const [row, run] = await Promise.all([store.task(subject), store.run(subject)])
    if (row) return searchedTask(row.task, await store.records(row.task.id, MOST_RECORDS))
    return run && searchedRun(run)
  }
}

/** The words in id and title, or those that are elsewhere too. */
function expressionOf({ words, facets }: SearchQuery, isHead: boolean, how: Syntax): string {
  const all = (mark: string) => words.map((word) => how.prefix(mark + word))
  const narrow = [...(isHead ? all(HEAD_MARK) : all('')), ...chosen(facets, how)].join(how.and)
  return isHead || words.length === 0 ? narrow : `(${narrow})${how.not}(${all(HEAD_MARK).join(how.and)})`
}

const chosen = (facets: Facets, how: Syntax): readonly string[] =>
  Object.entries(facets).map(
    ([name, values]) => `(${values.map((value) => how.whole(facetWord(name, value!))).join(how.or)})`,
  )

/** Both engines read it alike. */
export const BEHIND = `SELECT subject, max(id), max(at) FROM entry
  WHERE id > ? AND id <= ? GROUP BY subject ORDER BY max(id) LIMIT ?`
