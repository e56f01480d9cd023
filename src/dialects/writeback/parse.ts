import { Package } from '../../domain/handoffs/package.ts'
import { blockersProblem, completionProblems } from '../../domain/tasks/writeback-rules.ts'
import type { Interpretation } from '../dialect.ts'
import { type Data, isData, keysOf, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import { readRows } from '../table/read.ts'
import { rowsIn } from '../table/row.ts'
import type { Source } from '../text/source.ts'
import { findForm, isReinstatement, type WritebackForm } from './form.ts'
import { WRITEBACK } from './table.ts'
import { report } from './values.ts'
import { RECORDED, TASK_STATUSES } from './words.ts'
import { SLOT } from './write.ts'

/** The keys of an update carry a record without anything of the work: `toNative` tells the forms apart by that. */
export function interpret(source: Source, form: string): Interpretation {
  const path = findForm(source)?.path ?? []
  const fields = fieldsOf(source, path)
  if (!fields) return { diagnostics: [] }
  const keys: WritebackForm =
    form === 'task_update' || isReinstatement(fields) ? 'task_update' : 'thought_record'
  const isRecord = form === 'thought_record'
  const { record = {}, ...read } = readRows(WRITEBACK, fields, keys, { isRecord })
  const draft: Draft = { ...read, record }
  if (keys === 'task_update') {
    if (!fields.has('status'))
      fields.report('warning', 'no_status', `status is missing; write one of ${TASK_STATUSES.join(', ')}.`)
  } else {
    for (const finding of completionProblems(record)) report(fields, finding)
    const pack = packageOf(record)
    if (pack) draft.package = pack
  }
  const blockers = record.blockers?.length ?? 0
  if (draft.state === 'completed' && blockers > 0) report(fields, blockersProblem(blockers))
  if (keys === 'thought_record') draft.state ??= RECORDED
  const extra = restOf(fields)
  if (keysOf(extra).length > 0) draft.extra = extra
  placeKeys(fields, keys)
  return { draft, diagnostics: fields.diagnostics, places: fields.places }
}

/** The same for readers that know nothing of records. */
function packageOf({ summary, files_changed }: NonNullable<Draft['record']>): Draft['package'] {
  const { shape } = Package()
  const artifacts = files_changed?.map((path) => ({ path, role: 'changed' as const }))
  const pack = {
    ...(summary !== undefined && shape.summary.safeParse(summary).success && { summary }),
    ...(artifacts?.length && shape.artifacts.safeParse(artifacts).success && { artifacts }),
  }
  return keysOf(pack).length > 0 ? pack : undefined
}

/** Unknown keys, without the slot. */
function restOf(fields: Fields): Data {
  const { [SLOT[0]]: metadata, ...extra } = fields.rest()
  const { [SLOT[1]]: _slot, ...others } = isData(metadata) ? metadata : {}
  const kept = isData(metadata) ? (keysOf(others).length > 0 ? others : undefined) : metadata
  if (kept !== undefined) put(extra, SLOT[0], kept)
  return extra
}

/** Where the fields of a call stand, also those that are not there yet. */
function placeKeys({ path, places }: Fields, form: WritebackForm): void {
  if (path.length === 0) return
  for (const { key } of rowsIn(WRITEBACK, form)) if (!places.has(key)) places.set(key, [...path, key])
}
