import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'

const codex = by('codex')
const maria = person('maria')
const paul = person('paul')

const send = async ({ service }: Workspace, more = {}) =>
  (await service.sending.send(codex, { to: 'human', title: 'Call the customer', ...more })).handoff

const inboxOf = async ({ service }: Workspace, name: string, isPerson = true) =>
  (await service.looking.inbox(name, { limit: 9 }, isPerson)).items.map(({ id }) => id)

describeOnEngines('work for any person', (open) => {
  it('is in the inbox of every person and of no agent, and belongs to the first who accepts it', async (t) => {
    const w = await open(t)
    const { uid, id } = await send(w, { task: 'P1' })
    const before = [await inboxOf(w, 'maria'), await inboxOf(w, 'paul'), await inboxOf(w, 'gemini', false)]

    const taken = await w.service.receiving.accept(maria, uid)
    await assert.rejects(w.service.receiving.accept(paul, uid), { code: 'wrong_state' })
    await assert.rejects(w.service.receiving.submit(paul, uid, { note: 'done' }), {
      code: 'not_allowed',
      message: `paul may not submit ${id}; that is for its receiver maria`,
    })
    const done = await w.service.receiving.submit(maria, uid, { note: 'They agree' })

    assert.deepEqual(before, [[id], [id], []])
    assert.deepEqual(
      [taken.to, taken.holder, taken.lease_until, done.state],
      ['maria', 'maria', undefined, 'in_review'],
    )
    assert.deepEqual([await inboxOf(w, 'maria'), await inboxOf(w, 'paul')], [[], []])
    assert.equal((await w.service.tasks.get('P1')).row.task.owner, 'maria')
  })

  it('is declined or asked about by any person, and taken on by no agent', async (t) => {
    const w = await open(t)
    const [one, two] = [await send(w), await send(w, { title: 'Write to them' })]

    await assert.rejects(w.service.receiving.accept(by('gemini'), one.uid), { code: 'not_allowed' })
    const declined = await w.service.receiving.reject(paul, one.uid, { type: 'other', message: 'not ours' })
    const asked = await w.service.receiving.ask(maria, two.uid, 'Which customer?')
    await w.service.receiving.answer(codex, two.uid, 'The first')
    const taken = await w.service.receiving.accept(maria, two.uid)

    assert.deepEqual([declined.state, declined.rejection?.by], ['rejected', 'paul'])
    assert.deepEqual([asked.waiting_for, taken.state], ['codex', 'in_progress'])
  })

  it('goes to exactly one of two who accept at once', async (t) => {
    const w = await open(t)
    const beside = await w.beside()
    const { uid } = await send(w)

    const race = await Promise.allSettled([
      w.service.receiving.accept(maria, uid),
      beside.receiving.accept(paul, uid),
    ])

    assert.deepEqual(race.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  })

  it('can be a step of a workflow', async (t) => {
    const w = await open(t)
    const definition = 'name: w\nsteps:\n  - { id: call, agent: human }\n  - { id: note, agent: codex }\n'
    const run = await (await w.service.workflows()).start(codex, { definition })

    await w.service.receiving.accept(maria, 'w-1.call')
    await w.service.receiving.submit(maria, 'w-1.call', { note: 'They agree' })
    await w.service.closing.verify(codex, 'w-1.call', { pass: true })

    const { steps } = await (await w.service.workflows()).find(run.uid)
    assert.deepEqual(
      steps.map(({ id, agent, state }) => `${id} ${agent} ${state}`),
      ['call maria completed', 'note codex active'],
    )
  })
})
