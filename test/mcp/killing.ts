import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { type Agent, overStdio } from './agents.ts'
import { agentAt, allHandoffs, newPlace } from './passing.ts'

export const EVIDENCE = [{ deliverable: 'a result', evidence: 'here' }]

/** The calls with which a receiver does a piece of work, one after another. */
const STEPS: readonly ((agent: Agent, id: string) => Promise<unknown>)[] = [
  (agent) => agent.call('handoff_inbox'),
  (agent, id) => agent.call('handoff_get', { id }),
  (agent, id) => agent.call('handoff_accept', { id }),
  (agent, id) => agent.call('handoff_ask', { id, question: 'Which one?' }),
  (agent, id) => agent.call('handoff_submit', { id, evidence: EVIDENCE }),
]
/** After which of its calls a process is killed: before the first, between any two, after the last. */
export const EVERY_CUT: readonly number[] = [0, ...STEPS.map((_, number) => number + 1)]

/** Kills the process of a receiver after so many of its calls, each time in another piece of work. */
export function describeKilling(engine: 'sqlite' | 'postgres', cuts: readonly number[]): void {
  describe(`an agent process on ${engine} that is killed`, () => {
    it(`after ${cuts.join(', ')} of its ${STEPS.length} calls is followed by another that finishes the work`, async (t) => {
      const place = await newPlace(t, engine)
      const sender = await agentAt(t, place, 'ana')
      for (const killedAfter of cuts) {
        const id = await send(sender, 'ben')
        let ben = await agentAt(t, place, 'ben')
        for (const [number, step] of STEPS.entries()) {
          if (number === killedAfter) ben = await replaced(ben, () => agentAt(t, place, 'ben'))
          await step(ben, id)
          if (number === 3) await sender.call('handoff_answer', { id, text: 'The first.' })
        }
        if (killedAfter === STEPS.length) ben = await replaced(ben, () => agentAt(t, place, 'ben'))
        await sender.call('handoff_verify', { id, pass: true })
        await ben.close()
      }

      const all = await allHandoffs(place.store)
      assert.deepEqual(
        all.filter(({ state, attempts }) => state !== 'completed' || attempts.length !== 1),
        [],
      )
      assert.equal(all.length, cuts.length)
    })

    it('is followed by another that goes on with the task it had claimed', async (t) => {
      const { where, store } = await newPlace(t, engine)
      const args = ['--agent', 'ben', '--tools', 'default,task_create', '--store', store]
      const start = () => overStdio(t, where, args)
      let ben = await start()
      await ben.call('task_create', { id: 'P0.1.1', title: 'Package setup' })
      await ben.call('task_start', { id: 'P0.1.1' })

      ben = await replaced(ben, start)

      assert.equal((await ben.call('task_start', { id: 'P0.1.1' })).owner, 'ben')
    })
  })
}

export async function send(agent: Agent, to: string): Promise<string> {
  const work = { to, title: 'A piece of work', deliverables: ['a result'] }
  return (await agent.call<{ handoff: Handoff }>('handoff_send', work)).handoff.id
}

/** Ends a process at once, as a crash does, and starts the next one when it is gone. */
async function replaced(agent: Agent, next: () => Promise<Agent>): Promise<Agent> {
  const { pid } = agent
  assert.ok(pid !== undefined)
  const gone = new Promise<void>((resolve) => {
    agent.client.onclose = () => resolve()
  })
  process.kill(pid, 'SIGKILL')
  await gone
  return next()
}
