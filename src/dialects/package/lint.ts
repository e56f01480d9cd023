import type { Package } from '../../domain/handoffs/package.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { isVacuousSummary, vagueWord } from '../../domain/texts/measurable.ts'

export const error = (code: string, field: string, message: string): FieldProblem => ({
  severity: 'error',
  code,
  message,
  field,
})
export const warning = (code: string, field: string, message: string): FieldProblem => ({
  severity: 'warning',
  code,
  message,
  field,
})

export const vacuousSummary = (text: string): readonly FieldProblem[] =>
  isVacuousSummary(text)
    ? [
        error(
          'vacuous_summary',
          'package.summary',
          `"${text}" tells the receiver nothing; say what was done and what is needed`,
        ),
      ]
    : []

export const notMeasurable = ({ criteria = [], constraints = [] }: Package): readonly FieldProblem[] => [
  ...criteria.flatMap((text, i) => {
    const word = vagueWord(text)
    return word === undefined
      ? []
      : [
          warning(
            'not_measurable',
            `package.criteria.${i}`,
            `criterion "${text}" is not measurable ("${word}"); name a number, a tool or a test that decides it`,
          ),
        ]
  }),
  ...constraints.flatMap((text, i) => {
    const word = vagueWord(text)
    return word === undefined
      ? []
      : [
          warning(
            'not_measurable',
            `package.constraints.${i}`,
            `${constraintNotMeasurable(word)}; name a number, a tool or a test that decides it`,
          ),
        ]
  }),
]

/** Document 004 quotes the word, not the sentence. */
export const constraintNotMeasurable = (word: string): string => `Constraint '${word}' not measurable`
