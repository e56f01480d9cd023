import type { DialectId } from '../../dialects/dialect.ts'
import { sameData, valueAt } from '../../dialects/difference.ts'
import type { Draft } from '../../dialects/draft.ts'
import { alteredIn, convert, type Document, rewrite, toOwnText } from '../../dialects/index.ts'
import type { RecentTexts } from '../../dialects/text/sources.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Content } from '../../domain/handoffs/package.ts'
import { endReason } from '../../domain/handoffs/reasons.ts'
import { HOME_RULES } from '../../domain/home.ts'
import { present } from '../../domain/present.ts'
import type { ThoughtRecord } from '../../domain/tasks/task.ts'
import type { TaskRow } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'
import { draftAcknowledgment } from '../handoffs/acknowledgment.ts'
import { refuse } from '../write.ts'
import { documentsIn } from './check.ts'
import { type Converted, type ConvertInput, converted, targetOf, toDraftFields } from './convert.ts'
import { type Imported, toHandoff } from './handoff.ts'
import { artifactText, type Piece, pathOf, sourceOf } from './identity.ts'

export interface ExportInput extends Pick<ConvertInput, 'slot' | 'supply'> {
  /** A handoff or a task. */
  readonly id: string
  /** The dialect that the handoff lives in, unless said. */
  readonly to?: string | undefined
}

export interface Exported extends Converted {
  readonly dialect: DialectId
  readonly id: string
}

export interface KeptExport {
  readonly kept: KeptHandoff
  readonly input: ExportInput
  readonly formats: ServiceDeps['formats']
}

/** A handoff with all that is kept of it, as a document. */
export function exported({ kept, input, formats }: KeptExport): Exported {
  const { handoff } = kept
  const { draft, document } = draftIn(kept, formats)
  const { to, format } = targetOf(
    input.to ?? document?.format?.name ?? HOME_RULES[handoff.home].format,
    formats,
  )
  if (to === undefined)
    refuse('invalid_input', `${handoff.id} came from no document; say which dialect to write`, {
      id: handoff.id,
    })
  const whole = input.slot ? { ...draft, uid: handoff.uid } : draft
  const about = { dialect: to, id: handoff.id }
  if (document?.dialect === to && document.format?.name === format?.name && !input.slot)
    return { ...about, ...rewritten(document, whole, to, input) }
  // Another dialect may require fields that the handoff's own does not.
  const { text, losses } = converted({ id: handoff.id, state: handoff.state, ...whole }, to, input)
  const said = format ? toOwnText(text, format) : text
  return { ...about, text: said, losses: [...(document ? alteredIn(document, to) : []), ...losses] }
}

/** Its own document with what changed since. Whatever it lacked from the start it may go on lacking. */
function rewritten(document: Document, draft: Draft, to: DialectId, { supply = {} }: ExportInput): Converted {
  const wanted: Draft = { ...draft, ...toDraftFields(supply) }
  const text = rewrite(document, wanted)
  const formats = document.format && [document.format]
  const read = documentsIn({ text, path: document.source.path, formats })[0]?.draft ?? {}
  const result = convert(wanted, to)
  const losses = result.ok
    ? result.losses.filter(({ field }) => !sameData(at(wanted, field), at(read, field)))
    : []
  return { text, losses }
}

const at = (draft: Draft, field: string): unknown => valueAt(draft, field.split('.'))

/** A handoff with its content and the text that it came from. */
interface KeptHandoff extends NamedHandoffs, Imported {
  readonly text?: string | undefined
  readonly path?: string | undefined
}

interface Drafted {
  readonly draft: Draft
  readonly document?: Document
  readonly content: Content
}

/** The present handoff as a draft, and the document it came from. */
export const draftOf = async (deps: ServiceDeps, handoff: Handoff, recent?: RecentTexts): Promise<Drafted> =>
  draftIn(await keptOf(deps, handoff), deps.formats, recent)

export async function keptOf(deps: ServiceDeps, handoff: Handoff): Promise<KeptHandoff> {
  const { store } = deps
  const [content, source, supersedes, in_reply_to] = await Promise.all([
    store.content(handoff.uid),
    sourceOf(deps, handoff),
    idOfUid(deps, handoff.supersedes),
    idOfUid(deps, handoff.in_reply_to),
  ])
  if (!content) return refuse('internal', 'the content of this handoff is missing')
  const text = await artifactText(deps, source)
  return { handoff, content, supersedes, in_reply_to, text, path: pathOf(source) }
}

function draftIn(kept: KeptHandoff, formats: ServiceDeps['formats'], recent?: RecentTexts): Drafted {
  const { handoff, content, text, path, supersedes, in_reply_to } = kept
  const now = fieldsOf({ handoff, content }, { supersedes, in_reply_to })
  const documents = text === undefined ? [] : documentsIn({ text, path, formats, recent })
  const document = documents.find(({ draft }) => draft !== undefined)
  if (!document?.draft) return { draft: shortened(now), content }
  const { home, imported_at: at = handoff.created_at } = handoff
  const made = toHandoff(document.draft, { ...handoff, home: home as DialectId, at })
  const then = fieldsOf(made, { supersedes, in_reply_to })
  return { draft: changedDraft(document.draft, then, now), document, content }
}

type DraftFields = Readonly<Partial<Draft>>
interface NamedHandoffs {
  readonly supersedes: string | undefined
  readonly in_reply_to: string | undefined
}

/** The stored handoff, in the fields of a draft. */
function fieldsOf({ handoff, content }: Imported, named: NamedHandoffs): DraftFields {
  const rejection = endReason(handoff)
  const decision = content.thread.findLast(({ kind }) => kind === 'decision')
  return {
    id: handoff.aliases?.[handoff.home] ?? handoff.id,
    type: handoff.type,
    state: handoff.state,
    from: handoff.from,
    to: handoff.to,
    title: handoff.title,
    task: handoff.task,
    priority: handoff.priority,
    ...named,
    created_at: handoff.created_at,
    updated_at: handoff.updated_at,
    accepted_at: handoff.accepted_at,
    accepted_by: handoff.accepted_by,
    ack_notes: handoff.ack_notes,
    started_at: handoff.started_at,
    ended_at: handoff.ended_at,
    ack_deadline: handoff.ack_deadline,
    timeout_s: handoff.timeout_s,
    retry_count: handoff.attempt - 1,
    retry: handoff.retry,
    review: handoff.review,
    not_before: handoff.not_before,
    error: handoff.error,
    rejection: rejection && { ...rejection },
    ...travelling(content.package),
    result: content.result,
    verification: content.verifications.at(-1),
    gate: gateOf(handoff, decision),
    ...(handoff.gate?.type === 'blocking' &&
      content.package.purpose === undefined && { to_reason: GATE_REASON }),
    acknowledgment: content.acknowledgment && {
      from: handoff.from,
      ...draftAcknowledgment(content.acknowledgment),
    },
    progress: handoff.progress,
  }
}

/** How far the workflow is has a place of its own in documents. */
function travelling(travels: Content['package']): Pick<Draft, 'package' | 'workflow'> {
  const { workflow_state: workflow, ...data } = travels.data ?? {}
  if (typeof workflow !== 'object' || workflow === null) return { package: travels }
  const { data: _, ...rest } = travels
  return {
    package: Object.keys(data).length > 0 ? { ...rest, data } : rest,
    workflow: workflow as NonNullable<Draft['workflow']>,
  }
}

/** Document 004's words for why a gate is handed to a person. */
const GATE_REASON = 'BLOCKING gate reached'

/** A gate without a name that blocks is what every gate is, and says nothing. */
function gateOf({ type, gate }: Handoff, said: Content['thread'][number] | undefined): Draft['gate'] {
  if (type !== 'gate') return undefined
  const decision = (['approve', 'reject', 'question'] as const).find((each) => each === said?.choice)
  const isNamed = gate && (gate.name !== undefined || gate.step !== undefined || gate.type !== 'blocking')
  if (!isNamed && decision === undefined) return undefined
  return {
    ...(isNamed && { type: gate.type, ...present({ name: gate.name, step: gate.step }) }),
    ...(decision && said && { response: { decision, by: said.by, at: said.at, comment: said.text } }),
  }
}

/** The document's own words for all that is as it was when it was taken in. */
function changedDraft(draft: Draft, then: DraftFields, now: DraftFields): Draft {
  const result: Record<string, unknown> = { ...draft }
  for (const key of Object.keys(now) as (keyof Draft)[]) {
    if (sameData(then[key], now[key])) continue
    if (now[key] === undefined) delete result[key]
    else result[key] = now[key]
  }
  return result as Draft
}

/** Without what every handoff has by default: to list its loss would tell nobody anything. */
function shortened({ type, priority, retry_count, updated_at, ...rest }: DraftFields): Draft {
  const isChanged = updated_at !== undefined && updated_at !== rest.created_at
  return present({
    ...rest,
    ...(type !== 'sequential' && { type }),
    ...(priority !== 'normal' && { priority }),
    ...(retry_count !== 0 && { retry_count }),
    ...(isChanged && { updated_at }),
  })
}

export async function exportTask(
  deps: ServiceDeps,
  { task }: TaskRow,
  input: ExportInput,
): Promise<Exported> {
  const { to = 'writeback' } = targetOf(input.to, deps.formats)
  const [record] = await deps.store.records(task.id, 1)
  const draft: Draft = {
    task: task.id,
    title: task.title,
    created_at: task.created_at,
    updated_at: task.updated_at,
    progress: task.progress,
    state: task.status === 'done' ? 'completed' : task.status === 'in_progress' ? 'in_progress' : 'offered',
    ...(task.priority !== 'normal' && { priority: task.priority }),
    ...present({ from: task.owner, record: record && recordFields(record) }),
    ...(task.depends_on.length > 0 && { depends_on: [...task.depends_on] }),
    ...(task.criteria.length > 0 && { package: { criteria: [...task.criteria] } }),
  }
  return { dialect: to, id: task.id, ...converted(draft, to, input) }
}

/** As a draft holds it. */
function recordFields(record: ThoughtRecord): NonNullable<Draft['record']> {
  const { uid, task_id, shape, by, on_behalf_of, created_at, signed, ...said } = record
  return said
}

async function idOfUid({ store }: ServiceDeps, uid: string | undefined): Promise<string | undefined> {
  return uid === undefined ? undefined : (await store.handoff(uid))?.id
}

/** Whether a document is what Baton itself would write of the handoff today. */
export async function isExportOf(
  deps: ServiceDeps,
  handoff: Handoff,
  { document, text }: Piece,
): Promise<boolean> {
  const { dialect } = document
  if (dialect === undefined) return false
  const { draft } = await draftOf(deps, handoff)
  return [convert(draft, dialect), convert({ ...draft, uid: handoff.uid }, dialect, { slot: true })].some(
    (result) => result.ok && result.text.trim() === text.trim(),
  )
}
