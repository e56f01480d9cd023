import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { run } from '../../../test/support/program/invoke.ts'
import {
  by,
  describeOnEngines,
  PACKAGE,
  person,
  UNDERSTOOD,
  type Workspace,
} from '../../../test/support/program/workspace.ts'
import type { BatonError } from '../../domain/errors.ts'
import { createCheckRunner } from './acceptance.ts'

const planner = by('planner')
const codex = by('codex')
const SUMMARY = 'The plan was agreed in the standup'

const send = ({ service }: Workspace, more = {}, caller = planner) =>
  service.sending.send(caller, { to: 'codex', title: 'Work', home: 'package', summary: SUMMARY, ...more })

/** The codes that a package is refused with; each has a message that names its field. */
async function refusedWith(sending: Promise<unknown>): Promise<readonly string[]> {
  const error = await sending.then(
    () => assert.fail('it was sent'),
    (reason: BatonError) => reason,
  )
  assert.equal(error.code, 'invalid_input')
  const problems = error.details.problems as readonly { code: string; field: string; message: string }[]
  assert.equal(error.message, problems.map(({ field, message }) => `${field}: ${message}`).join('; '))
  return problems.map(({ code, field }) => `${code} ${field}`)
}

function project(t: TestContext, files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'baton-project-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return { runChecks: createCheckRunner({ root, commands: [] }) }
}

describeOnEngines('a receiver that is new', (open) => {
  it('is pointed out where it looks like a known one, once, and a number makes no slip', async (t) => {
    const w = await open(t)
    const told = async (to: string) =>
      (await send(w, { to, home: 'native', title: `For ${to}` })).warnings
        .filter(({ code }) => code === 'new_name')
        .map(({ message }) => message)

    const warnings = []
    for (const to of ['codex', 'codx', 'codx', 'worker-1', 'worker-2', 'human']) warnings.push(await told(to))

    assert.deepEqual(warnings, [[], ['codx is new here; did you mean codex?'], [], [], [], []])
  })

  it('is pointed out where the work of another is given to it, over every door', async (t) => {
    const w = await open(t)
    const { id } = (await send(w, { home: 'native' })).handoff

    const given = async (to: string) =>
      (await run<{ warnings: object[] }>(w.service, planner, 'handoff_reassign', { id, to })).warnings

    const message = 'codx is new here; did you mean codex?'
    assert.deepEqual(await given('codx'), [{ code: 'new_name', message }])
    assert.deepEqual([await given('codex'), await given('codx')], [[], []])
  })
})

describeOnEngines('a package that is sent', (open) => {
  it('[S4-18] [S4-19] [S4-22] has the type that it reads as, and one that is given counts', async (t) => {
    const w = await open(t)
    const expects = { deliverables: ['A list of risks'] }

    const read = [
      await send(w),
      await send(w, expects),
      await send(w, { ...expects, type: 'sequential' }),
      await send(w, { ...expects, type: 'delegation', to: 'gemini' }),
    ]

    assert.deepEqual(
      read.map(({ handoff, warnings }) => [handoff.type, handoff.debt, warnings.map(({ code }) => code)]),
      [
        ['sequential', undefined, []],
        ['delegation', 'open', []],
        ['sequential', undefined, ['type_contradicts']],
        ['delegation', 'open', []],
      ],
    )
    assert.equal(
      read[2]?.warnings[0]?.message,
      'type says sequential, but the package reads as delegation: it has expectations and no workflow_state',
    )
  })

  it('[S4-20] is an escalation when it goes to a person, and a gate with points to validate', async (t) => {
    const w = await open(t)
    await w.service.agents.add(person('maria'), { name: 'maria', kind: 'human' })
    const points = { validation_request: { items: ['Scope'] } }

    const sent = [
      await send(w, { to: 'human', deliverables: ['Validated choice with justification'] }),
      await send(w, { to: 'maria', deliverables: ['Validated choice with justification'] }),
      await send(w, { to: 'human', ...points }),
    ]

    assert.deepEqual(
      sent.map(({ handoff: { type, state, need } }) => [type, state, need]),
      [
        ['escalation', 'needs_input', 'decision'],
        ['escalation', 'needs_input', 'decision'],
        ['gate', 'needs_input', 'gate'],
      ],
    )
    await assert.rejects(send(w, points), {
      code: 'invalid_input',
      message: /only a person can decide a gate/,
    })
  })

  it('[S4-21] [S4-23] is the return of the delegation that its receiver waits for', async (t) => {
    const w = await open(t)
    const { handoff: asked } = await send(w, { ...PACKAGE, title: 'Check the design' })
    await w.service.receiving.accept(codex, asked.uid, UNDERSTOOD)
    const back = {
      to: 'planner',
      title: 'Risks of the design',
      summary: '2 risks identified, recommendations provided',
      decisions: [{ id: 'D1', decision: 'Token bucket', rationale: 'Bursts are allowed' }],
    }

    const { handoff } = await send(w, back, codex)

    const { home, type, state, from, to, title, in_reply_to } = handoff
    assert.deepEqual(
      { home, type, state, from, to, title, in_reply_to },
      {
        home: 'package',
        type: 'return',
        state: 'offered',
        from: 'codex',
        to: 'planner',
        title: back.title,
        in_reply_to: asked.uid,
      },
    )
    const { content } = await w.service.looking.get(handoff.uid)
    assert.deepEqual(content.package, { summary: back.summary, decisions: back.decisions })
    const done = await w.service.looking.get(asked.uid)
    assert.deepEqual([done.handoff.state, done.handoff.debt], ['completed', 'answered'])
    const { items } = await w.service.looking.inbox('planner', { limit: 5 })
    assert.deepEqual(
      items.map(({ uid }) => uid),
      [handoff.uid],
    )
  })

  it('[S4-23] is no return where nothing was delegated, and names the delegations where there are several', async (t) => {
    const w = await open(t)
    const back = { to: 'planner', type: 'return' }
    await assert.rejects(send(w, back, codex), {
      code: 'invalid_input',
      message: /^planner has no open delegation to codex that this return could answer/,
    })
    const [first, second] = [await send(w, PACKAGE), await send(w, PACKAGE)]
    for (const { handoff } of [first, second])
      await w.service.receiving.accept(codex, handoff.uid, UNDERSTOOD)

    await assert.rejects(send(w, { to: 'planner' }, codex), {
      code: 'invalid_input',
      message: 'this could answer HO-2026-002 or HO-2026-001; name one as in_reply_to',
    })
    const { handoff } = await send(w, { to: 'planner', in_reply_to: 'HO-2026-001' }, codex)
    await assert.rejects(send(w, { to: 'planner', in_reply_to: 'HO-2026-001' }, codex), {
      code: 'invalid_input',
    })

    assert.equal(handoff.in_reply_to, first.handoff.uid)
    assert.equal((await w.store.handoff(second.handoff.uid))?.state, 'in_progress')
  })

  it('is returned once when the call is repeated with its key', async (t) => {
    const w = await open(t)
    const { handoff: asked } = await send(w, PACKAGE)
    await w.service.receiving.accept(codex, asked.uid, UNDERSTOOD)
    const again = () => send(w, { to: 'planner', type: 'return' }, by('codex', { key: 'back' }))

    const [one, two] = [await again(), await again()]

    assert.equal(two.handoff.uid, one.handoff.uid)
  })

  it('does not come back before its receiver has accepted it', async (t) => {
    const w = await open(t)
    const { handoff: asked } = await send(w, PACKAGE)

    await assert.rejects(send(w, { to: 'planner' }, codex), { code: 'wrong_state' })
    await w.service.receiving.accept(codex, asked.uid, { start: false })
    await assert.rejects(send(w, { to: 'planner' }, codex), {
      code: 'unmet',
      message: /^HO-2026-001 was not acknowledged/,
    })

    assert.equal((await w.store.handoff(asked.uid))?.state, 'accepted')
  })

  it('[S4-29] [S4-30] [S4-31] is refused with a summary that says nothing, and sent with one that does', async (t) => {
    const w = await open(t)
    const empty = ["It's done", 'done', 'See above.', 'WIP', 'as discussed', 'ok ok ok ok']
    const full = [
      '2 risks identified, recommendations provided',
      'Functional specification created with 12 user stories',
    ]

    for (const summary of empty)
      assert.deepEqual(await refusedWith(send(w, { summary })), ['vacuous_summary summary'], summary)
    assert.deepEqual(await refusedWith(send(w, { summary: undefined })), ['missing_summary summary'])
    for (const summary of full) assert.equal((await send(w, { summary })).handoff.state, 'offered', summary)
  })

  it('[S4-28] is no delegation without saying what it wants back', async (t) => {
    const w = await open(t)

    assert.deepEqual(await refusedWith(send(w, { type: 'delegation' })), ['missing_deliverable deliverables'])
    assert.deepEqual(await refusedWith(send(w, { criteria: ['npm test passes'] })), [
      'missing_deliverable deliverables',
    ])
  })

  it('is refused while placeholders stand in it, and with artifacts outside the project', async (t) => {
    const w = await open(t)
    const outside = ['/etc/passwd', '../secret.md', 'C:\\temp\\x', '~/notes', 'docs/../../x']

    assert.deepEqual(
      await refusedWith(
        send(w, {
          summary: '[2-3 sentence summary]',
          decisions: [{ decision: '[decision]' }],
          deliverables: ['[deliverable]'],
        }),
      ),
      ['placeholder summary', 'placeholder deliverables.0', 'placeholder decisions.0.decision'],
    )
    for (const path of outside)
      assert.deepEqual(
        await refusedWith(send(w, { artifacts: [{ path }] })),
        ['artifact_outside artifacts.0.path'],
        path,
      )
  })

  it('[S4-32] [S4-33] [S4-34] names the files that were made and are not among its artifacts', async (t) => {
    const w = await open(t)

    const { warnings, handoff } = await send(w, {
      artifacts: [{ path: 'docs/spec.md' }, { path: 'docs/user-stories/' }],
      created_files: ['docs/spec.md', 'docs/user-stories/one.md', 'src/limit.ts'],
    })

    assert.deepEqual(
      warnings.map(({ code, message }) => [code, message.split(' ')[0]]),
      [
        ['artifact_listed_by_folder', 'docs/user-stories/one.md'],
        ['artifact_unlisted', 'src/limit.ts'],
      ],
    )
    const { content } = await w.service.looking.get(handoff.uid)
    assert.deepEqual(Object.keys(content.package), ['summary', 'artifacts'])
  })

  it('points at an artifact that is not there, and leaves the judgement to where its receiver is', async (t) => {
    const w = await open(t, project(t, { 'docs/spec.md': '# Spec' }))

    const { warnings } = await send(w, { artifacts: [{ path: 'docs/spec.md' }, { path: 'docs/plan.md' }] })

    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['artifact_not_found'],
    )
  })

  it('[S4-35] [S4-36] is pointed at when a decision is pending and nobody asks for it', async (t) => {
    const w = await open(t)
    const decisions = [{ id: 'pending', decision: 'Which database' }]

    const silent = await send(w, { decisions })
    const asked = await send(w, { decisions, open_questions: [{ question: 'Which database?' }] })

    assert.deepEqual(
      silent.warnings.map(({ code }) => code),
      ['pending_without_question'],
    )
    assert.deepEqual(asked.warnings, [])
  })

  it('[S4-37] [S4-38] [S4-39] is pointed at for criteria that nobody can measure', async (t) => {
    const w = await open(t)
    const measurable = [
      'Unit tests > 80% coverage',
      'No OWASP Top 10 vulnerabilities',
      'Build passes in CI',
      'No unaddressed critical risks',
    ]
    const expects = (criteria: readonly string[]) => ({ deliverables: ['Code in src/'], criteria })

    const good = await send(w, expects(measurable))
    const bad = await send(w, expects(['Write good code']))

    assert.deepEqual(good.warnings, [])
    assert.deepEqual(
      bad.warnings.map(({ code }) => code),
      ['not_measurable'],
    )
  })

  it('may be unfinished as a draft, and is judged when the draft is sent', async (t) => {
    const w = await open(t)
    const { handoff, warnings } = await w.service.sending.create(planner, {
      to: 'codex',
      title: 'Work',
      home: 'package',
      summary: 'WIP',
    })

    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['vacuous_summary'],
    )
    assert.deepEqual(await refusedWith(w.service.sending.sendDraft(planner, handoff.uid)), [
      'vacuous_summary summary',
    ])
    await w.service.sending.amend(planner, handoff.uid, { summary: SUMMARY })
    assert.equal((await w.service.sending.sendDraft(planner, handoff.uid)).handoff.state, 'offered')
  })
})

describeOnEngines('other handoffs', (open) => {
  it('are sequential unless said, and are only told what document 004 would refuse', async (t) => {
    const w = await open(t)

    const { handoff, warnings } = await send(w, {
      home: 'native',
      summary: "It's done",
      deliverables: ['[deliverable]'],
      artifacts: [{ path: 'https://git.internal/pull/7' }],
    })

    assert.deepEqual([handoff.type, handoff.state], ['sequential', 'offered'])
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['vacuous_summary', 'placeholder'],
    )
  })
})
