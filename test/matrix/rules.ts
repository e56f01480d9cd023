import { ACTING } from './rules/acting.ts'
import { GATES } from './rules/gates.ts'
import { RECORDS } from './rules/records.ts'
import { SENDING } from './rules/sending.ts'
import { TEXTS } from './rules/texts.ts'
import { WORKING } from './rules/work.ts'
import type { Rule } from './table.ts'

/** Every rule with a cell for each surface. A new rule is a new row. */
export const RULES: readonly Rule[] = [...SENDING, ...GATES, ...ACTING, ...WORKING, ...RECORDS, ...TEXTS]
