import type { Draft } from '../dialects/index.ts'
import { readAgent } from '../dialects/markdown/agents.ts'
import { isTaskId } from '../dialects/markdown/names.ts'
import { readStatus } from '../dialects/markdown/status.ts'
import { sourcesOf } from '../dialects/text/sources.ts'
import { readInstant } from '../dialects/text/time.ts'
import { isMapping } from '../dialects/text/tree.ts'
import { BatonError } from '../domain/errors.ts'
import type { Question } from './candidate.ts'
import type { Undecided } from './plan.ts'

/** Values that a person gives where the document has none. */
export type Answer = Pick<Draft, 'from' | 'to' | 'task' | 'state' | 'created_at'>
export type Answers = ReadonlyMap<string, Answer>

type Field = Exclude<Question['field'], 'file'>

/** Each key with how it is read, and what to write where it cannot be. */
const READ: Readonly<
  Record<Field, { readonly read: (text: string) => Answer | undefined; readonly form: string }>
> = {
  from_agent: { read: (text) => agent('from', text), form: 'an agent, for example grok' },
  to_agent: { read: (text) => agent('to', text), form: 'an agent, for example claude' },
  related_task: {
    read: (text) => (isTaskId(text) ? { task: text } : undefined),
    form: 'a task id, for example BPRD-2026-0042',
  },
  status: { read: answeredState, form: 'Created, Active, Acknowledged, Complete, Expired or Rejected' },
  created_at: {
    read: (text) => {
      const instant = readInstant(text)?.instant
      return instant === undefined ? undefined : { created_at: instant }
    },
    form: 'a time, for example 2026-02-21T14:30:00Z',
  },
}

function agent(field: 'from' | 'to', text: string): Answer | undefined {
  const read = readAgent(text)
  return read && read.name !== null && !read.several ? { [field]: read.name } : undefined
}

function answeredState(text: string): Answer | undefined {
  const read = readStatus(text)
  return read.kind === 'state' ? { state: read.state } : undefined
}

/** A file of answers: by the name or the path of a handoff, what it does not say. Empty values are open questions. */
export function readAnswers(text: string, file: string): Answers {
  const [source] = sourcesOf(text, { path: 'answers.yaml' })
  // A file without an answer is one that asks nothing, or in which all was deleted.
  const broken = source?.diagnostics.find(({ severity, code }) => severity === 'error' && code !== 'empty')
  if (broken) throw invalid(file, `line ${broken.line}: ${broken.message}`)
  const { value } = source ?? {}
  if (value === undefined || value === null) return new Map()
  if (!isMapping(value))
    throw invalid(file, 'it holds no names; write the name of a handoff, a colon and its answers')
  return new Map(Object.entries(value).map(([name, given]) => [name, readAnswer(name, given, file)]))
}

function readAnswer(name: string, given: unknown, file: string): Answer {
  if (given === null || given === undefined) return {}
  if (!isMapping(given))
    throw invalid(file, `${name} needs keys below it, for example related_task: BPRD-2026-0042`)
  const said = Object.entries(given).map(([key, value]): Answer => {
    if (value === null || value === undefined || String(value).trim() === '') return {}
    if (!Object.hasOwn(READ, key))
      throw invalid(file, `${name} has the key ${key}; the keys are ${Object.keys(READ).join(', ')}`)
    const { read, form } = READ[key as Field]
    const answer = read(String(value).trim())
    if (!answer) throw invalid(file, `${name}: ${key} is ${JSON.stringify(value)}; write ${form}`)
    return answer
  })
  return Object.assign({}, ...said)
}

const invalid = (file: string, what: string): BatonError =>
  new BatonError('invalid_input', `${file} cannot be used: ${what}`, { file })

/** A file to fill in: one entry for each handoff that lacks something, with what it lacks. */
export function printQuestions(undecided: readonly Undecided[]): string {
  const entries = undecided.flatMap(({ name, paths, questions }) => {
    const asked = questions.filter(({ field }) => field !== 'file')
    if (asked.length === 0) return []
    return [
      ...paths.map((path) => `# ${oneSpace(path)}`),
      `${JSON.stringify(name)}:`,
      ...asked.map(({ field, message }) => `  ${field}:  # ${oneSpace(message)}`),
      '',
    ]
  })
  return [
    entries.length === 0
      ? '# No handoff leaves anything open that could be answered here.'
      : '# What these handoffs do not say. Fill it in and run the same command again.',
    '',
    ...entries,
  ].join('\n')
}

const oneSpace = (text: string): string => text.replaceAll(/\s+/g, ' ')
