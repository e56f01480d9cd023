import { DRAFT, type Schema } from '../json-schema.ts'
import { schemaOf } from '../table/derive.ts'
import { rowsIn } from '../table/row.ts'
import type { WritebackForm } from './form.ts'
import { WRITEBACK } from './table.ts'
import { OF_COMPLETION } from './write.ts'

interface Mapping {
  readonly properties: Schema
  readonly required: readonly string[]
}
const ofForm = (form: WritebackForm) =>
  schemaOf({ ...WRITEBACK, rows: rowsIn(WRITEBACK, form) }, form) as Schema & Mapping

const task_update = {
  $schema: DRAFT,
  title: 'Task update',
  ...ofForm('task_update'),
  if: { properties: { status: { const: 'done' } }, required: ['status'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { progress: { const: 100 } } },
}

const reinstatement = {
  required: ['status', 'notes'],
  properties: { status: { const: 'todo' }, commit_sha: false },
}

const record = ofForm('thought_record')
const pick = (isOfWork: boolean): Mapping => ({
  required: record.required.filter((key) => OF_COMPLETION.includes(key) === isOfWork),
  properties: Object.fromEntries(
    Object.entries(record.properties).filter(([key]) => OF_COMPLETION.includes(key) === isOfWork),
  ),
})
const thought_record = {
  $schema: DRAFT,
  title: 'Thought record',
  type: 'object',
  ...pick(false),
  anyOf: [pick(true), reinstatement],
}

export const schemas = { task_update, thought_record }
