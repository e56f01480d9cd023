import type { Interpretation } from '../dialect.ts'
import type { Draft } from '../draft.ts'
import type { Source } from '../text/source.ts'
import { checkBoxes } from './body/boxes.ts'
import { checkMarkdown } from './check.ts'
import { draftOf } from './draft-of.ts'
import { keyOfField } from './keys.ts'
import { parseName, stemOf } from './names.ts'
import { Reading } from './reading.ts'
import { renderBody } from './render.ts'
import { checkRequired } from './required.ts'

/** A document of version 2: front matter with the document's keys, and a body. */
export function parseHandoff(source: Source): Interpretation {
  const reading = new Reading(source)
  const draft = withName(reading, draftOf(reading, { weak: false }))
  checkRequired(reading, draft)
  checkBoxes(reading, draft.state)
  for (const { severity, code, message, key, below = [] } of checkMarkdown({ draft, path: source.path }))
    reading.report(severity, code, message, reading.positionOf(key, ...below))
  const whole = withBody(draft, reading.body?.text)
  return { draft: reading.fitted(whole), diagnostics: reading.diagnostics, places: reading.places }
}

/** A body that only repeats the front matter, as the template has it, is made again with every change. */
function withBody(draft: Draft, body: string | undefined): Draft {
  if (body === undefined || sameLines(body, renderBody(draft))) return draft
  return { ...draft, body }
}

const sameLines = (a: string, b: string): boolean =>
  a === b || (a.includes('\r') && a.replaceAll('\r\n', '\n') === b)

/** What only the name of the file says. */
export function withName(reading: Reading, draft: Draft): Draft {
  const { path } = reading.source
  const name = path === undefined ? undefined : parseName(stemOf(path))
  if (!name?.ok) return draft
  const { from, to, task, date } = name.parts
  const said: Draft = {
    from,
    to,
    task,
    created_at: `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T00:00:00Z`,
    id: stemOf(path!),
  }
  const taken: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(said)) {
    if (draft[field as keyof Draft] !== undefined) continue
    taken[field] = value
    const key = keyOfField(field)
    reading.found.set(key, 'name')
    const message = `${key} was taken from the name of the file; add \`${key}: ${value}\`.`
    reading.report('info', 'field_in_name', message, reading.start)
  }
  return { ...draft, ...taken }
}
