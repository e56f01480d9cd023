import { DRAFT, mapping, type Schema, text } from '../json-schema.ts'
import { schemaOf } from '../table/derive.ts'
import { FORM_TABLES, type PackageForm } from './table.ts'
import { STATUSES } from './words.ts'

const stateEntry: Schema = mapping(
  { id: text(), timestamp: { type: 'string' }, from: text(), to: text(), status: { enum: [...STATUSES] } },
  ['id', 'from', 'to', 'status'],
)
const state: Schema = mapping({ handoffs: { type: 'array', items: stateEntry } }, ['handoffs'])

const document = (title: string, schema: Schema): Schema => ({ $schema: DRAFT, title, ...schema })
const ofForm = (form: PackageForm, title: string): Schema =>
  document(title, schemaOf(FORM_TABLES[form], form))

/** The strict forms of document 004, for editors. What is read is wider. */
export const schemas: Readonly<Record<PackageForm | 'state', Schema>> = {
  package: ofForm('package', 'Handoff package'),
  acknowledgment: ofForm('acknowledgment', 'Acknowledgment of a handoff package'),
  gate_response: ofForm('gate_response', 'Answer to a gate'),
  state: document('Handoffs of a project, state/current.json', state),
}
