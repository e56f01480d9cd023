import { type Data, isData, own, pickKeys, sameData } from '../../dialects/difference.ts'
import type { Draft } from '../../dialects/draft.ts'
import type { Document } from '../../dialects/index.ts'
import { FORM_OF, type QueueStatus, STATUS_OF } from '../../dialects/queue/names.ts'
import { queueStatus, queueTable } from '../../dialects/queue/table.ts'
import { nativeOf, withData } from '../../dialects/queue/write.ts'
import { readNative } from '../../dialects/rewrite.ts'
import { ownedIn } from '../../dialects/table/derive.ts'
import { rowsIn } from '../../dialects/table/row.ts'
import type { Change } from '../../dialects/text/source.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { once } from '../../domain/once.ts'
import { present } from '../../domain/present.ts'
import type { FileText, KnownHandoff } from '../folder.ts'
import { documentIn, markChanges, printWith, rewritingTo, sourceIn, unmarked } from '../mark.ts'
import { historyOf, inItsCodes, queueDraft, type Times } from './queue-draft.ts'

/** All else in a file is its authors'. */
const owned = once(() => ownedIn(queueTable()))

/** What an absent key means need not be written into an author's file. */
const USUAL: Readonly<Partial<Draft>> = { timeout_s: 300, retry_count: 0, priority: 'normal' }

/** Answers belong to a step: what an earlier attempt said goes with it into `retry_history`. */
const answers = once((): readonly string[] => {
  const rows = queueTable().rows.filter(
    ({ live, fields: [field = ''] }) => live === 'step' && !ASKED.includes(field),
  )
  return [...new Set(rows.map(({ key }) => key.split('.')[0]!))]
})
/** A request has these too. */
const ASKED: readonly string[] = ['state', 'created_at']

export function writeQueueFile(known: KnownHandoff): FileText {
  const { handoff, draft, base, agreed, policy, recent } = known
  const status = queueStatus(handoff)
  const fresh = asNew(known)
  const found = base === undefined ? undefined : (fresh ?? documentIn(base, FILE, recent))
  const document = unmarked('queue', found)
  const agreedOn = agreed?.text === undefined ? undefined : documentIn(agreed.text, FILE, recent)
  const wanted = queueDraft(handoff, draft, policy, timesIn(document?.draft, agreedOn?.draft, handoff))
  const history = told(historyOf(handoff), document)
  const kept = document?.draft?.extra ?? wanted.extra ?? {}
  const extra = {
    ...without(kept, [...overIn(document, status), 'retry_history']),
    ...(history.length > 0 && { retry_history: history }),
  }
  const answer = status === 'failed' ? (wanted.result ?? document?.draft?.result) : wanted.result
  const whole: Draft = {
    ...wanted,
    ...present({ result: answer }),
    ...(wanted.error && { error: inItsCodes(wanted.error, document?.draft?.error?.code) }),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
  if (Object.keys(extra).length === 0) delete whole.extra
  const native = once(() => queueNative(whole, status))
  const mark = markChanges('queue', known)
  if (!document?.draft) return { ok: true, text: printWith('queue', native(), ...mark) }
  const before = document.draft
  const strict = once(() => readNative('queue', native(), FILE))
  const made = rewritingTo(document, fresh !== undefined, {
    wanted: whole,
    strict: () => strict().draft,
    after: (said) => mergedDraft(before, said, whole),
  })
  const { after } = made
  const { draft: said, source } = made.document
  const isSaid = owned().every((key) => sameData(said?.[key], after[key]))
  // The strict form says all that a change cannot.
  if (!isSaid || own(source.value, 'status') !== status)
    return { ok: true, text: printWith('queue', native(), ...bothSpellings(strict(), status), ...mark) }
  // After the last retry `true` is read as false, so a rewrite sees nothing to change.
  const isLeft = own(source.value, 'retry_available') === true && !after.retry_available
  const exact = isLeft ? [{ path: ['retry_available'], value: false }] : []
  return { ok: true, text: made.text([...exact, ...bothSpellings(made.document, status), ...mark]) }
}

/** A new file as it was read in its folder, where the text alone says the same. */
function asNew(known: KnownHandoff): Document | undefined {
  const document = sourceIn(known, 'queue', FILE)
  const isSaid = own(document?.source.value, 'status') === queueStatus(known.handoff)
  return isSaid && document?.draft?.state === 'offered' ? document : undefined
}

/** The answers in a file whose step is over. */
function overIn(document: Document | undefined, status: QueueStatus): readonly string[] {
  if (status === 'failed') return []
  if (status === 'completed') return ['error']
  return isAnswered(document) ? answers() : []
}

const isAnswered = (document: Document | undefined): boolean =>
  document?.draft?.error !== undefined || document?.draft?.state === 'completed'

/** How earlier attempts failed, with all that the file says of them: the last one's answer, the others' entries. */
function told(history: readonly Data[], document: Document | undefined): readonly Data[] {
  const value = document?.source.value
  const list = own(value, 'retry_history')
  const entries = (Array.isArray(list) ? list : []).filter(isData)
  return history.map((entry, i) => {
    const known = entries.find((each) => own(each, 'attempt') === entry.attempt)
    const isLast = i === history.length - 1 && isAnswered(document)
    const said = known ?? (isLast ? pickKeys(value, answers()) : {})
    const error = own(said, 'error')
    const failed = { ...(isData(entry.error) && entry.error), ...(isData(error) && error) }
    return { ...entry, ...said, ...entry, error: failed }
  })
}

function mergedDraft(before: Draft, strict: Draft, whole: Draft): Draft {
  const result: Record<string, unknown> = { ...before }
  for (const key of owned()) {
    const isDefault =
      strict.state !== 'failed' &&
      USUAL[key] !== undefined &&
      sameData(strict[key], USUAL[key]) &&
      before[key] === undefined
    if (strict[key] === undefined || isDefault) delete result[key]
    else result[key] = strict[key]
  }
  if (whole.extra === undefined) delete result.extra
  else result.extra = strict.extra ?? whole.extra
  const steps = before.next_steps ?? strict.next_steps
  if (steps !== undefined) result.next_steps = steps
  const { execution_time_seconds: took, ...metrics } = { ...strict.metrics, ...before.metrics }
  const isEnd = strict.state === 'completed' || strict.state === 'failed'
  const all = { ...metrics, ...(isEnd && took !== undefined && { execution_time_seconds: took }) }
  if (Object.keys(all).length > 0) result.metrics = all
  else delete result.metrics
  return result as Draft
}

const queueNative = (draft: Draft, status: QueueStatus): { readonly value: Data } => ({
  value: { ...withData(nativeOf(draft)), status },
})

const without = (data: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).filter(([key]) => !keys.includes(key)))

/** Read without a folder, so that the text alone says which state it was written for. */
const FILE = 'handoff.json'

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
function timesIn(file: Draft = {}, agreed: Draft = {}, handoff: Handoff): Times {
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
function bothSpellings({ source, draft }: Document, status: QueueStatus): readonly Change[] {
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
