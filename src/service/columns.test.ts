import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, person } from '../../test/support/program/workspace.ts'

// An engine may write only what changed; a state that stays the same must not keep the rest from moving.
describeOnEngines('what changes while the state does not', (open) => {
  it('is found with the new receiver and no longer with the old one', async (t) => {
    const { service } = await open(t)
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Work' })

    await service.sending.reassign(by('planner'), handoff.uid, 'gemini')

    assert.deepEqual((await service.looking.inbox('codex', { limit: 5 })).items, [])
    assert.equal(await service.receiving.claim(by('codex')), undefined)
    assert.equal((await service.receiving.claim(by('gemini')))?.uid, handoff.uid)
  })

  it('moves a questioned gate to its sender and, answered, back to the person', async (t) => {
    const { service } = await open(t)
    await service.agents.add(person('omar'), { name: 'maria', kind: 'human' })
    const { handoff } = await service.sending.send(by('planner'), {
      to: 'maria',
      title: 'Ship?',
      type: 'gate',
    })
    const waiting = async (name: string) => (await service.looking.inbox(name, { limit: 5 })).items.length

    await service.closing.decide(person('maria'), handoff.uid, 'question', 'which version?')
    assert.deepEqual([await waiting('maria'), await waiting('planner')], [0, 1])

    await service.receiving.answer(by('planner'), handoff.uid, 'the first')
    assert.deepEqual([await waiting('maria'), await waiting('planner')], [1, 0])
  })
})
