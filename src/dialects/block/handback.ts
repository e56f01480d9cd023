import { type Data, isData, own, put } from '../difference.ts'
import type { Fields } from '../fields.ts'
import { addRest, keyOf, notePlace, peek, type Reading, written } from './reading.ts'
import { stateFor } from './words.ts'

const READ_AS_BLOCK =
  'This is not a handoff block, but was read as one. To make it one, write phase, from: "@…", to: "@…" and status.'
const NUMBERS = ['tokens_total', 'estimated_usd', 'duration_minutes'] as const

/**
 * A relative of the block that real projects write: sender and receiver as `from_agent` and `to_agent`, the task
 * in a mapping beside it, and the return filled in below `handback` by the receiver.
 */
export function readHandback(reading: Reading, root: Fields): void {
  const { fields, draft } = reading
  fields.report('warning', 'read_as_block', READ_AS_BLOCK)
  readTitle(reading)
  readOwnName(reading, root, 'task', ['spec_id', 'task_id', 'id'])
  readOwnName(reading, root, 'project', ['id', 'project_id'])
  const back = isData(peek(reading, root, 'handback')) ? root.below('handback') : undefined
  if (!back) return
  readReturn(reading, back)
  const word = written(reading, back, ['status'])
  const state = word === undefined ? undefined : stateFor(word)
  addRest(reading.extra, 'handback.', back.rest())
  if (state === undefined) return
  const message = `handback.status says ${state}, handoff.status says ${draft.state}; the handback was believed, because it is written later. Write the same in both.`
  if (draft.state !== undefined && draft.state !== state)
    back.report('warning', 'states_disagree', message, 'status')
  draft.state = state
}

/** The first heading of the text below, without the id in front. */
function readTitle({ source, draft }: Reading): void {
  const [, heading] = /^#[ \t]+(\S[^\n]*)$/m.exec((source.body ?? '').slice(0, 4_000)) ?? []
  if (heading === undefined || draft.title !== undefined) return
  const id = `${draft.id}:`
  const title = (heading.startsWith(id) ? heading.slice(id.length) : heading).trim()
  if (title !== '' && !title.startsWith('<')) draft.title = title
}

function readOwnName(
  reading: Reading,
  root: Fields,
  field: 'task' | 'project',
  names: readonly [string, ...string[]],
): void {
  const { draft, extra } = reading
  const found = peek(reading, root, field)
  if (draft[field] !== undefined || (!isData(found) && typeof found !== 'string')) return
  const below = isData(found) ? root.below(field) : undefined
  const name = below ? written(reading, below, names) : written(reading, root, [field])
  if (name === undefined || name.length > 200) return
  draft[field] = name
  notePlace(reading, `handoff.context.${field}_id`, below ? [field, keyOf(below, names)] : [field])
  addRest(extra, `${field}.`, below?.rest() ?? {})
}

function readReturn(reading: Reading, back: Fields): void {
  const { draft } = reading
  for (const key of ['branch', 'notes'] as const) {
    const text = written(reading, back, [key])
    if (text === undefined) continue
    putField(draft, ['record', key], text)
    notePlace(reading, `handoff.context.${key}`, ['handback', key])
  }
  for (const key of NUMBERS) {
    const number = back.value(key) === null ? undefined : back.number(key)
    if (number === undefined) continue
    putField(draft, ['metrics', key], number)
    notePlace(reading, `handoff.metrics.${key}`, ['handback', key])
  }
  const ended = back.time('completed_at')
  if (ended !== undefined) draft.ended_at = ended
}

function putField(draft: Data, [field, key]: readonly [string, string], value: unknown): void {
  const parent = own(draft, field)
  put(draft, field, { ...(isData(parent) && parent), [key]: value })
}
