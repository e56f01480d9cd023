import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Service } from '../../src/service/service.ts'
import { by, describeOnEngines, person, type Workspace } from '../support/program/workspace.ts'

const orchestrator = by('orchestrator', { kind: 'orchestrator' })
const maria = person('maria')

const FEATURE = `name: feature
home: package
steps:
  - id: spec
    title: Write the specification
    agent: writer
    gate: { name: specification, items: [The scope is right, Every story has a test, Nothing is open] }
  - id: architecture
    agent: architect
  - parallel:
      - { id: backend, agent: codex, on_failure: { retry: 1, route_to: gemini, notify: lead } }
      - { id: frontend, agent: claude }
  - id: release
    agent: writer
`

const TWO = `name: two
home: package
steps:
  - { id: design, agent: architect }
  - { id: build, agent: codex }
`

const RULES = `name: rules
home: package
steps:
  - id: test
    agent: tester
    on_failure: { retry: 2, route_to: builder, notify: lead, escalate_after: 3, context: Tests need the database }
`

const AUTO = `name: auto
home: package
steps:
  - id: checked
    agent: codex
    checks: [{ kind: file_exists, path: a.txt }]
    gate: { type: auto }
  - { id: unchecked, agent: codex, gate: { type: auto } }
`

const ADVISORY = `name: notes
home: package
steps:
  - { id: write, agent: codex, gate: { type: advisory, name: notes } }
  - { id: publish, agent: codex }
`

const UNDERSTOOD = { understood: { task: 'I do the step' } }

const start = async ({ service }: Workspace, definition = FEATURE, call = orchestrator) =>
  (await service.workflows()).start(call, { definition })

/** The agent takes the handoff and does it. */
async function work(
  { receiving }: Service,
  id: string,
  agent: string,
  note = 'Done as asked',
  deliverables: readonly string[] = [],
): Promise<void> {
  await receiving.accept(by(agent), id, UNDERSTOOD)
  const evidence = deliverables.map((deliverable) => ({ deliverable, evidence: 'see the note' }))
  await receiving.submit(by(agent), id, { note, ...(evidence.length > 0 && { evidence }) })
}

async function fail({ receiving }: Service, id: string, agent: string, message = 'broken'): Promise<void> {
  await receiving.accept(by(agent), id, UNDERSTOOD)
  await receiving.fail(by(agent), id, { code: 'VALIDATION_FAILED', message })
}

async function states({ service }: Workspace, ref: string): Promise<string> {
  const run = await (await service.workflows()).find(ref)
  return `${run.state}: ${run.steps.map(({ id, state }) => `${id} ${state}`).join(', ')}`
}

const stateOf = async ({ store }: Workspace, id: string) =>
  (await store.content((await store.handoff(id))!.uid))!.package.data?.workflow_state

describeOnEngines('a run', (open) => {
  it('[S4-13] [S4-14] [S4-62] goes from step to step, through a gate and two branches, and tells how far it is', async (t) => {
    const w = await open(t)
    const { service, store } = w

    const run = await start(w)
    assert.deepEqual([run.id, run.state, run.by], ['feature-1', 'running', 'orchestrator'])
    const first = await store.handoff('feature-1.spec')
    assert.deepEqual(
      [first?.from, first?.to, first?.state, first?.run, first?.step, first?.root, first?.aliases],
      ['orchestrator', 'writer', 'offered', run.uid, 'spec', run.uid, { package: 'HO-001' }],
    )
    assert.deepEqual(await stateOf(w, 'feature-1.spec'), {
      name: 'feature',
      current_step: 1,
      completed_steps: [],
      remaining_steps: ['spec', 'architecture', 'backend', 'frontend', 'release'],
    })

    await work(service, 'feature-1.spec', 'writer', 'Five stories')
    const gate = await store.handoff('feature-1.spec.gate')
    assert.deepEqual(
      [gate?.type, gate?.from, gate?.to, gate?.state, gate?.title, gate?.gate?.type],
      ['gate', 'writer', 'human', 'needs_input', 'Gate: specification', 'blocking'],
    )
    assert.equal(
      await states(w, 'feature-1'),
      'waiting: spec gate, architecture waiting, backend waiting, frontend waiting, release waiting',
    )

    await service.closing.decide(maria, 'feature-1.spec.gate', 'approve', 'ship it')
    assert.deepEqual(await stateOf(w, 'feature-1.architecture'), {
      name: 'feature',
      current_step: 2,
      completed_steps: ['spec'],
      remaining_steps: ['architecture', 'backend', 'frontend', 'release'],
    })
    const travels = (await store.content((await store.handoff('feature-1.architecture'))!.uid))!.package
    assert.match(travels.context ?? '', /Step spec, writer: Five stories/)
    assert.deepEqual(travels.decisions, [
      { id: 'gate-spec', decision: 'maria: approve', rationale: 'ship it' },
    ])

    await work(service, 'feature-1.architecture', 'architect')
    assert.equal(await store.handoff('feature-1.release'), undefined)
    await work(service, 'feature-1.frontend', 'claude')
    assert.equal(
      await states(w, 'feature-1'),
      'running: spec completed, architecture completed, backend active, frontend completed, release waiting',
    )
    await work(service, 'feature-1.backend', 'codex')
    await work(service, 'feature-1.release', 'writer')

    assert.match(await states(w, 'feature-1'), /^completed: /)
    const { notices } = await service.looking.inbox('orchestrator', { limit: 50 })
    assert.equal(notices.at(-1)?.text, 'Workflow feature-1 is completed')
    const { items } = await store.handoffs({ run: run.uid }, { limit: 50 })
    assert.deepEqual(items.map(({ aliases }) => aliases?.package).sort(), [
      'HO-001',
      'HO-002',
      'HO-003',
      'HO-004',
      'HO-005',
      'HO-006',
    ])
  })

  it('[S4-63] [S4-67] shows at a gate what this try handed in, and nothing of the try before', async (t) => {
    const w = await open(t)
    const { service, store } = w
    const summaryOf = async (id: string) =>
      (await store.content((await store.handoff(id))!.uid))!.package.summary
    await start(
      w,
      'name: feature\nhome: package\nsteps: [{ id: spec, agent: writer, deliverables: [docs/spec.md], gate: {} }]\n',
    )
    await work(service, 'feature-1.spec', 'writer', 'Nine stories', ['docs/spec.md'])
    await service.closing.decide(maria, 'feature-1.spec.gate', 'reject', 'One is missing')
    await service.receiving.accept(by('writer'), 'feature-1.spec.2', UNDERSTOOD)
    await service.receiving.submit(by('writer'), 'feature-1.spec.2', {
      evidence: [{ deliverable: 'docs/spec.md', evidence: 'commit 4f2a' }],
    })

    assert.equal(await summaryOf('feature-1.spec.gate'), 'writer: Nine stories\ndocs/spec.md: see the note')
    assert.equal(await summaryOf('feature-1.spec.gate.2'), 'writer: docs/spec.md: commit 4f2a')
  })

  it('[S4-61] lets nothing start or leave while a blocking gate is open, on no surface', async (t) => {
    const w = await open(t)
    const { service, store } = w
    await start(w)
    await work(service, 'feature-1.spec', 'writer')
    const refused = { code: 'wrong_state' }

    await assert.rejects(
      service.sending.send(by('writer'), {
        to: 'codex',
        title: 'Go on',
        parent: 'feature-1.spec',
        summary: 'Start with the backend now',
      }),
      {
        code: 'wrong_state',
        message:
          /waits at the gate feature-1\.spec\.gate; nothing can be sent from it until a person approves/,
      },
    )
    await assert.rejects(service.sending.cancel(by('writer'), 'feature-1.spec.gate'), {
      code: 'wrong_state',
      message: /only a person can decide it; to stop everything: baton workflow cancel feature-1/,
    })
    await assert.rejects(service.sending.cancel(orchestrator, 'feature-1.spec.gate'), { code: 'not_allowed' })
    await assert.rejects(service.closing.complete(maria, 'feature-1.spec.gate'), refused)
    await assert.rejects(service.closing.verify(maria, 'feature-1.spec.gate', { pass: true }), refused)
    for (const call of [orchestrator, by('writer'), by('human')])
      await assert.rejects(service.closing.decide(call, 'feature-1.spec.gate', 'approve'), {
        code: 'not_allowed',
      })
    await (await service.workflows()).resume(orchestrator, 'feature-1')
    await (await service.workflows()).resume(maria, 'feature-1')

    assert.match(await states(w, 'feature-1'), /^waiting: spec gate, architecture waiting/)
    assert.equal(await store.handoff('feature-1.architecture'), undefined)
    await service.closing.decide(maria, 'feature-1.spec.gate', 'approve')
    const { handoff } = await service.sending.send(by('writer'), {
      to: 'codex',
      title: 'Go on',
      parent: 'feature-1.spec',
      summary: 'Start with the backend now',
    })
    assert.equal(handoff.state, 'offered')
  })

  it('[S4-61] refuses a draft that was written before the gate', async (t) => {
    const w = await open(t)
    const { service } = w
    await start(w)
    await service.receiving.accept(by('writer'), 'feature-1.spec', UNDERSTOOD)
    const { handoff } = await service.sending.create(by('writer'), {
      to: 'codex',
      title: 'Look over it',
      summary: 'Read the five stories and say what is missing',
      parent: 'feature-1.spec',
    })
    await service.receiving.submit(by('writer'), 'feature-1.spec', { note: 'Done' })

    await assert.rejects(service.sending.sendDraft(by('writer'), handoff.uid), {
      code: 'wrong_state',
      message: /waits at the gate/,
    })
  })

  it('[S4-63] gives rejected work back with what the person said, and asks again', async (t) => {
    const w = await open(t)
    const { service, store } = w
    await start(w)
    await work(service, 'feature-1.spec', 'writer')

    await service.closing.decide(maria, 'feature-1.spec.gate', 'reject', 'Leave out the admin pages')
    const again = await store.handoff('feature-1.spec.2')
    assert.deepEqual([again?.to, again?.state, again?.step], ['writer', 'offered', 'spec'])
    const travels = (await store.content(again!.uid))!.package
    assert.equal(travels.context, 'Adjustments required by maria: Leave out the admin pages')
    assert.match(await states(w, 'feature-1'), /^running: spec active, architecture waiting/)
    await assert.rejects(service.closing.decide(maria, 'feature-1.spec.gate', 'approve'), {
      code: 'wrong_state',
    })

    await work(service, 'feature-1.spec.2', 'writer', 'Without the admin pages')
    assert.match(await states(w, 'feature-1'), /^waiting: spec gate/)
    await service.closing.decide(maria, 'feature-1.spec.gate.2', 'approve')
    assert.match(await states(w, 'feature-1'), /^running: spec completed, architecture active/)
  })

  it('[S4-64] holds while the person asks something, and goes on after the decision', async (t) => {
    const w = await open(t)
    const { service, store } = w
    await start(w)
    await work(service, 'feature-1.spec', 'writer')

    await service.closing.decide(maria, 'feature-1.spec.gate', 'question', 'Which users?')
    assert.match(await states(w, 'feature-1'), /^waiting: spec gate/)
    assert.equal((await store.handoff('feature-1.spec.gate'))?.waiting_for, 'writer')
    await service.receiving.answer(by('writer'), 'feature-1.spec.gate', 'Admins')
    await service.closing.decide(maria, 'feature-1.spec.gate', 'approve')

    assert.match(await states(w, 'feature-1'), /^running: spec completed/)
  })

  it('[S4-24] [S4-25] is not moved on by delegating, and waits for what was delegated', async (t) => {
    const w = await open(t)
    const { service, store } = w
    await start(w, TWO)
    await service.receiving.accept(by('architect'), 'two-1.design', UNDERSTOOD)
    const before = await (await service.workflows()).find('two-1')

    const { handoff } = await service.sending.send(by('architect'), {
      to: 'security-check',
      type: 'delegation',
      home: 'package',
      title: 'Look for risks',
      summary: 'Look for risks in the login of the shop',
      deliverables: ['List of risks'],
      parent: 'two-1.design',
    })
    assert.deepEqual([handoff.run, handoff.step, handoff.root], [before.uid, undefined, before.uid])
    const { items } = await store.handoffs({ run: before.uid }, { limit: 9 })
    assert.deepEqual(
      items.map(({ aliases }) => aliases?.package),
      ['HO-002', 'HO-001'],
    )
    await assert.rejects(service.receiving.submit(by('architect'), 'two-1.design', { note: 'Done' }), {
      code: 'unmet',
      message: `two-1.design cannot be completed yet: security-check has not returned ${handoff.id}; wait for it, or cancel it with: baton cancel ${handoff.id}`,
    })
    const during = await (await service.workflows()).status('two-1')
    assert.deepEqual(during.run.steps[0]?.delegations, [handoff.id])
    await work(service, handoff.uid, 'security-check', '2 risks found', ['List of risks'])
    const back = await store.handoff(`${handoff.id}-R`)
    assert.deepEqual(
      [back?.type, back?.to, back?.run, back?.step],
      ['return', 'architect', before.uid, undefined],
    )
    assert.equal((await (await service.workflows()).find('two-1')).steps[0]?.state, 'active')

    await service.receiving.submit(by('architect'), 'two-1.design', { note: 'Done' })
    assert.match(await states(w, 'two-1'), /^running: design completed, build active/)
  })

  it('[S4-21] [S4-25] goes on when the delegate sends its return itself', async (t) => {
    const w = await open(t)
    const { service } = w
    await start(w, TWO)
    await service.receiving.accept(by('architect'), 'two-1.design', UNDERSTOOD)
    const { handoff } = await service.sending.send(by('architect'), {
      to: 'security-check',
      type: 'delegation',
      home: 'package',
      title: 'Look for risks',
      summary: 'Look for risks in the login of the shop',
      deliverables: ['List of risks'],
      parent: 'two-1.design',
    })
    await service.receiving.accept(by('security-check'), handoff.uid, UNDERSTOOD)

    const back = await service.sending.send(by('security-check'), {
      to: 'architect',
      type: 'return',
      home: 'package',
      title: 'Risks of the login',
      summary: '2 risks identified, recommendations provided',
    })

    const { run } = await (await service.workflows()).status('two-1')
    assert.deepEqual(
      [back.handoff.run, run.steps[0]?.state, run.steps[0]?.delegations],
      [run.uid, 'active', []],
    )
    await service.receiving.submit(by('architect'), 'two-1.design', { note: 'Done' })
    assert.match(await states(w, 'two-1'), /^running: design completed, build active/)
  })

  it('[S2-58] [S2-59] [S2-60] tries a failed step again, then routes it, and tells whom the rule names', async (t) => {
    const w = await open(t)
    const { service, store } = w
    await start(w, RULES)

    await fail(service, 'rules-1.test', 'tester', 'no database')
    const second = await store.handoff('rules-1.test.2')
    assert.deepEqual([second?.to, second?.state], ['tester', 'offered'])
    assert.match(
      (await store.content(second!.uid))!.package.context ?? '',
      /failed: no database\nTests need the database/,
    )
    await fail(service, 'rules-1.test.2', 'tester')
    await fail(service, 'rules-1.test.3', 'tester')
    const routed = await store.handoff('rules-1.test.4')
    assert.deepEqual([routed?.to, routed?.state], ['builder', 'offered'])
    const told = (await service.looking.inbox('lead', { limit: 9 })).notices
    assert.equal(told.length, 3)
    assert.match(await states(w, 'rules-1'), /^running: test active/)

    await work(service, 'rules-1.test.4', 'builder')
    assert.match(await states(w, 'rules-1'), /^completed/)
  })

  it('[S2-61] [S2-63] escalates to the person who started it, and goes on when that person says so', async (t) => {
    const w = await open(t)
    const { service, store } = w
    await start(w, RULES.replace('route_to: builder, ', ''), maria)

    for (const id of ['rules-1.test', 'rules-1.test.2', 'rules-1.test.3']) await fail(service, id, 'tester')
    assert.match(await states(w, 'rules-1'), /^failed: test failed/)
    const asked = await store.handoff('rules-1.test.escalation')
    assert.deepEqual([asked?.type, asked?.to, asked?.state], ['escalation', 'maria', 'needs_input'])
    assert.equal(await store.handoff('rules-1.test.4'), undefined)

    await service.closing.decide(maria, 'rules-1.test.escalation', 'approve', 'The database is up again')
    await work(service, 'rules-1.test.4', 'tester')
    assert.match(await states(w, 'rules-1'), /^completed/)
  })

  it('[S2-64] stops at a failure without a rule, loses nothing and goes on when it is resumed', async (t) => {
    const w = await open(t)
    const { service, store } = w
    await start(w, TWO)
    await fail(service, 'two-1.design', 'architect', 'out of ideas')

    assert.equal(await states(w, 'two-1'), 'failed: design failed, build waiting')
    const { notices } = await service.looking.inbox('orchestrator', { limit: 9 })
    assert.ok(
      notices.some(
        ({ text }) =>
          text === 'Workflow two-1 stopped: design (out of ideas); go on with: baton workflow resume two-1',
      ),
    )
    await assert.rejects((await service.workflows()).resume(by('codex'), 'two-1'), {
      code: 'not_allowed',
      message: 'codex may not resume two-1; that is for orchestrator or a person',
    })

    await (await service.workflows()).resume(orchestrator, 'two-1')
    const once = await (await service.workflows()).resume(orchestrator, 'two-1')
    assert.equal((await (await service.workflows()).resume(orchestrator, 'two-1')).rev, once.rev)
    assert.equal(await store.handoff('two-1.design.3'), undefined)
    await work(service, 'two-1.design.2', 'architect')
    await work(service, 'two-1.build', 'codex')
    assert.match(await states(w, 'two-1'), /^completed/)
    await assert.rejects((await service.workflows()).resume(orchestrator, 'two-1'), { code: 'wrong_state' })
  })

  it('goes on when the sender itself tries a failed step again, and not with one that it left behind', async (t) => {
    const w = await open(t)
    const { service } = w
    await start(w, TWO)
    await fail(service, 'two-1.design', 'architect')

    await service.receiving.retry(orchestrator, 'two-1.design')
    assert.match(await states(w, 'two-1'), /^running: design active/)
    await fail(service, 'two-1.design', 'architect')
    await (await service.workflows()).resume(orchestrator, 'two-1')
    await assert.rejects(service.receiving.retry(orchestrator, 'two-1.design'), {
      code: 'wrong_state',
      message:
        'step design of two-1 is active and went on with two-1.design.2; two-1.design cannot be tried again',
    })
    await service.sending.reassign(orchestrator, 'two-1.design.2', 'codex')
    assert.equal((await (await service.workflows()).find('two-1')).steps[0]?.agent, 'codex')
  })

  it('takes everything back when it is cancelled, also what was delegated, and tells whoever is concerned', async (t) => {
    const w = await open(t)
    const { service, store } = w
    const run = await start(w, TWO)
    await service.receiving.accept(by('architect'), 'two-1.design', UNDERSTOOD)
    await service.sending.send(by('architect'), {
      to: 'security-check',
      type: 'delegation',
      home: 'package',
      title: 'Look for risks',
      summary: 'Look for risks in the login of the shop',
      deliverables: ['List of risks'],
      parent: 'two-1.design',
    })
    await assert.rejects((await service.workflows()).cancel(by('architect'), 'two-1'), {
      code: 'not_allowed',
    })

    await (await service.workflows()).cancel(maria, 'two-1', 'no longer needed')
    const again = await (await service.workflows()).cancel(orchestrator, 'two-1')

    assert.equal(again.state, 'cancelled')
    const { items } = await store.handoffs({ run: run.uid }, { limit: 9 })
    assert.deepEqual(
      items.map(({ state, debt }) => `${state} ${debt ?? ''}`),
      ['cancelled answered', 'cancelled '],
    )
    const { notices } = await service.looking.inbox('architect', { limit: 9 })
    assert.deepEqual(notices.map(({ kind }) => kind).sort(), ['cancelled', 'cancelled'])
    await assert.rejects(
      service.sending.send(by('architect'), {
        to: 'codex',
        title: 'More',
        summary: 'Do more of the same work',
        parent: 'two-1.design',
      }),
      { code: 'wrong_state', message: 'two-1 was cancelled; nothing is sent in it any more' },
    )
    await assert.rejects((await service.workflows()).resume(orchestrator, 'two-1'), {
      code: 'wrong_state',
      message: 'two-1 is cancelled and cannot be resumed; start it again with: baton workflow start two',
    })
  })

  it('[S4-69] passes an automatic gate only where checks speak for the work, and asks a person otherwise', async (t) => {
    const w = await open(t, {
      runChecks: async (checks, { note } = {}) =>
        checks.map(({ kind }) => ({ name: kind, ok: note !== 'broken' })),
    })
    const { service, store } = w
    await start(w, AUTO)
    await work(service, 'auto-1.checked', 'codex', 'fine')
    assert.equal(await store.handoff('auto-1.checked.gate'), undefined)
    assert.deepEqual((await (await service.workflows()).find('auto-1')).steps[0]?.decision, {
      choice: 'auto',
    })

    await start(w, AUTO)
    await work(service, 'auto-2.checked', 'codex', 'broken')
    assert.match(await states(w, 'auto-2'), /^waiting: checked gate/)
    const { summary } = (await store.content((await store.handoff('auto-2.checked.gate'))!.uid))!.package
    assert.match(summary ?? '', /Not passed by itself: file_exists failed/)

    await work(service, 'auto-1.unchecked', 'codex')
    assert.match(await states(w, 'auto-1'), /unchecked gate/)
  })

  it('goes on over an advisory gate and keeps what the person says to it', async (t) => {
    const w = await open(t)
    const { service } = w
    await start(w, ADVISORY)
    await work(service, 'notes-1.write', 'codex')
    assert.match(await states(w, 'notes-1'), /^running: write completed, publish active/)
    await work(service, 'notes-1.publish', 'codex')

    await service.closing.decide(maria, 'notes-1.write.gate', 'reject', 'A typo in line 3')

    const run = await (await service.workflows()).find('notes-1')
    assert.equal(run.state, 'completed')
    assert.deepEqual(run.steps[0]?.decision, { choice: 'reject', by: 'maria', comment: 'A typo in line 3' })
  })

  it('is started once for each key, and twice without one', async (t) => {
    const w = await open(t)
    const call = by('orchestrator', { key: 'k1' })

    const runs = await Promise.all([1, 2, 3].map(() => start(w, TWO, call)))
    const other = await start(w, TWO)

    assert.equal(new Set(runs.map(({ uid }) => uid)).size, 1)
    assert.notEqual(other.uid, runs[0]?.uid)
    const { items } = await w.store.handoffs({ to: 'architect' }, { limit: 9 })
    assert.equal(items.length, 2)
    const page = await (await w.service.workflows()).list({ name: 'two' }, { limit: 9 })
    assert.equal(page.items.length, 2)
  })
})
