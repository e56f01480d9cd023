import assert from 'node:assert/strict'
import { it } from 'node:test'
import { disclosed } from '../../../test/support/log/log.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { HOMES } from '../../domain/home.ts'

const planner = by('planner')
const codex = by('codex')
const as = (name: string, instance: string) => ({ actor: { ...by(name).actor, instance } })
const evidence = [{ deliverable: 'Middleware', evidence: 'src/limit.ts' }]

const send = async ({ service }: Workspace, who: string, to: string, more: object = {}) =>
  (await service.sending.send(by(who), { to, title: 'Limits', ...more })).handoff
const begin = async (w: Workspace, who: string, to: string, more: object = {}) => {
  const { uid } = await send(w, who, to, more)
  return w.service.receiving.accept(by(to), uid, { start: true, understood: 'Limits' })
}

describeOnEngines('work that is released', (open) => {
  for (const home of HOMES.filter((each) => each !== 'markdown'))
    it(`is offered again at once as the same attempt: ${home}`, async (t) => {
      const w = await open(t)
      const full = { summary: 'Add limits to the service', deliverables: ['Middleware'], type: 'sequential' }
      const { uid } = await send(w, 'planner', 'codex', { home, ...full })
      const [one, two] = [as('codex', 'one'), as('codex', 'two')]
      const start = { start: true, understood: 'Limits' }
      await w.service.receiving.accept(one, uid, start)

      await assert.rejects(w.service.receiving.release(two, uid, {}), { code: 'not_allowed' })
      await assert.rejects(w.service.receiving.release(one, uid, { attempt: 2 }), { code: 'conflict' })
      const free = await w.service.receiving.release(one, uid, { attempt: 1, reason: 'a deploy' })

      assert.deepEqual(
        [free.state, free.attempt, free.waiting_for, free.holder],
        ['offered', 1, 'codex', undefined],
      )
      const { timeline } = await w.service.looking.get(uid)
      assert.equal(timeline.at(-1)?.act, 'handoff.release')
      assert.deepEqual(disclosed(timeline.at(-1)!).reason, 'a deploy')
      const taken = await w.service.receiving.accept(two, uid, start)
      assert.deepEqual([taken.attempt, taken.instance], [1, 'two'])
      await assert.rejects(w.service.receiving.submit(one, uid, { output: 1, evidence }), {
        code: 'not_allowed',
      })
      const done = await w.service.receiving.submit(two, uid, { output: 1, evidence })
      assert.deepEqual(
        done.attempts.map(({ attempt, instance }) => [attempt, instance]),
        [
          [1, 'one'],
          [1, 'two'],
        ],
      )
    })

  it('never spends a retry, however often that happens', async (t) => {
    const w = await open(t)
    const retry = { max: 0, delay_s: 1, multiplier: 1 }
    const { uid } = await send(w, 'planner', 'codex', { home: 'queue', retry })
    for (let times = 0; times < 6; times += 1) {
      assert.equal((await w.service.receiving.claim(codex))?.uid, uid)
      await w.service.receiving.release(codex, uid, {})
    }
    assert.equal((await w.store.handoff(uid))?.attempt, 1)
  })

  it('keeps a question open, and its answer leads to the next holder', async (t) => {
    const w = await open(t)
    const { uid } = await begin(w, 'planner', 'codex')
    await w.service.receiving.ask(codex, uid, 'Which endpoints?')

    const free = await w.service.receiving.release(codex, uid, {})
    assert.deepEqual([free.state, free.holder, free.resume], ['needs_input', undefined, 'offered'])
    const answered = await w.service.receiving.answer(planner, uid, 'Only /v1')

    assert.deepEqual([answered.state, answered.attempt], ['offered', 1])
    await assert.rejects(w.service.receiving.release(codex, uid, {}), {
      code: 'wrong_state',
      message: /has not been accepted yet; only work that you have begun can be released$/,
    })
  })

  it('is not a step of the markdown format, which says so', async (t) => {
    const w = await open(t)
    const { uid } = await begin(w, 'planner', 'codex', { home: 'markdown', task: 'BPRD-2026-0042' })
    await assert.rejects(w.service.receiving.release(codex, uid, {}), {
      code: 'wrong_state',
      message: /no step/,
    })
  })
})

describeOnEngines('cancelled work', (open) => {
  it('[S4-61] takes what it delegated and the gates below with it, and no gate of its own', async (t) => {
    const w = await open(t)
    await w.service.agents.add(person('maria'), { name: 'maria', kind: 'human' })
    const top = await begin(w, 'planner', 'codex')
    const part = await begin(w, 'codex', 'gemini', { type: 'delegation', parent: top.uid })
    const deep = await begin(w, 'gemini', 'bard', { type: 'delegation', parent: part.uid })
    const done = await begin(w, 'gemini', 'done', { type: 'delegation', parent: part.uid })
    const gate = await send(w, 'gemini', 'maria', { type: 'gate', parent: part.uid })
    const advisory = { type: 'gate', gate: { type: 'advisory' } }
    const advice = await send(w, 'bard', 'maria', { parent: deep.uid, ...advisory })
    const next = await send(w, 'codex', 'tester', { parent: top.uid })
    const own = await send(w, 'codex', 'maria', { type: 'gate', parent: top.uid })
    const holds = await send(w, 'gemini', 'maria', { type: 'gate', parent: part.uid, task: 'T-1' })
    await w.service.receiving.submit(by('bard'), deep.uid, { output: { half: true } })
    await w.service.receiving.submit(by('done'), done.uid, { output: 1 })
    await w.service.closing.verify(by('gemini'), done.uid, { pass: true })
    const before = await w.store.changes('0', 1_000)

    await w.service.sending.cancel(planner, top.uid, 'no longer needed')

    const state = async ({ uid }: { uid: string }) => (await w.store.handoff(uid))?.state
    const all = [top, part, deep, gate, advice]
    assert.deepEqual(await Promise.all(all.map(state)), Array(5).fill('cancelled'))
    assert.deepEqual(await Promise.all([done, next, own, holds].map(state)), [
      'completed',
      'offered',
      'needs_input',
      'needs_input',
    ])
    assert.deepEqual((await w.store.content(deep.uid))?.result?.output, { half: true })
    const { handoff, timeline } = await w.service.looking.get(deep.uid)
    const why = `${top.id}, which it belongs to, was cancelled: no longer needed`
    assert.equal(handoff.rejection?.message, why)
    assert.equal(disclosed(timeline.at(-1)!).reason, why)
    const after = await w.store.changes('0', 1_000)
    const since = after.entries.slice(before.entries.length)
    assert.deepEqual(new Set(since.map(({ act }) => act)), new Set(['handoff.cancel']))
    assert.equal(new Set(since.map(({ at }) => at)).size, 1)
    const { notices } = await w.service.looking.inbox('bard', { limit: 5 })
    assert.match(notices.at(-1)?.text ?? '', /was cancelled: HO-2026-001, which it belongs to/)
  })

  it('delegates nothing any more', async (t) => {
    const w = await open(t)
    const top = await begin(w, 'planner', 'codex')
    await w.service.sending.cancel(planner, top.uid)

    await assert.rejects(send(w, 'codex', 'gemini', { type: 'delegation', parent: top.uid }), {
      code: 'wrong_state',
      message: `${top.id} was cancelled; nothing is delegated from it any more`,
    })
  })

  it('leaves alone what others made of it', async (t) => {
    const w = await open(t)
    const top = await begin(w, 'planner', 'codex')
    const part = await send(w, 'codex', 'gemini', { type: 'delegation', parent: top.uid })
    const other = await send(w, 'mallory', 'bard', { type: 'delegation', parent: top.uid })
    await w.service.sending.cancel(planner, top.uid)
    assert.equal((await w.store.handoff(part.uid))?.state, 'cancelled')
    assert.equal((await w.store.handoff(other.uid))?.state, 'offered')
  })
})
