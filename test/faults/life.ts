import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import type { NewHandoff } from '../../src/domain/handoffs/inputs.ts'
import type { Policy } from '../../src/domain/policy.ts'
import type { Call } from '../../src/service/deps.ts'
import type { Service } from '../../src/service/service.ts'
import type { Note } from './worker.ts'

/** Handoffs of this home expire at once: somebody settles them while others work. */
export const LIFE_POLICY: Partial<Policy> = { deadlines: { package: { offeredMs: 15 } } }

/** What a step is about: a new handoff, or one that is there. */
export interface About {
  readonly input?: NewHandoff
  readonly uid?: string
}

type Operation = (service: Service, call: Call, about: About) => Promise<Handoff | undefined>

/** The calls of a full lifecycle by their names, with arguments that can be sent and repeated. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  send: async (service, call, { input }) => (await service.sending.send(call, input!)).handoff,
  claim: (service, call) => service.receiving.claim(call),
  heartbeat: (service, call, { uid }) => service.receiving.heartbeat(call, uid!, { progress: 50 }),
  submit: (service, call, { uid }) =>
    service.receiving.submit(call, uid!, { evidence: [{ deliverable: 'code', evidence: 'done' }] }),
  verify: (service, call, { uid }) => service.closing.verify(call, uid!, { pass: true }),
  reject: (service, call, { uid }) => service.receiving.reject(call, uid!, { type: 'other', message: 'no' }),
  complete: (service, call, { uid }) => service.closing.complete(call, uid!),
}

export interface Lived {
  readonly steps: number
  /** The longest that one call took, in milliseconds. */
  readonly longestMs: number
}

type Step = (actor: string, op: string, about?: About) => Promise<Handoff | undefined>

/**
 * Sends, claims what is there, works on it and hands it in, again and again: sequential work, delegations with
 * their returns, tasks, refusals and offers that expire. Notes every call before and every answer after it.
 * Every call has a key of its own, so that a repeated one is told from a new one.
 */
export async function liveOn(
  service: Service,
  name: string,
  note: (note: Note) => void,
  forMs = Number.POSITIVE_INFINITY,
): Promise<Lived> {
  const end = performance.now() + forMs
  let [steps, longestMs] = [0, 0]
  const step: Step = async (actor, op, about = {}) => {
    const key = `${name}-${steps}`
    const call: Call = { actor: { name: actor, instance: name, kind: 'agent', auth: 'os-user' }, key }
    note({ asked: { op, call, about } })
    const began = performance.now()
    const handoff = await OPERATIONS[op]?.(service, call, about)
    longestMs = Math.max(longestMs, performance.now() - began)
    steps += 1
    note({ answered: handoff ? { uid: handoff.uid, rev: handoff.rev, state: handoff.state } : 'nothing' })
    return handoff
  }
  for (let round = 0; performance.now() < end; round++) {
    await step('planner', 'send', { input: offerOf(name, round) })
    const claimed = await step('codex', 'claim')
    if (claimed) await work(step, claimed.uid, round)
    const returned = await step('planner', 'claim')
    if (returned) await step('planner', 'complete', { uid: returned.uid })
  }
  return { steps, longestMs }
}

function offerOf(name: string, round: number): NewHandoff {
  return {
    to: 'codex',
    title: `${name}-${round}`,
    deliverables: ['code'],
    ...(round % 2 === 1 && { type: 'delegation' as const }),
    ...(round % 3 === 2 && { task: `T-${name}-${round}` }),
    ...(round % 4 === 3 && {
      home: 'package' as const,
      to: 'nobody',
      summary: 'Nobody is there to take this',
    }),
  }
}

async function work(step: Step, uid: string, round: number): Promise<void> {
  if (round % 5 === 4) {
    await step('codex', 'reject', { uid })
    return
  }
  if (round % 3 === 0) await step('codex', 'heartbeat', { uid })
  await step('codex', 'submit', { uid })
  await step('planner', 'verify', { uid })
}
