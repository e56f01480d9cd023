import { PHASES, STATUSES } from '../../domain/blocks/phases.ts'
import { orElse } from '../../domain/once.ts'
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
  const problems: BlockProblem[] = []
  const add = (field: Required, code: string, message: string) => problems.push({ field, code, message })
  const withoutAt = (field: Required) =>
    add(field, 'agent_without_at', `Agent name must start with @: ${templateText(block[field])}`)
  for (const field of REQUIRED)
    if (!present(field)) add(field, 'missing_field', `Missing required field: ${field}`)
  if (present('phase') && !isOneOf(PHASES, phase))
    add('phase', 'invalid_phase', `Invalid phase: ${templateText(phase)}`)
  if (present('status') && !isOneOf(STATUSES, status))
    add('status', 'invalid_status', `Invalid status: ${templateText(status)}`)
  if (present('from') && !startsWithAt(from)) withoutAt('from')
  if (present('to') && to !== 'None' && !startsWithAt(to)) withoutAt('to')
  return problems
}

const isOneOf = (words: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && words.includes(value)

const startsWithAt = (value: unknown): boolean => typeof value === 'string' && value.startsWith('@')

/** As a template string would show it; data without a prototype cannot say it themselves. */
const templateText = (value: unknown): string => orElse(() => String(value), '[object Object]')
