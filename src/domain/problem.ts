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
export interface PlacedProblem extends GradedProblem {
  readonly line: number
  readonly column: number
}

export const byPlace = (a: Pick<PlacedProblem, 'line' | 'column'>, b: typeof a): number =>
  a.line - b.line || a.column - b.column

/** A problem with a field, for example `package.criteria.0`. */
export interface FieldProblem extends GradedProblem {
  readonly field: string
}
