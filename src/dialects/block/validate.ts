import { PHASES, STATUSES } from '../../domain/blocks/phases.ts'
import type { Problem } from '../../domain/problem.ts'

/** The four fields that every block has, in the order in which the document asks for them. */
export const REQUIRED = ['phase', 'from', 'to', 'status'] as const
export type Required = (typeof REQUIRED)[number]

/** One sentence of the document's validator. */
export interface BlockProblem extends Problem {
  readonly field: Required
}

/**
 * Document 002's function: true, or an error with the first thing that is wrong, in the document's words.
 * Agents that are no text get the sentence that any other wrong agent gets, where the document's own code
 * would stumble over them.
 *
 * ```ts
 * const block = { phase: PHASES[3], from: '@planner', to: '@codex', status: STATUSES[2] }
 * validateHandoff(block)
 * ```
 */
export function validateHandoff(handoff: unknown): true {
  const [first] = problemsOf(handoff)
  if (first) throw new Error(first.message)
  return true
}

/** All that the document's function would say, one correction after the other. */
export function problemsOf(handoff: unknown): readonly BlockProblem[] {
  const block = typeof handoff === 'object' && handoff !== null ? (handoff as Record<string, unknown>) : {}
  const present = (field: Required) => Boolean(block[field])
  const { phase, from, to, status } = block
  const problems: BlockProblem[] = REQUIRED.filter((field) => !present(field)).map((field) => ({
    field,
    code: 'missing_field',
    message: `Missing required field: ${field}`,
  }))
  if (present('phase') && !isOneOf(PHASES, phase))
    problems.push({ field: 'phase', code: 'invalid_phase', message: `Invalid phase: ${templateText(phase)}` })
  if (present('status') && !isOneOf(STATUSES, status))
    problems.push({
      field: 'status',
      code: 'invalid_status',
      message: `Invalid status: ${templateText(status)}`,
    })
  if (present('from') && !startsWithAt(from)) problems.push(withoutAt('from', from))
  if (present('to') && to !== 'None' && !startsWithAt(to)) problems.push(withoutAt('to', to))
  return problems
}

const isOneOf = (words: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && words.includes(value)

const startsWithAt = (value: unknown): boolean => typeof value === 'string' && value.startsWith('@')

const withoutAt = (field: Required, value: unknown): BlockProblem => ({
  field,
  code: 'agent_without_at',
  message: `Agent name must start with @: ${templateText(value)}`,
})

/** As a template string would show it; data without a prototype cannot say it themselves. */
function templateText(value: unknown): string {
  try {
    return String(value)
  } catch {
    return '[object Object]'
  }
}
