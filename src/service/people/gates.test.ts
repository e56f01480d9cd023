import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { EXAMPLE } from '../../../test/support/program/invoke.ts'
import {
  by,
  describeOnEngines,
  person,
  type Workspace,
  type WorkspaceOptions,
} from '../../../test/support/program/workspace.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { CheckResult } from '../../domain/handoffs/package.ts'

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
        `the gate specification (${first.id}) was rejected; correct the work and send the gate again`,
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

describeOnEngines('a gate over a task that was claimed without a handoff', (open) => {
  const { task_id: id, ...record } = EXAMPLE

  const claimed = async (t: TestContext, options?: WorkspaceOptions) => {
    const w = await open(t, options)
    await w.service.tasks.create(planner, { id, title: 'Package setup' })
    await w.service.tasks.start(codex, id)
    return w
  }
  const over = ({ service }: Workspace, more = {}, call = codex) =>
    service.sending.send(call, { to: 'human', title: 'Look at it', type: 'gate', task: id, ...more })
  const waits = (gateId: string, doing = 'done') => shut(id, doing, `the gate ${gateId} waits for human`)
  const gatesOf = async ({ service }: Workspace) => (await service.tasks.get(id)).row.task.gates

  it('[S4-61] lets the task not be done by an update, nor by record and done in one', async (t) => {
    const w = await claimed(t)
    const { tasks } = w.service
    const { handoff, warnings } = await over(w)
    const { id: gateId, uid } = handoff
    const waiting = [{ uid, id: gateId, state: 'needs_input', waiting_for: 'human' }]

    await assert.rejects(tasks.complete(codex, id, record), waits(gateId))
    assert.equal((await tasks.latest(1, id)).length, 0)
    await tasks.record(codex, id, record)
    for (const call of [codex, maria])
      await assert.rejects(tasks.update(call, id, { status: 'done' }), waits(gateId))
    assert.deepEqual([await gatesOf(w), warnings], [waiting, []])

    await w.service.closing.decide(maria, uid, 'approve')
    const done = await tasks.update(codex, id, { status: 'done' })
    assert.deepEqual([done.task.status, done.task.gates], ['done', undefined])
  })

  it('[S4-63] that was rejected or has expired must be passed again under its name', async (t) => {
    const w = await claimed(t)
    const { tasks, closing, sending } = w.service
    const named = { gate: { name: 'design' } }
    const complete = () => tasks.complete(codex, id, record)
    const first = (await over(w, named)).handoff
    await closing.decide(maria, first.uid, 'reject', 'too broad')
    await assert.rejects(
      complete(),
      shut(
        id,
        'done',
        `the gate design (${first.id}) was rejected; correct the work and send the gate again`,
      ),
    )
    const mistaken = (await over(w, named)).handoff
    await sending.cancel(codex, mistaken.uid)
    await assert.rejects(complete(), { message: /was rejected/ })
    const late = (await over(w, { ...named, silence: { policy: 'expire', after_s: 60 } })).handoff
    w.clock.pass(61_000)
    await assert.rejects(complete(), { message: new RegExp(`design \\(${late.id}\\) has expired`) })
    const other = (await over(w, { gate: { name: 'security' } })).handoff
    await closing.decide(maria, other.uid, 'approve')
    await assert.rejects(complete(), { code: 'unmet' })

    const again = (await over(w, named)).handoff
    await closing.decide(maria, again.uid, 'approve')
    assert.equal((await complete()).task.status, 'done')
  })

  it('[S4-64] tells whose move it is while a question is open, and who was asked instead', async (t) => {
    const w = await claimed(t)
    await w.service.agents.add(maria, { name: 'paul', kind: 'human' })
    const silence = { policy: 'reassign', after_s: 60, to: 'paul' } as const
    const { uid } = (await over(w, { silence })).handoff
    const movers = [(await gatesOf(w))?.[0]?.waiting_for]
    await w.service.closing.decide(maria, uid, 'question', 'Which users?')
    movers.push((await gatesOf(w))?.[0]?.waiting_for)
    await w.service.receiving.answer(codex, uid, 'Admins')
    w.clock.pass(61_000)
    await w.service.looking.inbox('paul', { limit: 1 })
    movers.push((await gatesOf(w))?.[0]?.waiting_for)

    assert.deepEqual(movers, ['human', 'codex', 'paul'])
    await assert.rejects(w.service.tasks.complete(codex, id, record), { message: /waits for paul/ })
  })

  it('[S4-61] lets the task not be handed on, nor be done with a handoff of document 000', async (t) => {
    const w = await claimed(t, { policy: { verifiers: ['perplexity'] } })
    const { sending, receiving, closing } = w.service
    const { handoff } = await sending.send(codex, {
      to: 'claude',
      title: 'Set up',
      task: id,
      home: 'markdown',
      deliverables: ['Middleware'],
    })
    await receiving.accept(by('claude'), handoff.uid)
    const asked = (await over(w, {}, maria)).handoff
    const evidence = [{ deliverable: 'Middleware', evidence: 'PR #1' }]
    await receiving.submit(by('claude'), handoff.uid, { evidence })
    const checks = [{ deliverable: 'Middleware', status: 'verified' as const, evidence: 'PR #1' }]
    const verify = () => closing.verify(by('perplexity'), handoff.uid, { pass: true, checks })
    const on = () => sending.send(by('claude'), { to: 'tester', title: 'Test it', task: id })

    await assert.rejects(verify(), waits(asked.id))
    await assert.rejects(on(), waits(asked.id, 'passed on'))
    await closing.decide(maria, asked.uid, 'approve')

    assert.equal((await on()).handoff.state, 'offered')
    assert.equal((await verify()).state, 'completed')
    assert.equal((await w.service.tasks.get(id)).row.task.status, 'done')
  })

  it('holds up nothing of strangers and says so, nothing as advice or a draft, and nothing when it is taken back', async (t) => {
    const w = await claimed(t)
    const foreign = await over(w, {}, by('mallory'))
    const advice = await over(w, { gate: { type: 'advisory' } })
    await w.service.sending.create(codex, { to: 'human', title: 'Later', type: 'gate', task: id })
    const loose = await w.service.sending.send(codex, { to: 'human', title: 'Well?', type: 'gate' })
    const mistaken = await over(w)
    await w.service.sending.cancel(codex, mistaken.handoff.uid)

    const messages = [foreign, advice, loose, mistaken].flatMap(({ warnings }) =>
      warnings.map(({ message }) => message),
    )
    assert.deepEqual(messages, [
      `${foreign.handoff.id} asks a person and holds nothing up: ${id} is not its sender's; the sender starts it first`,
      `${loose.handoff.id} asks a person and holds nothing up; name the work as parent, or its task as task`,
    ])
    assert.equal((await w.service.tasks.complete(codex, id, record)).task.status, 'done')
  })

  it('[S4-61] holds when it is asked for the work while the task is about to be done', async (t) => {
    let meanwhile: (() => Promise<unknown>) | undefined
    const w = await open(t, {
      // Right after the work on a task was looked up.
      wrap: (store) =>
        new Proxy(store, {
          get(target, key) {
            const value = Reflect.get(target, key, target)
            if (typeof value !== 'function') return value
            if (key !== 'handoffs') return value.bind(target)
            return async (...args: unknown[]) => {
              const found = await value.apply(target, args)
              const next = meanwhile
              meanwhile = undefined
              await next?.()
              return found
            }
          },
        }),
    })
    const held = await work(w, { task: id })
    meanwhile = () => gate(w, held)

    await assert.rejects(w.service.tasks.complete(codex, id, record), {
      code: 'unmet',
      message: /cannot be completed yet: the gate .* waits for human$/,
    })
    assert.equal(meanwhile, undefined)
  })

  it('is asked or the task done, whichever comes first, never both past each other', async (t) => {
    const w = await open(t)
    const beside = await w.beside()
    for (let round = 0; round < 5; round++) {
      const task = `P${round}`
      await w.service.tasks.create(planner, { id: task, title: 'Work' })
      await w.service.tasks.start(codex, task)
      const [asked, done] = await Promise.allSettled([
        over({ ...w, service: beside }, { task }),
        w.service.tasks.complete(codex, task, record),
      ])
      const now = (await w.service.tasks.get(task)).row.task

      assert.equal(asked.status, 'fulfilled')
      assert.equal(now.status, done.status === 'fulfilled' ? 'done' : 'in_progress')
      assert.equal(now.gates?.length, 1)
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
