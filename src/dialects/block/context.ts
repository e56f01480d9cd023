import type { ZodType } from 'zod'
import { Failure } from '../../domain/handoffs/handoff.ts'
import { Package } from '../../domain/handoffs/package.ts'
import { once } from '../../domain/once.ts'
import { type Data, isData, own, put, sameData, valueAt } from '../difference.ts'
import { Draft, Gate, Record003 } from '../draft.ts'

/** Under `context` the block's writer is free. These keys have a meaning for a draft, the others are its data. */
interface Carried {
  readonly key: string
  readonly field: readonly [string] | readonly [string, string]
  readonly schema: ZodType
}

const WORKFLOW_ID = 'workflow_id'
const WORKFLOW_STATE = 'workflow_state'
export const SLOT_KEY = 'x_baton'

/** Ids: a number stays what was written, `15.10` and a hash of digits alone too. */
const IDS: readonly string[] = [WORKFLOW_ID, 'task_id', 'project_id', 'commit_sha']

export const CARRIED = once((): readonly Carried[] => {
  const { shape } = Draft()
  const { shape: pack } = Package()
  const { shape: record } = Record003()
  // biome-ignore format: read as a table
  const rows: readonly (readonly [string, readonly [string] | readonly [string, string], ZodType])[] = [
    ['task_id',                 ['task'],                              shape.task],
    ['project_id',              ['project'],                           shape.project],
    ['priority',                ['priority'],                          shape.priority],
    ['summary',                 ['package', 'summary'],                pack.summary],
    ['background',              ['package', 'context'],                pack.context],
    ['decisions',               ['package', 'decisions'],              pack.decisions],
    ['artifacts',               ['package', 'artifacts'],              pack.artifacts],
    ['open_questions',          ['package', 'open_questions'],         pack.open_questions],
    ['constraints',             ['package', 'constraints'],            pack.constraints],
    ['gate',                    ['gate'],                              Gate()],
    ['error',                   ['error'],                             Failure()],
    ['branch',                  ['record', 'branch'],                  record.branch],
    ['commit_sha',              ['record', 'commit_sha'],              record.commit_sha],
    ['tests_run',               ['record', 'tests_run'],               record.tests_run],
    ['blockers',                ['record', 'blockers'],                record.blockers],
    ['files_changed',           ['record', 'files_changed'],           record.files_changed],
    ['related_thought_records', ['record', 'related_thought_records'], record.related_thought_records],
    ['notes',                   ['record', 'notes'],                   record.notes],
  ]
  return rows.map(([key, field, schema]) => ({ key, field, schema }))
})

/**
 * Moves what `context` says into the draft. A value that does not have the field's shape stays data, so that
 * nothing of it is cut off. `raw` gives a scalar as it was written.
 */
export function readContext(
  context: Readonly<Data>,
  raw: (key: string) => string | undefined,
  draft: Data,
): void {
  const rest: Data = {}
  const rows = new Map(CARRIED().map((row) => [row.key, row]))
  for (const key of Object.keys(context)) {
    const found = own(context, key)
    const value = IDS.includes(key) && typeof found === 'number' ? (raw(key) ?? String(found)) : found
    const row = rows.get(key)
    if (key === SLOT_KEY) continue
    if (key === WORKFLOW_ID && typeof value === 'string') putField(draft, ['workflow', 'id'], value)
    else if (key === WORKFLOW_STATE && isData(value))
      put(draft, 'workflow', { ...value, ...(own(draft, 'workflow') as Data | undefined) })
    else if (row && fits(row.schema, value)) putField(draft, row.field, value)
    else put(rest, key, value)
  }
  if (Object.keys(rest).length > 0) putField(draft, ['package', 'data'], rest)
}

/** The same the other way; undefined where there is nothing to say. */
export function writeContext(draft: Readonly<Data>): Data | undefined {
  const context: Data = {}
  const workflow = own(draft, 'workflow')
  const { id, ...state } = isData(workflow) ? workflow : {}
  if (typeof id === 'string') put(context, WORKFLOW_ID, id)
  for (const { key, field } of CARRIED()) {
    const value = valueAt(draft, field)
    if (value !== undefined) put(context, key, value)
  }
  if (id !== undefined && typeof id !== 'string') put(state, 'id', id)
  if (Object.keys(state).length > 0) put(context, WORKFLOW_STATE, state)
  const data = valueAt(draft, ['package', 'data'])
  if (isData(data))
    for (const key of Object.keys(data)) if (!Object.hasOwn(context, key)) put(context, key, own(data, key))
  return Object.keys(context).length > 0 ? context : undefined
}

/** A schema that drops keys or changes a value does not fit: the value would not come back as it was. */
export function fits(schema: ZodType, value: unknown): boolean {
  if (value === undefined || value === null) return false
  const parsed = schema.safeParse(value)
  return parsed.success && sameData(parsed.data, value)
}

export function putField(draft: Data, [field, below]: readonly [string, string?], value: unknown): void {
  const parent = own(draft, field)
  const data: Data = isData(parent) ? parent : {}
  if (below !== undefined) put(data, below, value)
  put(draft, field, below === undefined ? value : data)
}
