import { ANYONE, isElsewhere } from '../../../domain/actor.ts'
import type { Actor } from '../../../domain/agent.ts'
import { BatonError, notFound, onRefusal } from '../../../domain/errors.ts'
import { rolesOf } from '../../../domain/handoffs/guards.ts'
import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import { type Command, decide, isOpen, statesFor, TRANSITIONS } from '../../../domain/lifecycle.ts'
import type { OperationName } from '../../../operations/index.ts'
import { typedAs } from '../catalog.ts'
import type { Session } from './session.ts'

/** As many as a page holds: whoever has more to choose from needs a filter and not a list. */
const LIST_PAGE = 200
/** How far back `@` looks for what fits. */
const CANDIDATE_PAGES = 10
/** How far back a part of a uid is looked for. */
const UID_PAGES = 10
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const NATIVE_ID = /^HO-\d{4}-\d+(-R)*$/
/** Document 004 counts anew in every session. */
const SESSION_ID = /^HO-\d{3,}$/

/** The step of the lifecycle that an operation takes, so that `@` can ask the table whether it may. */
const STEP_COMMANDS: Readonly<Partial<Record<OperationName, Command>>> = {
  handoff_send: 'send',
  handoff_accept: 'accept',
  handoff_reject: 'reject',
  handoff_ask: 'ask',
  handoff_answer: 'answer',
  handoff_amend: 'amend',
  handoff_submit: 'submit',
  handoff_verify: 'refuse',
  handoff_complete: 'complete',
  handoff_fail: 'fail',
  handoff_release: 'release',
  handoff_retry: 'retry',
  handoff_reassign: 'reassign',
  handoff_cancel: 'cancel',
  gate_decide: 'approve',
}

/** The end of the refusal when `@` finds nothing, with the command to look at. */
const NOTHING_FOUND: Readonly<Partial<Record<OperationName, string>>> = {
  handoff_send: 'has no draft to send; write one with: baton create --to <agent> --title "…"',
  handoff_accept: 'has nothing to accept; see: baton inbox',
  handoff_ask: 'has no handoff to ask about; see: baton inbox',
  handoff_answer: 'has no question to answer; see: baton inbox',
  handoff_submit: 'holds nothing to hand in; accept something first: baton inbox',
  handoff_verify: 'has nothing to verify; see what is under way: baton list',
  gate_decide: 'has no gate to decide; see: baton inbox',
  handoff_wait: 'has sent nothing to wait for; see: baton list',
  handoff_get: 'has neither sent nor received a handoff; see all: baton list',
}

/** The handoff that a reference means: `@`, a whole id or uid, or any unique part of one. */
export async function resolveHandoff(
  session: Session,
  operation: OperationName,
  ref: string,
): Promise<string> {
  if (ref === '@') {
    const { id, uid } = await theOnlyOne(session, operation)
    return SESSION_ID.test(id) ? uid : id
  }
  const upper = ref.toUpperCase()
  if (NATIVE_ID.test(upper)) return upper
  if (UID.test(ref)) return ref
  const numbered = SESSION_ID.test(upper) ? await numberedAs(session, upper) : []
  if (numbered.length > 1)
    throw several(`${ref} is in ${numbered.length} sessions; name the one you mean`, numbered)
  const found = numbered.length > 0 ? numbered : await matches(session, ref)
  if (found.length === 1) return found[0]!.id
  if (found.length === 0)
    throw notFound(`no handoff has ${ref} in its id; look for it with: baton list ${ref}`, { id: ref })
  throw several(`${ref} is a part of ${found.length} ids; write more of the one you mean`, found)
}

/** Handoffs with this number in their session. An id that several have is replaced by the uid. */
async function numberedAs(session: Session, number: string): Promise<readonly Handoff[]> {
  const all = await pages(session, {}, UID_PAGES)
  const found = all.filter(({ id, aliases }) => id === number || aliases?.package === number)
  return found.map((each) => (each.id === number && found.length > 1 ? { ...each, id: each.uid } : each))
}

async function matches(session: Session, ref: string): Promise<readonly Handoff[]> {
  const wanted = ref.toLowerCase()
  // A number alone is looked for as people say it: 1 and 001 are HO-2026-001.
  const text = /^\d+$/.test(ref) ? `-${ref.padStart(3, '0')}` : ref
  const listed = await pages(session, { ref: text }, 5)
  const ids = (test: (id: string) => boolean) => listed.filter(({ id }) => test(id.toLowerCase()))
  const exact = ids((id) => id === wanted)
  if (exact.length > 0) return exact
  const ending = ids((id) => id.endsWith(text.toLowerCase()))
  if (ending.length > 0) return ending
  const part = ids((id) => id.includes(text.toLowerCase()))
  if (part.length > 0 || !/^[0-9a-f-]{4,}$/.test(wanted)) return part
  return (await pages(session, {}, UID_PAGES)).filter(({ uid }) => uid.includes(wanted))
}

/** The only handoff to which this caller can do this. */
async function theOnlyOne(session: Session, operation: OperationName): Promise<Handoff> {
  const actor = await session.actor()
  const all = await candidates(session, operation, actor)
  const found = all.filter((handoff) => !isElsewhere({ ...actor, agent: actor.name }, handoff))
  const [only] = found
  if (only && found.length === 1) return only
  if (only) throw several(`@ could be any of ${found.length}; name the one you mean`, found)
  const verb = typedAs(operation).split(' ').at(-1)
  const reason = NOTHING_FOUND[operation] ?? `has no handoff to ${verb}; see: baton list`
  throw notFound(`${actor.name} ${reason}`, { actor: actor.name, operation })
}

export async function candidates(
  session: Session,
  operation: OperationName,
  actor: Actor,
): Promise<readonly Handoff[]> {
  const step = STEP_COMMANDS[operation]
  if (!step) return involving(session, operation, actor)
  const roles = new Set(TRANSITIONS.filter((row) => row.command === step).map((row) => row.by))
  roles.delete('clock')
  const isOnly = (role: 'sender' | 'receiver') => roles.size === 1 && roles.has(role)
  const side = {
    ...(isOnly('sender') && { from: actor.name }),
    ...(isOnly('receiver') && { to: actor.name }),
  }
  const agent = await ownRow(session, actor)
  const states = statesFor(step)
  const listed = [
    ...(await pages(session, { state: [...states], ...side }, CANDIDATE_PAGES)),
    // A handoff for any person waits for this one too.
    ...('to' in side && actor.kind === 'human' && states.includes('offered')
      ? await pages(session, { state: ['offered'], to: ANYONE }, CANDIDATE_PAGES)
      : []),
  ]
  return listed.filter((handoff) => canTake(step, handoff, rolesOf(actor, handoff, session.policy, agent)))
}

function canTake(step: Command, handoff: Handoff, roles: ReturnType<typeof rolesOf>): boolean {
  // A gate is the only thing that a person approves, and one that was questioned waits for its sender.
  if (
    step === 'approve' &&
    (handoff.need === 'clarification' || !['gate', 'escalation'].includes(handoff.type))
  )
    return false
  return decide(handoff.state, step, roles, handoff.resume).ok
}

/** For operations that change nothing or that the table does not name: what the caller sent or received. */
async function involving(
  session: Session,
  operation: OperationName,
  actor: Actor,
): Promise<readonly Handoff[]> {
  const [sent, received, asked] = await Promise.all([
    pages(session, { from: actor.name }),
    pages(session, { to: actor.name }),
    // A handoff for any person waits for this one too.
    actor.kind === 'human' ? pages(session, { to: ANYONE, state: ['needs_input'] }) : [],
  ])
  const all = [...new Map([...sent, ...received, ...asked].map((each) => [each.uid, each])).values()]
  if (operation === 'handoff_wait') return sent.filter(({ state }) => isOpen(state))
  if (operation === 'handoff_heartbeat') return received.filter(({ holder }) => holder === actor.name)
  return all
}

/** The caller's own row tells its configured roles; a token without that scope goes without. */
async function ownRow(session: Session, actor: Actor) {
  const seen = await session.call('agent_list', {}).catch(onRefusal(undefined, 'not_found', 'not_allowed'))
  return seen?.items.find(({ name }) => name === actor.name)
}

async function pages(session: Session, filter: object, most = 1): Promise<readonly Handoff[]> {
  const items: Handoff[] = []
  let cursor: string | undefined
  for (let page = 0; page < most; page++) {
    const found = await session.call('handoff_list', { ...filter, limit: LIST_PAGE, cursor })
    items.push(...found.items)
    cursor = found.next
    if (cursor === undefined) break
  }
  return items
}

/** As many as fit on a screen. */
const SHOWN = 15

export function several(message: string, found: readonly ReferenceCandidate[]): BatonError {
  return new BatonError('invalid_input', message, {
    candidates: found
      .slice(0, SHOWN)
      .map(({ id, title, state, updated_at }) => ({ id, title, state, at: updated_at })),
    count: found.length,
  })
}

type ReferenceCandidate = Pick<Handoff, 'id' | 'title' | 'updated_at'> & { readonly state?: string }
