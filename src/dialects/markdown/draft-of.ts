import { MARKDOWN_STATUSES } from '../../domain/handoffs/markdown-status.ts'
import type { State } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import { isData, own, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { quotedText } from '../text/quoted.ts'
import { findWord, PRIORITY_WORDS } from '../text/words.ts'
import { readClosing } from './body/closing-section.ts'
import { isTaskId } from './names.ts'
import type { FoundValue, Reading } from './reading.ts'
import { readStatus, statusFor } from './status.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export interface DraftOptions {
  /** Take `author` for the sender and `owner` for the receiver where nothing better is said. */
  readonly weak: boolean
}

/** Everything that a document says, but for its body. Reports contradictions; what is missing is for the caller. */
export function draftOf(reading: Reading, { weak }: DraftOptions): Draft {
  const draft: Mutable<Draft> = {}
  const [id, task] = idAndTask(reading)
  set(draft, 'id', id)
  set(draft, 'task', task)
  const from = reading.agent('from_agent', weak)
  const to = reading.agent('to_agent', weak)
  set(draft, 'from', from?.value.name ?? undefined)
  set(draft, 'from_role', roleOf(reading, 'from_role') ?? from?.value.role)
  set(draft, 'to', to?.value.name)
  set(draft, 'to_role', roleOf(reading, 'to_role') ?? to?.value.role)
  set(draft, 'title', titleIn(reading) ?? (task?.includes(' ') ? task : undefined))
  set(draft, 'priority', priorityOf(reading))
  set(draft, 'project', projectOf(reading))
  set(draft, 'created_at', reading.time('created_at')?.value)
  set(draft, 'updated_at', reading.time('updated_at')?.value)
  set(draft, 'ack_deadline', reading.time('expires_at')?.value)
  set(draft, 'target_completion', reading.text('target_completion')?.value)
  set(draft, 'started_at', reading.time('started_at')?.value)
  set(draft, 'accepted_at', reading.time('acknowledged_at')?.value)
  set(draft, 'accepted_by', reading.agent('acknowledged_by')?.value.name ?? undefined)
  set(draft, 'ack_notes', reading.frontText('acknowledgment_notes')?.value)
  set(draft, 'supersedes', reading.top?.text('supersedes'))
  set(draft, 'package', packageOf(reading))
  Object.assign(draft, readClosing(reading, stateIn(reading)))
  set(draft, 'extra', extraOf(reading))
  return draft
}

function set<K extends keyof Draft>(draft: Mutable<Draft>, key: K, value: Draft[K] | undefined): void {
  if (value !== undefined) draft[key] = value
}

/** Some write the handoff's id where the task's belongs, and the other way round. */
function idAndTask(reading: Reading): readonly [string | undefined, string | undefined] {
  const { heading } = reading.index
  const id = reading.frontText('handoff_id')?.value ?? plainLine(reading, 'handoff_id')
  const task = taskIn(reading)
  const isTask = id !== undefined && (isTaskId(id) || id === heading.task)
  const isId = task !== undefined && /^handoff-/i.test(task)
  return [
    (isTask ? undefined : id) ?? (isId ? task : undefined) ?? heading.id,
    (isId ? undefined : task) ?? (isTask ? id : undefined) ?? heading.task,
  ]
}

function plainLine(reading: Reading, key: 'handoff_id' | 'related_task'): string | undefined {
  const line = reading.index.line(key)
  if (!line || isPlaceholder(line.value, 'markdown') || line.value.length > 100) return undefined
  // Below a heading stands an id, or else a text.
  if (line.isBelow && /\s/.test(line.value)) return undefined
  reading.foundInBody(key, line.at)
  return line.value
}

/** `related_task: X`, or a mapping such as `task: { spec_id: X }`. In a body the id may have a title behind it. */
function taskIn(reading: Reading): string | undefined {
  const { top } = reading
  const task = own(reading.source.value, 'task')
  if (isData(task)) {
    const names = ['id', 'task_id', 'spec_id'] as const
    const name = names.find((each) => own(task, each) !== undefined)
    if (name !== undefined) reading.places.set('related_task', ['task', name])
    return top?.below('task')?.text(...names)
  }
  const front = reading.frontText('related_task')
  if (front) return front.value
  const line = plainLine(reading, 'related_task')
  return line && (/^([A-Z][A-Z0-9]{1,9}(?:-\d{1,6}){1,2})\b/.exec(line)?.[1] ?? line)
}

function roleOf({ nested, top }: Reading, key: 'from_role' | 'to_role'): string | undefined {
  return nested?.text(key) ?? top?.text(key)
}

function titleIn(reading: Reading): string | undefined {
  const front = reading.frontText('title')
  if (front) return front.value
  const line = reading.index.field('title')
  const title = line && line.value !== '' ? line.value : reading.index.heading.title
  if (title === undefined) return undefined
  if (!isPlaceholder(title, 'markdown')) {
    reading.foundInBody('title', line?.at ?? reading.index.headingAt)
    return title
  }
  const message = `${quotedText(title)} was left to be filled in; write what the handoff is about.`
  reading.report(
    'warning',
    'placeholder',
    message,
    line ? reading.bodyPosition(line.at) : reading.bodyPosition(reading.index.headingAt),
  )
  return undefined
}

function priorityOf(reading: Reading): Draft['priority'] {
  const front = reading.frontText('priority')
  const line = front ? undefined : reading.index.line('priority')
  const text = front?.value ?? line?.value
  if (text === undefined || isPlaceholder(text, 'markdown')) return undefined
  const before = text.slice(0, 100).split(/\s*[([|,—–-]/)[0]!
  const found = findWord(PRIORITY_WORDS, text) ?? findWord(PRIORITY_WORDS, before)
  if (!found) {
    const at = front?.at() ?? reading.bodyPosition(line!.at)
    const message = `${quotedText(text)} is not a known priority; write critical, high, normal or low.`
    reading.report('info', 'unknown_priority', message, at)
  }
  return found?.word
}

function projectOf({ top }: Reading): string | undefined {
  const project = top?.value('project')
  return isData(project) ? top?.below('project')?.text('id') : top?.text('project')
}

function packageOf(reading: Reading): Draft['package'] {
  const meeting = reading.frontText('source_meeting')?.value
  const skill = reading.frontText('skill_web_node')?.value
  const links = present({ meeting, skill })
  const found = {
    purpose: reading.text('purpose')?.value,
    context: reading.text('context')?.value,
    deliverables: reading.list('deliverables')?.value,
    criteria: reading.list('verification_criteria')?.value,
    links: Object.keys(links).length > 0 ? links : undefined,
  }
  const entries = Object.entries(found).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? (Object.fromEntries(entries) as Draft['package']) : undefined
}

/** The state, with the front matter's word before the body's. */
function stateIn(reading: Reading): State | 'archived' | undefined {
  const front = reading.frontText('status')
  const found = reading.index.line('status')
  const line = found?.isBelow && readStatus(found.value).kind === 'unknown' ? undefined : found
  const body: FoundValue<string> | undefined = line && {
    value: line.value,
    where: 'body',
    at: () => reading.bodyPosition(line.at),
  }
  const said = front ?? body
  if (!said || isPlaceholder(said.value, 'markdown')) return undefined
  const state = understood(reading, said)
  if (front && body) {
    const other = readStatus(body.value)
    if (other.kind === 'state' && state !== undefined && other.state !== state)
      contradicts(reading, front, body)
  } else if (front) retired(reading, front, state)
  if (!front && line) reading.foundInBody('status', line.at)
  return state
}

function understood(
  reading: Reading,
  { value, at, where }: FoundValue<string>,
): State | 'archived' | undefined {
  const read = readStatus(value)
  const report = (severity: 'error' | 'warning', code: string, what: string) =>
    reading.report(severity, code, `${quotedText(value)} ${what}`, at())
  if (read.kind === 'archived') return 'archived'
  if (read.kind === 'choice')
    report('warning', 'placeholder', 'is a list to choose from; write the one that holds.')
  else if (read.kind === 'unknown')
    report(
      where === 'front' ? 'error' : 'warning',
      'status_unknown',
      `is not a known status; write one of ${MARKDOWN_STATUSES.join(', ')}.`,
    )
  else if (!read.exact)
    report('warning', 'status_word', `is not a status of this format; write ${statusFor(read.state)}.`)
  return read.kind === 'state' ? read.state : undefined
}

function contradicts(reading: Reading, front: FoundValue<string>, body: FoundValue<string>): void {
  const taken = `the front matter says ${quotedText(front.value)}, which was taken`
  const message = `The body says status ${quotedText(body.value)}, but ${taken}; make them agree.`
  reading.report('warning', 'status_contradicts', message, body.at())
}

const RETIRED = /^(deprecated|superseded|obsolete|cancelled|canceled|completed|done|closed)\s*[:—–-]/i
const OPEN: readonly unknown[] = ['draft', 'offered', 'accepted', 'in_progress', 'blocked', 'needs_input']

/** A title such as `DEPRECATED: …` says that nobody should start on this. */
function retired(reading: Reading, front: FoundValue<string>, state: State | 'archived' | undefined): void {
  const word = RETIRED.exec(reading.index.heading.title ?? '')?.[1]
  if (word === undefined || !OPEN.includes(state)) return
  const at = () => reading.bodyPosition(reading.index.headingAt)
  contradicts(reading, front, { value: word, where: 'body', at })
}

/** Mappings of which some keys are read. */
const PARTLY_READ = ['handoff', 'task', 'project', 'handback', 'verification_record', 'rejection_reason']

/** Keys that nothing was made of, as they stand. */
function extraOf({ top }: Reading): Draft['extra'] {
  if (!top) return undefined
  const extra = top.rest()
  for (const name of PARTLY_READ) {
    if (own(extra, name) !== undefined || !isData(top.value(name))) continue
    const rest = top.below(name)?.rest() ?? {}
    if (Object.keys(rest).length > 0) put(extra, name, rest)
  }
  return Object.keys(extra).length > 0 ? extra : undefined
}
