import type { Agent } from './agent.ts'
import { BatonError } from './errors.ts'
import type { Handoff } from './handoffs/handoff.ts'
import type { Content } from './handoffs/package.ts'
import type { SEARCH_KINDS } from './lifecycle.ts'
import { present } from './present.ts'
import type { Task, ThoughtRecord } from './tasks/task.ts'
import { countWords, indexedWords, wordsIn } from './texts/words.ts'
import type { Run } from './workflow/run.ts'

/** A document as the search sees it. */
export interface Searched {
  readonly kind: (typeof SEARCH_KINDS)[number]
  readonly uid: string
  readonly id: string
  readonly title: string
  readonly state?: string
  readonly from?: string
  readonly to?: string
  /** The instant of its last change. */
  readonly at: string
  /** Values by which it is filtered. */
  readonly facets: Facets
  /** Its texts by place: the first that holds the words is told. */
  readonly texts: Readonly<Record<string, unknown>>
  readonly handoff?: Handoff
}

export type Facets = Readonly<Record<string, readonly (string | undefined)[]>>

/** Words that must all begin a word of the document; of every facet one value must be its own. */
export interface SearchQuery {
  readonly words: readonly string[]
  /** All that was typed, as an id is written. */
  readonly id?: string
  readonly facets: Facets
  /** Changed at this instant or later. */
  readonly since?: string
}

/** A document that was found, and the place that holds most of the words. */
export interface Hit extends Omit<Searched, 'facets' | 'texts'> {
  readonly place?: string
  readonly text?: string
}

export function searchedHandoff(handoff: Handoff, content: Content | undefined): Searched {
  const { uid, id, title, state, from, to, type, task, parent, run, holder, error, attempts } = handoff
  const { package: travels, result, thread = [], verifications = [], acknowledgment } = content ?? {}
  const said = (kind: string) => thread.filter((item) => item.kind === kind).map(({ text }) => text)
  return {
    ...{ kind: 'handoff', uid, id, title, state, from, to, at: handoff.updated_at, handoff },
    facets: {
      ...{ state: [state], from: [from], to: [to], type: [type], task: [task], parent: [parent], run: [run] },
      with: [from, to, holder, handoff.verified_by, handoff.rejection?.by],
    },
    texts: {
      ...{ id: [id, handoff.aliases], title, package: travels },
      ...{ question: said('question'), answer: said('answer'), comment: said('comment') },
      ...{ decision: said('decision'), progress: said('progress') },
      reason: [handoff.rejection?.message, error, handoff.blocked_on, attempts.map((each) => each.error)],
      acknowledgment: [handoff.ack_notes, acknowledgment],
      ...{ result, verification: verifications.map(({ note }) => note) },
    },
  }
}

export const searchedTask = (task: Task, records: readonly ThoughtRecord[]): Searched => ({
  ...{ kind: 'task', uid: task.uid, id: task.id, title: task.title, state: task.status, at: task.updated_at },
  facets: { state: [task.status], with: [task.owner], owner: [task.owner], task: [task.id] },
  texts: {
    ...{ id: task.id, title: task.title, notes: task.notes, criteria: task.criteria },
    record: records.map(({ summary, notes, blockers, files_changed, branch }) => ({
      ...{ summary, notes, blockers, files_changed, branch },
    })),
  },
})

export const searchedRun = ({ uid, id, name, state, by, steps, ...run }: Run): Searched => ({
  ...{ kind: 'run', uid, id, title: name, state, at: run.updated_at },
  facets: { state: [state], with: [by, run.delegator, ...steps.map(({ agent }) => agent)], run: [uid] },
  texts: { id, title: name, input: run.input, workflow: run.workflow, steps },
})

export const searchedAgent = ({ name, roles, capabilities, created_at }: Agent): Searched => ({
  ...{ kind: 'agent', uid: name, id: name, title: name, at: created_at },
  facets: { with: [name] },
  texts: { id: name, roles, capabilities },
})

/** Before a word that stands in an id or a title; before the name of a facet. Neither is ever in a word. */
export const HEAD_MARK = '^'
const FACET_MARK = '='
const IN_HEAD = new Set(['id', 'title'])
/** Characters of the words of one document. PostgreSQL holds at most a million bytes. */
const MOST_CHARACTERS = 200_000

export const facetWord = (name: string, value: string): string =>
  `${FACET_MARK}${name}:${value
    .slice(0, 120)
    .toLowerCase()
    .replace(/[^\w.:/-]/g, '_')}`

/** Whether the filters of a query let it through. */
export const isWithin = ({ kind, at, ...found }: Searched, { facets, since = '' }: SearchQuery): boolean =>
  at >= since &&
  Object.entries(facets).every(([name, values]) => {
    const own = name === 'kind' ? [kind] : (found.facets[name] ?? [])
    return own.some((value) => values.includes(value))
  })

/** All that an index keeps of a document, with spaces between. */
export function indexText({ kind, facets, texts }: Searched): string {
  const words = new Set<string>()
  for (const [name, values] of Object.entries({ ...facets, kind: [kind] }))
    for (const value of values) if (value !== undefined) words.add(facetWord(name, value))
  let left = MOST_CHARACTERS
  for (const [place, text] of placesIn(texts))
    for (const word of indexedWords(text, place === 'id')) {
      if (words.has(word) || left < 0) continue
      words.add(word)
      left -= word.length
      if (IN_HEAD.has(place)) words.add(HEAD_MARK + word)
    }
  return [...words].join(' ')
}

export function hitOf({ facets: _, texts, ...shown }: Searched, words: readonly string[]): Hit {
  let best = { count: 0, place: '', text: '' }
  for (const [place, text] of placesIn(texts)) {
    const count = countWords(text, words, place === 'id')
    if (count > best.count) best = { count, place, text }
    if (count === words.length) break
  }
  const { place, text } = best
  return { ...shown, ...(place !== '' && { place, text: excerpt(text, words) }) }
}

const EXCERPT_BEFORE = 60
const EXCERPT_LENGTH = 160

/** The text around the first word that was sought. */
function excerpt(text: string, words: readonly string[]): string {
  const runs = [...text.matchAll(/[^\s\p{P}]+/gu)]
  const first = runs.find(([run]) => countWords(run, words) > 0)
  const from = Math.max(0, (first?.index ?? 0) - EXCERPT_BEFORE)
  const part = text
    .slice(from, from + EXCERPT_LENGTH)
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .trim()
  return `${from > 0 ? '…' : ''}${part}${from + EXCERPT_LENGTH < text.length ? '…' : ''}`
}

/** Strings and their places: `package.summary`. Instants, hashes and keys say nothing. */
function* placesIn(value: unknown, place = ''): Generator<readonly [place: string, text: string]> {
  if (typeof value === 'string') yield [place, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, each] of Object.entries(value)) {
    if (Array.isArray(value)) yield* placesIn(each, place)
    else if (!/^(at|uid|sha256|.+_at)$/.test(key))
      yield* placesIn(each, place === '' || place === 'id' ? place || key : `${place}.${key}`)
  }
}

/** A text without a word in it finds nothing: it asks for a value that no document has. */
export function searchQuery(text: string, facets: Facets, since?: string): SearchQuery {
  const typed = wordsIn(text)
  const words = [...new Set(typed)]
  return {
    words,
    id: typed.join('-').toUpperCase(),
    facets: text.trim() !== '' && words.length === 0 ? { ...facets, kind: [] } : facets,
    ...present({ since }),
  }
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const AGES: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 }

/** The instant that is meant by `2026-11-16`, `monday`, `today`, `yesterday` or `3d`. */
export function sinceInstant(text: string, now: Date): string {
  const [, count, unit] = /^(\d{1,4})([mhdw])$/.exec(text) ?? []
  if (unit !== undefined) return new Date(now.getTime() - Number(count) * AGES[unit]! * 1_000).toISOString()
  const back = ['today', 'yesterday'].indexOf(text.toLowerCase())
  const day = DAYS.indexOf(text.toLowerCase())
  const days = day === -1 ? back : (now.getDay() - day + 7) % 7
  const at = days < 0 ? new Date(text) : new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
  if (!Number.isNaN(at.getTime())) return at.toISOString()
  throw new BatonError('invalid_input', `${text} is not a time; write for example monday, 2026-11-16 or 3d`, {
    since: text,
  })
}
