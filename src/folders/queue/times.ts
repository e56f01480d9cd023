import { own } from '../../dialects/difference.ts'
import type { Draft } from '../../dialects/draft.ts'
import type { Document } from '../../dialects/index.ts'
import { FORM_OF, type QueueStatus, STATUS_OF } from '../../dialects/queue/names.ts'
import { queueStatus, queueTable } from '../../dialects/queue/table.ts'
import { rowsIn } from '../../dialects/table/row.ts'
import type { Change } from '../../dialects/text/source.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Times } from './queue-draft.ts'

/** The keys of the end, in the forms that have one. */
const endKeys = (status: QueueStatus): readonly string[] =>
  rowsIn(queueTable(), FORM_OF[status]).flatMap(({ fields, key }) =>
    fields.includes('ended_at') ? [key] : [],
  )
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/**
 * When its worker says that this attempt began and ended: Baton sees the file later. An end that was agreed on before is
 * not moved by what somebody writes then.
 */
export function timesIn(file: Draft = {}, agreed: Draft = {}, handoff: Handoff): Times {
  const status = queueStatus(handoff)
  const { started_at, ended_at } =
    [agreed, file].filter(isOf(handoff)).find((each) => wordOf(each) === status) ?? {}
  return {
    ...(status !== 'pending' && utc('started_at', started_at)),
    ...(endKeys(status).length > 0 && utc('ended_at', ended_at)),
  }
}

/** What an earlier attempt left is none of this one's. */
const isOf =
  ({ attempt }: Handoff) =>
  (draft: Draft): boolean =>
    (draft.retry_count ?? 0) === attempt - 1 && wordOf(draft) !== 'pending'

const wordOf = ({ state }: Draft): QueueStatus | undefined =>
  state === undefined ? undefined : STATUS_OF[state]

const utc = (key: keyof Times, time: string | undefined): Times =>
  time === undefined || Number.isNaN(Date.parse(time)) ? {} : { [key]: inUtc(time) }

const inUtc = (time: string): string => (UTC.test(time) ? time : new Date(time).toISOString())

/** Both spellings of the end with one value (A1-05), and all in UTC. */
export function bothSpellings({ source, draft }: Document, status: QueueStatus): readonly Change[] {
  const same = (keys: readonly string[], time: string | undefined) => {
    const said = keys.map((key) => own(source.value, key))
    const at = said.find((each) => typeof each === 'string' && UTC.test(each)) ?? (time && inUtc(time))
    return keys
      .filter((_, i) => at !== undefined && said[i] !== at)
      .map((key) => ({ path: [key], value: at }))
  }
  return [
    ...(draft?.started_at === undefined ? [] : same(['started_at'], draft.started_at)),
    ...same(endKeys(status), draft?.ended_at),
  ]
}
