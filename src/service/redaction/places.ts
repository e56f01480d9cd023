import type { Failure, Handoff } from '../../domain/handoffs/handoff.ts'
import type { Acknowledgment, Content, Result } from '../../domain/handoffs/package.ts'
import { present } from '../../domain/present.ts'
import type { Task, ThoughtRecord } from '../../domain/tasks/task.ts'
import { type Eraser, REDACTED } from './eraser.ts'

/** A handoff with what travels with it. */
export interface Whole {
  readonly handoff: Handoff
  readonly content: Content
}

/** Texts of a thread by the name that the log gives them. */
const THREAD = { question: 'question', answer: 'answer', comment: 'decision', remark: 'comment' } as const

/** Texts of an acknowledgment by the name that the log gives them. */
const ACKNOWLEDGED = { understood: 'understanding', questions: 'questions', blockers: 'blockers' } as const

/** Fields of a record that hold what somebody wrote. */
const RECORD = ['summary', 'tests_run', 'blockers', 'files_changed', 'branch', 'commit_sha', 'notes'] as const
const TASK_TEXTS = ['title', 'notes', 'criteria'] as const

/** A text and its name, which may stand for several places. */
export type NamedText = readonly [name: string, value: unknown]

export function handoffTexts({ handoff, content }: Whole): readonly NamedText[] {
  const failures = [handoff.error, ...handoff.attempts.map(({ error }) => error)]
  const { submitted_at: _, ...result } = content.result ?? {}
  return [
    ['title', handoff.title],
    ['notes', handoff.ack_notes],
    ['blocked_on', handoff.blocked_on],
    ['gate', handoff.gate?.name],
    ['reason', handoff.rejection?.message],
    ...failures.map((failure): NamedText => ['error', failure]),
    ...Object.entries(content.package),
    ...Object.entries(content.edited?.was ?? {}),
    ...Object.entries(result),
    ...Object.entries(THREAD).flatMap(([name, kind]) =>
      content.thread.filter((item) => item.kind === kind).map(({ text }): NamedText => [name, text]),
    ),
    ...content.verifications.map(({ note }): NamedText => ['note', note]),
    ...content.verifications.map(({ checks }): NamedText => ['checks', checks]),
    ...(content.waived ?? []).map(({ check }): NamedText => ['checks', check]),
    ...Object.entries(ACKNOWLEDGED).map(([name, key]): NamedText => [name, content.acknowledgment?.[key]]),
  ]
}

/** The same handoff without what it says under this name. */
export function clearHandoff({ handoff, content }: Whole, field: string): Whole {
  const { error, rejection } = handoff
  const isError = field === 'error'
  return {
    handoff: {
      ...handoff,
      ...(field === 'title' && { title: REDACTED }),
      ...(field === 'notes' && handoff.ack_notes !== undefined && { ack_notes: REDACTED }),
      ...(field === 'blocked_on' && handoff.blocked_on !== undefined && { blocked_on: REDACTED }),
      ...(field === 'gate' &&
        handoff.gate?.name !== undefined && { gate: { ...handoff.gate, name: REDACTED } }),
      ...(field === 'reason' && rejection && { rejection: { ...rejection, message: REDACTED } }),
      ...(isError && error && { error: clearFailure(error) }),
      ...(isError && {
        attempts: handoff.attempts.map((each) =>
          each.error ? { ...each, error: clearFailure(each.error) } : each,
        ),
      }),
    },
    content: {
      ...content,
      package: withoutText(content.package, field),
      ...present({ result: content.result && clearResult(content.result, field) }),
      thread: content.thread.map((item) =>
        (THREAD as Readonly<Record<string, string>>)[field] === item.kind
          ? { ...item, text: REDACTED }
          : item,
      ),
      ...present({
        acknowledgment: content.acknowledgment && clearAcknowledgment(content.acknowledgment, field),
      }),
      ...withWas(content, (was) => withoutText(was, field)),
      ...(field === 'checks' &&
        content.waived && { waived: content.waived.map((each) => ({ ...each, check: REDACTED })) }),
      verifications: content.verifications.map((each) => ({
        ...(field === 'note' || field === 'checks' ? withoutText(each, field) : each),
        ...(field === 'evidence' && {
          deliverable_checks: each.deliverable_checks.map((check) => ({ ...check, evidence: REDACTED })),
        }),
      })),
    },
  }
}

type Was = NonNullable<Content['edited']>['was']
/** The fields before an edit, changed like those after it. */
const withWas = ({ edited }: Content, change: (was: Was) => Was): Pick<Content, 'edited'> =>
  edited ? { edited: { ...edited, was: change(edited.was) } } : {}

/** Blockers are asked as a question too. A check quotes what it found, so it goes with either. */
function clearAcknowledgment(said: Acknowledgment, field: string): Acknowledgment {
  const key = isOneOf(field, Object.keys(ACKNOWLEDGED))
    ? ACKNOWLEDGED[field as keyof typeof ACKNOWLEDGED]
    : field === 'question'
      ? 'blockers'
      : undefined
  const { checks, ...rest } = said
  const named = checks?.map(({ detail: _, ...check }) => check)
  return { ...(key ? withoutText(rest, key) : rest), ...present({ checks: named }) }
}

/** A return carries a copy of the result that it answers with. */
export function clearReturn(content: Content, field: string): Content {
  const { data } = content.package
  const result = data?.result
  if (typeof result !== 'object' || result === null) return content
  return {
    ...content,
    package: { ...content.package, data: { ...data, result: clearResult(result, field) } },
  }
}

/** That there was evidence stays: without it the work would count as handed in without any. */
function clearResult<T extends Result>(result: T, field: string): T {
  if (field !== 'evidence' || !Array.isArray(result.evidence)) return withoutText(result, field)
  return { ...result, evidence: result.evidence.map((each) => ({ ...each, evidence: REDACTED })) }
}

/** The same handoff without these texts, wherever it quotes them. Ids, names and states are left alone. */
export function eraseHandoff({ handoff, content }: Whole, eraser: Eraser): Whole {
  const { error, rejection, ack_notes, blocked_on, gate, choice } = handoff
  const failure = <T extends Failure | undefined>(each: T): T =>
    each && { ...eraser.deep(each), code: each.code, message: eraser.words(each.message) }
  return {
    handoff: {
      ...handoff,
      title: eraser.words(handoff.title),
      ...present({
        ack_notes: eraser.words(ack_notes),
        blocked_on: eraser.words(blocked_on),
        gate: gate && { ...gate, ...present({ name: eraser.words(gate.name) }) },
        choice: eraser.words(choice),
        rejection: rejection && { ...rejection, message: eraser.words(rejection.message) },
        error: error && failure(error),
      }),
      attempts: handoff.attempts.map((each) => (each.error ? { ...each, error: failure(each.error) } : each)),
    },
    content: {
      ...content,
      package: eraser.deep(content.package),
      ...present({ result: content.result && eraser.deep(content.result) }),
      thread: content.thread.map((item) => ({ ...item, text: eraser.words(item.text) })),
      verifications: eraser.deep(content.verifications),
      ...withWas(content, (was) => eraser.deep(was)),
      ...present({
        acknowledgment: content.acknowledgment && eraser.deep(content.acknowledgment),
        waived: content.waived && eraser.deep(content.waived),
      }),
    },
  }
}

export const taskTexts = (task: Task): readonly NamedText[] => TASK_TEXTS.map((name) => [name, task[name]])
export const recordTexts = (record: ThoughtRecord): readonly NamedText[] =>
  RECORD.map((name) => [name, record[name]])

export const clearTask = (task: Task, field: string): Task =>
  isOneOf(field, TASK_TEXTS) ? withoutText(task, field) : task

/** The name of a gate stands with its task too. */
export const clearGate = (task: Task, uid: string | undefined): Task => ({
  ...task,
  ...present({
    gates: task.gates?.map((gate) =>
      gate.uid === uid && gate.name !== undefined ? { ...gate, name: REDACTED } : gate,
    ),
  }),
})

export const clearRecord = (record: ThoughtRecord, field: string): ThoughtRecord =>
  isOneOf(field, RECORD)
    ? { ...withoutText(record, field), ...(field === 'blockers' && { blockers: [] }) }
    : record

export const eraseTask = (task: Task, eraser: Eraser): Task => ({
  ...task,
  title: eraser.words(task.title),
  ...(task.notes !== undefined && { notes: eraser.words(task.notes) }),
  criteria: eraser.deep(task.criteria),
  ...present({ gates: task.gates && eraser.deep(task.gates) }),
})

export function eraseRecord(record: ThoughtRecord, eraser: Eraser): ThoughtRecord {
  const said = RECORD.filter((name) => record[name] !== undefined)
  return { ...record, ...Object.fromEntries(said.map((name) => [name, eraser.deep(record[name])])) }
}

const clearFailure = (failure: Failure): Failure => ({ code: failure.code, message: REDACTED })

/** The mark replaces text, which a schema may require; a field of another kind is removed. */
function withoutText<T extends object>(object: T, field: string): T {
  if (!Object.hasOwn(object, field)) return object
  const { [field as keyof T]: value, ...rest } = object
  const cleared =
    typeof value === 'string'
      ? REDACTED
      : Array.isArray(value) && value.every((each) => typeof each === 'string')
        ? value.map(() => REDACTED)
        : undefined
  // The same fields with other values, less one that the schema does not need.
  return { ...rest, ...(cleared !== undefined && { [field]: cleared }) } as T
}

const isOneOf = (field: string, names: readonly string[]): boolean => names.includes(field)
