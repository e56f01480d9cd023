import { fieldDifferences } from '../src/dialects/difference.ts'
import {
  convert,
  DIALECTS,
  type DialectId,
  type Draft,
  dialectOf,
  endingOf,
  readDocuments,
} from '../src/dialects/index.ts'
import { FULL, missingOf } from '../test/support/documents/full-draft.ts'

/** What each conversion loses of a document that says as much as its dialect can, and what must be supplied. */
export function lossTable(): readonly string[] {
  const rows = DIALECTS.flatMap((from) => DIALECTS.filter((to) => to !== from).map((to) => row(from, to)))
  return [
    'Measured, not declared: a document that says all that its format can is converted, the text is read again, and what the',
    'reader does not get is listed. With `--slot` the same fields travel in `x_baton` and nothing is lost. What must be supplied is',
    'asked for and never made up.',
    '',
    '| from → to | must be supplied | lost without the slot |',
    '|---|---|---|',
    ...rows,
  ]
}

function row(from: DialectId, to: DialectId): string {
  const draft = saidIn(from)
  const supply = missingOf(dialectOf(to), draft)
  const there = convert(draft, to, { supply })
  if (!there.ok) throw new Error(`${from} to ${to}: ${JSON.stringify(there.missing)}`)
  const lost = there.losses.map(({ field }) => field).filter((field) => isIn(draft, field))
  return `| ${from} → ${to} | ${listed(suppliedTo(draft, supply))} | ${listed(lost)} |`
}

/** Everything in the full draft that the dialect has words for. */
function saidIn(id: DialectId): Draft {
  const made = convert(FULL, id, { supply: missingOf(dialectOf(id), FULL) })
  const read =
    made.ok &&
    readDocuments(made.text, { path: `handoff${endingOf(id)}` }).find(({ dialect }) => dialect === id)?.draft
  return read || {}
}

const fieldsOf = (draft: Partial<Draft>): string[] =>
  fieldDifferences(draft, {}).map(({ path }) => path.join('.'))

function suppliedTo(draft: Draft, supply: Partial<Draft>): string[] {
  return fieldDifferences({ ...draft, ...supply }, draft).map(({ path }) => path.join('.'))
}

/** What was supplied is no loss of the document's. */
const isIn = (draft: Draft, field: string): boolean =>
  fieldsOf(draft).some((said) => said === field || said.startsWith(`${field}.`))

const listed = (fields: readonly string[]): string => fields.map((field) => `\`${field}\``).join(', ')
