import type { State } from '../../domain/lifecycle.ts'
import { DEFAULT_LIMITS } from '../../domain/limits.ts'
import { present } from '../../domain/present.ts'
import type { Interpretation } from '../dialect.ts'
import { valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { keyOfField } from '../table/derive.ts'
import { quotedText } from '../text/quoted.ts'
import type { Source } from '../text/source.ts'
import { checkMarkdown, isProhibited } from './check.ts'
import { draftOf } from './draft-of.ts'
import { idFor } from './home.ts'
import { TIME } from './kinds.ts'
import { dayInName, originalOf, parseName, stemOf } from './names.ts'
import { Reading } from './reading.ts'
import { renderBody } from './render.ts'
import { statusFor } from './status.ts'
import { markdownRow, normalKey, ROWS, TABLE } from './table.ts'

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

const UNSTARTED: readonly unknown[] = ['draft', 'offered']

/** Whether the boxes of the criteria say the same as the status. */
function checkBoxes(reading: Reading, state: State | undefined): void {
  const section = reading.index.section('verification_criteria')
  if (!section) return
  const items = reading.index.itemsBelow(section)
  const open = items.find(({ done }) => done === false)
  if (state === 'completed' && open) {
    const message = `The status is Complete, but ${quotedText(open.text)} is not ticked; finish it, or set the status back.`
    reading.report('warning', 'criterion_open', message, reading.bodyPosition(open.at))
  }
  if (UNSTARTED.includes(state) && items.length > 0 && items.every(({ done }) => done === true)) {
    const message =
      'Every criterion is marked as met, but nobody has started; clear the marks, or set the status.'
    reading.report('info', 'criteria_ticked', message, reading.bodyPosition(section.at))
  }
}

/** Every missing key is named at once, with what to write. */
function checkRequired(reading: Reading, draft: Draft): void {
  const { start } = reading
  if (!reading.top) {
    const message = 'There is no front matter; begin the file with --- and the keys, and close it with ---.'
    reading.report('error', 'front_matter_missing', message, start)
  }
  const absent: string[] = []
  for (const { key, blank, example } of ROWS.filter(({ need }) => need)) {
    const isThere = reading.hasFront(key)
    if (!blank) checkKey(reading, draft, key)
    else if (blank === 'later' && !isThere) absent.push(key)
    else if (blank === 'link' && !isThere)
      reading.report('error', 'required_field', `${key} is missing; add \`${key}: ${example}\`.`, start)
    else if (blank === 'link' && !reading.frontIsSaid(key)) {
      const message = `${key} is empty; write where it is to be found.`
      reading.report('warning', 'linkage_blank', message, reading.positionOf(key))
    }
  }
  const keys = absent.map((key) => `\`${key}: null\``).join(', ')
  const message = `Keys that are set later are written as null from the start; add ${keys}.`
  if (reading.top && absent.length > 0) reading.report('info', 'missing_keys', message, start)
}

/** A handoff of version 1 needs less, and nothing of it in the front matter. */
function checkWanted(reading: Reading, draft: Draft): void {
  for (const key of ['from_agent', 'to_agent', 'related_task', 'status', 'created_at'] as const) {
    const { fields, example } = markdownRow(key)
    const message = `${key} is missing; add \`${key}: ${example}\` to the front matter.`
    if (valueAt(draft, fields) === undefined && !reading.frontIsSaid(key))
      reading.report('warning', 'required_field', message, reading.start)
  }
}

function checkKey(reading: Reading, draft: Draft, key: string): void {
  const isThere = reading.hasFront(key)
  // A value that could not be read has been reported where it stands.
  if (!reading.frontIsSaid(key)) {
    const where = WHERE[reading.found.get(key) ?? 'front']
    const [what, add] = isThere ? ['empty', 'write'] : ['missing', 'add']
    const at = isThere ? reading.source.locate(reading.pathOf(key)) : reading.start
    const message = `${key} is ${what}${where}; ${add} ${exampleLine(key, draft)}.`
    reading.report('error', 'required_field', message, at)
  }
  if (isThere) demandTime(reading, key)
  const place = reading.places.get(key)
  if (isThere && place?.length === 1 && normalKey(String(place[0])) !== key) {
    const message = `${place[0]} is called ${key} in this format; write \`${key}: …\`.`
    reading.report('warning', 'key_name', message, reading.positionOf(key))
  }
}

/** A day that does not exist is only a warning under a key that nobody has to write. */
function demandTime(reading: Reading, key: string): void {
  const { diagnostics } = reading
  const at = reading.positionOf(key)
  for (const [i, problem] of diagnostics.entries())
    if (problem.code === 'bad_time' && problem.line === at.line && problem.column === at.column)
      diagnostics[i] = { ...problem, severity: 'error' }
}

const WHERE = {
  front: '',
  body: ' in the front matter; only the body says it',
  name: ' in the front matter; only the name of the file says it',
}

/** The line to write: what was found elsewhere, what the other keys let us guess, or an example. */
function exampleLine(key: string, draft: Draft): string {
  const { fields, as, from, example } = markdownRow(key)
  const found =
    key === 'status' ? draft.state && statusFor(draft.state) : valueAt(draft, fields[0]!.split('.'))
  const short = typeof found === 'string' && found.length <= 60 && !found.includes('\n') ? found : undefined
  const guess = key === 'handoff_id' ? idFor(draft) : as.schema === TIME ? from?.(draft) : undefined
  return `\`${key}: ${short ?? (found ? '…' : (guess ?? example))}\``
}
