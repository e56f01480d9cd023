import * as z from 'zod'
import type { AnswerOf } from './once.ts'

export const SEVERITIES = ['error', 'warning', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

/** Something wrong in a document or an input. The message says what is wrong and what to write instead. */
export interface Problem {
  /** Stable, snake_case. */
  readonly code: string
  readonly message: string
}

export interface GradedProblem extends Problem {
  readonly severity: Severity
}

/** A problem in a text. Lines and columns count from 1. */
export const PlacedProblem = () =>
  z.object({
    severity: z.enum(SEVERITIES),
    code: z.string(),
    message: z.string(),
    line: z.int(),
    column: z.int(),
  })
export type PlacedProblem = AnswerOf<typeof PlacedProblem>

export const placedProblem = (
  severity: Severity,
  code: string,
  message: string,
  { line, column }: Pick<PlacedProblem, 'line' | 'column'>,
): PlacedProblem => ({ severity, code, message, line, column })

export const byPlace = (a: Pick<PlacedProblem, 'line' | 'column'>, b: typeof a): number =>
  a.line - b.line || a.column - b.column

/** A problem with a field, for example `package.criteria.0`. */
export interface FieldProblem extends GradedProblem {
  readonly field: string
}
