import { DEFAULT_LIMITS } from '../../domain/limits.ts'
import { present } from '../../domain/present.ts'
import type { Interpretation } from '../dialect.ts'
import type { Draft } from '../draft.ts'
import { keyOfField } from '../table/derive.ts'
import type { Source } from '../text/source.ts'
import { checkBoxes } from './body/boxes.ts'
import { checkMarkdown, isProhibited } from './check.ts'
import { draftOf } from './draft-of.ts'
import { dayInName, originalOf, parseName, stemOf } from './names.ts'
import { Reading } from './reading.ts'
import { renderBody } from './render.ts'
import { checkRequired, checkWanted } from './required.ts'
import { TABLE } from './table.ts'

/**
 * Front matter with the document's keys, and a body. `v1`: as agents wrote them before version 2, or without knowing
 * it, with data wherever it stands.
 */
export function parseHandoff(source: Source, form: 'handoff' | 'v1'): Interpretation {
  const isOld = form === 'v1'
  const { path } = source
  const reading = new Reading(source, { weak: isOld })
  let draft = draftOf(reading)
  if (path !== undefined) draft = withName(reading, draft, saidByName(path))
  if (path !== undefined && isOld) draft = withName(reading, draft, saidByOldName(path, draft))
  if (isOld) checkWanted(reading, draft)
  else checkRequired(reading, draft)
  checkBoxes(reading, draft.state)
  for (const { severity, code, message, key, below = [] } of checkMarkdown(draft, path))
    if (!isOld || !isQuiet(code, path))
      reading.report(
        isOld && severity === 'error' ? 'warning' : severity,
        code,
        message,
        reading.positionOf(key, ...below),
      )
  const body = reading.body?.text
  const whole = body === undefined || (!isOld && isTemplate(body, draft)) ? draft : { ...draft, body }
  return { draft: reading.fitted(whole), diagnostics: reading.diagnostics, places: reading.places }
}

/** Errors of the strict form that a document in the wild need not know. */
const isQuiet = (code: string, path = ''): boolean =>
  ['id_form', 'complete_unacknowledged', 'name_differs'].includes(code) ||
  (code === 'wrong_place' && !isProhibited(path))

/** A body that only repeats the front matter, as the template has it, is made again with every change. */
function isTemplate(body: string, draft: Draft): boolean {
  const made = renderBody(draft)
  return body === made || (body.includes('\r') && body.replaceAll('\r\n', '\n') === made)
}

/** What only the name of the file says. */
function withName(reading: Reading, draft: Draft, said: Draft): Draft {
  const taken = Object.entries(said).filter(([field]) => draft[field as keyof Draft] === undefined)
  for (const [field, value] of taken) {
    const key = keyOfField(TABLE, field)
    reading.found.set(key, 'name')
    const message = `${key} was taken from the name of the file; add \`${key}: ${value}\`.`
    reading.report('info', 'field_in_name', message, reading.start)
  }
  return { ...draft, ...Object.fromEntries(taken) }
}

function saidByName(path: string): Draft {
  const name = parseName(stemOf(path))
  if (!name.ok) return {}
  const { from, to, task, date } = name.parts
  const created_at = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T00:00:00Z`
  return { from, to, task, created_at, id: stemOf(path) }
}

/** Names of version 1 say an id, a day and mostly the receiver: `handoff-{what}-{receiver}-{day}`. */
function saidByOldName(path: string, { target_completion }: Draft): Draft {
  const stem = originalOf(stemOf(path))
  const last = /-([a-z][a-z0-9_]*)-\d{8}$/.exec(stem)?.[1]
  // The day in the name of a document that has a due date is mostly that date.
  const day = target_completion === undefined ? dayInName(stem) : undefined
  return present({
    to: last !== undefined && last in DEFAULT_LIMITS ? last : undefined,
    id: /^handoff[-_]/i.test(stem) ? stem : undefined,
    created_at: day && `${day}T00:00:00Z`,
  })
}
