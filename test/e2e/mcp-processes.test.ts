import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Handoff } from '../../src/domain/handoff.ts'
import type { Agent } from '../mcp/agents.ts'
import { agentAt, allHandoffs, describePassing, newPlace, type Place } from '../mcp/passing.ts'

describePassing(100)

const EVIDENCE = [{ deliverable: 'a result', evidence: 'here' }]

/** The calls with which a receiver does a piece of work, one after another. */
const STEPS: readonly ((agent: Agent, id: string) => Promise<unknown>)[] = [
  (agent) => agent.call('handoff_inbox'),
  (agent, id) => agent.call('handoff_get', { id }),
  (agent, id) => agent.call('handoff_accept', { id }),
  (agent, id) => agent.call('handoff_ask', { id, question: 'Which one?' }),
  (agent, id) => agent.call('handoff_submit', { id, evidence: EVIDENCE }),
]

describe('an agent process', () => {
  it('that is killed between any two calls is followed by another that finishes the work', async (t) => {
    const place = await newPlace(t, 'sqlite')
    const sender = await agentAt(t, place, 'ana')
    for (let killedAfter = 0; killedAfter <= STEPS.length; killedAfter++) {
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
    assert.equal(all.length, STEPS.length + 1)
  })

  it('does not take the work of another process of the same agent, on either engine', async (t) => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const place = await newPlace(t, engine)
      const [sender, first, second] = await Promise.all(
        ['ana', 'ben', 'ben'].map((name) => agentAt(t, place, name)),
      )
      const id = await send(sender!, 'ben')
      await first!.call('handoff_accept', { id })

      const refusals = [
        await second!.refused('handoff_submit', { id, evidence: EVIDENCE }),
        await second!.refused('handoff_fail', { id, message: 'Not mine' }),
        await second!.refused('handoff_reject', { id, reason: 'Not mine' }),
        await second!.refused('handoff_ask', { id, question: 'Mine?' }),
      ]

      for (const { code, text } of refusals) {
        assert.equal(code, 'not_allowed')
        assert.match(text, /held by another instance of ben/)
      }
      assert.equal((await first!.call('handoff_submit', { id, evidence: EVIDENCE })).state, 'in_review')
    }
  })

  it('goes on with the task that a killed one had claimed', async (t) => {
    const place = await newPlace(t, 'sqlite')
    const tools = ['default', 'task_create'].join()
    let ben = await withTools(t, place, tools)
    await ben.call('task_create', { id: 'P0.1.1', title: 'Package setup' })
    await ben.call('task_start', { id: 'P0.1.1' })

    ben = await replaced(ben, () => withTools(t, place, tools))

    assert.equal((await ben.call('task_start', { id: 'P0.1.1' })).owner, 'ben')
  })
})

async function withTools(t: Parameters<typeof agentAt>[0], { where, store }: Place, tools: string) {
  const { overStdio } = await import('../mcp/agents.ts')
  return overStdio(t, where, ['--agent', 'ben', '--tools', tools, '--store', store])
}

async function send(agent: Agent, to: string): Promise<string> {
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
