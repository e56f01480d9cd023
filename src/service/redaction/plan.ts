import { isDeepStrictEqual } from 'node:util'
import { committedIn, isState } from '../../audit/disclosure.ts'
import type { Block } from '../../domain/blocks/block.ts'
import { present } from '../../domain/present.ts'
import type { Run, RunStep } from '../../domain/workflow/run.ts'
import type { WorkflowStep } from '../../domain/workflow/workflow.ts'
import { type Artifact, itemsOf, type Redaction } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'
import { SOURCE_TYPE } from '../documents/identity.ts'
import { RECORD_ACTS } from '../log-record.ts'
import { refuse } from '../write.ts'
import { Eraser, REDACTED } from './eraser.ts'
import {
  clearGate,
  clearHandoff,
  clearRecord,
  clearReturn,
  clearTask,
  eraseHandoff,
  eraseRecord,
  eraseTask,
  handoffTexts,
  type NamedText,
  recordTexts,
  taskTexts,
} from './places.ts'
import type { OpenedText, ReadEntry, RedactedSubject, Related } from './related.ts'

/** The changes of a redaction, decided on the rows that were read. */
export interface Plan extends Pick<Related, 'heads' | 'handoffs' | 'tasks' | 'runs'> {
  readonly subject: RedactedSubject
  /** Finds what goes in files, too. */
  readonly eraser: Eraser
  /** Digests whose disclosures go. */
  readonly digests: readonly string[]
  /** How many of them are texts, and not the hash of a row. */
  readonly texts: number
  readonly rest: Redaction
  /** Stored files whose bytes go. */
  readonly files: readonly Artifact[]
  readonly isEmpty: boolean
  /** Ids of the entries that may hold the text. */
  readonly ids: readonly number[]
}

/** Names under which the log discloses what nobody wrote as text, or what everything hangs on. */
const NO_TEXT = new Set([
  'id',
  'record',
  'dialect',
  'choice',
  'reason_type',
  'error_code',
  'sha256',
  'source_sha256',
  'claimed_author',
  'doubt',
  'status',
  'on_behalf_of',
  'related_thought_records',
])

export async function planOf(
  deps: ServiceDeps,
  subject: RedactedSubject,
  related: Related,
  field: string,
): Promise<Plan> {
  demandField(subject, related, field)
  const texts = subjectTexts(subject, related)
  const own = related.reads.filter(subject.isOwn)
  const disclosed = own.flatMap(({ opened }) => opened.filter(({ name }) => name === field))
  const said = texts.filter(([name]) => name === field).map(([, value]) => value)
  const eraser = new Eraser([...said, ...disclosed.map(({ value }) => value)])
  const files = await filesOf(deps, related, { subject, field, eraser })
  const changed = changesOf(subject, related, { field, eraser })
  const artifact = artifactsOf(related.artifacts, files, eraser)
  const block = await blocksWith(deps, eraser)
  const { handoffs, tasks, runs } = changed
  const { records: record, notices: notice } = changed.rest
  const handoff = handoffs.map((whole) => whole.handoff)
  const rows = { handoff, content: handoff, task: tasks, run: runs, record, notice, artifact, block }
  const gone = statesGone(rows)
  const goes = (read: ReadEntry, opened: OpenedText): boolean =>
    isState(opened.name)
      ? gone.has(committedIn(opened.value)[0])
      : (subject.isOwn(read) && opened.name === field) || isQuoting(subject, read, opened, { field, eraser })
  const reads = related.reads.filter((read) => read.opened.some((opened) => goes(read, opened)))
  const rest: Redaction = {
    entries: reads.map((read) => ({
      stream: read.entry.stream,
      seq: read.entry.seq,
      disclosures: read.opened.filter((opened) => !goes(read, opened)).map(({ text }) => text),
    })),
    ...changed.rest,
    artifacts: artifact,
    blocks: block,
    blobs: files.flatMap(({ sha256 }) => sha256 ?? []),
    inputs: [],
  }
  const lost = reads.flatMap((read) => read.opened.filter((opened) => goes(read, opened)))
  const isEmpty = [handoffs, tasks, runs, ...Object.values(rest)].every(({ length }) => length === 0)
  const inputs = [
    ...related.handoffs.map(({ handoff }) => handoff.uid),
    ...[...related.tasks, ...related.records, ...related.artifacts].map(({ uid }) => uid),
  ]
  return {
    subject,
    eraser,
    heads: related.heads,
    digests: lost.map(({ digest }) => digest),
    texts: lost.filter(({ name }) => !isState(name)).length,
    handoffs,
    tasks,
    runs,
    rest: { ...rest, inputs },
    files: rest.artifacts.filter(({ uid }) => files.some((file) => file.uid === uid)),
    isEmpty,
    ids: related.reads.map(({ entry }) => entry.id),
  }
}

/** Rows that change. The hash of one that held the text has no salt of its own: a short text could be guessed. */
const statesGone = (
  rows: Readonly<Record<string, readonly { readonly uid: string }[]>>,
): ReadonlySet<string> =>
  new Set(Object.entries(rows).flatMap(([table, found]) => found.map(({ uid }) => `${table} ${uid}`)))

interface Erasing {
  readonly field: string
  readonly eraser: Eraser
}

/** The texts of the subject by name. A task includes those of its records. */
function subjectTexts(
  { kind, handoff, task, record }: RedactedSubject,
  related: Related,
): readonly NamedText[] {
  const own = related.handoffs.find((whole) => whole.handoff.uid === handoff?.uid)
  const texts = [
    ...(own ? handoffTexts(own) : []),
    ...(kind === 'task' && task ? [...taskTexts(task), ...related.records.flatMap(recordTexts)] : []),
    ...(record ? recordTexts(record) : []),
  ]
  return texts.filter(([, value]) => value !== undefined)
}

/** Refuses what the subject never had, with the names of what it has. */
export function demandField(subject: RedactedSubject, related: Related, field: string): void {
  const own = related.reads.filter(subject.isOwn)
  const logged = own.flatMap(({ record }) => [...Object.keys(record.sd ?? {}), record.field ?? []].flat())
  const known = [...subjectTexts(subject, related).map(([name]) => name), ...logged]
  const names = [...new Set(known)].filter((name) => !NO_TEXT.has(name) && !isState(name)).sort()
  if (names.includes(field)) return
  const { id } = subject
  const listed = names.join(', ') || 'none'
  const details = { id, field, fields: names }
  refuse('invalid_input', `${id} has no field ${field} to redact; it has ${listed}`, details)
}

/** A disclosure of another field or entry that holds the text too. What an agent signed is opened first. */
function isQuoting(
  subject: RedactedSubject,
  read: ReadEntry,
  { name, value }: OpenedText,
  { field, eraser }: Erasing,
): boolean {
  if (NO_TEXT.has(name)) return false
  if (typeof value === 'string') return eraser.words(value) !== value
  if (name !== 'envelope') return eraser.isIn(value)
  const signed = signedBy(value)
  return eraser.isIn(signed) || (subject.isOwn(read) && Object.hasOwn(signed.predicate ?? {}, field))
}

function signedBy(envelope: unknown): { readonly predicate?: object } {
  const payload = (envelope as { payload?: unknown } | null)?.payload
  return typeof payload === 'string' ? JSON.parse(Buffer.from(payload, 'base64').toString('utf8')) : {}
}

function changesOf(subject: RedactedSubject, related: Related, { field, eraser }: Erasing) {
  const handoffs = changed(related.handoffs, (whole) => {
    const { uid, in_reply_to } = whole.handoff
    if (uid === subject.handoff?.uid) return eraseHandoff(clearHandoff(whole, field), eraser)
    const isReturn = subject.handoff !== undefined && in_reply_to === subject.handoff.uid
    const content = isReturn ? clearReturn(whole.content, field) : whole.content
    return eraseHandoff({ ...whole, content }, eraser)
  })
  const tasks = changed(related.tasks, (task) => {
    const own = subject.kind === 'task' ? clearTask(task, field) : task
    return eraseTask(field === 'gate' ? clearGate(own, subject.handoff?.uid) : own, eraser)
  })
  const records = changed(related.records, (record) => {
    const isOwn = subject.kind === 'task' || subject.record?.uid === record.uid
    return eraseRecord(isOwn ? clearRecord(record, field) : record, eraser)
  })
  const notices = changed(related.notices, (notice) => ({ ...notice, text: eraser.words(notice.text) }))
  const runs = changed(related.runs, (run) => eraseRun(run, eraser))
  return { handoffs, tasks, runs, rest: { records, notices } }
}

function changed<T>(rows: readonly T[], change: (row: T) => T): readonly T[] {
  return rows.flatMap((row) => {
    const next = change(row)
    return isDeepStrictEqual(next, row) ? [] : [next]
  })
}

/** Stored bytes that hold the text, and the document that the subject was read from: it holds the field. */
async function filesOf(
  { store }: ServiceDeps,
  { artifacts, reads }: Related,
  { subject, field, eraser }: Erasing & { readonly subject: RedactedSubject },
): Promise<readonly Artifact[]> {
  const written = new Set(
    reads.filter((read) => isBirth(read, field) && subject.isOwn(read)).map(({ record }) => record.ts),
  )
  const found: Artifact[] = []
  for (const artifact of artifacts) {
    if (!artifact.stored || artifact.sha256 === undefined) continue
    const isSource = artifact.uid === `${SOURCE_TYPE}-${artifact.sha256}`
    const isOwn =
      isSource &&
      (subject.handoff ? artifact.handoff === subject.handoff.uid : artifact.handoff === undefined) &&
      written.has(artifact.created_at)
    const bytes = isOwn ? undefined : await store.blob(artifact.sha256)
    if (isOwn || (bytes && eraser.mayBeIn(bytes))) found.push(artifact)
  }
  return found
}

/** Entries that may come with the document they were read from. */
function isBirth({ record }: ReadEntry, field: string): boolean {
  if (record.act === 'handoff.imported') return true
  return RECORD_ACTS.includes(record.act) || (record.act.startsWith('task.') && field in (record.sd ?? {}))
}

function artifactsOf(artifacts: readonly Artifact[], gone: readonly Artifact[], eraser: Eraser) {
  return changed(artifacts, (artifact) => ({
    ...artifact,
    path: eraser.words(artifact.path),
    ...(artifact.description !== undefined && { description: eraser.words(artifact.description) }),
    ...(gone.some(({ sha256 }) => sha256 === artifact.sha256) && { stored: false }),
  }))
}

const BLOCK_PAGE = 500

/** Blocks of document 002 that hold one of the texts, without them. Looks at all of them: redactions are seldom. */
async function blocksWith({ store }: ServiceDeps, eraser: Eraser): Promise<readonly Block[]> {
  const found: Block[] = []
  for await (const block of itemsOf((page) => store.blocks({}, page), BLOCK_PAGE)) {
    const next = erase(block, eraser)
    if (!isDeepStrictEqual(next, block)) found.push(next)
  }
  return found
}

/** A text may be wrapped and quoted in YAML in many ways, so what holds it goes as a whole. Status and names stay. */
function erase(block: Block, eraser: Eraser): Block {
  const { raw, metrics, on_failure } = block
  return {
    ...block,
    ...(eraser.mayBeIn(Buffer.from(raw)) && { raw: REDACTED }),
    ...present({ metrics: metrics && eraser.deep(metrics) }),
    ...(on_failure?.context !== undefined && {
      on_failure: { ...on_failure, context: eraser.words(on_failure.context) },
    }),
  }
}

/** A run without the texts: what agents and people said, and what its definition says. Names and states stay. */
function eraseRun(run: Run, eraser: Eraser): Run {
  const { workflow } = run
  return {
    ...run,
    ...present({ input: run.input === undefined ? undefined : eraser.deep(run.input) }),
    steps: run.steps.map((step) => eraseStep(step, eraser)),
    workflow: {
      ...workflow,
      ...(workflow.description !== undefined && { description: eraser.words(workflow.description) }),
      steps: workflow.steps.map((step) => eraseDefinition(step, eraser)),
    },
  }
}

function eraseStep(step: RunStep, eraser: Eraser): RunStep {
  const { summary, error, decision, artifacts, next_steps, metadata, values } = step
  return {
    ...step,
    ...present({ summary: eraser.words(summary), error: eraser.words(error) }),
    ...(decision && { decision: { ...decision, ...present({ comment: eraser.words(decision.comment) }) } }),
    ...eraser.deep(present({ artifacts, next_steps, metadata, values })),
  }
}

function eraseDefinition(step: WorkflowStep, eraser: Eraser): WorkflowStep {
  const { id, agent, role, needs, phase, timeout_s, gate, on_failure, input, ...texts } = step
  return {
    ...step,
    ...eraser.deep(texts),
    ...present({ gate: gate && { ...gate, name: eraser.words(gate.name), items: eraser.deep(gate.items) } }),
    ...(on_failure?.context !== undefined && {
      on_failure: { ...on_failure, context: eraser.words(on_failure.context) },
    }),
  }
}
