import type * as z from 'zod'
import { Silence } from '../people/people-schema.ts'
import { nearest } from '../texts/nearest.ts'
import { fieldOf, type Path } from './step-input.ts'
import { GateFile, OnFailureFile, WorkflowFile } from './workflow.ts'

/** A problem with a definition, and its place in it. */
export interface WorkflowProblem {
  readonly code:
    | 'invalid'
    | 'unknown_field'
    | 'missing'
    | 'duplicate_step'
    | 'unknown_step'
    | 'cycle'
    | 'unreachable'
    | 'unknown_agent'
    | 'not_a_person'
  readonly path: Path
  /** Whether the name of the field is meant or what it is set to. */
  readonly part: 'key' | 'value'
  /** Says what to write instead. */
  readonly message: string
}

export const problemAt = (
  code: WorkflowProblem['code'],
  path: Path,
  message: string,
  part: WorkflowProblem['part'] = 'value',
): WorkflowProblem => ({ code, path, part, message })

/** The words for one thing that the schema refused. */
export function workflowProblems(issue: z.core.$ZodIssue, data: unknown): readonly WorkflowProblem[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol')
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const message = `there is no field ${key} here${meant(key, fieldsAt(path))}`
      return problemAt('unknown_field', [...path, key], message, 'key')
    })
  const value = path.reduce<unknown>(fieldOf, data)
  if (value === undefined)
    return [
      problemAt('missing', path.slice(0, -1), `${path.at(-1) ?? 'everything'} is missing; ${wanted(issue)}`),
    ]
  const shown = JSON.stringify(value) ?? ''
  const text = shown.length > 60 ? `${shown.slice(0, 57)}…` : shown
  if (issue.code === 'invalid_value') {
    const words = issue.values.map(String)
    const message = `${text} is not one of ${words.join(', ')}${meant(String(value), words)}`
    return [problemAt('invalid', path, message)]
  }
  return [problemAt('invalid', path, `${text} cannot be ${path.at(-1) ?? 'a workflow'}: ${wanted(issue)}`)]
}

function wanted(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input'))
    return `write ${KINDS[issue.expected] ?? issue.expected}`
  if (issue.code === 'too_small') return `write at least ${issue.minimum}`
  if (issue.code === 'too_big') return `write at most ${issue.maximum}`
  return issue.message
}

const KINDS: Readonly<Record<string, string>> = {
  object: 'fields on lines of their own, indented',
  array: 'a list: lines that start with -',
  string: 'a text',
  int: 'a whole number',
  number: 'a number',
}

function fieldsAt(path: Path): readonly string[] {
  const last = path.findLast((step) => typeof step === 'string')
  const file = WorkflowFile().shape
  if (last === 'gate') return Object.keys(GateFile().shape)
  if (last === 'silence') return Object.keys(Silence().shape)
  if (last === 'on_failure') return Object.keys(OnFailureFile().shape)
  return path.length === 0 ? Object.keys(file) : Object.keys(file.steps.element.shape)
}

/** The word that was probably meant, else the words there are. */
export function meant(word: string, known: readonly string[]): string {
  const found = nearest(word, known)
  if (found !== undefined) return `; did you mean ${found}?`
  return known.length > 0 ? `; write ${known.slice(0, 20).join(', ')}` : ''
}
