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
export function isV1(source: Source): boolean {
  return hasV1Keys(source.value) || looksLikeV1(source)
}

/** Front matter with version 1's keys: `from` and `task`, or `assigned_to`. */
export function hasV1Keys(value: unknown): boolean {
  const said = saidInKeys(value)
  return (said.has('from') && (said.has('to') || said.has('task'))) || (said.has('to') && said.size > 1)
}

function looksLikeV1(source: Source): boolean {
  if (source.body !== undefined && BLOCK.test(source.body)) return false
  const said = saidIn(source)
  if (said.has('from') && (said.has('to') || said.has('task'))) return true
  if (said.has('to') && (said.has('status') || said.has('task') || said.has('id'))) return true
  if (said.has('heading') && (said.has('from') || said.has('to') || said.has('status'))) return true
  if (said.has('owner') && said.has('status') && (said.has('id') || said.has('task'))) return true
  const stem = source.path === undefined ? '' : stemOf(source.path)
  if (!NAMED.test(stem)) return false
  const isDated = dayInName(stem) !== undefined || NUMBERED.test(stem)
  return (
    isDated || said.has('heading') || ['from', 'to', 'status', 'id', 'task'].some((what) => said.has(what))
  )
}

// biome-ignore format: read as a table
const WHAT: readonly (readonly [string, string])[] = [
  ['from', 'from_agent'], ['to', 'to_agent'], ['status', 'status'], ['task', 'related_task'], ['id', 'handoff_id'],
]

const OWNERS = markdownRow('to_agent').weak ?? []

function saidInKeys(value: unknown): Set<string> {
  const said = new Set<string>()
  if (!isData(value)) return said
  const keys = new Set(
    Object.entries(value).flatMap(([key, each]) =>
      typeof each === 'object' && each !== null ? [] : [normalKey(key)],
    ),
  )
  for (const [what, key] of WHAT) if (namesOf(key).some((name) => keys.has(name))) said.add(what)
  if (OWNERS.some((name) => keys.has(name))) said.add('owner')
  return said
}

function saidIn({ value, body, kind }: Source): ReadonlySet<string> {
  const said = saidInKeys(value)
  if (kind !== 'markdown') return said
  const index = new BodyIndex((body ?? '').slice(0, LOOK_AT))
  for (const [what, key] of WHAT) if (index.topField(labelsOf(key))) said.add(what)
  if (index.topField(OWNERS)) said.add('owner')
  for (const { level, heading } of index.sections) {
    if (level !== 1 && level !== 2) continue
    const { isHandoff, from, to } = headingParts(heading)
    if (isHandoff) said.add('heading')
    if (from) said.add('from')
    if (to) said.add('to')
  }
  return said
}
