import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aContent, aHandoff, anActor, anAgent } from '../../../test/support/store/builders.ts'
import { ENGINE } from '../actor.ts'
import { HOMES, type Home } from '../home.ts'
import { DEFAULT_POLICY } from '../policy.ts'
import {
  handInConditions,
  receiverCompletes,
  rolesOf,
  unmetConditions,
  validationProblems,
  verifierOf,
} from './guards.ts'
import type { Content, Result } from './package.ts'

const accepted = {
  state: 'in_review',
  accepted_at: '2026-02-21T15:00:00.000Z',
  accepted_by: 'codex',
} as const
const deliverables = ['Middleware in src/', 'Tests', 'Documentation updated']
const done = (names: readonly string[]) => names.map((deliverable) => ({ deliverable, evidence: 'PR #123' }))
const checks = (
  names: readonly string[],
  status: 'verified' | 'refused' = 'verified',
  evidence = 'PR #123',
) => names.map((deliverable) => ({ deliverable, status, evidence }))
const verification = (deliverable_checks: ReturnType<typeof checks>): Content['verifications'][number] => ({
  verified_at: '2026-02-21T16:00:00.000Z',
  verified_by: 'perplexity',
  pass: true,
  deliverable_checks,
})
const messages = (...args: Parameters<typeof unmetConditions>) =>
  unmetConditions(...args).map(({ code, message }) => `${code}: ${message}`)

describe('the roles of an actor', () => {
  const roles = (name: string, given = {}, handoff = aHandoff(), agent = anAgent(name)) =>
    [...rolesOf(anActor(name, given), handoff, DEFAULT_POLICY, agent)].sort()

  it('are sender and verifier for who sent it, receiver for who got it, none for a stranger', () => {
    assert.deepEqual(roles('planner'), ['completer', 'sender', 'verifier'])
    assert.deepEqual(roles('codex'), ['receiver'])
    assert.deepEqual(roles('gemini'), [])
  })

  it('are verifier for a person and for an agent with that role, never for the receiver', () => {
    const verifier = anAgent('gemini', { roles: ['verifier'] })

    assert.deepEqual(roles('maria', { kind: 'human' }), ['completer', 'verifier'])
    assert.deepEqual(roles('gemini', {}, aHandoff(), verifier), ['completer', 'verifier'])
    assert.deepEqual(
      roles('codex', { kind: 'human' }, aHandoff(), anAgent('codex', { roles: ['verifier'] })),
      ['person', 'receiver'],
    )
  })

  it('are taken from the list of agents too', () => {
    const policy = { ...DEFAULT_POLICY, agents: { gemini: { roles: ['verifier'] as const } } }

    assert.ok(rolesOf(anActor('gemini'), aHandoff(), policy).has('verifier'))
  })

  it('are person only for people whom it is addressed to, by name or as human', () => {
    assert.ok(roles('maria', { kind: 'human' }, aHandoff({ to: 'maria' })).includes('person'))
    assert.ok(roles('maria', { kind: 'human' }, aHandoff({ to: 'human' })).includes('person'))
    assert.ok(!roles('maria', { kind: 'human' }).includes('person'))
    assert.ok(!roles('maria', {}, aHandoff({ to: 'maria' })).includes('person'))
  })

  it('are the clock alone for the engine', () => {
    assert.deepEqual(
      [...rolesOf(ENGINE, aHandoff({ from: 'baton', to: 'baton' }), DEFAULT_POLICY)],
      ['clock'],
    )
  })

  it('make the receiver alone the completer in documents 001 to 004 and of every return', () => {
    const completes = (home: (typeof HOMES)[number], type: 'sequential' | 'return') =>
      receiverCompletes(aHandoff({ home, type }))

    assert.deepEqual(
      HOMES.filter((home) => completes(home, 'sequential')),
      ['queue', 'block', 'writeback', 'package'],
    )
    assert.ok(HOMES.every((home) => completes(home, 'return')))
    assert.deepEqual(roles('codex', {}, aHandoff({ home: 'queue' })), ['completer', 'receiver'])
    assert.deepEqual(roles('planner', {}, aHandoff({ home: 'queue' })), ['sender', 'verifier'])
  })
})

describe('who verifies a handoff of document 000', () => {
  const may = (name: string, to: string, policy = DEFAULT_POLICY, given = {}) =>
    rolesOf(anActor(name, given), aHandoff({ home: 'markdown', from: 'grok', to }), policy).has('completer')

  it('[S0-80] is perplexity and nobody else', () => {
    assert.equal(may('perplexity', 'claude'), true)
    for (const name of ['grok', 'claude', 'gemini']) assert.equal(may(name, 'claude'), false, name)
    assert.equal(may('maria', 'claude', DEFAULT_POLICY, { kind: 'human' }), false)
  })

  it('[S0-80] is the chief where perplexity receives, and the sender where the chief receives too (A0-12)', () => {
    const handoff = { home: 'markdown', from: 'gemini' } as const
    const policy = { ...DEFAULT_POLICY, verifiers: ['perplexity'], chief: 'perplexity' }

    assert.equal(may('perplexity', 'perplexity'), false)
    assert.equal(may('grok', 'perplexity'), true)
    assert.ok(rolesOf(anActor('gemini'), aHandoff({ ...handoff, to: 'perplexity' }), policy).has('completer'))
    assert.ok(!rolesOf(anActor('grok'), aHandoff({ ...handoff, to: 'perplexity' }), policy).has('completer'))
  })

  it('can be set: a list of names, or agents with the role', () => {
    const policy = { ...DEFAULT_POLICY, verifiers: ['abacus', 'gemini'] }
    const other = { ...DEFAULT_POLICY, agents: { gemini: { roles: ['verifier'] as const } } }

    assert.deepEqual(
      ['abacus', 'gemini', 'perplexity'].map((name) => may(name, 'claude', policy)),
      [true, true, false],
    )
    assert.equal(may('gemini', 'gemini', policy), false)
    assert.equal(may('abacus', 'gemini', policy), true)
    assert.equal(may('gemini', 'claude', other), true)
  })

  it('is asked by name', () => {
    const asked = (given: Parameters<typeof aHandoff>[0], policy = DEFAULT_POLICY) =>
      verifierOf(aHandoff(given), policy)

    assert.equal(asked({}), 'planner')
    assert.equal(asked({ home: 'markdown' }), 'perplexity')
    assert.equal(asked({ home: 'markdown', to: 'perplexity' }), 'grok')
    assert.equal(
      asked({ home: 'markdown', to: 'perplexity' }, { ...DEFAULT_POLICY, chief: 'perplexity' }),
      'planner',
    )
  })
})

describe('what a native handoff needs to be completed', () => {
  const native = aHandoff(accepted)
  const content = (result?: Result) => aContent({ package: { deliverables }, ...(result && { result }) })

  it('is nothing where it is accepted and there is evidence for every deliverable', () => {
    assert.deepEqual(unmetConditions(native, content({ evidence: done(deliverables) })), [])
    assert.deepEqual(unmetConditions(native, aContent({ result: {} })), [])
  })

  it('is that something was handed in, also where no deliverable was named', () => {
    assert.deepEqual(messages(native, aContent()), [
      `nothing_handed_in: codex has handed in nothing; it does with: baton submit ${native.id} --as codex -m "…"`,
    ])
  })

  it('is not handed in with nothing that says anything of the work', () => {
    const codes = (home: Home, result: Result) =>
      handInConditions(aHandoff({ ...accepted, home }), aContent({ result })).map(({ code }) => code)
    const nothing: readonly Result[] = [
      {},
      { note: ' \n- …' },
      { output: null },
      { output: '  ' },
      { output: {} },
      { artifacts: [], decisions: [], next_steps: [], validation: {}, evidence: [] },
      { metadata: { tokens: 1_200 }, submitted_at: '2026-02-21T15:00:00.000Z' },
    ]
    const something: readonly Result[] = [
      { note: '완료' },
      { note: '7' },
      { output: [] },
      { output: 0 },
      { output: false },
      { output: { files: 1 } },
      { artifacts: [{ path: 'a.md', role: 'output' }] },
      { decisions: [{ decision: 'Use a ring' }] },
      { validation: { tests_passing: true } },
      { next_steps: ['Roll it out'] },
    ]

    for (const result of nothing) assert.deepEqual(codes('native', result), ['nothing_handed_in'])
    for (const result of something) assert.deepEqual(codes('native', result), [])
    // A file is judged by the rules of its own format.
    for (const result of nothing) assert.deepEqual(codes('markdown', result), [])
  })

  /** With `npm test` declared, and this run of it by the verifier. */
  const checkedContent = (result: Result, run: { readonly ok?: boolean; readonly detail?: string }) =>
    aContent({
      package: { deliverables, checks: [{ kind: 'command', command: 'npm test' }] },
      result,
      verifications: [{ ...verification([]), checks: [{ name: 'npm test', ...run }] }],
    })

  it('is named all at once', () => {
    const failed = checkedContent({ evidence: done(['Tests']) }, { ok: false, detail: 'exit 1' })

    assert.deepEqual(messages(aHandoff(), failed), [
      'not_accepted: codex has not accepted it',
      'deliverable_without_evidence: no evidence for "Middleware in src/"',
      'deliverable_without_evidence: no evidence for "Documentation updated"',
      'check_failed: check failed: command exits 0: "npm test" (exit 1)',
    ])
  })

  it('is evidence that says something', () => {
    const blank = [{ deliverable: 'Tests', evidence: '  ' }]

    assert.deepEqual(messages(native, content({ evidence: [...done(deliverables.slice(0, 1)), ...blank] })), [
      'deliverable_without_evidence: no evidence for "Tests"',
      'deliverable_without_evidence: no evidence for "Documentation updated"',
    ])
  })

  it('is a run of every declared check, and the run of the one who handed in is none', () => {
    const own = { evidence: done(deliverables), checks: [{ name: 'npm test', ok: true }] }

    assert.deepEqual(unmetConditions(native, checkedContent(own, { ok: true })), [])
    assert.deepEqual(messages(native, checkedContent(own, {})), [
      `check_not_run: check command exits 0: "npm test" was not run; a person can waive it with: baton handoff waive ${native.id} "npm test"`,
    ])
  })
})

describe('what a handoff of document 000 needs to be completed', () => {
  const handoff = aHandoff({ ...accepted, home: 'markdown' })
  const content = (given?: ReturnType<typeof checks>) =>
    aContent({ package: { deliverables }, verifications: given ? [verification(given)] : [] })

  it('[S0-81] is a record that says verified, with evidence, of every deliverable', () => {
    assert.deepEqual(unmetConditions(handoff, content(checks(deliverables))), [])
  })

  it('[S0-77] is an acknowledgment with its time and its name', () => {
    for (const missing of ['accepted_at', 'accepted_by'] as const) {
      const { [missing]: _, ...rest } = handoff

      assert.deepEqual(messages(rest, content(checks(deliverables))), [
        'not_accepted: codex has not accepted it',
      ])
    }
  })

  it('[S0-78] is that every deliverable is marked done', () => {
    const half = [...checks(deliverables.slice(0, 2)), ...checks(deliverables.slice(2), 'refused')]

    assert.deepEqual(messages(handoff, content(half)), [
      'deliverable_without_evidence: no evidence for "Documentation updated"',
    ])
  })

  it('[S0-79] is evidence that says something for every deliverable', () => {
    const half = [...checks(deliverables.slice(0, 2)), ...checks(deliverables.slice(2), 'verified', ' \n')]

    assert.deepEqual(messages(handoff, content(half)), [
      'deliverable_without_evidence: no evidence for "Documentation updated"',
    ])
  })

  it('[S0-82] is more than the sample record of the document, which leaves one out', () => {
    const sample = aContent({
      package: {
        deliverables: ['Implemented rate limiting middleware', 'Test coverage >90%', 'Documentation updated'],
      },
      verifications: [
        verification([
          {
            deliverable: 'Implemented rate limiting middleware',
            status: 'verified',
            evidence: 'PR #123 merged',
          },
          { deliverable: 'Test coverage >90%', status: 'verified', evidence: 'Coverage report: 94%' },
        ]),
      ],
    })

    assert.deepEqual(messages(handoff, sample), [
      'deliverable_without_evidence: no evidence for "Documentation updated"',
    ])
  })

  it('[S0-84] is not met by a check of something that is no deliverable', () => {
    assert.deepEqual(messages(handoff, content(checks([...deliverables, 'A cake']))), [
      'unknown_deliverable: "A cake" is not one of its deliverables',
    ])
  })

  it('[S0-85] is told with all that is missing, not only the first', () => {
    const codes = unmetConditions(aHandoff({ home: 'markdown' }), content(checks(['A cake']))).map(
      (u) => u.code,
    )

    assert.deepEqual(codes, [
      'not_accepted',
      'deliverable_without_evidence',
      'deliverable_without_evidence',
      'deliverable_without_evidence',
      'unknown_deliverable',
    ])
  })

  it('is judged by the newest record, and by the text of a deliverable without spaces around it', () => {
    const twice = aContent({
      package: { deliverables: [' Tests ', 'Tests'] },
      verifications: [verification(checks(['Tests'], 'refused')), verification(checks(['Tests ']))],
    })

    assert.deepEqual(unmetConditions(handoff, twice), [])
  })
})

describe('what the other homes need to be completed', () => {
  const queue = aHandoff({ ...accepted, home: 'queue' })
  const produced = (result: Result, input?: unknown) => aContent({ package: { input }, result })
  const output = { path: 'artifacts/phase-13-react/artifact-1.json' }

  it('is an output or an artifact that matches its schema, in document 001', () => {
    assert.deepEqual(unmetConditions(queue, produced({ output, schema_compliance: 'valid' })), [])
    assert.deepEqual(unmetConditions(queue, produced({ artifacts: [{ path: 'a.json' }] })), [])
    assert.deepEqual(messages(queue, produced({ schema_compliance: 'invalid' })), [
      'artifact_missing: no output or artifact was handed in',
      'schema_invalid: the output does not match its schema',
    ])
  })

  it('[S1-49] is no failing test, no type error and no coverage under the target, in document 001', () => {
    const input = { code_quality: { testing_coverage_target: 80 } }
    const judged = (validation: NonNullable<Result['validation']>, given: unknown = input) =>
      messages(queue, produced({ output, validation }, given))

    assert.deepEqual(judged({ status: 'passed', tests_passing: true, coverage_percentage: 80 }), [])
    assert.deepEqual(
      judged({ status: 'passed', tests_passing: false, typescript_errors: 2, coverage_percentage: 79.9 }),
      [
        'VALIDATION_FAILED: tests are failing',
        'VALIDATION_FAILED: 2 type errors',
        'VALIDATION_FAILED: coverage is 79.9 % and the target is 80 %',
      ],
    )
    assert.deepEqual(judged({ status: 'failed' }), ['VALIDATION_FAILED: the validation says failed'])
    assert.deepEqual(judged({ coverage_percentage: 1 }, 'free text'), [])
  })

  it('[S1-49] is told as sentences', () => {
    assert.deepEqual(validationProblems({ tests_passing: true, typescript_errors: 0 }), [])
    assert.deepEqual(validationProblems({ coverage_percentage: 10 }, 90), [
      'coverage is 10 % and the target is 90 %',
    ])
  })

  it('is an acknowledgment in document 004 and for a return, and nothing in documents 002 and 003', () => {
    for (const given of [{ home: 'package' }, { type: 'return', home: 'queue' }] as const) {
      assert.deepEqual(messages(aHandoff(given), aContent()), ['not_accepted: codex has not accepted it'])
      assert.deepEqual(unmetConditions(aHandoff({ ...given, ...accepted }), aContent()), [])
    }
    for (const home of ['block', 'writeback'] as const)
      assert.deepEqual(unmetConditions(aHandoff({ home }), aContent()), [])
  })
})
