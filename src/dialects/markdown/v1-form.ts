import { isData } from '../difference.ts'
import type { Source } from '../text/source.ts'
import { BodyIndex } from './body/body-index.ts'
import { headingParts } from './body/headings.ts'
import { dayInName, stemOf } from './names.ts'
import { labelsOf, markdownRow, namesOf, normalKey } from './table.ts'

/** Bodies are only looked at so far: whoever hands over says so at the top. */
const LOOK_AT = 20_000
const NAMED = /^handoff(?:[-_. ]|$)|[-_. ]handoff$/i
/** A block of document 002 or 004. Then the block is the handoff, and the text around it is a summary. */
const BLOCK = /^[ \t]*(?:`{3,}|~{3,})[ \t]{0,8}\w{0,20}[ \t]{0,8}\r?\nhandoff[ \t]*:/m
const NUMBERED = /^handoff[-_]?\d+$/i

/** Whether a person would call this a handoff, though it has none of version 2's keys. */
export const isV1 = (source: Source): boolean => hasV1Keys(source.value) || looksLikeV1(source)

/** Front matter with version 1's keys: `from` and `task`, or `assigned_to`. */
export function hasV1Keys(value: unknown): boolean {
  const said = saidInKeys(value)
  return (said.has('from') && (said.has('to') || said.has('task'))) || (said.has('to') && said.size > 1)
}

/** What a person says together only in a handoff. */
// biome-ignore format: read as a table
const TELLING = [
  ['from', 'to'], ['from', 'task'], ['to', 'status'], ['to', 'task'], ['to', 'id'], ['heading', 'from'], ['heading', 'to'],
  ['heading', 'status'], ['owner', 'status', 'id'], ['owner', 'status', 'task'],
]

function looksLikeV1(source: Source): boolean {
  if (source.body !== undefined && BLOCK.test(source.body)) return false
  const said = saidIn(source)
  if (TELLING.some((words) => words.every((word) => said.has(word)))) return true
  const stem = source.path === undefined ? '' : stemOf(source.path)
  const isDated = dayInName(stem) !== undefined || NUMBERED.test(stem)
  return NAMED.test(stem) && (isDated || [...said].some((word) => word !== 'owner'))
}

// biome-ignore format: read as a table
const WHAT: readonly (readonly [string, string])[] = [
  ['from', 'from_agent'], ['to', 'to_agent'], ['status', 'status'], ['task', 'related_task'], ['id', 'handoff_id'],
  ['owner', 'to_agent'],
]

const OWNERS = markdownRow('to_agent').weak ?? []
const namesIn = (what: string, key: string): readonly string[] => (what === 'owner' ? OWNERS : namesOf(key))

function saidInKeys(value: unknown): Set<string> {
  const entries = Object.entries(isData(value) ? value : {})
  const keys = entries.flatMap(([key, each]) =>
    typeof each === 'object' && each !== null ? [] : [normalKey(key)],
  )
  return new Set(
    WHAT.flatMap(([what, key]) => (namesIn(what, key).some((name) => keys.includes(name)) ? [what] : [])),
  )
}

function saidIn({ value, body, kind }: Source): ReadonlySet<string> {
  const said = saidInKeys(value)
  if (kind !== 'markdown') return said
  const index = new BodyIndex((body ?? '').slice(0, LOOK_AT))
  for (const [what, key] of WHAT)
    if (index.topField(what === 'owner' ? OWNERS : labelsOf(key))) said.add(what)
  for (const { level, heading } of index.sections) {
    if (level !== 1 && level !== 2) continue
    const { isHandoff, from, to } = headingParts(heading)
    if (isHandoff) said.add('heading')
    if (from) said.add('from')
    if (to) said.add('to')
  }
  return said
}
