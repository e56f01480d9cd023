import type { DialectId } from '../../dialects/dialect.ts'
import type { Draft } from '../../dialects/draft.ts'
import { placedAt } from '../../dialects/fields.ts'
import { archivedAt } from '../../dialects/package/files/session.ts'
import { valueAt } from '../../dialects/text/tree.ts'
import { ackDeadline } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { HOME_RULES } from '../../domain/home.ts'
import { type HandoffType, isOpen, type State } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import { agentReads, ensureAgents } from '../agents/agents.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { finish, overridesFor, type Step } from '../handoffs/moves.ts'
import { delegationsBetween } from '../handoffs/send-rules.ts'
import { Sender, type Sent } from '../handoffs/sender.ts'
import { enter, enterHandoff } from '../log-record.ts'
import { gateOf, markGated } from '../people/gates.ts'
import { noteGate, noteTask } from '../tasks/task-follow.ts'
import { newTask } from '../tasks/tasks.ts'
import { agedUid } from '../uuid7.ts'
import { refuse, write } from '../write.ts'
import { type Imported, instant, toHandoff } from './handoff.ts'
import { carriedUid, givenAway, idsOf, NO_PATH, type Piece, SOURCE_TYPE, sourceUid } from './identity.ts'

/**
 * Adopts the state that a document says its handoff reached elsewhere, with its task, its agents, the document itself
 * and an entry for each, in one transaction. Limits count it and do not refuse it, its time begins anew, and it
 * passes no guard here.
 */
export async function adoptHandoff(deps: ServiceDeps, call: Call, piece: Piece): Promise<Handoff> {
  const made = await statedBy(deps, piece)
  const { uid, from, to, task, type, state } = made.handoff
  const guarded = type === 'gate' && isOpen(state) && task !== undefined
  const parent = guarded ? await deps.store.latest(task, undefined, from) : undefined
  const { agents, streams } = agentReads(deps, [from, to])
  return write(deps, call, {
    op: 'document_import',
    input: { sha256: piece.sha256 },
    reads: {
      agents,
      ...(parent && { handoffs: [parent.uid] }),
      tasks: task === undefined ? [] : [task],
      streams: [uid, ...streams],
    },
    decide: (step) => {
      const more = ensureAgents(step, [from, to])
      if (more) return more
      const stated = { ...made.handoff, ...anew(step, made.handoff) }
      followTask(step, stated)
      const handoff = guarded ? withGuard(step, stated, parent?.uid) : stated
      return placeImported(step, piece, { ...made, handoff })
    },
    reload: (subject) => deps.store.handoff(subject),
  })
}

/** A gate that waits for a person holds up the work that it is about, wherever it was asked. */
function withGuard(step: Step, handoff: Handoff, parent: string | undefined): Handoff {
  const { view } = step
  const task = handoff.task === undefined ? undefined : view.task(handoff.task)?.task
  const work = parent === undefined ? undefined : view.handoff(parent)
  const gate = gateOf(step, handoff.gate, handoff.from, { work, task })
  const guarding = { ...handoff, gate, ...present({ parent: gate.guards }) }
  markGated(step, guarding)
  return guarding
}

/** The time to send or to accept begins with the import, unless the document gives more of it. */
function anew({ deps, view, at }: Step, { state, home, to, type, ack_deadline: said }: Handoff) {
  if (state !== 'draft' && state !== 'offered') return {}
  const whole = ackDeadline(home, state, at, overridesFor(deps, home, to, view.agent(to), type))
  const left = [whole, said].filter((each) => each !== undefined && each > at)
  return { ack_deadline: left.sort().at(-1) }
}

/** Hands over by a document, here and now: the sending use case judges it like every other sender's. */
export async function sendHandoff(deps: ServiceDeps, call: Call, piece: Piece): Promise<Sent> {
  const { handoff, content } = await statedBy(deps, piece)
  const { uid, id, to, title, home, task, priority, timeout_s, retry } = handoff
  const { in_reply_to, gate, ack_deadline } = piece.document.draft ?? {}
  const asked = gate && present({ type: gate.type, name: gate.name, step: gate.step ?? undefined })
  const parent = task === undefined ? await onlyWork(deps, piece, handoff.from) : undefined
  const type = await typeFor(deps, piece, handoff)
  const { created_at, updated_at, attempt, imported_at, aliases, supersedes } = handoff
  const fields = { type, task, priority, timeout_s, retry, in_reply_to, gate: asked, parent, supersedes }
  const input = { ...content.package, to, title, home, alias: id, ...present(fields) }
  const until = instant(ack_deadline)
  // A deadline that is over would end at once what was just handed over.
  const said = until !== undefined && until > deps.now().toISOString() ? { ack_deadline: until } : {}
  return new Sender(deps).sendDocument(call, input, handoff.state !== 'draft', {
    uid,
    keep: (step, made) => {
      keepSource(step, piece, { stream: made.root, handoff: uid })
      return { ...made, created_at, updated_at, attempt, ...present({ imported_at, aliases }), ...said }
    },
  })
}

/** A package that states no type may answer a delegation: the sending use case knows. */
async function typeFor(
  deps: ServiceDeps,
  { document: { draft, source, places } }: Piece,
  { from, to }: Handoff,
): Promise<HandoffType | undefined> {
  const isStated = valueAt(source.value, placedAt(['handoff', 'type'], places)) !== undefined
  return isStated || (await delegationsBetween(deps, { from, to })).length === 0 ? draft?.type : undefined
}

/** Document 004 has no key for it: a package follows from the only work that its sender has begun. */
async function onlyWork({ store }: ServiceDeps, { document: { dialect } }: Piece, from: string) {
  if (dialect !== 'package') return undefined
  const { items } = await store.handoffs({ to: from, state: BEGUN }, { limit: 50 })
  const [only, ...more] = items.filter(({ home }) => HOME_RULES[home].format === dialect)
  return more.length > 0 ? undefined : only?.uid
}

const BEGUN: readonly State[] = ['accepted', 'in_progress', 'blocked', 'needs_input']

/** The handoff as the document states it, with a uid and an id that are free here. */
async function statedBy(deps: ServiceDeps, { document, path }: Piece): Promise<Imported> {
  const { draft: said, dialect } = document
  if (!said || !dialect) return refuse('internal', 'a document without a draft cannot be imported')
  const named = dialect === 'package' && path !== undefined ? archivedAt(path)?.id : undefined
  const draft = { ...present({ id: named }), ...said }
  const [supersedes, in_reply_to, uid, id] = await Promise.all([
    uidNamed(deps, draft.supersedes),
    uidNamed(deps, draft.in_reply_to),
    freeUid(deps, draft, dialect),
    freeId(deps, idsOf(draft, dialect).free),
  ])
  const at = deps.now().toISOString()
  return toHandoff(draft, { uid, id, home: dialect, at, supersedes, in_reply_to })
}

function placeImported(step: Step, piece: Piece, { handoff, content }: Imported): Handoff {
  const { view } = step
  const made = withTimes(finish(step, handoff, handoff), handoff)
  enterHandoff(step, 'handoff.imported', made, {
    to: made.state,
    fields: {
      id: made.id,
      title: made.title,
      dialect: made.home,
      source_sha256: piece.sha256,
      claimed_author: made.from,
      file: piece.path,
    },
  })
  view.putHandoff(made)
  view.putContent(made.uid, content)
  noteGate(step, made)
  keepSource(step, piece, { stream: made.root, handoff: made.uid })
  return made
}

/** Restores the document's times: `finish` sets those of a step that happens now. */
function withTimes(finished: Handoff, { updated_at, ended_at, attempts }: Handoff): Handoff {
  const { ended_at: _, ...rest } = finished
  return { ...rest, updated_at, attempts, ...present({ ended_at }) }
}

/**
 * A new task follows its handoff as it would have here; one that is known is its owner's to move. Completed work
 * leaves nothing to do, and without its record no task is done.
 */
function followTask(step: Step, handoff: Handoff): void {
  const { task, title, from, state } = handoff
  if (task === undefined || state === 'completed' || step.view.task(task)) return
  newTask(step, { id: task, title, owner: from })
  noteTask(step, { ...handoff, state: 'draft' }, handoff)
}

/** The document as it was: what the engine has no field for comes back from it. */
export function keepSource(
  step: Step,
  piece: Piece,
  place: { readonly stream: string } & Partial<Record<'handoff' | 'description' | 'claimed_author', string>>,
): void {
  const uid = sourceUid(piece)
  const { stream, claimed_author, ...about } = place
  const bytes = Buffer.from(piece.text)
  step.view.addArtifact(
    {
      uid,
      path: piece.path ?? NO_PATH,
      type: SOURCE_TYPE,
      role: 'input',
      ...about,
      sha256: piece.sha256,
      size: bytes.length,
      stored: true,
      by: step.actor.name,
      created_at: step.at,
    },
    bytes,
  )
  const fields = { path: piece.path, sha256: piece.sha256, claimed_author }
  enter(step, 'artifact.put', { k: 'artifact', id: uid, stream, subject: about.handoff, fields })
}

async function uidNamed({ store }: ServiceDeps, name: string | undefined): Promise<string | undefined> {
  return name === undefined ? undefined : (await store.handoff(name))?.uid
}

/** The uid that the document carries, so that its file is known again, unless something else here has it. */
async function freeUid(deps: ServiceDeps, draft: Draft, dialect: DialectId): Promise<string> {
  const fresh = deps.newUid()
  const carried = carriedUid(draft, fresh)
  if (carried === undefined) return waitingSince(draft, dialect, fresh)
  const [taken] = await deps.store.entries(carried, 0, 1)
  return taken ? fresh : carried
}

/** Work is taken by priority, then by uid; a request of document 001 waits since its own timestamp. */
function waitingSince({ state = 'offered', created_at }: Draft, dialect: DialectId, fresh: string): string {
  const since = dialect === 'queue' && state === 'offered' ? instant(created_at) : undefined
  return since === undefined ? fresh : agedUid(fresh, Date.parse(since))
}

async function freeId(deps: ServiceDeps, ids: readonly string[]): Promise<string> {
  const given = await givenAway(deps, ids[0]!)
  const other = `${given?.id} is another handoff, made in this workspace; give the document another id`
  if (given) refuse('conflict', other, { ids })
  for (const id of ids) if (!(await deps.store.handoff(id))) return id
  return refuse('conflict', `the ids ${ids.join(' and ')} are taken here by other handoffs`, { ids })
}
