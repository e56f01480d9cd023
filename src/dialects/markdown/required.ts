import { valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { idFor } from './home.ts'
import { TIME } from './kinds.ts'
import type { Reading } from './reading.ts'
import { statusFor } from './status.ts'
import { markdownRow, normalKey, ROWS } from './table.ts'

/** Every missing key is named at once, with what to write. */
export function checkRequired(reading: Reading, draft: Draft): void {
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
export function checkWanted(reading: Reading, draft: Draft): void {
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
