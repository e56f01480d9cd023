import { DRAFT } from '../json-schema.ts'
import { schemaOf } from '../table/derive.ts'
import { BLOCK } from './table.ts'

/** Document 002 for editors. Stricter than the document's function where its field section is. */
export const schemas = {
  get block() {
    return { $schema: DRAFT, title: 'Handoff block', ...schemaOf(BLOCK(), 'block') }
  },
}
