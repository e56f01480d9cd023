import { PHASES, STATUSES } from '../../domain/blocks/phases.ts'
import { type Data, isData, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import type { Fields } from '../fields.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { phaseFor, STATUS_OF, stateFor } from './words.ts'

/** As long as the engine takes a name. */
const AT_AGENT = /^@[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Numbers under such a name count what went wrong. */
const FAILURES = /(?:^|_)(?:failed|failures|failing|errors)$/i

const MOST_BLANKS = 20

/** What to write where the document's sentence only says that something is wrong. */
export function hintFor(field: string, written: string | undefined): string {
  const value = written?.trim()
  if (value !== undefined && isPlaceholder(value, 'block'))
    return `That is the template's own text; ${choice(field)}.`
  if (value === undefined) return `Add ${field}; ${choice(field)}.`
  if (field === 'phase') {
    const meant = phaseFor(value)
    return meant ? `Write phase: "${meant}".` : `${capital(choice(field))}.`
  }
  if (field === 'status') {
    const state = stateFor(value)
    return state ? `Write status: "${STATUS_OF[state]}".` : `${capital(choice(field))}.`
  }
  if (isNobody(value)) return `Write ${field}: "None" where nobody comes next.`
  return `Write ${field}: "@${value.replace(/^["'@\s]+/, '')}".`
}

/** Words for nobody that are not the document's. */
export const isNobody = (text: string): boolean =>
  /^(?:none|nobody|no one|null|nil|n\/a|-|end)$/i.test(text.trim())

function choice(field: string): string {
  if (field === 'phase') return `write one of ${PHASES.join(', ')}`
  if (field === 'status') return `write one of ${STATUSES.join(', ')}`
  if (field === 'to')
    return 'write the next agent, for example "@qa-agent", or "None" where nobody comes next'
  return 'write the agent that ends its work, for example "@research-agent"'
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The `@` alone does not make a name (A2-04). */
export function checkAgentName(fields: Fields, field: string, written: string): void {
  const isTemplate = isPlaceholder(written, 'block')
  if (AT_AGENT.test(written) && !isTemplate) return
  const shown = written.length > 80 ? `${written.slice(0, 80)}…` : written
  const way = isTemplate
    ? "That is the template's own text; write the agent's name"
    : 'Write one word of at most 64 letters, digits, dots, dashes or underscores after the @'
  const message = `Invalid agent name: ${shown}. ${way}, for example "@qa-agent".`
  fields.report('error', isTemplate ? 'template_placeholder' : 'invalid_agent_name', message, field)
}

export function checkCount(fields: Fields, field: string, value: number | undefined, key = field): void {
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return
  const message = `Invalid ${field}: ${value}. Write a whole number from 0 on, without a sign, for example ${field}: 1.`
  fields.report('error', `invalid_${field}`, message, key)
}

/** Ids of tasks that are blanks of a template. */
export function checkIds(fields: Fields, field: string, ids: readonly string[]): void {
  for (const [index, id] of ids.slice(0, MOST_BLANKS).entries()) {
    const message = `${field} holds the template's own text ${id}. Write the id of a task, for example "task-15.3", or ${field}: [].`
    if (isPlaceholder(id, 'block')) fields.report('error', 'template_placeholder', message, field, index)
  }
}

/** Blanks of a template among the metrics, whatever the depth. */
export function checkBlanks(fields: Fields, metrics: Readonly<Data>): void {
  let found = 0
  const visit = (value: unknown, path: readonly string[], depth: number): void => {
    if (found >= MOST_BLANKS || depth > 8) return
    const blank = blankIn(value)
    if (blank !== undefined) {
      found++
      const message = `${path.join('.')} is the blank ${blank} of a template. Write the real value, or leave ${path.at(-1)} out.`
      fields.report('error', 'template_placeholder', message, ...path)
    } else if (isData(value))
      for (const key of Object.keys(value)) visit(own(value, key), [...path, key], depth + 1)
  }
  visit(metrics, ['metrics'], 0)
}

/** `[X]` without quotes is a list to YAML. */
function blankIn(value: unknown): string | undefined {
  if (typeof value === 'string') return isPlaceholder(value, 'block') ? value : undefined
  if (!Array.isArray(value) || value.length !== 1 || typeof value[0] !== 'string') return undefined
  return /^[A-Z]{1,3}$/.test(value[0]) || value[0] === '...' ? `[${value[0]}]` : undefined
}

/** Blocks that the document's function lets through and a reader should hear of. */
export function lint(fields: Fields, draft: Draft): void {
  const { phase, state, to, retry_count, metrics, on_failure } = draft
  const status = state && STATUS_OF[state]
  const { retry = Number.NaN, escalate_after = Number.NaN } = on_failure ?? {}
  const [failing, count] = (status === 'complete' && metrics && failuresIn(metrics)) || [[], 0]
  const isOver = phase === 'Complete'
  // biome-ignore format: read as a table
  const warnings: readonly (readonly [boolean, string, readonly string[], string])[] = [
    [count > 0, 'complete_with_failures', failing,
      `status is complete although ${failing.join('.')} is ${count}; if that is not acceptable write status: "failed".`],
    [status === 'retry' && (retry_count ?? 0) === 0, 'retry_without_count', ['status'],
      'status is retry but retry_count is 0; write how often it was tried again.'],
    [isOver && typeof to === 'string', 'complete_with_receiver', ['to'],
      `phase is Complete, so nobody comes next; write to: "None", or the phase that @${to} works in.`],
    [isOver && status !== undefined && status !== 'complete', 'complete_phase_not_complete', ['status'],
      `phase is Complete but status is ${status}; write the phase that the work is in, or status: "complete".`],
    [status === 'failed' && on_failure === undefined && !isOver, 'failed_without_on_failure', ['status'],
      'status is failed and nothing says what follows; add on_failure with retry, route_to or notify.'],
    [escalate_after <= retry, 'escalates_before_retries_end', ['on_failure', 'escalate_after'],
      `escalate_after ${escalate_after} comes before the ${retry} retries are used up, so the rest of them never happens; write escalate_after: ${retry + 1}.`],
  ]
  for (const [holds, code, path, message] of warnings)
    if (holds) fields.report('warning', code, message, ...path)
}

function failuresIn(metrics: Readonly<Data>): [string[], number] | undefined {
  const visit = (data: Readonly<Data>, path: readonly string[]): [string[], number] | undefined => {
    for (const key of Object.keys(data)) {
      const value = own(data, key)
      if (typeof value === 'number' && value > 0 && FAILURES.test(key)) return [[...path, key], value]
      const below = isData(value) && path.length < 8 ? visit(value, [...path, key]) : undefined
      if (below) return below
    }
    return undefined
  }
  return visit(metrics, ['metrics'])
}
