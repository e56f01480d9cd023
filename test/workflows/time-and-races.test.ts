import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOUR_MS } from '../../src/domain/handoffs/deadlines.ts'
import { by, describeOnEngines, person } from '../support/program/workspace.ts'

const orchestrator = by('orchestrator')
const maria = person('maria')
const UNDERSTOOD = { understood: { task: 'I do the step' } }
const OTHER = { type: 'other', message: 'no' }

describeOnEngines('a run that nobody answers', (open) => {
  it('goes to whom the rule names when its agent does not take the step in time', async (t) => {
    const w = await open(t)
    const definition = `name: late
steps:
  - { id: a, agent: codex, on_failure: { route_to: gemini } }
`
    await (await w.service.workflows()).start(orchestrator, { definition })

    w.clock.pass(25 * HOUR_MS)
    await w.service.settle()

    const routed = await w.store.handoff('late-1.a.2')
    assert.deepEqual([routed?.to, routed?.state], ['gemini', 'offered'])
    w.clock.pass(25 * HOUR_MS)
    await w.service.settle()
    const { state, steps } = await (await w.service.workflows()).find('late-1')
    assert.deepEqual([state, steps[0]?.error], ['failed', 'gemini did not answer in time'])
  })

  it('gives people as long as it takes, also when their step is not the first', async (t) => {
    const w = await open(t)
    await w.service.agents.add(maria, { name: 'maria', kind: 'human' })
    const definition = `name: slow
home: native
steps:
  - { id: a, agent: codex }
  - { id: b, agent: maria, timeout: 1h }
`
    await (await w.service.workflows()).start(orchestrator, { definition })
    await w.service.receiving.accept(by('codex'), 'slow-1.a')
    await w.service.receiving.submit(by('codex'), 'slow-1.a', { note: 'Done' })
    await w.service.closing.verify(orchestrator, 'slow-1.a', { pass: true })

    w.clock.pass(1_000 * HOUR_MS)
    await w.service.settle()

    const waits = await w.store.handoff('slow-1.b')
    assert.deepEqual([waits?.state, waits?.ack_deadline, waits?.timeout_s], ['offered', undefined, undefined])
  })

  it('[S4-69] does not pass a gate that nobody decides: it stops, and asks again when it is resumed', async (t) => {
    const w = await open(t)
    const definition = `name: silent
home: package
steps:
  - id: a
    agent: codex
    gate: { silence: { policy: expire, after_s: 3600 } }
  - { id: b, agent: codex }
`
    await (await w.service.workflows()).start(orchestrator, { definition })
    await w.service.receiving.accept(by('codex'), 'silent-1.a', UNDERSTOOD)
    await w.service.receiving.submit(by('codex'), 'silent-1.a', { note: 'Done' })

    w.clock.pass(2 * HOUR_MS)
    await w.service.settle()
    const stopped = await (await w.service.workflows()).find('silent-1')
    assert.deepEqual(
      [stopped.state, stopped.steps.map(({ state }) => state), stopped.steps[0]?.error],
      ['failed', ['failed', 'waiting'], 'nobody decided silent-1.a.gate in time'],
    )
    await (await w.service.workflows()).resume(orchestrator, 'silent-1')

    assert.equal((await w.store.handoff('silent-1.a.gate.2'))?.state, 'needs_input')
    assert.equal(await w.store.handoff('silent-1.a.2'), undefined)
    await w.service.closing.decide(maria, 'silent-1.a.gate.2', 'approve')
    assert.equal((await w.store.handoff('silent-1.b'))?.state, 'offered')
  })
})

describeOnEngines('branches of a run', (open) => {
  it('[S4-79] that end in the same moment in two processes are joined by one step, once', async (t) => {
    const w = await open(t)
    const other = await w.beside()
    const names = Array.from({ length: 8 }, (_, i) => `b${i}`)
    const branches = names.map((name) => `      - { id: ${name}, agent: ${name} }`).join('\n')
    const definition = `name: wide
home: package
steps:
  - parallel:
${branches}
  - { id: join, agent: codex }
`
    const run = await (await w.service.workflows()).start(orchestrator, { definition })
    const services = [w.service, other]
    await Promise.all(
      names.map((name, i) => services[i % 2]!.receiving.accept(by(name), `wide-1.${name}`, UNDERSTOOD)),
    )

    await Promise.all(
      names.map((name, i) => services[i % 2]!.receiving.submit(by(name), `wide-1.${name}`, { note: name })),
    )

    const { items } = await w.store.handoffs({ run: run.uid, to: 'codex' }, { limit: 9 })
    assert.deepEqual(
      items.map(({ id, state }) => `${id} ${state}`),
      ['wide-1.join offered'],
    )
    const text = (await w.store.content(items[0]!.uid))!.package.context ?? ''
    for (const name of names) assert.match(text, new RegExp(`Step ${name}, ${name}: ${name}`))
    const all = (await w.store.handoffs({ run: run.uid }, { limit: 50 })).items
    assert.deepEqual(
      all.map(({ aliases }) => aliases?.package).sort(),
      Array.from({ length: 9 }, (_, i) => `HO-00${i + 1}`),
    )
  })

  it('go on when another one fails, and the run stops only when nothing is left to do', async (t) => {
    const w = await open(t)
    const definition = `name: apart
home: package
steps:
  - { id: a, agent: codex }
  - { id: b, agent: gemini, needs: [] }
  - { id: c, agent: gemini, needs: [b] }
  - { id: d, agent: codex, needs: [a, c] }
`
    await (await w.service.workflows()).start(orchestrator, { definition })
    await w.service.receiving.reject(by('codex'), 'apart-1.a', OTHER)
    const done = async (id: string) => {
      await w.service.receiving.accept(by('gemini'), id, UNDERSTOOD)
      await w.service.receiving.submit(by('gemini'), id, { note: 'Done' })
      return (await (await w.service.workflows()).find('apart-1')).state
    }

    assert.equal(await done('apart-1.b'), 'running')
    assert.equal(await done('apart-1.c'), 'failed')

    await (await w.service.workflows()).resume(maria, 'apart-1')
    const { steps } = await (await w.service.workflows()).find('apart-1')
    assert.deepEqual(
      steps.map(({ id, state }) => `${id} ${state}`),
      ['a active', 'b completed', 'c completed', 'd waiting'],
    )
  })

  it('of one agent are held apart: a gate of the one lets the other send', async (t) => {
    const w = await open(t)
    const definition = `name: twice
home: package
steps:
  - parallel:
      - { id: a, agent: codex, gate: {} }
      - { id: b, agent: codex }
`
    await (await w.service.workflows()).start(orchestrator, { definition })
    for (const id of ['twice-1.a', 'twice-1.b']) await w.service.receiving.accept(by('codex'), id, UNDERSTOOD)
    await w.service.receiving.submit(by('codex'), 'twice-1.a', { note: 'Done' })
    const send = (parent: string) =>
      w.service.sending.send(by('codex'), {
        to: 'gemini',
        title: 'Help',
        summary: 'Help with the second part',
        parent,
      })

    await assert.rejects(send('twice-1.a'), { code: 'wrong_state' })
    const { handoff } = await send('twice-1.b')

    assert.equal(handoff.state, 'offered')
  })
})
