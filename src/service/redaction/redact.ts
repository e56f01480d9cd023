import type { Redacted, RedactInput } from '../../domain/audit-answers.ts'
import { BatonError } from '../../domain/errors.ts'
import { isHeld } from '../../domain/lifecycle.ts'
import type { Run } from '../../domain/workflow/run.ts'
import { HELD_BYTES } from '../../storage/store.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { type Act, enter } from '../log-record.ts'
import { refuse, write } from '../write.ts'
import { demandField, type Plan, planOf } from './plan.ts'
import { relatedTo, subjectOf } from './related.ts'

const ATTEMPTS = 8
/** An entry has at most 60,000 bytes, and a digest takes 46 of them. */
const MOST_DIGESTS = 1_000

/**
 * Takes one field of a handoff, task or record away for good: its disclosures in the log, its documents, and every
 * copy that was made of it here. The log says who did it and why; nothing that was hashed changes, so all proofs
 * hold.
 */
export async function redact(deps: ServiceDeps, call: Call, input: RedactInput): Promise<Redacted> {
  if (call.actor.kind !== 'human')
    refuse('not_allowed', `only a person can redact, and ${call.actor.name} is not one`, {
      actor: call.actor.name,
    })
  for (let attempt = 1; ; attempt += 1) {
    const subject = await subjectOf(deps, input.id)
    const plan = await planOf(deps, subject, await relatedTo(deps, subject), input.field)
    if (plan.isEmpty || (await carryOut(deps, call, input, plan))) return redactionAnswer(deps, input, plan)
    if (attempt === ATTEMPTS)
      refuse('unavailable', `others keep writing to ${subject.id}; nothing was redacted, try again`, {
        id: subject.id,
      })
  }
}

/** Refuses what there is nothing to redact of, for whoever asks a person before the call. */
export async function demandRedactable(
  deps: ServiceDeps,
  { id, field }: Pick<RedactInput, 'id' | 'field'>,
): Promise<void> {
  const subject = await subjectOf(deps, id)
  demandField(subject, await relatedTo(deps, subject), field)
}

/** False when something was written between the look and the transaction: then the plan is not carried out. */
function carryOut(deps: ServiceDeps, call: Call, input: RedactInput, plan: Plan): Promise<boolean> {
  const { subject, heads } = plan
  const main = subject.handoff?.uid ?? subject.task!.uid
  const uids = plan.handoffs.map(({ handoff }) => handoff.uid)
  // The words of a record are found with its task.
  const ids = [...plan.tasks.map(({ id }) => id), ...plan.rest.records.map(({ task_id }) => task_id)]
  const handoffs = [...new Set(subject.handoff ? [...uids, main] : uids)].sort()
  const tasks = [...new Set(subject.task ? [...ids, subject.task.id] : ids)].sort()
  // Without a key: it is repeated without harm, and an answer from before must not stand for new work.
  return write(
    deps,
    { actor: call.actor },
    {
      op: 'audit_redact',
      input,
      reads: {
        handoffs,
        contents: handoffs,
        tasks,
        runs: plan.runs.map(({ uid }) => uid).sort(),
        streams: [...heads.keys()].sort(),
      },
      decide: (step) => {
        const { view } = step
        for (const [stream, seq] of heads) if ((view.stream(stream)?.seq ?? -1) !== seq) return false
        const how = { ...step, input, digestsOf: (uid: string) => (uid === main ? plan.digests : []) }
        for (const uid of handoffs) redactHandoff(how, plan, uid)
        for (const id of tasks) redactTask(how, plan, id)
        for (const run of plan.runs) redactRun(how, run)
        view.redact(plan.rest)
        return true
      },
      subject: () => ({ uid: main, rev: 0 }),
      reload: async () => true,
    },
  )
}

interface Redacting extends Step {
  readonly input: RedactInput
  /** Digests are told where the subject is; what else changed has an entry too, because it has a new revision. */
  readonly digestsOf: (uid: string) => readonly string[]
}

function redactHandoff(how: Redacting, { handoffs }: Plan, uid: string): void {
  const before = how.view.handoff(uid)
  if (!before) return
  const next = handoffs.find(({ handoff }) => handoff.uid === uid)
  const rev = say(how, uid, { k: 'handoff', id: uid, rev: before.rev, stream: before.root })
  how.view.putHandoff({ ...(next?.handoff ?? before), rev, updated_at: how.at })
  if (next) how.view.putContent(uid, next.content)
}

function redactTask(how: Redacting, { tasks }: Plan, id: string): void {
  const before = how.view.task(id)?.task
  if (!before) return
  const next = tasks.find((task) => task.id === id) ?? before
  const { uid } = before
  const rev = say(how, uid, { k: 'task', id, rev: before.rev, stream: uid, subject: uid })
  how.view.putTask({ ...next, rev, updated_at: how.at })
}

function redactRun(how: Redacting, run: Run): void {
  const { uid } = run
  const rev = say(how, uid, { k: 'run', id: uid, rev: run.rev, stream: uid })
  how.view.putRun({ ...run, rev, updated_at: how.at })
}

/** Enters a redaction, in as many entries as its digests need; answers the revision that this makes. */
function say(how: Redacting, uid: string, about: Act & { readonly rev: number }): number {
  const { field, reason } = how.input
  const parts = chunks(how.digestsOf(uid), MOST_DIGESTS)
  for (const [i, h] of parts.entries())
    enter(how, 'audit.redact', { ...about, rev: about.rev + 1 + i, record: { field, h, reason } })
  return about.rev + parts.length
}

async function redactionAnswer(deps: ServiceDeps, input: RedactInput, plan: Plan): Promise<Redacted> {
  const { subject, texts, handoffs, tasks, runs, rest, files, isEmpty } = plan
  // The redaction stands even if old bytes cannot be cleared yet: the answer says so, for a later try.
  const held = await deps.store.scrub().catch(() => [HELD_BYTES])
  const archive = await deps.store.archive()
  // With every repetition: a command that was killed may have left its files as they were.
  const again = () => `the archive ${archive?.folder}: run the same command again`
  const uncleared = await archive?.clear(deps.store, plan.ids).catch(again)
  const left = [...(uncleared ? [uncleared] : []), ...(isEmpty ? [] : await eraseFiles(deps, plan))]
  const copies = [handoffs, tasks, runs, rest.notices, rest.records, rest.artifacts, rest.blocks]
  // A program may print it again, or hand it in.
  for (const { id, holder, state } of subject.handoff
    ? [subject.handoff]
    : handoffs.map((each) => each.handoff))
    if (isHeld(state) && state !== 'in_review')
      left.push(`${holder}, which works on ${id} now: redact it again when that has ended`)
  return {
    subject: { kind: subject.kind, id: subject.id },
    field: input.field,
    reason: input.reason,
    already: isEmpty,
    disclosures: texts,
    documents: copies.reduce((sum, { length }) => sum + length, 0),
    files: files.map(({ path }) => path),
    scrubbed: held.length === 0,
    unreachable: [...left, ...unreachable(deps, files.length > 0), ...held],
  }
}

const MOST_NAMED = 50

/** Live folders show and keep what the engine says. What others wrote there is theirs, and is named. */
async function eraseFiles(deps: ServiceDeps, plan: Plan): Promise<readonly string[]> {
  const { eraser, subject, handoffs, rest } = plan
  const uids = [...handoffs.map(({ handoff }) => handoff.uid), subject.handoff?.uid ?? []].flat()
  try {
    const left = await deps.eraseFiles?.({ eraser, handoffs: new Set(uids), blobs: new Set(rest.blobs) })
    const named = (left ?? [])
      .slice(0, MOST_NAMED)
      .map((path) => `${path}, which somebody else wrote: remove it there`)
    const more = (left ?? []).length - named.length
    return more > 0 ? [...named, `${more} more files that others wrote in the live folders`] : named
  } catch (error) {
    const why = error instanceof BatonError ? error.message : 'they could not be read or written'
    return [`the live folders: ${why}; look for it there, and delete .baton/folders.db and .baton/replaced/`]
  }
}

/** Said in full each time: whoever redacts must know what is left to do elsewhere. */
function unreachable({ store }: ServiceDeps, isImported: boolean): readonly string[] {
  return [
    'git commits and branches that hold it',
    'webhooks and messages that were delivered',
    'exports and backups made before this',
    'copies that agents have read: their context, their transcripts, logs of their providers',
    ...(isImported ? ['the file it was read from, and the SHA-256 of that file in the log'] : []),
    store.info.engine === 'postgres'
      ? 'replicas of PostgreSQL, archives of its write-ahead log, and its own log files'
      : 'copies and snapshots of the database file',
  ]
}

/** At least one, which may be empty. */
const chunks = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) || 1 }, (_, i) => items.slice(i * size, (i + 1) * size))
