import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import type { BatonError } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'

const TASK = 'P0.1.1'

const pass = async ({ service }: Workspace, from: string, to: string, more = {}) =>
  (await service.sending.send(by(from), { to, title: 'Work', task: TASK, ...more })).handoff
const take = ({ service }: Workspace, { uid, to }: Handoff) => service.receiving.accept(by(to), uid)

/** planner → codex → planner, with nothing done in between. */
async function thereAndBack(w: Workspace): Promise<Handoff> {
  const first = await pass(w, 'planner', 'codex')
  await take(w, first)
  await pass(w, 'codex', 'planner')
  return first
}

const CIRCLE = {
  code: 'conflict',
  message:
    'planner already handed P0.1.1 to codex (HO-2026-001) and nothing was added since; add a record, evidence or an answer first; the chain is planner → codex → planner (HO-2026-001, HO-2026-002), and now to codex',
}

describeOnEngines('a chain of handoffs', (open) => {
  it('carries root, parent and depth that the engine computes', async (t) => {
    const w = await open(t)

    const first = await pass(w, 'planner', 'codex')
    const second = await pass(w, 'codex', 'gemini')
    const third = await pass(w, 'gemini', 'abacus')
    const apart = await pass(w, 'planner', 'codex', { task: 'P0.1.2' })

    const places = [first, second, third, apart].map(({ root, parent, depth }) => ({ root, parent, depth }))
    assert.deepEqual(places, [
      { root: first.uid, parent: undefined, depth: 0 },
      { root: first.uid, parent: first.uid, depth: 1 },
      { root: first.uid, parent: second.uid, depth: 2 },
      { root: apart.uid, parent: undefined, depth: 0 },
    ])
  })

  it('goes on below the parent that a sender names', async (t) => {
    const w = await open(t)
    const first = await pass(w, 'planner', 'codex', { task: undefined })

    const second = await pass(w, 'codex', 'gemini', { task: undefined, parent: first.id })

    assert.deepEqual([second.root, second.parent, second.depth], [first.uid, first.uid, 1])
    await assert.rejects(pass(w, 'codex', 'gemini', { parent: 'HO-2026-999' }), { code: 'not_found' })
  })

  it('ends at a depth of 16', async (t) => {
    const w = await open(t)
    for (let i = 0; i <= 16; i += 1) await pass(w, `agent-${i}`, `agent-${i + 1}`)

    await assert.rejects(pass(w, 'agent-17', 'agent-18'), {
      code: 'limit_exceeded',
      message:
        'this would be handoff 18 in one chain (max: 17); finish or return the work instead of passing it on; the chain is … → agent-11 → agent-12 → agent-13 → agent-14 → agent-15 → agent-16 → agent-17 (HO-2026-012, HO-2026-013, HO-2026-014, HO-2026-015, HO-2026-016, HO-2026-017), and now to agent-18',
    })
  })

  it('ends where the workspace says', async (t) => {
    const w = await open(t, { policy: { depthLimit: 1 } })
    await pass(w, 'one', 'two')
    await pass(w, 'two', 'three')

    await assert.rejects(pass(w, 'three', 'four'), { code: 'limit_exceeded' })
  })

  it('[T24] stops when a hundred agents pass tasks round in a ring, and others are answered all the while', async (t) => {
    const w = await open(t)
    const agent = (i: number) => `agent-${i % 100}`
    let rings = 5
    const ring = async (start: number) => {
      let passed = 0
      try {
        for (; passed < 200; passed += 1)
          await pass(w, agent(start + passed), agent(start + passed + 1), { task: `T${start}` })
      } catch (error) {
        return { passed, error: error as BatonError }
      } finally {
        rings -= 1
      }
      return { passed }
    }
    const others = async () => {
      let answered = 0
      for (; rings > 0; answered += 1) {
        const sent = await pass(w, 'planner', `other-${answered}`, { task: undefined })
        const { items } = await w.service.looking.inbox(sent.to, { limit: 5 })
        assert.deepEqual(
          items.map(({ uid }) => uid),
          [sent.uid],
        )
      }
      return answered
    }

    const [answered, ...stopped] = await Promise.all([others(), ...[0, 20, 40, 60, 80].map(ring)])

    for (const [i, { passed, error }] of stopped.entries()) {
      assert.deepEqual([passed, error?.code], [17, 'limit_exceeded'])
      const start = i * 20
      assert.match(error?.message ?? '', new RegExp(`→ agent-${start + 16} → agent-${start + 17} \\(HO-`))
      const chain = error?.details.chain as readonly { from: string; to: string }[]
      assert.deepEqual(
        chain.map(({ from, to }) => [from, to]),
        Array.from({ length: 17 }, (_, at) => [agent(start + at), agent(start + at + 1)]),
      )
    }
    assert.ok(answered >= 5, `${answered} calls were answered meanwhile`)
  })

  it('names the two that pass work to and fro without adding anything', async (t) => {
    const w = await open(t)
    await thereAndBack(w)
    await w.service.tasks.record(by('codex'), TASK, { summary: 'Half of it is done' })
    await pass(w, 'planner', 'codex')
    await pass(w, 'codex', 'planner')

    await assert.rejects(pass(w, 'planner', 'codex'), (error: BatonError) => {
      assert.equal(error.code, 'conflict')
      assert.match(error.message, /planner → codex → planner → codex → planner \(HO-2026-001, /)
      return true
    })
  })

  it('does not keep a gate or an escalation at its end from a person', async (t) => {
    const w = await open(t, { policy: { depthLimit: 0 } })
    await pass(w, 'one', 'two')

    const gate = await pass(w, 'two', 'human', { type: 'gate' })
    const escalation = await pass(w, 'two', 'human', { type: 'escalation' })

    assert.deepEqual([gate.depth, escalation.depth], [1, 1])
  })

  it('refuses to go round between two when nothing was added', async (t) => {
    const w = await open(t)
    await thereAndBack(w)

    await assert.rejects(pass(w, 'planner', 'codex'), CIRCLE)
  })

  it('goes round again after evidence, an answer, an amendment or a decision', async (t) => {
    const progress: Readonly<Record<string, (w: Workspace, first: Handoff) => Promise<unknown>>> = {
      evidence: ({ service }, { uid }) => service.receiving.submit(by('codex'), uid, { note: 'done' }),
      answer: async ({ service }, { uid }) => {
        await service.receiving.ask(by('codex'), uid, 'Which one?')
        return service.receiving.answer(by('planner'), uid, 'The first')
      },
      amendment: async ({ service }, { uid }) => {
        await service.receiving.ask(by('codex'), uid, 'Which one?')
        return service.sending.amend(by('planner'), uid, { summary: 'The first one only' })
      },
      decision: async (w) => {
        const gate = await pass(w, 'codex', 'human', { type: 'gate' })
        return w.service.closing.decide(person('maria'), gate.uid, 'approve')
      },
    }
    for (const [name, add] of Object.entries(progress)) {
      const w = await open(t)
      const first = await thereAndBack(w)
      await assert.rejects(pass(w, 'planner', 'codex'), { code: 'conflict' }, name)

      await add(w, first)

      assert.equal((await pass(w, 'planner', 'codex')).state, 'offered', name)
    }
  })

  it('goes round again after a record of the task', async (t) => {
    const w = await open(t)
    await thereAndBack(w)
    await w.service.tasks.record(by('codex'), TASK, { summary: 'Half of it is done' })

    const next = await pass(w, 'planner', 'codex')

    assert.equal(next.depth, 2)
    await pass(w, 'codex', 'planner')
    await assert.rejects(pass(w, 'planner', 'codex'), { code: 'conflict' })
  })

  it('does not count a heartbeat as progress', async (t) => {
    const w = await open(t)
    const first = await thereAndBack(w)
    await w.service.receiving.heartbeat(by('codex'), first.uid, { progress: 10 })

    await assert.rejects(pass(w, 'planner', 'codex'), CIRCLE)
  })

  it('lets a sender hand over again what was rejected, expired or superseded', async (t) => {
    const w = await open(t)
    const first = await pass(w, 'planner', 'codex')
    await w.service.receiving.reject(by('codex'), first.uid, { type: 'other', message: 'no' })

    const second = await pass(w, 'planner', 'codex', { supersedes: first.id })

    assert.deepEqual([second.root, second.depth, second.supersedes], [second.uid, 0, first.uid])
  })

  it('lets nobody supersede what is still open, or what is not there', async (t) => {
    const w = await open(t)
    const first = await thereAndBack(w)

    await assert.rejects(pass(w, 'planner', 'codex', { supersedes: first.id }), {
      code: 'wrong_state',
      message: 'HO-2026-001 is in progress; only ended handoffs can be superseded',
    })
    await assert.rejects(pass(w, 'planner', 'codex', { supersedes: 'HO-1999-001' }), { code: 'not_found' })
  })
})
