import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { AcceptInput, ClaimInput } from '../../domain/handoffs/inputs.ts'
import type { Content } from '../../domain/handoffs/package.ts'
import { HOME_RULES } from '../../domain/home.ts'
import { present } from '../../domain/present.ts'
import { itemsOf } from '../../storage/store.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { find } from '../lookup.ts'
import { refuse, write } from '../write.ts'
import { take } from './attempts.ts'
import type { Step } from './moves.ts'

/** Others move files at the same time; who loses this often finds the next one later. */
const MOST_TRIES = 5
/** Stands for the uid when the queue was empty, so that a repeated claim gets the same answer. */
const NOTHING = 'nothing'

/** A handoff that was claimed, with its content as it was then. */
export interface Claimed {
  readonly handoff: Handoff
  readonly content?: Content | undefined
}

/** Takes the next handoff of the caller, by priority and then age; `judge` sees it before its file is left alone. */
export async function claimNext(
  deps: ServiceDeps,
  call: Call,
  input: ClaimInput,
  judge: (claimed: Claimed) => Promise<Handoff>,
): Promise<Claimed | undefined> {
  let content: Content | undefined
  const judged = async (uid?: string) => {
    const claimed = await claim(deps, call, input, uid)
    content = claimed?.content
    return claimed && judge(claimed)
  }
  const found = (handoff: Handoff | undefined) => handoff && { handoff, content }
  const one = input.id === undefined ? undefined : await find(deps, input.id)
  if (!deps.pickUp) return found(await judged(one?.uid))
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const next = one ?? (await nextOffer(deps, call.actor.name))
    const commit = () => judged(next?.uid ?? NOTHING)
    const taken = next && fileClaims(next) ? await deps.pickUp(next, commit) : await commit()
    if (taken || !next || one) return found(taken)
  }
  return undefined
}

/**
 * Accepts. Where the file of the handoff is the claim, it is moved first; a pass over the folders calls with a file
 * that its author has moved already.
 */
export async function pickUp(
  { pickUp: moving, store }: ServiceDeps,
  { actor }: Call,
  uid: string,
  input: AcceptInput,
  commit: () => Promise<Handoff>,
): Promise<Handoff> {
  const isOwn = actor.auth !== 'file' && !input.blockers?.length && input.start !== false
  const offered = moving && isOwn ? await store.handoff(uid) : undefined
  if (!moving || !offered || !fileClaims(offered) || offered.state !== 'offered' || offered.to !== actor.name)
    return commit()
  const taken = await moving(offered, commit)
  return (
    taken ??
    refuse('wrong_state', `${offered.id} was picked up by another program, which moved its file`, {
      id: offered.id,
    })
  )
}

const fileClaims = ({ home }: Handoff): boolean => HOME_RULES[home].folder.includes('claims')

async function nextOffer({ store }: ServiceDeps, name: string): Promise<Handoff | undefined> {
  for await (const handoff of itemsOf((page) => store.inbox(name, page), 50))
    if (handoff.state === 'offered' && handoff.to === name) return handoff
  return undefined
}

const offered = ({ view, actor }: Step, uid = ''): Handoff | undefined => {
  const one = view.handoff(uid)
  return one?.state === 'offered' && one.to === actor.name ? one : undefined
}

/** With a uid only that one: the file of another has not been moved. */
async function claim(
  deps: ServiceDeps,
  call: Call,
  input: ClaimInput,
  uid?: string,
): Promise<Claimed | undefined> {
  const { handoff, content } = await write<Partial<Claimed>>(deps, call, {
    op: 'handoff_claim',
    input,
    reads: uid !== undefined && input.id !== undefined ? { handoffs: [uid] } : { claim: call.actor.name },
    decide: (step) => {
      const first = input.id === undefined ? step.view.claimed(call.actor.name) : offered(step, uid)
      const next = uid === undefined || first?.uid === uid ? first : undefined
      // Document 004's work begins when its receiver has said what it understood.
      if (!next) return {}
      const start = HOME_RULES[next.home].begins !== 'understood'
      return {
        handoff: take(step, next, start, undefined, {}, input.lease_s),
        content: step.view.content(next.uid),
      }
    },
    subject: ({ handoff }) => handoff ?? { uid: NOTHING, rev: 0 },
    reload: async (known) => (known === NOTHING ? {} : present({ handoff: await deps.store.handoff(known) })),
  })
  return handoff && { handoff, content }
}
