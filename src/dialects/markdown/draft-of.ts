import { MARKDOWN_STATUSES } from '../../domain/handoffs/markdown-status.ts'
import type { State } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import { isData, own, put, withPath } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { quotedText } from '../text/quoted.ts'
import { readClosing } from './body/closing-section.ts'
import { isTaskId } from './names.ts'
import type { Reading } from './reading.ts'
import { readStatus, statusFor } from './status.ts'
import { ROWS } from './table.ts'

/** Everything that a document says, but for its body. Reports contradictions; what is missing is for the caller. */
export function draftOf(reading: Reading): Draft {
  let draft: Draft = idAndTask(reading)
  for (const { fields, key, as } of ROWS) {
    const value: unknown = as.find?.(reading, key)
    if (value !== undefined) draft = withPath(draft, fields[0]!.split('.'), value)
  }
  const { title, task } = draft
  if (title === undefined && task?.includes(' ')) draft = { ...draft, title: task }
  return { ...draft, ...readClosing(reading, stateIn(reading)), ...present({ extra: extraOf(reading) }) }
}

/** Some write the handoff's id where the task's belongs, and the other way round. */
function idAndTask(reading: Reading): Draft {
  const { heading } = reading.index
  const id = reading.frontText('handoff_id') ?? plainLine(reading, 'handoff_id')
  const task = taskIn(reading)
  const isTask = id !== undefined && (isTaskId(id) || id === heading.task)
  const isId = task !== undefined && /^handoff-/i.test(task)
  return present({
    id: (isTask ? undefined : id) ?? (isId ? task : undefined) ?? heading.id,
    task: (isId ? undefined : task) ?? (isTask ? id : undefined) ?? heading.task,
  })
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
  if (front !== undefined) return front
  const line = plainLine(reading, 'related_task')
  return line && (/^([A-Z][A-Z0-9]{1,9}(?:-\d{1,6}){1,2})\b/.exec(line)?.[1] ?? line)
}

const RETIRED = /^(deprecated|superseded|obsolete|cancelled|canceled|completed|done|closed)\s*[:—–-]/i
const OPEN: readonly unknown[] = ['draft', 'offered', 'accepted', 'in_progress', 'blocked', 'needs_input']

/** The state, with the front matter's word before the body's. */
function stateIn(reading: Reading): State | 'archived' | undefined {
  const { heading, headingAt } = reading.index
  const front = reading.frontText('status')
  const found = reading.index.line('status')
  const below = found && readStatus(found.value)
  const line = found?.isBelow && below?.kind === 'unknown' ? undefined : found
  const said = front ?? line?.value
  if (said === undefined || isPlaceholder(said, 'markdown')) return undefined
  if (front === undefined && line) reading.foundInBody('status', line.at)
  const state = understood(reading, said)
  if (front === undefined) return state
  // A title such as `DEPRECATED: …` says that nobody should start on this.
  const retired = OPEN.includes(state) ? RETIRED.exec(heading.title ?? '')?.[1] : undefined
  const isOther = below?.kind === 'state' && state !== undefined && below.state !== state
  const other = line ? (isOther ? line.value : undefined) : retired
  const message = `The body says status ${quotedText(other ?? '')}, but the front matter says ${quotedText(said)}, which was taken; make them agree.`
  if (other !== undefined)
    reading.report('warning', 'status_contradicts', message, reading.bodyPosition(line?.at ?? headingAt))
  return state
}

function understood(reading: Reading, said: string): State | 'archived' | undefined {
  const read = readStatus(said)
  const report = (severity: 'error' | 'warning', code: string, what: string) =>
    reading.report(severity, code, `${quotedText(said)} ${what}`, reading.positionOf('status'))
  const unknown = `is not a known status; write one of ${MARKDOWN_STATUSES.join(', ')}.`
  if (read.kind === 'archived') return 'archived'
  if (read.kind === 'choice')
    report('warning', 'placeholder', 'is a list to choose from; write the one that holds.')
  else if (read.kind === 'unknown')
    report(reading.found.get('status') === 'front' ? 'error' : 'warning', 'status_unknown', unknown)
  else if (!read.exact)
    report('warning', 'status_word', `is not a status of this format; write ${statusFor(read.state)}.`)
  return read.kind === 'state' ? read.state : undefined
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
