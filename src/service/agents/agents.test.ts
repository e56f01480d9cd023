import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  by,
  describeOnEngines,
  PACKAGE,
  person,
  UNDERSTOOD,
  type Workspace,
} from '../../../test/support/program/workspace.ts'

const planner = by('planner')
const maria = person('maria')

const send = async ({ service }: Workspace, from: string, to: string) =>
  (await service.sending.send(by(from), { to, title: 'Work' })).handoff
const namesOf = async ({ service }: Workspace) => (await service.agents.list()).map(({ name }) => name)

describeOnEngines('an agent that nobody knows', (open) => {
  it('is added by its first handoff, without limits, where no agents are listed', async (t) => {
    const w = await open(t)

    await send(w, 'planner', 'codex')

    const codex = (await w.service.agents.list()).find(({ name }) => name === 'codex')
    assert.deepEqual(await namesOf(w), ['codex', 'planner'])
    assert.deepEqual([codex?.kind, codex?.limits, codex?.roles], ['agent', {}, []])
  })

  it('[S0-55] is refused with the known names where agents are listed', async (t) => {
    const w = await open(t, { policy: { agents: { planner: {}, codex: {} } } })

    await assert.rejects(send(w, 'planner', 'gemini'), {
      code: 'not_found',
      message: 'unknown agent gemini; baton.yaml lists codex, planner',
      details: { agent: 'gemini', known: ['codex', 'planner'] },
    })
    await assert.rejects(send(w, 'gemini', 'codex'), { code: 'not_found' })
    assert.equal((await send(w, 'planner', 'codex')).state, 'offered')
    assert.equal((await w.store.counts()).entries, 3)
  })

  it('may be the person at the terminal, or human, also where agents are listed', async (t) => {
    const w = await open(t, { policy: { agents: { codex: {} } } })

    const { handoff } = await w.service.sending.send(maria, { to: 'codex', title: 'Work' })
    const gate = await w.service.sending.send(by('codex'), { to: 'human', title: 'Ship?', type: 'gate' })

    assert.deepEqual([handoff.from, gate.handoff.state], ['maria', 'needs_input'])
    assert.equal((await w.service.agents.list()).find(({ name }) => name === 'maria')?.kind, 'human')
  })

  it('is added once when many meet it at the same time', async (t) => {
    const w = await open(t)
    const services = [w.service, await w.beside()]

    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        send({ ...w, service: services[i % 2] ?? w.service }, `sender-${i % 3}`, 'codex'),
      ),
    )

    assert.deepEqual(await namesOf(w), ['codex', 'sender-0', 'sender-1', 'sender-2'])
    assert.ok((await w.store.agents()).every(({ rev }) => rev === 1))
  })
})

describeOnEngines('a listed agent', (open) => {
  it('is there before it was ever used, with what the list says', async (t) => {
    const w = await open(t, {
      policy: { agents: { codex: { kind: 'specialist', roles: ['verifier'], capabilities: ['react'] } } },
    })

    const [codex] = await w.service.agents.list()

    assert.deepEqual(
      [codex?.name, codex?.kind, codex?.roles, codex?.capabilities],
      ['codex', 'specialist', ['verifier'], ['react']],
    )
  })
})

describeOnEngines('the routes', (open) => {
  const policy = { routes: [{ from: 'planner', to: ['codex', 'gemini'] }] }

  it('let nobody hand to whom they do not list', async (t) => {
    const w = await open(t, { policy })

    await assert.rejects(send(w, 'codex', 'planner'), {
      code: 'not_allowed',
      message: 'codex may not hand to planner; see routes in baton.yaml',
    })
    assert.equal((await send(w, 'planner', 'codex')).state, 'offered')
  })

  it('hold for work that is given to another, too', async (t) => {
    const w = await open(t, { policy })
    const { uid } = await send(w, 'planner', 'codex')

    await assert.rejects(w.service.sending.reassign(planner, uid, 'abacus'), { code: 'not_allowed' })
    assert.equal((await w.service.sending.reassign(planner, uid, 'gemini')).to, 'gemini')
  })

  it('do not keep a delegation from coming back', async (t) => {
    const w = await open(t, { policy })
    const { handoff } = await w.service.sending.send(planner, {
      to: 'codex',
      title: 'Work',
      type: 'delegation',
      ...PACKAGE,
    })
    await w.service.receiving.accept(by('codex'), handoff.uid, UNDERSTOOD)

    await w.service.receiving.submit(by('codex'), handoff.uid, { note: 'Done' })

    assert.equal((await w.store.handoff(`${handoff.id}-R`))?.to, 'planner')
  })
})

describeOnEngines('a removed agent', (open) => {
  it('gets nothing new, in any process, and is told apart from an unknown one', async (t) => {
    const w = await open(t)
    const beside = await w.beside()
    const { uid } = await send({ ...w, service: beside }, 'planner', 'codex')
    const other = await send(w, 'planner', 'gemini')
    await w.service.agents.remove(maria, 'codex')

    const refused = {
      code: 'not_found',
      message: 'agent codex was removed; add it again with: baton agent add codex',
    }
    await assert.rejects(send(w, 'planner', 'codex'), refused)
    await assert.rejects(send({ ...w, service: beside }, 'planner', 'codex'), refused)
    await assert.rejects(send({ ...w, service: beside }, 'codex', 'planner'), refused)
    await assert.rejects(beside.sending.reassign(planner, other.uid, 'codex'), refused)
    assert.equal((await w.store.handoff(uid))?.state, 'offered')
    assert.ok(!(await namesOf(w)).includes('codex'))
  })

  it('finishes what it has', async (t) => {
    const w = await open(t)
    const { uid } = await send(w, 'planner', 'codex')
    await w.service.agents.remove(maria, 'codex')

    await w.service.receiving.accept(by('codex'), uid)

    assert.equal((await w.service.receiving.submit(by('codex'), uid, { note: 'Done' })).state, 'in_review')
  })

  it('is back when it is added again', async (t) => {
    const w = await open(t)
    await send(w, 'planner', 'codex')
    await w.service.agents.remove(maria, 'codex')
    const beside = await w.beside()
    await assert.rejects(send({ ...w, service: beside }, 'planner', 'codex'), { code: 'not_found' })

    const back = await w.service.agents.add(maria, { name: 'codex' })

    assert.deepEqual([back.rev, back.removed], [3, false])
    assert.equal((await send({ ...w, service: beside }, 'planner', 'codex')).state, 'offered')
  })

  it('cannot be removed twice, nor before it was there', async (t) => {
    const w = await open(t)
    await w.service.agents.add(maria, { name: 'codex' })
    await w.service.agents.remove(maria, 'codex')

    await assert.rejects(w.service.agents.remove(maria, 'codex'), { code: 'not_found' })
    await assert.rejects(w.service.agents.remove(maria, 'nobody'), { code: 'not_found' })
  })
})

describeOnEngines('what is said of an agent', (open) => {
  it('is changed field by field and keeps the rest', async (t) => {
    const w = await open(t)
    await w.service.agents.add(maria, { name: 'codex', kind: 'specialist', max_incoming: 3 })

    const changed = await w.service.agents.add(maria, { name: 'codex', roles: ['verifier'], max_outgoing: 0 })

    assert.deepEqual(
      [changed.kind, changed.roles, changed.limits, changed.rev],
      ['specialist', ['verifier'], { incoming: 3, outgoing: 0 }, 2],
    )
  })

  it('loses nothing when two processes change it at once', async (t) => {
    const w = await open(t)
    await w.service.agents.add(maria, { name: 'codex' })
    const beside = await w.beside()

    await Promise.all([
      w.service.agents.add(maria, { name: 'codex', max_incoming: 3 }),
      beside.agents.add(maria, { name: 'codex', roles: ['verifier'] }),
    ])

    const [codex] = await w.store.agents()
    assert.deepEqual([codex?.limits, codex?.roles, codex?.rev], [{ incoming: 3 }, ['verifier'], 3])
  })

  it('is a person, or has a role, only where a person says so', async (t) => {
    const w = await open(t)
    await send(w, 'planner', 'codex')

    await assert.rejects(w.service.agents.add(by('codex'), { name: 'codex', kind: 'human' }), {
      code: 'not_allowed',
    })
    await assert.rejects(w.service.agents.add(by('codex'), { name: 'codex', roles: ['verifier'] }), {
      code: 'not_allowed',
    })

    const codex = (await w.store.agents()).find(({ name }) => name === 'codex')
    assert.deepEqual([codex?.kind, codex?.roles], ['agent', []])
    assert.equal((await w.service.agents.add(maria, { name: 'omar', kind: 'human' })).kind, 'human')
  })

  it('[S4-66] stays a person: no agent can make a person an agent or take one away', async (t) => {
    const w = await open(t)
    await w.service.agents.add(maria, { name: 'omar', kind: 'human' })
    const refused = { code: 'not_allowed', message: /omar is a person/ }

    await assert.rejects(w.service.agents.add(by('codex'), { name: 'omar', kind: 'agent' }), refused)
    await assert.rejects(w.service.agents.remove(by('codex'), 'omar'), refused)

    assert.equal((await w.store.agent('omar'))?.kind, 'human')
    assert.equal((await w.service.agents.add(maria, { name: 'omar', max_incoming: 3 })).kind, 'human')
    await assert.rejects(w.service.agents.add(by('codex'), { name: 'codex', max_outgoing: 99 }), {
      code: 'not_allowed',
      message: 'only a person can set how much an agent may hold',
    })
    assert.equal((await w.service.agents.add(maria, { name: 'omar', kind: 'agent' })).kind, 'agent')
    await assert.rejects(w.service.agents.remove(by('codex'), 'omar'), {
      code: 'not_allowed',
      message: 'only a person can remove another agent',
    })
    assert.equal((await w.service.agents.remove(by('omar'), 'omar')).removed, true)
  })

  it('[S4-56] is a person under the name human, whoever says otherwise', async (t) => {
    const w = await open(t)

    for (const actor of [maria, by('codex')])
      await assert.rejects(w.service.agents.add(actor, { name: 'human', kind: 'agent' }), {
        code: actor === maria ? 'invalid_input' : 'not_allowed',
      })

    assert.equal((await w.service.agents.add(maria, { name: 'human', max_incoming: 9 })).kind, 'human')
    await assert.rejects(w.service.agents.remove(by('codex'), 'human'), { code: 'not_allowed' })
  })
})
