export { alteredIn } from './altered.ts'
export { type Conversion, type ConvertOptions, convert } from './convert.ts'
export {
  DIALECTS,
  type Diagnostic,
  type Dialect,
  type DialectId,
  type Loss,
  type Missing,
  SEVERITIES,
} from './dialect.ts'
export { Draft } from './draft.ts'
export { type Document, readDocuments } from './read.ts'
export { dialectOf, endingOf, schemasOf } from './registry.ts'
export { rewrite } from './rewrite.ts'
export { SLOT_BYTES } from './slot.ts'
export { type Summary, summaryOf } from './summary.ts'
