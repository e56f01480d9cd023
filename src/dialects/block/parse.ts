import type { Interpretation } from '../dialect.ts'
import { type Data, isData, own, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import type { Source } from '../text/source.ts'
import { findWord, PRIORITY_WORDS } from '../text/words.ts'
import { bodyOf } from './body.ts'
import { checkAgentName, checkBlanks, checkCount, checkIds, lint } from './check.ts'
import { CARRIED, fits, putField, readContext } from './context.ts'
import { readHandback } from './handback.ts'
import { exact, keep, keyOf, notePlace, peek, type Reading, written } from './reading.ts'
import { bare, readRequired } from './required.ts'
import { STATUS_OF } from './words.ts'

/** Times that the document does not know and agents write all the same. */
const TIMES = [
  ['started_at', 'started_at'],
  ['updated_at', 'updated_at'],
  ['completed_at', 'ended_at'],
] as const

export function interpret(source: Source, form: string): Interpretation {
  const root = fieldsOf(source)
  const fields = root?.below('handoff')
  if (!root || !fields) return { diagnostics: root?.diagnostics ?? [unreadableBlock(source)] }
  const reading: Reading = { source, fields, draft: {}, extra: {} }
  readRequired(reading, form === 'block')
  readOptional(reading)
  if (form === 'handback') readHandback(reading, root)
  readAbove(reading)
  const { draft, extra } = reading
  lint(fields, saidIn(draft as Draft))
  addRest(extra, 'handoff.', fields.rest())
  addRest(extra, '', root.rest())
  if (Object.keys(extra).length > 0) draft.extra = extra
  const body = bodyOf(source)
  if (body !== undefined) draft.body = body
  return { draft: draft as Draft, diagnostics: root.diagnostics, places: root.places }
}

const unreadableBlock = (source: Source) => ({
  severity: 'error' as const,
  code: 'unreadable_block',
  message:
    'This handoff block cannot be read. Write handoff: and below it, indented, phase, from, to and status.',
  ...source.position(source.start),
})

function addRest(extra: Data, prefix: string, rest: Readonly<Data>): void {
  for (const key of Object.keys(rest)) put(extra, prefix + key, own(rest, key))
}

const saidIn = ({ phase, state, to, retry_count, metrics, on_failure }: Draft) => ({
  phase,
  to,
  status: state && STATUS_OF[state],
  retry_count,
  metrics,
  on_failure,
})

function readOptional(reading: Reading): void {
  const { fields, draft } = reading
  const retries = fields.number('retry_count', 'retryCount')
  checkCount(fields, 'retry_count', retries, keyOf(fields, ['retry_count', 'retryCount']))
  if (retries !== undefined) draft.retry_count = retries
  const metrics = mappingAt(reading, 'metrics')
  if (metrics) {
    draft.metrics = { ...metrics }
    checkBlanks(fields, metrics)
  }
  const dependencies = fields.list('dependencies', 'depends_on')
  if (dependencies) {
    draft.depends_on = dependencies
    checkIds(fields, keyOf(fields, ['dependencies', 'depends_on']), dependencies)
  }
  readRules(reading)
  const at = fields.time('timestamp', 'created_at', 'created', 'date')
  if (at !== undefined) draft.created_at = at
  const context = mappingAt(reading, 'context')
  if (context) readContext(context, (key) => reading.source.raw([...fields.path, 'context', key]), draft)
  for (const [key, field] of TIMES) {
    const time = isScalar(peek(reading, fields, key)) ? fields.time(key) : undefined
    if (time !== undefined) draft[field] = time
  }
  if (Array.isArray(peek(reading, fields, 'next_steps'))) draft.next_steps = fields.list('next_steps') ?? []
  for (const key of ['id', 'title', 'from_role', 'to_role'] as const) {
    const text = isScalar(peek(reading, fields, key)) ? fields.text(key) : undefined
    if (text !== undefined && text.length <= 200) draft[key] = text
  }
}

/** A mapping, or nothing and a word about it; what else stood there is kept. */
function mappingAt(reading: Reading, key: 'metrics' | 'context'): Data | undefined {
  const { fields } = reading
  const value = fields.value(key)
  if (value === undefined || value === null) return undefined
  if (isData(value)) return value
  const example = key === 'metrics' ? 'tests_passed: 25' : 'summary: "…"'
  const message = `${key} must be a mapping of names and values. Write ${key}: and below it, indented, for example ${example}.`
  fields.report('error', 'wrong_type', message, key)
  if (key === 'context' && typeof value === 'string')
    putField(reading.draft, ['package', 'context'], value.slice(0, 64_000))
  else keep(reading, key, value)
  return undefined
}

function readRules(reading: Reading): void {
  const { fields, draft } = reading
  const rules = fields.value('on_failure') === null ? undefined : fields.below('on_failure')
  if (!rules) return
  const found: Data = {}
  for (const key of ['retry', 'escalate_after'] as const) {
    const count = rules.number(key)
    checkCount(rules, key, count)
    if (count !== undefined) found[key] = count
  }
  for (const key of ['route_to', 'notify'] as const) {
    const agent = exact(reading, rules, [key])
    if (agent === undefined || agent === 'None') continue
    checkRoute(rules, key, agent)
    found[key] = bare(agent)
  }
  const context = rules.text('context')
  if (context !== undefined) found.context = context
  draft.on_failure = found
  const max = found.retry
  if (typeof max === 'number' && Number.isInteger(max) && max >= 0 && max <= 100) draft.retry = { max }
  addRest(reading.extra, 'handoff.on_failure.', rules.rest())
}

/** The rule for `from` and `to`, which the document's function does not apply here. */
function checkRoute(rules: Fields, key: string, agent: string): void {
  if (agent.startsWith('@')) checkAgentName(rules, key, agent)
  else
    rules.report(
      'error',
      'agent_without_at',
      `Agent name must start with @: ${agent}. Write ${key}: "@${bare(agent)}".`,
      key,
    )
}

/** What belongs below `context` and was written beside it. */
function readAbove(reading: Reading): void {
  const { fields, draft } = reading
  const above: Readonly<Record<string, readonly [string, ...string[]]>> = {
    task_id: ['task_id', 'task'],
    project_id: ['project_id', 'project'],
    summary: ['summary', 'message'],
    priority: ['priority'],
    branch: ['branch'],
    commit_sha: ['commit_sha', 'commit'],
    notes: ['notes'],
  }
  for (const { key, field, schema } of CARRIED()) {
    const names = Object.hasOwn(above, key) ? above[key] : undefined
    const name = names?.find((each) => isScalar(peek(reading, fields, each)))
    if (!name || own(own(draft, field[0]), field[1] ?? '') !== undefined) continue
    if (field[1] === undefined && own(draft, field[0]) !== undefined) continue
    const said = written(reading, fields, [name])
    const text = key === 'priority' ? findWord(PRIORITY_WORDS, said ?? '')?.word : said
    if (!fits(schema, text)) {
      keep(reading, name, peek(reading, fields, name))
      continue
    }
    putField(draft, field, text)
    notePlace(reading, `handoff.context.${key}`, ['handoff', name])
  }
}

export const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'
