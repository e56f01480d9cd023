import { DEFAULT_LIMITS } from '../../../domain/limits.ts'
import type { Interpretation } from '../../dialect.ts'
import type { Draft } from '../../draft.ts'
import type { Source } from '../../text/source.ts'
import { checkBoxes } from '../body/boxes.ts'
import { checkMarkdown, isProhibited } from '../check.ts'
import { draftOf } from '../draft-of.ts'
import { dayInName, originalOf, stemOf } from '../names.ts'
import { withName } from '../parse.ts'
import { Reading } from '../reading.ts'

/** What the strict form would call an error, and a document in the wild need not know. */
const QUIET: ReadonlySet<string> = new Set(['id_form', 'complete_unacknowledged', 'name_differs'])

/** A handoff as agents wrote them before version 2, or without knowing it: data wherever it stands. */
export function parseV1(source: Source): Interpretation {
  const reading = new Reading(source)
  const draft = withV1Name(reading, withName(reading, draftOf(reading, { weak: true })))
  for (const [field, key, example] of WANTED)
    if (draft[field] === undefined && !reading.frontIsSaid(key))
      reading.report(
        'warning',
        'required_field',
        `${key} is missing; add \`${key}: ${example}\` to the front matter.`,
        reading.start,
      )
  checkBoxes(reading, draft.state)
  for (const { severity, code, message, key, below = [] } of checkMarkdown({ draft, path: source.path })) {
    if (QUIET.has(code) || (code === 'wrong_place' && !isProhibited(source.path ?? ''))) continue
    reading.report(
      severity === 'error' ? 'warning' : severity,
      code,
      message,
      reading.positionOf(key, ...below),
    )
  }
  const body = reading.body?.text
  return {
    draft: reading.fitted(body === undefined ? draft : { ...draft, body }),
    diagnostics: reading.diagnostics,
    places: reading.places,
  }
}

const WANTED = [
  ['from', 'from_agent', 'grok'],
  ['to', 'to_agent', 'claude'],
  ['task', 'related_task', 'BPRD-2026-0042'],
  ['state', 'status', 'Active'],
  ['created_at', 'created_at', '2026-02-21T14:30:00Z'],
] as const

/** Names of version 1 say an id, a day and mostly the receiver. */
function withV1Name(reading: Reading, draft: Draft): Draft {
  const { path } = reading.source
  if (path === undefined) return draft
  const stem = originalOf(stemOf(path))
  const day = dayInName(stem)
  const note = (key: string, value: string) =>
    reading.report(
      'info',
      'field_in_name',
      `${key} was taken from the name of the file; add \`${key}: ${value}\`.`,
      reading.start,
    )
  const taken: { id?: string; to?: string; created_at?: string } = {}
  // `handoff-{what}-{receiver}-{day}`: only a known name in that place is taken for one.
  const last = /-([a-z][a-z0-9_]*)-\d{8}$/.exec(stem)?.[1]
  if (draft.to === undefined && last !== undefined && last in DEFAULT_LIMITS) {
    taken.to = last
    note('to_agent', last)
  }
  if (draft.id === undefined && /^handoff[-_]/i.test(stem)) {
    taken.id = stem
    note('handoff_id', stem)
  }
  // Where a document says when it is due, the day in its name is mostly that one.
  if (draft.created_at === undefined && day !== undefined && draft.target_completion === undefined) {
    taken.created_at = `${day}T00:00:00Z`
    note('created_at', taken.created_at)
  }
  return { ...draft, ...taken }
}
