import assert from 'node:assert/strict'
import { it } from 'node:test'
import { EXAMPLE } from '../../../test/invoke.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/workspace.ts'
import type { Handoff } from '../../domain/handoff.ts'
import type { CheckResult } from '../../domain/package.ts'

const planner = by('planner')
const codex = by('codex')
const maria = person('maria')

const work = async ({ service }: Workspace, more = {}): Promise<Handoff> => {
  const { handoff } = await service.sending.send(planner, {
    to: 'codex',
    title: 'Add rate limiting',
    ...more,
  })
  return service.receiving.accept(codex, handoff.uid)
}

const gate = async ({ service }: Workspace, parent: Handoff, more = {}, call = codex): Promise<Handoff> =>
  (
    await service.sending.send(call, {
      to: 'human',
      title: 'May this go on?',
      type: 'gate',
      parent: parent.uid,
      ...more,
    })
  ).handoff

const shut = (id: string, doing: string, reason: string) => ({
  code: 'unmet',
  message: `${id} cannot be ${doing} yet: ${reason}`,
})

describeOnEngines('a gate over work', (open) => {
  it('[S4-61] is not passed by cancelling the work and handing it over anew', async (t) => {
    const w = await open(t)
    const first = await work(w)
    const asked = await gate(w, first)
    await w.service.sending.cancel(planner, first.uid)
    const again = () => w.service.sending.send(planner, { to: 'codex', title: 'Again', supersedes: first.id })

    await assert.rejects(again(), shut(first.id, 'superseded', `the gate ${asked.id} waits for human`))
    await w.service.closing.decide(maria, asked.uid, 'approve')

    assert.equal((await again()).handoff.supersedes, first.uid)
  })

  it('[S4-61] holds up the work of its sender until a person approves', async (t) => {
    const w = await open(t)
    const { uid, id } = await work(w)
    const asked = await gate(w, { uid } as Handoff)

    await assert.rejects(
      w.service.receiving.submit(codex, uid, { note: 'done' }),
      shut(id, 'submitted', `the gate ${asked.id} waits for human`),
    )
    await w.service.closing.decide(maria, asked.uid, 'approve')
    const submitted = await w.service.receiving.submit(codex, uid, { note: 'done' })

    assert.equal(submitted.state, 'in_review')
  })

  it('[S4-61] lets nobody complete or verify the work it holds up, in no home', async (t) => {
    const w = await open(t)
    const native = await work(w)
    await w.service.receiving.submit(codex, native.uid, { note: 'done' })
    const asked = await gate(w, native, { gate: { name: 'security' } }, planner)
    const queued = await work(w, { home: 'queue' })
    const other = await gate(w, queued)
    const packed = await work(w, { home: 'block' })
    const third = await gate(w, packed)

    for (const call of [planner, maria]) {
      await assert.rejects(w.service.closing.verify(call, native.uid, { pass: true }), { code: 'unmet' })
      await assert.rejects(
        w.service.closing.complete(call, native.uid),
        shut(native.id, 'completed', `the gate security (${asked.id}) waits for human`),
      )
    }
    for (const held of [queued, packed]) {
      await assert.rejects(w.service.receiving.submit(codex, held.uid, { output: { ok: true } }), {
        code: 'unmet',
      })
      await assert.rejects(w.service.closing.complete(codex, held.uid), { code: 'unmet' })
    }
    for (const { uid } of [asked, other, third]) await w.service.closing.decide(maria, uid, 'approve')
    const ends = [
      await w.service.closing.verify(planner, native.uid, { pass: true }),
      await w.service.receiving.submit(codex, queued.uid, { output: { ok: true } }),
      await w.service.closing.complete(codex, packed.uid),
    ]

    assert.deepEqual(
      ends.map(({ state }) => state),
      ['completed', 'completed', 'completed'],
    )
  })

  it('[S4-61] lets the work not be handed on meanwhile', async (t) => {
    const w = await open(t)
    const held = await work(w, { task: 'P1' })
    const asked = await gate(w, held)
    const on = () =>
      w.service.sending.send(codex, { to: 'tester', title: 'Test it', task: 'P1', type: 'delegation' })

    await assert.rejects(on(), shut(held.id, 'passed on', `the gate ${asked.id} waits for human`))
    await w.service.closing.decide(maria, asked.uid, 'approve')

    assert.equal((await on()).handoff.state, 'offered')
  })

  it('[S4-63] that was rejected must be passed again under its name', async (t) => {
    const w = await open(t)
    const held = await work(w)
    const first = await gate(w, held, { gate: { name: 'specification' } })
    await w.service.closing.decide(maria, first.uid, 'reject', 'too broad')
    const submit = () => w.service.receiving.submit(codex, held.uid, { note: 'done' })

    await assert.rejects(
      submit(),
      shut(
        held.id,
        'submitted',
        `the gate specification (${first.id}) was rejected; mend the work and send the gate again`,
      ),
    )
    const other = await gate(w, held, { gate: { name: 'security' } })
    await w.service.closing.decide(maria, other.uid, 'approve')
    await assert.rejects(submit(), { code: 'unmet' })
    const again = await gate(w, held, { gate: { name: 'specification' } })
    await w.service.closing.decide(maria, again.uid, 'approve')

    assert.equal((await submit()).state, 'in_review')
    assert.equal((await w.service.looking.get(first.uid)).handoff.rejection?.message, 'too broad')
  })

  it('[S4-64] stays shut while its sender answers a question', async (t) => {
    const w = await open(t)
    const held = await work(w)
    const asked = await gate(w, held)
    await w.service.closing.decide(maria, asked.uid, 'question', 'Which users?')

    await assert.rejects(
      w.service.receiving.submit(codex, held.uid, { note: 'done' }),
      shut(held.id, 'submitted', `the gate ${asked.id} waits for codex`),
    )
  })

  it('[S4-69] of a type that nobody knows is shut, and one that advises is not', async (t) => {
    const w = await open(t)
    const strange = await work(w)
    const advised = await work(w)

    const odd = await gate(w, strange, { gate: { type: 'soft-block' } })
    const advice = await gate(w, advised, { gate: { type: 'Advisory', name: 'style' } })

    assert.deepEqual(
      [odd.gate, advice.gate],
      [
        { type: 'blocking', guards: strange.uid },
        { type: 'advisory', name: 'style' },
      ],
    )
    await assert.rejects(w.service.receiving.submit(codex, strange.uid, { note: 'done' }), { code: 'unmet' })
    assert.equal((await w.service.receiving.submit(codex, advised.uid, { note: 'done' })).state, 'in_review')
    assert.equal((await w.store.handoff(advice.uid))?.state, 'needs_input')
  })

  it('[S4-61] holds up the task of the work too: neither an update nor a record makes it done', async (t) => {
    const w = await open(t)
    const { tasks } = w.service
    await tasks.create(planner, { id: EXAMPLE.task_id, title: 'Package setup' })
    const asked = await gate(w, await work(w, { task: EXAMPLE.task_id }))
    const { task_id: id, ...record } = EXAMPLE
    const refused = { code: 'unmet', message: new RegExp(`the gate ${asked.id} waits for human`) }

    await assert.rejects(tasks.update(codex, id, { status: 'done' }), { message: /^Writeback required/ })
    await assert.rejects(tasks.complete(codex, id, record), refused)
    await tasks.record(codex, id, record)
    await assert.rejects(tasks.update(codex, id, { status: 'done' }), refused)

    await w.service.closing.decide(maria, asked.uid, 'approve')
    assert.equal((await tasks.update(codex, id, { status: 'done' })).task.status, 'done')
    assert.equal((await tasks.update(codex, id, { status: 'done' })).task.status, 'done')
  })

  it('holds up nothing when its sender takes it back, and nothing of strangers', async (t) => {
    const w = await open(t)
    const held = await work(w)
    const mistaken = await gate(w, held)
    await w.service.sending.cancel(codex, mistaken.uid)
    const foreign = await gate(w, held, {}, by('mallory'))

    const submitted = await w.service.receiving.submit(codex, held.uid, { note: 'done' })

    assert.deepEqual([submitted.state, foreign.gate], ['in_review', { type: 'blocking' }])
  })

  it('holds up nothing as a draft, and the work from the moment it is sent', async (t) => {
    const w = await open(t)
    const held = await work(w)
    const { handoff } = await w.service.sending.create(codex, {
      to: 'human',
      title: 'Later',
      type: 'gate',
      parent: held.uid,
    })
    const before = await w.service.receiving.submit(codex, held.uid, { note: 'done' })
    await w.service.sending.sendDraft(codex, handoff.uid)

    await assert.rejects(w.service.closing.verify(planner, held.uid, { pass: true }), { code: 'unmet' })
    assert.equal(before.state, 'in_review')
  })

  it('is not declined as work is', async (t) => {
    const w = await open(t)
    await w.service.agents.add(maria, { name: 'maria', kind: 'human' })
    const asked = await gate(w, await work(w), { to: 'maria' })

    await assert.rejects(w.service.receiving.reject(maria, asked.uid, { type: 'other', message: 'no' }), {
      code: 'wrong_state',
      message: `${asked.id} asks a person to decide; answer it with: baton decide ${asked.id} reject`,
    })
  })

  it('is sent or the work submitted, whichever comes first, never both past each other', async (t) => {
    const w = await open(t)
    const beside = await w.beside()
    for (let round = 0; round < 5; round++) {
      const held = await work(w, { home: 'queue' })
      const [sent, submitted] = await Promise.allSettled([
        gate({ ...w, service: beside }, held),
        w.service.receiving.submit(codex, held.uid, { output: { ok: true } }),
      ])
      const now = await w.store.handoff(held.uid)

      assert.equal(sent.status, 'fulfilled')
      // Submitted before the gate was there, or refused because it was.
      assert.equal(now?.state, submitted.status === 'fulfilled' ? 'completed' : 'in_progress')
      if (submitted.status === 'rejected') assert.equal((submitted.reason as { code: string }).code, 'unmet')
    }
  })
})

describeOnEngines('an automatic gate', (open) => {
  const checks = [{ kind: 'file_exists', path: 'docs/specification.md' }] as const
  const answering = (...results: readonly CheckResult[]) => ({ runChecks: async () => results })
  const auto = { gate: { type: 'auto', name: 'specification' }, checks: [...checks] }

  it('opens by itself when its checks pass', async (t) => {
    const w = await open(t, answering({ name: 'docs/specification.md exists', ok: true }))
    const held = await work(w)

    const asked = await gate(w, held, auto)
    const submitted = await w.service.receiving.submit(codex, held.uid, { note: 'done' })

    assert.deepEqual(
      [asked.state, asked.gate?.type, asked.verified_by, submitted.state],
      ['completed', 'auto', 'baton', 'in_review'],
    )
    const { content } = await w.service.looking.get(asked.uid)
    assert.deepEqual(
      content.thread.map(({ by: who, choice, text }) => `${who} ${choice} ${text}`),
      ['baton approve docs/specification.md exists'],
    )
  })

  for (const [what, results] of [
    ['one fails', [{ name: 'file', ok: false, detail: 'not there' }]],
    ['one cannot be evaluated', [{ name: 'file' }]],
  ] as const)
    it(`is blocking when ${what}`, async (t) => {
      const w = await open(t, answering(...results))
      const held = await work(w)

      const asked = await gate(w, held, auto)

      assert.deepEqual([asked.state, asked.need, asked.gate?.type], ['needs_input', 'gate', 'blocking'])
      await assert.rejects(w.service.receiving.submit(codex, held.uid, { note: 'done' }), { code: 'unmet' })
      const { items } = await w.service.looking.inbox('maria', { limit: 5 }, true)
      assert.deepEqual(
        items.map(({ uid }) => uid),
        [asked.uid],
      )
      assert.equal((await w.service.closing.decide(maria, asked.uid, 'approve')).state, 'completed')
    })

  it('is blocking where nothing can run its checks, and refused without any', async (t) => {
    const w = await open(t)
    const held = await work(w)

    const asked = await gate(w, held, auto)

    assert.equal(asked.state, 'needs_input')
    await assert.rejects(gate(w, held, { gate: { type: 'auto' } }), { code: 'invalid_input' })
  })
})
