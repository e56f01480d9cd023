import type { Actor } from '../../src/domain/actor.ts'
import type { Service } from '../../src/service/service.ts'

const caller = (name: string, kind: Actor['kind']) => ({ actor: { name, kind, auth: 'os-user' as const } })

/** The steps of one full handoff: sent, accepted, progress told, submitted, verified. */
export const TRANSITIONS = 5

/** One handoff from send to verified, five transitions with a log entry each. */
export async function lifecycle(service: Service, index: number, pair: number): Promise<void> {
  const sender = caller(`sender-${pair}`, 'agent')
  const receiver = caller(`receiver-${pair}`, 'agent')
  const { handoff } = await service.sending.send(sender, {
    to: receiver.actor.name,
    title: `Piece of work ${index}`,
    summary: 'The limiter is agreed; build the middleware and its tests.',
    deliverables: ['Middleware in src/'],
    criteria: ['npm test passes'],
  })
  await service.receiving.accept(receiver, handoff.uid)
  await service.receiving.heartbeat(receiver, handoff.uid, { progress: 50 })
  await service.receiving.submit(receiver, handoff.uid, {
    evidence: [{ deliverable: 'Middleware in src/', evidence: 'src/limit.ts' }],
  })
  await service.closing.verify(sender, handoff.uid, { pass: true })
}
