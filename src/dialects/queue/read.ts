import { percentOf } from '../../domain/handoffs/guards.ts'
import { present } from '../../domain/present.ts'
import type { Draft } from '../draft.ts'
import type { Fields } from '../fields.ts'
import { readRows } from '../table/read.ts'
import { isMapping } from '../text/tree.ts'
import type { Words } from '../text/words.ts'
import { FORM_OF, type QueueStatus, retryIsLeft } from './names.ts'
import { queueTable } from './table.ts'

type Result = NonNullable<Draft['result']>

const REPORT_WORDS: Words<'passed' | 'failed'> = {
  name: 'validation_status',
  words: ['passed', 'failed'],
  // biome-ignore format: read as a table
  synonyms: {
    pass: 'passed', ok: 'passed', success: 'passed', valid: 'passed', fail: 'failed', error: 'failed', invalid: 'failed',
  },
}

/** Everything but the state, which the file's place has a say in. */
export function readHandoff(root: Fields, status: QueueStatus = 'pending', isBare = false): Draft {
  const { error: said, result, ...draft } = readRows(queueTable(), root, FORM_OF[status])
  const error = readError(root, said, isBare)
  const validation = readReport(root, error !== undefined)
  return present({
    ...draft,
    accepted_by: draft.started_at === undefined ? undefined : (draft.to ?? undefined),
    retry_available: readAvailable(root, draft),
    result: result || validation ? { ...result, ...present({ validation }) } : undefined,
    error,
  })
}

/** Nothing is available after the last retry, whatever the file says. */
function readAvailable(root: Fields, { retry_available: said, retry_count: count, retry }: Draft) {
  if (!said || count === undefined || retryIsLeft(count, retry?.max)) return said
  const message = `retry_available is true, but ${count} of ${retry?.max ?? 3} retries are made; write false`
  root.report('warning', 'retry_exhausted', message, 'retry_available')
  return false
}

/** An error without a code counts, and so does a file in `failed/` without an error; keys beside an absent one do not. */
function readError(
  root: Fields,
  said: Partial<NonNullable<Draft['error']>> = {},
  isBare = false,
): Draft['error'] {
  const found = root.value('error')
  const isSaid = isMapping(found) || said.message !== undefined
  if (!isSaid && !isBare) return undefined
  const how = isSaid ? 'error has no code and' : 'error is missing; the file lies in failed/, so it'
  const message = `${how} counts as PROCESSING_ERROR; write {"code": "PROCESSING_ERROR", "message": "…"}`
  if (said.code === undefined) root.report('warning', 'error_without_code', message, 'error')
  const report = root.value('validation')
  const inside = isMapping(found) ? found.details : undefined
  const list = isMapping(report) && Array.isArray(report.errors) ? report.errors : inside
  const details = Array.isArray(list)
    ? list.map((each) => (isMapping(each) ? each : { error: textOrJson(each) }))
    : undefined
  return {
    ...said,
    code: said.code ?? 'PROCESSING_ERROR',
    message: said.message?.trim() ? said.message : isSaid ? 'its error has no message' : BARE,
    ...present({ details }),
  }
}

const BARE = 'it was moved to failed/ without an error'

/** The report on an output. What was wrong with an input has the same key and belongs to the error. */
function readReport(root: Fields, failed: boolean): Result['validation'] {
  const found = root.value('validation')
  const fields = isMapping(found) ? root.below('validation') : undefined
  if (!isMapping(found) || !fields) return undefined
  const { status: _status, errors, ...others } = found
  const isInput = failed && Array.isArray(errors)
  if (isInput && Object.keys(others).length === 0) return undefined
  const report = present({
    status: isInput ? undefined : fields.word(REPORT_WORDS, 'status'),
    ...others,
    errors: isInput ? undefined : errors,
    tests_passing: fields.boolean('tests_passing'),
    typescript_errors: fields.number('typescript_errors'),
    eslint_warnings: fields.number('eslint_warnings'),
    coverage_percentage: percentIn(fields, 'coverage_percentage'),
  })
  return Object.keys(report).length > 0 ? report : undefined
}

/** A number; people put it between quotes with a percent sign. */
function percentIn(fields: Fields, key: string): number | undefined {
  const written = fields.value(key)
  const percent = typeof written === 'string' && /[%,]/.test(written) ? percentOf(written) : undefined
  if (percent === undefined) return fields.number(key)
  fields.report('warning', 'number_as_text', `${key} is a number; write ${percent} without quotes`, key)
  return percent
}

const textOrJson = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
