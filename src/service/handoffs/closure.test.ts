import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  by,
  describeOnEngines,
  PACKAGE,
  person,
  START,
  UNDERSTOOD,
  type Workspace,
} from '../../../test/support/program/workspace.ts'
import type { CheckResult } from '../../domain/handoffs/package.ts'

const planner = by('planner')
const codex = by('codex')
const deliverables = ['Middleware in src/', 'Tests']
const evidence = deliverables.map((deliverable) => ({ deliverable, evidence: 'src/limit.ts' }))

/** A handoff that codex works on. */
async function begun({ service }: Workspace, more = {}) {
  const input = { to: 'codex', title: 'Add rate limiting', deliverables, ...more }
  const { handoff } = await service.sending.send(planner, input)
  return service.receiving.accept(codex, handoff.uid, {
    start: true,
    ...(handoff.home === 'package' && UNDERSTOOD),
  })
}

describeOnEngines('native work', (open) => {
  it('is completed when it was accepted, handed in with evidence and verified by its sender', async (t) => {
    const w = await open(t)
    const { uid } = await begun(w)

    const submitted = await w.service.receiving.submit(codex, uid, { evidence, note: '12 tests' })
    const verified = await w.service.closing.verify(planner, uid, { pass: true, note: 'looks good' })

    assert.deepEqual([submitted.state, submitted.waiting_for], ['in_review', 'planner'])
    assert.deepEqual(
      [verified.state, verified.verified_by, verified.ended_at],
      ['completed', 'planner', START],
    )
    const { content } = await w.service.looking.get(uid)
    assert.deepEqual(content.verifications, [
      {
        verified_at: START,
        verified_by: 'planner',
        pass: true,
        note: 'looks good',
        deliverable_checks: evidence.map((item) => ({ ...item, status: 'verified' })),
      },
    ])
  })

  it('is not handed in before there is evidence for every deliverable', async (t) => {
    const w = await open(t)
    const { uid } = await begun(w)

    await assert.rejects(w.service.receiving.submit(codex, uid, { evidence: evidence.slice(0, 1) }), {
      code: 'unmet',
      message: 'HO-2026-001 cannot be submitted yet: no evidence for "Tests"',
    })
    await assert.rejects(w.service.receiving.submit(codex, uid, {}), {
      message:
        'HO-2026-001 cannot be submitted yet: no evidence for "Middleware in src/"; no evidence for "Tests"',
    })

    assert.equal((await w.service.looking.get(uid)).content.result, undefined)
  })

  it('takes evidence by the beginning of a deliverable and refuses it for what is none', async (t) => {
    const w = await open(t)
    const { uid } = await begun(w)

    await assert.rejects(
      w.service.receiving.submit(codex, uid, { evidence: [{ deliverable: 'A cake', evidence: 'x' }] }),
      {
        code: 'invalid_input',
        message: '"A cake" is not one of the deliverables: "Middleware in src/", "Tests"',
      },
    )
    const short = [
      { deliverable: 'middleware', evidence: 'src/limit.ts' },
      { deliverable: ' Tests ', evidence: '12' },
    ]
    await w.service.receiving.submit(codex, uid, { evidence: short })

    const { content } = await w.service.looking.get(uid)
    assert.deepEqual(
      content.result?.evidence?.map((item) => item.deliverable),
      deliverables,
    )
  })

  it('is verified by its sender, a verifier or a person, and never by its receiver', async (t) => {
    const w = await open(t)
    await w.service.agents.add(person('omar'), { name: 'gemini', roles: ['verifier'] })
    await w.service.agents.add(person('omar'), { name: 'codex', roles: ['verifier'] })
    const inReview = async () => {
      const { uid } = await begun(w)
      await w.service.receiving.submit(codex, uid, { evidence })
      return uid
    }

    for (const call of [planner, by('gemini'), person('maria')])
      assert.equal(
        (await w.service.closing.verify(call, await inReview(), { pass: true })).state,
        'completed',
      )
    const uid = await inReview()
    for (const call of [codex, by('codex', { kind: 'human' }), by('abacus')]) {
      await assert.rejects(w.service.closing.verify(call, uid, { pass: true }), { code: 'not_allowed' })
      await assert.rejects(w.service.closing.complete(call, uid), { code: 'not_allowed' })
    }
  })

  it('is not completed by verifying what was not handed in', async (t) => {
    const w = await open(t)
    const { uid } = await begun(w)

    await assert.rejects(w.service.closing.verify(planner, uid, { pass: true }), {
      code: 'unmet',
      message:
        'HO-2026-001 cannot be completed: no evidence for "Middleware in src/"; no evidence for "Tests"',
    })

    const { handoff, content } = await w.service.looking.get(uid)
    assert.deepEqual([handoff.state, content.verifications], ['in_progress', []])
  })

  it('goes back with the reason when it does not pass, and is handed in again', async (t) => {
    const w = await open(t)
    const { uid } = await begun(w)
    await w.service.receiving.submit(codex, uid, { evidence })

    await assert.rejects(w.service.closing.verify(planner, uid, { pass: false }), { code: 'invalid_input' })
    const refused = await w.service.closing.verify(planner, uid, {
      pass: false,
      note: 'bursts are not tested',
    })
    await w.service.receiving.submit(codex, uid, { evidence })
    const verified = await w.service.closing.verify(planner, uid, { pass: true })

    assert.deepEqual([refused.state, refused.holder, refused.waiting_for], ['in_progress', 'codex', 'codex'])
    assert.equal(verified.state, 'completed')
    const { content } = await w.service.looking.get(uid)
    assert.deepEqual(
      content.verifications.map(({ pass, note }) => [pass, note]),
      [
        [false, 'bursts are not tested'],
        [true, undefined],
      ],
    )
  })

  it('is completed only when the checks that it declared hold', async (t) => {
    let outcome: CheckResult = { name: 'npm test', ok: false, detail: 'exit 1' }
    const w = await open(t, { runChecks: async () => [outcome] })
    const { uid } = await begun(w, { checks: [{ kind: 'command', command: 'npm test' }] })
    await w.service.receiving.submit(codex, uid, { evidence })
    await assert.rejects(w.service.closing.verify(planner, uid, { pass: true }), {
      code: 'unmet',
      message: 'HO-2026-001 cannot be completed: check failed: command exits 0: "npm test" (exit 1)',
    })
    await w.service.closing.verify(planner, uid, { pass: false, note: 'mend the tests' })

    outcome = { name: 'npm test', ok: true }
    await w.service.receiving.submit(codex, uid, { evidence })

    assert.equal((await w.service.closing.verify(planner, uid, { pass: true })).state, 'completed')
    const { content } = await w.service.looking.get(uid)
    assert.deepEqual(content.result?.checks, [{ name: 'npm test', ok: true }])
  })

  it('tells who may before it tells what is missing', async (t) => {
    const w = await open(t)
    const { uid } = await begun(w)

    await assert.rejects(w.service.receiving.submit(by('gemini'), uid, {}), {
      code: 'not_allowed',
      message: 'gemini may not submit HO-2026-001; that is for its receiver codex',
    })
    await assert.rejects(w.service.closing.complete(by('gemini'), uid), {
      code: 'not_allowed',
      message:
        'gemini may not complete HO-2026-001; that is for its sender planner, a verifier or a person, never its receiver codex',
    })
  })

  it('refuses a step that comes too early or too late in the words of whoever takes it', async (t) => {
    const w = await open(t)
    const { receiving, closing, sending, looking } = w.service
    const refusal = (step: Promise<unknown>) =>
      step.then(
        () => 'not refused',
        ({ code, message }) => `${code}: ${message}`,
      )
    const { handoff } = await sending.send(planner, { to: 'codex', title: 'Limit', deliverables })
    const { uid } = handoff

    const early = [
      await refusal(closing.verify(planner, uid, { pass: true })),
      await refusal(closing.verify(planner, uid, { pass: false, note: 'no tests' })),
      await refusal(closing.complete(planner, uid)),
      await refusal(receiving.submit(codex, uid, { evidence })),
      await refusal(receiving.answer(planner, uid, 'yes')),
      await refusal(receiving.accept(by('gemini'), uid)),
      await refusal(receiving.heartbeat(codex, uid, {})),
    ]
    await receiving.ask(codex, uid, 'Which limit?')
    const asked = await refusal(receiving.accept(codex, uid))
    await receiving.answer(planner, uid, '100')
    await receiving.accept(codex, uid)
    await receiving.submit(codex, uid, { evidence })
    const stranger = await refusal(closing.verify(codex, uid, { pass: false, note: 'mine' }))
    await closing.verify(planner, uid, { pass: true })
    const late = [
      await refusal(receiving.accept(codex, uid)),
      await refusal(sending.cancel(planner, uid)),
      await refusal(receiving.retry(planner, uid)),
      await refusal(receiving.fail(codex, uid, { message: 'no' })),
    ]

    assert.deepEqual(early, [
      'wrong_state: HO-2026-001 has not been accepted yet, so there is nothing to verify',
      'wrong_state: HO-2026-001 has not been accepted yet, so there is nothing to verify',
      'wrong_state: HO-2026-001 has not been accepted yet, so there is nothing to complete',
      'wrong_state: HO-2026-001 has not been accepted yet; only work that is accepted or in progress can be submitted',
      'wrong_state: HO-2026-001 has no open question to answer',
      'not_allowed: gemini may not accept HO-2026-001; that is for its receiver codex',
      'wrong_state: HO-2026-001 has not been accepted yet, so it needs no heartbeat',
    ])
    assert.equal(
      asked,
      'wrong_state: HO-2026-001 is waiting for input; only an offered handoff can be accepted',
    )
    assert.match(stranger, /^not_allowed: codex may not verify HO-2026-001; /)
    assert.deepEqual(late, [
      'wrong_state: HO-2026-001 is completed; only an offered handoff can be accepted',
      'wrong_state: HO-2026-001 is completed; only an open handoff can be cancelled',
      'wrong_state: HO-2026-001 is completed; only a failed handoff can be retried',
      'wrong_state: HO-2026-001 is completed; only work that is in progress or blocked can fail',
    ])
    assert.equal((await looking.get(uid)).handoff.state, 'completed')
  })

  it('is accepted in part: the open points go to the sender and no work starts', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(planner, { to: 'codex', title: 'Make it fast' })

    const asked = await w.service.receiving.accept(codex, handoff.uid, {
      blockers: ["Constraint 'quickly' not measurable"],
    })
    const mended = await w.service.sending.amend(planner, handoff.uid, { criteria: ['p95 under 200 ms'] })
    const begunAfter = await w.service.receiving.accept(codex, handoff.uid)

    assert.deepEqual(
      [asked.state, asked.need, asked.waiting_for, asked.accepted_at, asked.holder],
      ['needs_input', 'clarification', 'planner', undefined, undefined],
    )
    assert.deepEqual([mended.state, mended.need, mended.waiting_for], ['offered', undefined, 'codex'])
    assert.equal(mended.ack_deadline, '2026-02-22T14:30:00.000Z')
    assert.equal(begunAfter.state, 'in_progress')
  })

  it('that was questioned before it was accepted can expire again after the answer', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(planner, { to: 'codex', title: 'Work' })
    await w.service.receiving.ask(codex, handoff.uid, 'Which endpoints?')
    w.clock.pass(3_600_000)

    const answered = await w.service.receiving.answer(planner, handoff.uid, 'Only /v1')

    assert.deepEqual([answered.state, answered.ack_deadline], ['offered', '2026-02-22T15:30:00.000Z'])
  })

  it('is changed by its sender until it is handed in, and by nobody else', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.create(planner, { to: 'codex', title: 'Work', deliverables })

    const draft = await w.service.sending.amend(planner, handoff.uid, {
      title: 'More work',
      deliverables: ['One'],
    })
    await w.service.sending.sendDraft(planner, handoff.uid)
    const offered = await w.service.sending.amend(planner, handoff.uid, { summary: 'With a summary of it' })
    await assert.rejects(w.service.sending.amend(codex, handoff.uid, { summary: 'Mine' }), {
      code: 'not_allowed',
    })
    await w.service.receiving.accept(codex, handoff.uid)
    const begun = await w.service.sending.amend(planner, handoff.uid, { deliverables: ['One', 'Two'] })
    await w.service.sending.amend(planner, handoff.uid, { deliverables: ['One'] })
    await w.service.receiving.submit(codex, handoff.uid, {
      evidence: [{ deliverable: 'One', evidence: 'src/one.ts' }],
    })
    await assert.rejects(w.service.sending.amend(planner, handoff.uid, { summary: 'Late' }), {
      code: 'wrong_state',
    })

    assert.deepEqual([begun.state, begun.deliverables], ['in_progress', 2])
    assert.deepEqual([draft.state, draft.title, draft.deliverables], ['draft', 'More work', 1])
    assert.deepEqual([offered.state, offered.title], ['offered', 'More work'])
    const { content } = await w.service.looking.get(handoff.uid)
    assert.deepEqual(content.package, { deliverables: ['One'], summary: 'With a summary of it' })
  })
})

describeOnEngines('work of document 000', (open) => {
  const claude = by('claude')
  const perplexity = by('perplexity')
  const inReview = async ({ service }: Workspace, to = 'claude', given = evidence) => {
    const { handoff } = await service.sending.send(by('grok'), {
      to,
      title: 'Work',
      deliverables,
      home: 'markdown',
    })
    await service.receiving.accept(by(to), handoff.uid)
    return service.receiving.submit(by(to), handoff.uid, { evidence: given })
  }

  it('[S0-77] cannot be completed before it was acknowledged', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(by('grok'), {
      to: 'claude',
      title: 'Work',
      home: 'markdown',
    })

    await assert.rejects(w.service.closing.complete(perplexity, handoff.uid), { code: 'wrong_state' })
  })

  it('[S0-80] is completed by perplexity, and by nobody else, not even a person', async (t) => {
    const w = await open(t)
    const { uid, waiting_for } = await inReview(w)

    for (const call of [by('grok'), claude, by('gemini'), person('maria')])
      await assert.rejects(w.service.closing.verify(call, uid, { pass: true }), { code: 'not_allowed' })
    const done = await w.service.closing.verify(perplexity, uid, { pass: true })

    assert.deepEqual([waiting_for, done.state, done.verified_by], ['perplexity', 'completed', 'perplexity'])
  })

  it('[S0-80] is completed by the chief where perplexity received it (A0-12)', async (t) => {
    const w = await open(t)
    const { uid, waiting_for } = await inReview(w, 'perplexity')

    await assert.rejects(w.service.closing.verify(perplexity, uid, { pass: true }), { code: 'not_allowed' })

    assert.equal(waiting_for, 'grok')
    assert.equal((await w.service.closing.verify(by('grok'), uid, { pass: true })).state, 'completed')
  })

  it('[S0-78] [S0-79] [S0-85] is refused with all that is missing', async (t) => {
    const w = await open(t)
    const { uid } = await inReview(w, 'claude', [])

    await assert.rejects(w.service.closing.verify(perplexity, uid, { pass: true }), {
      code: 'unmet',
      message:
        'HO-2026-001 cannot be completed: no evidence for "Middleware in src/"; no evidence for "Tests"',
    })
    await assert.rejects(
      w.service.closing.verify(perplexity, uid, {
        pass: true,
        checks: [
          { deliverable: 'Middleware in src/', status: 'verified', evidence: 'PR #123' },
          { deliverable: 'Tests', status: 'refused', evidence: 'none run' },
        ],
      }),
      { message: 'HO-2026-001 cannot be completed: no evidence for "Tests"' },
    )

    assert.equal((await w.store.handoff(uid))?.state, 'in_review')
  })

  it('[S0-81] keeps the record of the verifier with the check of each deliverable', async (t) => {
    const w = await open(t)
    const { uid } = await inReview(w)
    const checks = deliverables.map((deliverable) => ({
      deliverable,
      status: 'verified' as const,
      evidence: `seen: ${deliverable}`,
    }))

    await w.service.closing.verify(perplexity, uid, { pass: true, checks })

    const { content } = await w.service.looking.get(uid)
    assert.deepEqual(content.verifications, [
      { verified_at: START, verified_by: 'perplexity', pass: true, deliverable_checks: checks },
    ])
  })

  it('[S0-83] says when it was completed, with notes where the verifier has some', async (t) => {
    const w = await open(t)
    const { uid } = await inReview(w)
    w.clock.pass(1_000)

    const done = await w.service.closing.verify(perplexity, uid, { pass: true, note: 'well done' })

    assert.equal(done.ended_at, '2026-02-21T14:30:01.000Z')
    assert.equal((await w.service.looking.get(uid)).content.verifications[0]?.note, 'well done')
  })

  it('[S0-84] is refused where the verifier checked something that is no deliverable', async (t) => {
    const w = await open(t)
    const { uid } = await inReview(w)
    const checks = [...evidence, { deliverable: 'A cake', evidence: 'tasted' }].map((item) => ({
      ...item,
      status: 'verified' as const,
    }))

    await assert.rejects(w.service.closing.verify(perplexity, uid, { pass: true, checks }), {
      message: 'HO-2026-001 cannot be completed: "A cake" is not one of its deliverables',
    })
  })

  it('[S0-102] [S0-109] gives its task back when it expires and ends it when it is completed', async (t) => {
    const w = await open(t)
    const send = async (task: string) =>
      (await w.service.sending.send(by('grok'), { to: 'claude', title: 'Work', task, home: 'markdown' }))
        .handoff
    const taskOf = async (id: string) => {
      const { task } = (await w.service.tasks.get(id)).row
      return [task.status, task.owner]
    }
    const first = await send('BPRD-2026-0001')
    await w.service.receiving.accept(claude, first.uid)
    const held = await taskOf('BPRD-2026-0001')
    await w.service.receiving.submit(claude, first.uid, {})
    await w.service.closing.verify(perplexity, first.uid, { pass: true })
    await send('BPRD-2026-0002')
    w.clock.pass(4 * 3_600_000)
    await w.service.settle()

    assert.deepEqual(held, ['in_progress', 'claude'])
    assert.deepEqual(await taskOf('BPRD-2026-0001'), ['done', 'claude'])
    assert.deepEqual(await taskOf('BPRD-2026-0002'), ['assigned', 'grok'])
  })
})

describeOnEngines('work of documents 001 to 004', (open) => {
  it('[S1-49] is not completed in the queue with failing tests, type errors or too little coverage', async (t) => {
    const w = await open(t)
    const { uid } = await begun(w, {
      home: 'queue',
      deliverables: undefined,
      input: { code_quality: { testing_coverage_target: 80 } },
    })
    const validation = { status: 'passed' as const, tests_passing: true, coverage_percentage: 87 }

    for (const wrong of [{ tests_passing: false }, { typescript_errors: 1 }, { coverage_percentage: 79 }])
      await assert.rejects(
        w.service.receiving.submit(codex, uid, { output: {}, validation: { ...validation, ...wrong } }),
        (error: { code: string; details: { unmet: { code: string }[] } }) => {
          assert.equal(error.code, 'unmet')
          assert.deepEqual(
            error.details.unmet.map((each) => each.code),
            ['VALIDATION_FAILED'],
          )
          return true
        },
      )
    const done = await w.service.receiving.submit(codex, uid, { output: {}, validation })

    assert.deepEqual([done.state, done.verified_by], ['completed', undefined])
  })

  it('is not completed in the queue without an output', async (t) => {
    const w = await open(t)
    const { uid } = await begun(w, { home: 'queue', deliverables: undefined })

    await assert.rejects(w.service.receiving.submit(codex, uid, { note: 'done' }), {
      code: 'unmet',
      message: 'HO-2026-001 cannot be completed yet: no output or artifact was handed in',
    })
  })

  it('is completed by its receiver alone', async (t) => {
    const w = await open(t)
    for (const home of ['queue', 'block', 'writeback', 'package'] as const) {
      const { uid } = await begun(w, { ...PACKAGE, home, deliverables: undefined, type: 'sequential' })

      await assert.rejects(w.service.closing.complete(planner, uid), { code: 'not_allowed' }, home)
      const done = await w.service.receiving.submit(codex, uid, { output: {} })

      assert.equal(done.state, 'completed', home)
    }
  })

  it('is begun by handing in what was only accepted', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(planner, { to: 'codex', title: 'Work', ...PACKAGE })
    await w.service.receiving.accept(codex, handoff.uid, { ...UNDERSTOOD, start: false })

    const done = await w.service.receiving.submit(codex, handoff.uid, {})

    assert.deepEqual([done.state, done.started_at], ['completed', START])
  })
})
