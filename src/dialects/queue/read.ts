import { percentOf } from '../../domain/handoffs/guards.ts'
import { present } from '../../domain/present.ts'
import { own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import type { Fields } from '../fields.ts'
import { isMapping } from '../text/tree.ts'
import { findWord, PRIORITY_WORDS, type Words } from '../text/words.ts'
import { compact, name, type Parts, ranged } from './bounded.ts'
import { CARRIED, readCarried } from './carried.ts'
import { retryIsLeft } from './check.ts'
import type { QueueStatus } from './names.ts'
import { readSides } from './sides.ts'

const TEXT_LENGTH = 64_000

/** Keys that hold sentences, by the field of the package that they are. */
const PROSE = {
  summary: ['summary', 'description', 'message', 'instructions'],
  context: ['context', 'body', 'content', 'details', 'notes'],
}
const TITLES = ['title', 'subject']

/** How the end of the work is spelled: the first wins. */
const END_KEYS: Partial<Record<QueueStatus, readonly [string, string]>> = {
  completed: ['timestamp_completed', 'completed_at'],
  failed: ['timestamp_failed', 'failed_at'],
}

const REPORT_WORDS: Words<'passed' | 'failed'> = {
  name: 'validation_status',
  words: ['passed', 'failed'],
  synonyms: {
    pass: 'passed',
    ok: 'passed',
    success: 'passed',
    valid: 'passed',
    fail: 'failed',
    error: 'failed',
    invalid: 'failed',
  },
}

const COMPLIANCE_WORDS: Words<'valid' | 'invalid'> = {
  name: 'schema_compliance',
  words: ['valid', 'invalid'],
  synonyms: {
    compliant: 'valid',
    passed: 'valid',
    ok: 'valid',
    true: 'valid',
    failed: 'invalid',
    false: 'invalid',
  },
}

/** Everything but the state, which the file's place has a say in. */
export function readHandoff(root: Fields, status: QueueStatus | undefined): Draft {
  const times = readTimes(root, status)
  const sides = readSides(root)
  const context = readContext(root)
  const input = readInput(root)
  const words = readWords(root, input)
  const error = readError(root)
  const retry = readRetry(root)
  const rest: Parts<Draft> = {
    id: name(root, 'handoff_id', 'id', 'request_id'),
    ...times,
    ...sides,
    ...(times.started_at && { accepted_at: times.started_at, accepted_by: sides.to ?? undefined }),
    title: words.title,
    task: context.task ?? readTask(root),
    project: context.project,
    depends_on: context.depends_on,
    priority: readPriority(root),
    timeout_s: ranged(root, 'timeout_seconds', { min: 0 }, 'timeout'),
    ...retry,
    not_before: root.time('not_before'),
    ...readExpected(root),
    result: readResult(root, error !== undefined),
    error,
    metrics: readMetrics(root),
    next_steps: root.list('next_steps'),
    ...input,
    package: compact({ ...words.package, ...input.package, data: context.data }),
  }
  // Kept as they are; asking for them reports what is no list of texts.
  for (const key of ['warnings', 'errors']) root.list(key)
  return compact<Draft>(rest) ?? {}
}

/**
 * Words beside the data, where people put them: the document has no key for them. What is carried in the input
 * wins. A later change must find the key that is there.
 */
function readWords(root: Fields, carried: Draft): Pick<Draft, 'title' | 'package'> {
  const titled = carried.title === undefined ? TITLES.find((each) => root.has(each)) : undefined
  const title = titled && root.text(titled)
  if (titled && title !== undefined) placeCarried(root, 'title', titled)
  const pack: Record<string, unknown> = {}
  for (const [field, keys] of Object.entries(PROSE)) {
    const key = keys.find((each) => root.has(each))
    if (key === undefined || own(carried.package, field) !== undefined) continue
    const text = root.value(key)
    if (typeof text !== 'string' || text.trim() === '' || text.length > TEXT_LENGTH) continue
    placeCarried(root, field, key)
    pack[field] = text
  }
  return { ...(title && { title }), package: pack }
}

const placeCarried = (root: Fields, field: string, key: string): unknown =>
  root.places.set(`input.data.${CARRIED}.${field}`, root.places.get(key) ?? [key])

/** The document knows projects; other people have tasks. */
function readTask(root: Fields): string | undefined {
  const key = ['task_id', 'task'].find((each) => root.has(each))
  const task = key && name(root, key)
  if (key && task !== undefined) root.places.set('context.task_id', root.places.get(key) ?? [key])
  return task
}

/** A word that nobody knows is kept in the document and ordered as normal. */
function readPriority(root: Fields): Draft['priority'] {
  const written = root.text('priority')
  if (written === undefined || findWord(PRIORITY_WORDS, written)) return root.word(PRIORITY_WORDS, 'priority')
  const message = `priority "${written.slice(0, 60)}" counts as normal; write low, normal, high or critical`
  root.report('warning', 'unknown_priority', message, 'priority')
  return undefined
}

function readTimes(root: Fields, status: QueueStatus | undefined) {
  const [first, second] = (status && END_KEYS[status]) ?? []
  const ended = first === undefined ? undefined : root.time(first)
  const other = second === undefined ? undefined : root.time(second)
  if (first && second && ended && other && ended !== other)
    root.report(
      'warning',
      'time_spellings_differ',
      `${second} is ${other} and ${first} is ${ended}, which counts; write the same time in both`,
      second,
    )
  return {
    created_at: root.time('timestamp', 'created_at', 'created', 'sent_at', 'date'),
    started_at: root.time('started_at'),
    ended_at: ended ?? other,
  }
}

function readContext(
  root: Fields,
): Pick<Draft, 'project' | 'task' | 'depends_on'> & { data?: Record<string, unknown> } {
  const found = root.value('context')
  const fields = isMapping(found) ? root.below('context') : undefined
  if (!isMapping(found) || !fields) return {}
  const artifact = fields.text('tech_stack_artifact_id')
  const { project_id: _project, task_id: _task, tech_stack_artifact_id: _artifact, ...data } = found
  return {
    ...compact({
      project: name(fields, 'project_id'),
      task: name(fields, 'task_id'),
      depends_on: artifact === undefined ? undefined : [artifact],
    }),
    ...(Object.keys(data).length > 0 && { data }),
  }
}

function readInput(root: Fields): Draft {
  const found = root.value('input')
  if (found === undefined) return {}
  if (!isMapping(found) || !('schema' in found || 'data' in found)) {
    // People leave the frame out and write the data itself.
    root.places.set('input.data', ['input'])
    root.report(
      'warning',
      'input_without_frame',
      'input has neither schema nor data; write {"schema": "…", "data": …} around it',
      'input',
    )
    return { package: { input: found } }
  }
  const fields = root.below('input')
  const { draft, input } = readCarried(found.data)
  return (
    compact<Draft>({
      ...draft,
      input_schema: fields?.text('schema'),
      package: compact({ ...draft.package, input }),
    }) ?? {}
  )
}

function readExpected(root: Fields): Pick<Draft, 'expected_output' | 'output_schema'> {
  const found = root.value('expected_output')
  const fields = isMapping(found) ? root.below('expected_output') : undefined
  if (!isMapping(found) || !fields) return {}
  const { schema: _schema, ...expected } = found
  return {
    ...compact({ output_schema: fields.text('schema') }),
    ...(Object.keys(expected).length > 0 && { expected_output: expected }),
  }
}

function readRetry(root: Fields): Pick<Draft, 'retry' | 'retry_count' | 'retry_available'> {
  const fields = isMapping(root.value('retry_policy')) ? root.below('retry_policy') : undefined
  const whole = { min: 0, max: 100, whole: true }
  const total = ranged(root, 'max_retries', whole)
  const max = fields && ranged(fields, 'max_retries', whole)
  const count = ranged(root, 'retry_count', { min: 0, whole: true })
  const said = root.boolean('retry_available')
  const retry = compact({
    max: max ?? total,
    delay_s: fields && ranged(fields, 'retry_delay_seconds', { min: 0 }),
    multiplier: fields && ranged(fields, 'backoff_multiplier', { min: 1 }),
  })
  const isOver = said === true && count !== undefined && !retryIsLeft(count, retry?.max)
  if (isOver)
    root.report(
      'warning',
      'retry_exhausted',
      `retry_available is true, but ${count} of ${retry?.max ?? 3} retries are made; write false`,
      'retry_available',
    )
  return compact({ retry, retry_count: count, retry_available: isOver ? false : said }) ?? {}
}

function readResult(root: Fields, failed: boolean): Draft['result'] {
  const validation = readReport(root, failed)
  const found = root.value('output')
  if (typeof found === 'string') root.places.set('output.artifact_path', ['output'])
  const fields = isMapping(found) ? root.below('output') : undefined
  const path = fields ? fields.text('artifact_path') : typeof found === 'string' ? found : undefined
  const type = fields && name(fields, 'artifact_type')
  const isPath = path !== undefined && path !== '' && path.length <= 1_000
  return compact({
    artifacts: isPath
      ? [{ path, ...(type && type.length <= 40 && { type }), role: 'output' as const }]
      : undefined,
    schema_compliance: fields?.word(COMPLIANCE_WORDS, 'schema_compliance'),
    output: fields?.value('data'),
    validation,
  })
}

/** The report on an output. What was wrong with an input has the same key and belongs to the error. */
function readReport(root: Fields, failed: boolean): NonNullable<Draft['result']>['validation'] {
  const found = root.value('validation')
  const fields = isMapping(found) ? root.below('validation') : undefined
  if (!isMapping(found) || !fields) return undefined
  const { status: _status, errors, ...others } = found
  const isInput = failed && Array.isArray(errors)
  if (isInput && Object.keys(others).length === 0) return undefined
  return compact({
    status: isInput ? undefined : fields.word(REPORT_WORDS, 'status'),
    ...others,
    ...(!isInput && errors !== undefined && { errors }),
    tests_passing: fields.boolean('tests_passing'),
    typescript_errors: fields.number('typescript_errors'),
    eslint_warnings: fields.number('eslint_warnings'),
    coverage_percentage: percentIn(fields, 'coverage_percentage'),
  })
}

/** A number; people put it between quotes with a percent sign. */
function percentIn(fields: Fields, key: string): number | undefined {
  const written = fields.value(key)
  const percent = typeof written === 'string' && /[%,]/.test(written) ? percentOf(written) : undefined
  if (percent === undefined) return fields.number(key)
  fields.report('warning', 'number_as_text', `${key} is a number; write ${percent} without quotes`, key)
  return percent
}

function readError(root: Fields): Draft['error'] {
  const found = root.value('error')
  const fields = isMapping(found) ? root.below('error') : undefined
  if (found === undefined || found === null) return undefined
  const message = fields ? fields.text('message', 'error_message') : root.text('error')
  if (!fields && message === undefined) return undefined
  if (!fields) root.places.set('error.message', ['error'])
  const code = fields?.text('code', 'error_code')
  if (code === undefined)
    root.report(
      'warning',
      'error_without_code',
      'error has no code and counts as PROCESSING_ERROR; write {"code": "PROCESSING_ERROR", "message": "…"}',
      'error',
    )
  return compact({
    code: (code ?? 'PROCESSING_ERROR').slice(0, 80),
    message: (message ?? '').slice(0, 8_000),
    severity: fields?.text('severity')?.slice(0, 20),
    details: detailsOf(root, fields),
    recovery_actions: root.list('recovery_actions') ?? fields?.list('recovery_actions'),
  })
}

function detailsOf(root: Fields, error: Fields | undefined): Record<string, unknown>[] | undefined {
  const report = root.value('validation')
  const found = isMapping(report) && Array.isArray(report.errors) ? report.errors : error?.value('details')
  if (!Array.isArray(found)) return undefined
  return found.map((each) => (isMapping(each) ? each : { error: textOrJson(each) }))
}

function readMetrics(root: Fields): Draft['metrics'] {
  const metadata = root.value('metadata')
  const took = root.number('execution_time_seconds')
  return compact({ ...(isMapping(metadata) && metadata), ...present({ execution_time_seconds: took }) })
}

const textOrJson = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
