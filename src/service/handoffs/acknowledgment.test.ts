import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { placesOf } from '../../../test/support/store/secrets.ts'
import { exportDocument } from '../documents/export-document.ts'
import { redact } from '../redaction/redact.ts'
import { createCheckRunner } from './acceptance.ts'

const planner = by('planner')
const codex = by('codex')
const TASK = 'Limit the public API to 100 requests a minute'
const CHECKS = [
  'summary present and understandable',
  'all artifacts exist',
  'expectations.deliverable clear',
  'constraints compatible with my capabilities',
]

const offer = async ({ service }: Workspace, more = {}) =>
  (
    await service.sending.send(planner, {
      to: 'codex',
      title: 'Add rate limiting',
      home: 'package',
      summary: 'The API needs limits before launch',
      deliverables: ['Middleware in src/'],
      ...more,
    })
  ).handoff

/** A project with one file and one folder. */
function project(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'baton-project-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'docs/stories'), { recursive: true })
  writeFileSync(join(root, 'docs/spec.md'), '# Spec')
  return { runChecks: createCheckRunner({ root, commands: [] }) }
}

describeOnEngines('accepting with what was understood', (open) => {
  it('is decided once, with all that it needs read at once, as a plain yes is', async (t) => {
    let decided = 0
    const w = await open(t, {
      wrap: (store) =>
        new Proxy(store, {
          get(target, name) {
            const value = Reflect.get(target, name)
            if (name !== 'transact') return typeof value === 'function' ? value.bind(target) : value
            const transact: typeof store.transact = (unit) =>
              target.transact({
                ...unit,
                decide: (view) => {
                  decided += 1
                  return unit.decide(view)
                },
              })
            return transact
          },
        }),
    })
    const sent = { to: 'codex', title: 'Add rate limiting', deliverables: ['Middleware in src/'] }
    const counts: number[] = []
    for (const input of [{}, { understood: TASK }, { understood: TASK, questions: ['Per user?'] }]) {
      const { handoff } = await w.service.sending.send(planner, sent)
      decided = 0
      await w.service.receiving.accept(codex, handoff.id, input)
      counts.push(decided)
    }
    assert.deepEqual(counts, [1, 1, 1])
  })
})

describeOnEngines('a package that is received', (open) => {
  it('[S4-41] [S4-42] [S4-45] is looked at in four points, each with its own result', async (t) => {
    const w = await open(t, project(t))
    const { uid } = await offer(w, { artifacts: [{ path: 'docs/spec.md' }, { path: 'docs/stories/' }] })

    const { checks, state } = await w.service.receiving.accept(codex, uid, { understood: TASK })

    assert.equal(state, 'in_progress')
    assert.deepEqual(
      checks,
      CHECKS.map((name) => ({ name, ok: true })),
    )
  })

  it('[S4-46] [S4-47] begins with the task in the words of its receiver', async (t) => {
    const w = await open(t)
    const { uid } = await offer(w)

    const { acknowledgment } = await w.service.receiving.accept(codex, uid, {
      understood: { task: TASK, constraints: 'No new dependency' },
      from: 'planner',
    })

    const { at, ...said } = acknowledgment ?? {}
    assert.equal(at, w.clock.text)
    assert.deepEqual(said, {
      received: true,
      from: 'planner',
      by: 'codex',
      understood: { task: TASK, constraints: 'No new dependency' },
      starting: true,
    })
    const { content } = await w.service.looking.get(uid)
    assert.deepEqual(content.acknowledgment?.understanding, [TASK, 'No new dependency'])
  })

  it('[S4-40] [S4-47] does not begin without that, whichever way its receiver takes it', async (t) => {
    const w = await open(t)
    const { uid, id } = await offer(w)
    const refusal = {
      code: 'unmet',
      message: new RegExp(`${id} is not begun yet: .*baton accept ${id} --understood`),
    }

    await assert.rejects(w.service.receiving.accept(codex, uid), refusal)
    await assert.rejects(w.service.receiving.accept(codex, uid, { understood: '  ' }), refusal)
    const claimed = await w.service.receiving.claim(codex)
    await assert.rejects(w.service.receiving.accept(codex, uid, { start: true }), refusal)
    await assert.rejects(w.service.receiving.submit(codex, uid, { note: 'all done' }), {
      code: 'unmet',
      message: /was not acknowledged/,
    })
    const begun = await w.service.receiving.accept(codex, uid, { understood: TASK })

    assert.deepEqual([claimed?.state, begun.state], ['accepted', 'in_progress'])
    assert.equal((await w.service.receiving.submit(codex, uid, {})).state, 'completed')
  })

  it('[S4-49] [S4-50] [S4-52] goes back with what is wrong in the words of the document, and stays open', async (t) => {
    const w = await open(t, project(t))
    const { uid } = await offer(w, {
      artifacts: [{ path: 'docs/missing.md' }],
      constraints: ['Do it quickly'],
    })
    const blockers = ['Artifact docs/missing.md not found', "Constraint 'quickly' not measurable"]

    const asked = await w.service.receiving.accept(codex, uid, { understood: TASK })

    const { at, ...said } = asked.acknowledgment ?? {}
    assert.deepEqual(said, {
      received: true,
      from: 'planner',
      by: 'codex',
      understood: 'partial',
      blockers,
      action: 'request_clarification',
    })
    assert.deepEqual(
      [asked.state, asked.need, asked.waiting_for, asked.checks?.map(({ ok }) => ok)],
      ['needs_input', 'clarification', 'planner', [true, false, true, false]],
    )
    await w.service.sending.amend(planner, uid, {
      artifacts: [{ path: 'docs/spec.md' }],
      constraints: ['Done in 2 days'],
    })
    const begun = await w.service.receiving.accept(codex, uid, { understood: TASK })
    assert.deepEqual([begun.uid, begun.state, begun.acknowledgment?.starting], [uid, 'in_progress', true])
  })

  it('[S4-52] begins after an answer, and asks nothing twice', async (t) => {
    const w = await open(t)
    const { uid } = await offer(w, { constraints: ['Do it quickly'] })
    await w.service.receiving.accept(codex, uid, { understood: TASK })

    const answered = await w.service.receiving.answer(planner, uid, 'Within two days')
    const begun = await w.service.receiving.accept(codex, uid, { understood: TASK })

    assert.deepEqual([answered.state, begun.state, begun.uid], ['offered', 'in_progress', uid])
    const { content } = await w.service.looking.get(uid)
    assert.deepEqual(
      content.thread.map(({ kind, by: who, text }) => [kind, who, text]),
      [
        ['question', 'codex', "Constraint 'quickly' not measurable"],
        ['answer', 'planner', 'Within two days'],
      ],
    )
  })

  it('keeps one handoff through rounds of questions and answers', async (t) => {
    const w = await open(t)
    const { uid } = await offer(w)

    for (const round of [1, 2, 3]) {
      const asked = await w.service.receiving.accept(codex, uid, {
        understood: 'partial',
        blockers: [`Point ${round} is unclear`],
      })
      const answered = await w.service.receiving.answer(planner, uid, `Answer ${round}`)
      assert.deepEqual([asked.uid, asked.state, answered.state], [uid, 'needs_input', 'offered'])
    }
    await w.service.receiving.accept(codex, uid, { understood: TASK })
    await w.service.receiving.ask(codex, uid, 'Which endpoints?')
    const resumed = await w.service.receiving.answer(planner, uid, 'All under /v1')

    assert.equal(resumed.state, 'in_progress')
    assert.equal((await w.service.looking.get(uid)).content.thread.length, 8)
  })

  it('[S4-48] [S4-51] is understood in part only with what is missing', async (t) => {
    const w = await open(t)
    const { uid } = await offer(w)

    await assert.rejects(w.service.receiving.accept(codex, uid, { understood: 'partial' }), {
      code: 'unmet',
      message: /say what is not understood, as blockers or questions/,
    })
    const asked = await w.service.receiving.accept(codex, uid, {
      understood: 'partial',
      questions: ['Which endpoints are public?'],
    })

    assert.deepEqual(
      [asked.state, asked.acknowledgment?.understood, asked.acknowledgment?.action],
      ['needs_input', 'partial', 'request_clarification'],
    )
  })

  it('[S4-53] begins with questions open when its receiver starts, and waits when it does not', async (t) => {
    const w = await open(t)
    const [first, second] = [await offer(w), await offer(w)]
    const questions = ['Which endpoints are public?']

    const begun = await w.service.receiving.accept(codex, first.uid, { understood: TASK, questions })
    const waits = await w.service.receiving.accept(codex, second.uid, {
      understood: TASK,
      questions,
      start: false,
    })

    assert.deepEqual(
      [begun.state, begun.acknowledgment?.questions, begun.acknowledgment?.starting],
      ['in_progress', questions, true],
    )
    assert.deepEqual([waits.state, waits.waiting_for], ['needs_input', 'planner'])
  })

  it('[S4-53] lets its sender answer while the work goes on, and both are told', async (t) => {
    const w = await open(t)
    const { uid, id } = await offer(w)
    await w.service.receiving.accept(codex, uid, { understood: TASK, questions: ['Which endpoints?'] })
    const { notices } = await w.service.looking.inbox('planner', { limit: 5 })

    const answered = await w.service.receiving.answer(planner, uid, 'Those under /v1')
    await assert.rejects(w.service.receiving.answer(planner, uid, 'Once more'), { code: 'wrong_state' })
    await assert.rejects(w.service.receiving.answer(by('gemini'), uid, 'From nobody'))

    assert.deepEqual(
      notices.map(({ kind, text }) => [kind, text]),
      [['asked', `codex began ${id} and asks: Which endpoints?`]],
    )
    const told = (await w.service.looking.inbox('codex', { limit: 5 })).notices
    assert.deepEqual(
      told.map(({ kind, text }) => [kind, text]),
      [['answered', `planner answered about ${id}: Those under /v1`]],
    )
    const { handoff, content } = await w.service.looking.get(uid)
    assert.deepEqual([answered.state, handoff.rev, handoff.lease_until], ['in_progress', 3, undefined])
    assert.deepEqual(
      content.thread.map(({ kind, by: who, text }) => [kind, who, text]),
      [
        ['question', 'codex', 'Which endpoints?'],
        ['answer', 'planner', 'Those under /v1'],
      ],
    )
  })

  it('[S4-54] [S4-55] is acknowledged by whom it is addressed to, and as what it is', async (t) => {
    const w = await open(t)
    const { uid } = await offer(w)

    await assert.rejects(w.service.receiving.accept(by('gemini'), uid, { understood: TASK }), {
      code: 'not_allowed',
    })
    await assert.rejects(w.service.receiving.accept(by('gemini'), uid), { code: 'not_allowed' })
    await assert.rejects(w.service.receiving.accept(codex, uid, { understood: TASK, from: 'maria' }), {
      code: 'unmet',
      message: /maria does not match: the package came from planner/,
    })

    assert.equal((await w.store.handoff(uid))?.state, 'offered')
  })

  it('[S4-44] goes back when it needs what its receiver cannot do, and is not judged where nobody knows', async (t) => {
    const w = await open(t)
    await w.service.agents.add(person('maria'), { name: 'codex', capabilities: ['typescript', 'git'] })
    const constraints = ['Requires python', 'needs: git']
    const [known, unknown] = [await offer(w, { constraints }), await offer(w, { constraints, to: 'gemini' })]

    const asked = await w.service.receiving.accept(codex, known.uid, { understood: TASK })
    const begun = await w.service.receiving.accept(by('gemini'), unknown.uid, { understood: TASK })

    assert.deepEqual(asked.acknowledgment?.blockers, [
      "Constraint 'Requires python' not possible: python is not among typescript, git",
    ])
    assert.deepEqual(
      [begun.state, begun.checks?.at(-1)],
      ['in_progress', { name: CHECKS[3], detail: 'not evaluated' }],
    )
  })

  it('[S4-43] says of a delegation without deliverable that it is unclear, of other work only that it is missing', async (t) => {
    const w = await open(t)
    const work = await offer(w, { deliverables: undefined })

    const { state, checks } = await w.service.receiving.accept(codex, work.uid, { understood: TASK })

    assert.deepEqual(
      [state, checks?.[2]],
      ['in_progress', { name: CHECKS[2], ok: true, detail: 'Deliverable missing' }],
    )
  })

  it('answers a repeated acceptance with the same checks and words', async (t) => {
    const w = await open(t)
    const { uid } = await offer(w)
    const accept = () => w.service.receiving.accept(by('codex', { key: 'once' }), uid, { understood: TASK })

    const [one, two] = [await accept(), await accept()]

    assert.deepEqual(two, one)
  })

  it('can be redacted in every part of what its receiver said', async (t) => {
    const w = await open(t)
    const said = { understood: 'tango-one-17', questions: ['tango-two-18'], blockers: ['tango-three-19'] }
    const { uid, id } = await offer(w)
    await w.service.receiving.accept(codex, uid, said)
    await w.service.receiving.answer(planner, uid, 'Yes')
    await w.service.receiving.accept(codex, uid, { ...said, blockers: [] })

    for (const field of ['understood', 'questions', 'question'])
      await redact(w.service.deps, person('maria'), { id, field, reason: 'leaked' })

    for (const text of [said.understood, ...said.questions, ...said.blockers])
      assert.deepEqual(await placesOf(w.store, text), [], text)
  })

  it('leaves in the exported package what its receiver said', async (t) => {
    const w = await open(t)
    const { uid } = await offer(w)
    await w.service.receiving.accept(codex, uid, { understood: TASK, questions: ['Which endpoints?'] })

    const { text } = await exportDocument(w.service.deps, person('maria'), { id: uid })

    assert.match(text, /^acknowledgment:$/m)
    assert.match(text, new RegExp(`task: ${TASK}`))
    assert.match(text, /starting: true/)
  })
})

describeOnEngines('other homes', (open) => {
  it('take a yes for an answer, and keep what is said beyond it', async (t) => {
    const w = await open(t)
    const plain = await offer(w, { home: 'native' })
    const said = await offer(w, { home: 'native' })

    const yes = await w.service.receiving.accept(codex, plain.uid)
    const more = await w.service.receiving.accept(codex, said.uid, { understood: TASK })

    assert.deepEqual([yes.state, 'checks' in yes, 'acknowledgment' in yes], ['in_progress', false, false])
    assert.deepEqual([more.state, more.acknowledgment?.understood], ['in_progress', { task: TASK }])
  })
})
