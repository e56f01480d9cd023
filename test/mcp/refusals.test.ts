import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { loadOperations } from '../../src/operations/index.ts'
import type { Service } from '../../src/service/service.ts'
import { by, openWorkspace, person } from '../support/program/workspace.ts'
import { inside } from './inside.ts'
import { NAMING } from './strangers.ts'

const operations = await loadOperations()
const WORK = { to: 'codex', title: 'Work', deliverables: ['a result'] }
type Stage = (service: Service) => Promise<Handoff>
const EVIDENCE = { evidence: [{ deliverable: 'a result', evidence: 'here' }] }
const sent: Stage = async (service) => {
  return (await service.sending.send(by('planner'), WORK)).handoff
}
const taken: Stage = async (service) => service.receiving.accept(by('codex'), (await sent(service)).id)

/** A handoff in each state in which somebody may do something with it. */
const STAGES: Readonly<Record<string, Stage>> = {
  draft: async (service) => (await service.sending.create(by('planner'), WORK)).handoff,
  offered: sent,
  in_progress: taken,
  needs_input: async (service) => service.receiving.ask(by('codex'), (await taken(service)).id, 'Which?'),
  in_review: async (service) => service.receiving.submit(by('codex'), (await taken(service)).id, EVIDENCE),
  failed: async (service) =>
    service.receiving.fail(by('codex'), (await taken(service)).id, { message: 'No', code: 'FATAL' }),
  gate: async (service) =>
    (await service.sending.send(by('planner'), { ...WORK, to: 'maria', type: 'gate' })).handoff,
}

describe('every tool that changes a handoff', () => {
  const changing = operations.filter(
    ({ effect, http }) => effect === 'write' && /^\/v1\/(handoffs|gates)\/\{/.test(http.path),
  )

  it('[T5] refuses an agent that is neither sender nor receiver, and changes nothing', async (t) => {
    const { service } = await openWorkspace(t)
    await service.agents.add(person('maria'), { name: 'maria', kind: 'human' })
    const agent = await inside(t, service, { agent: 'mallory', tools: 'all' })
    for (const op of changing) {
      const codes = new Set<string>()
      for (const [state, stage] of Object.entries(STAGES)) {
        const before = await stage(service)
        const { code } = await agent.refused(op.name, NAMING[op.name]!.at(-1)!.input(before.id))
        codes.add(code)
        const { handoff } = await service.looking.get(before.uid)
        assert.equal(handoff.rev, before.rev, `${op.name} changed what was ${state}`)
      }
      codes.delete('wrong_state')
      assert.deepEqual([...codes], ['not_allowed'], op.name)
    }
    assert.ok(changing.length > 12)
  })
})
