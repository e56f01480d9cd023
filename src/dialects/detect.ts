import { type PlacedProblem, placedProblem } from '../domain/problem.ts'
import { DIALECTS, type DialectId } from './dialect.ts'
import { formatInWords, proposedFormat } from './propose.ts'
import { dialectOf } from './registry.ts'
import type { Source } from './text/source.ts'

export interface Match {
  readonly dialect: DialectId
  readonly form: string
}

/** Places that the documents prescribe, and whose files they are. */
// biome-ignore format: read as a table
const PLACES: readonly (readonly [RegExp, DialectId])[] = [
  [/(?:^|\/)_handoffs\/(?:.*\/)?(?:handoff-[^/]*\.md|_index\.ya?ml)$/i,                          'markdown'],
  [/(?:^|\/)handoffs\/(?:pending|in-progress|completed|failed)\/[^/]*\.json/i, 'queue'],
  [/(?:^|\/)\.project\/07-audit\/(?:.*\/)?handoffs\/[^/]*\.ya?ml$/i,                             'package'],
  [/(?:^|\/)state\/current\.json$/i,                                                             'package'],
]

/** Forms known by a mark that a document of another dialect may bear too, as dialect and form. */
const WEAK: ReadonlySet<string> = new Set([
  'markdown v1',
  'queue board',
  'queue context',
  'block handback',
  'block summary',
  'package acknowledgment',
  'package gate_response',
  'package session',
  'package state',
])

/** What each dialect is known by, for whoever has a text that is none of them. */
const MARKS = [
  'front matter with handoff_id and from_agent',
  'JSON with source.agent_id and target.agent_id',
  'a YAML block that begins with handoff:',
  'JSON with task_id and commit_sha, summary or status',
].join('; ')

export const dialectByPath = (path: string | undefined): DialectId | undefined =>
  path === undefined ? undefined : PLACES.find(([place]) => place.test(path))?.[1]

/**
 * The dialects that know the source as one of their forms. Of several, the one whose place it stands in is meant,
 * and else those that know it by keys of their own.
 */
export function matchesOf(source: Source): readonly Match[] {
  const matches = DIALECTS.flatMap((dialect): Match[] => {
    const form = dialectOf(dialect).formOf(source)
    return form === undefined ? [] : [{ dialect, form }]
  })
  if (matches.length < 2) return matches
  const place = dialectByPath(source.path)
  const placed = matches.filter(({ dialect }) => dialect === place)
  if (placed.length > 0) return placed
  const strong = matches.filter(({ dialect, form }) => !WEAK.has(`${dialect} ${form}`))
  return strong.length > 0 ? strong : matches
}

export function unknownDialect(source: Source): PlacedProblem {
  const message = `This is not a handoff that Baton knows. ${proposal(source) ?? `It looks for: ${MARKS}.`}`
  return placedProblem('error', 'unknown_dialect', message, source.position(firstContent(source.text)))
}

/** Another team's format may be a known one in other words. */
function proposal(source: Source): string | undefined {
  const format = proposedFormat(source)
  return (
    format &&
    `It looks like ${format.base} with other keys. If it is, write into baton.yaml: ${formatInWords(format)}`
  )
}

export function ambiguousDialect(source: Source, matches: readonly Match[]): PlacedProblem {
  const names = matches.map(({ dialect, form }) => `${dialect} (${form})`).join(' and ')
  const message = `This could be ${names}. Keep the keys of one of them, or move the file to a folder that says which.`
  const at = source.position(firstContent(source.text, source.start))
  return placedProblem('error', 'ambiguous_dialect', message, at)
}

/** The first character at or after `from` that is not blank; 0 where there is none. */
function firstContent(text: string, from = 0): number {
  const found = text.slice(from).search(/[^\s\ufeff]/)
  return found < 0 ? 0 : from + found
}
