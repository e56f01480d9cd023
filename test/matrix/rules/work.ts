import assert from 'node:assert/strict'
import { accepted, adopted, offered, WORK, workFor } from '../situations.ts'
import { type Cell, cannot, type Rule, refused } from '../table.ts'
import type { World } from '../world.ts'
import { edited, steps } from './acting.ts'
import { completed, moved, PEOPLE } from './gates.ts'

const TWO = { deliverables: ['Middleware', 'Manual'] }
const seen = (deliverable: string) => ({ deliverable, status: 'verified', evidence: 'seen' })

/** Work that was handed in and waits for its verifier; other formats have no such state. */
const inReview =
  (more: object = {}) =>
  async (world: World): Promise<void> => {
    await accepted(world, more)
    const evidence = [...(Reflect.get(more, 'deliverables') ?? ['Middleware'])].map((deliverable) => ({
      deliverable,
      evidence: 'src/limit.ts',
    }))
    if (world.home === 'markdown' || world.home === 'native')
      await world.does('codex', 'handoff_submit', { id: WORK, note: 'Done', evidence })
    await world.sync()
  }

type Other = Parameters<typeof refused>[1]
const byFormat = (deliverable: string): Other => ({
  code: 'invalid_input',
  sentence: `"${deliverable}" is not verified; add a check with status: verified and its evidence.`,
  why: 'The check of the format finds it first, and names the line.',
})

/** A markdown file that its verifier completes with these checks. */
const verified = (other: Other, ...checks: readonly string[]): Cell =>
  refused(
    edited(
      ['status: Acknowledged', 'status: Complete'],
      [
        'completion_verified_by: null\n',
        `completion_verified_by: perplexity\nverification_record:\n  verified_at: 2026-11-17T10:00:00Z\n  deliverable_checks:\n${checks.map((check) => `    - ${check}\n`).join('')}`,
      ],
    ),
    other,
  )

/** The queue format answers a result that does not do with a failure, so that the sender hears of it. */
const failing = (by: (world: World) => string, sentence?: string): Cell => ({
  is: 'answers',
  by,
  why: 'The work fails with the same sentence, so that its sender hears of it.',
  holds: async ({ service }, said) => {
    const { state, error } = (await service.deps.store.handoff(WORK)) ?? {}
    assert.deepEqual([state, error?.code], ['failed', 'VALIDATION_FAILED'])
    assert.equal(error?.message, sentence ?? said)
  },
})

const QUEUE_ONLY = cannot('The rule belongs to queue work.')
const MARKDOWN_ONLY = cannot('The rule belongs to markdown handoffs.')
const NO_CHECKS = cannot('The rule belongs to queue work and to work without a file.')
const NO_FILE = cannot(
  'The rule belongs to work without a file. A file is judged by the rules of its own format.',
)
const OWN_LAST_WORD = cannot('Queue work is completed by its receiver, whose run is the last one.')
const NO_WAIVER = cannot('A file has no word for a waiver.')
const UNLISTED = { checks: [{ kind: 'command', command: 'npm test' }] }
const NOT_RUN = `check command exits 0: "npm test" was not run: list it under checks.commands in baton.yaml, then: baton trust; a person can waive it with: baton handoff waive ${WORK} "npm test"`
const NO_EVIDENCE = cannot('The format asks for no evidence. Its receiver completes the work.')

/** A document that says of itself that it was verified. */
const verifiedElsewhere = adopted(
  'markdown',
  {
    task: 'BPRD-2026-0041',
    status: 'Complete',
    more: 'verification_record:\n  verified_at: 2026-11-17T10:00:00Z\n  verified_by: perplexity\n  deliverable_checks:\n    - {deliverable: Middleware, status: verified, evidence: seen}\n',
  },
  'It ended elsewhere. Nothing in it counts as verified here.',
  async ({ service }, { uid, verified_by }) => {
    const { verifications } = (await service.deps.store.content(uid)) ?? {}
    assert.deepEqual([verified_by, verifications], [undefined, []])
  },
)

async function failedTwice(world: World): Promise<void> {
  await accepted(world, { retry: { max: 1, delay_s: 600, multiplier: 1 } })
  const fail = { id: WORK, message: 'No compiler', code: 'PROCESSING_ERROR' }
  await world.does('codex', 'handoff_fail', fail)
  await world.sync()
  await world.does('planner', 'handoff_retry', { id: WORK })
  await world.sync()
  await world.does('codex', 'handoff_accept', { id: WORK, understood: 'Add rate limits' })
  await world.does('codex', 'handoff_fail', fail)
  await world.sync()
}

export const WORKING: readonly Rule[] = [
  {
    kind: 'evidence',
    rule: 'Work is handed in with evidence for every deliverable.',
    code: 'unmet',
    sentence: `${WORK} cannot be submitted yet: no evidence for "Manual"`,
    prepare: (world) => accepted(world, TWO),
    asked: {
      as: 'codex',
      op: 'handoff_submit',
      input: { id: WORK, evidence: [{ deliverable: 'Middleware', evidence: 'src/limit.ts' }] },
    },
    cells: steps(
      {
        'file: markdown': refused(
          edited([
            'completed_at: null\n',
            'completed_at: null\nevidence:\n  - {deliverable: Middleware, evidence: src/limit.ts}\n',
          ]),
        ),
        'file: queue': NO_EVIDENCE,
        'file: package': NO_EVIDENCE,
      },
      { collect: NO_EVIDENCE },
    ),
  },
  {
    kind: 'evidence',
    rule: 'Work that was edited after it was accepted is refused once, with the difference.',
    code: 'conflict',
    sentence: `planner edited ${WORK} after you accepted it. Look at the difference, then submit again: - criteria: npm test passes; + criteria: p95 under 200 ms`,
    isOnce: true,
    prepare: async (world) => {
      await accepted(world)
      await world.does('planner', 'handoff_amend', { id: WORK, criteria: ['p95 under 200 ms'] })
    },
    asked: {
      as: 'codex',
      op: 'handoff_submit',
      input: { id: WORK, evidence: [{ deliverable: 'Middleware', evidence: 'src/limit.ts' }] },
    },
    cells: steps(
      {
        'file: markdown': refused(
          edited([
            'completed_at: null\n',
            'completed_at: null\nevidence:\n  - {deliverable: Middleware, evidence: src/limit.ts}\n',
          ]),
        ),
        'file: queue': refused(completed()),
        'file: package': refused(edited([/status: "?in_progress"?/, 'status: completed'])),
      },
      { collect: cannot('A block is read once and counts. Its author has the notice of the edit.') },
    ),
  },
  {
    kind: 'evidence',
    rule: 'Work without deliverables is not handed in empty.',
    code: 'unmet',
    sentence: `${WORK} cannot be submitted yet: nothing was handed in; say what was done in a note, or give an output or an artifact`,
    prepare: (world) => accepted(world, world.home === 'native' ? { deliverables: [] } : {}),
    asked: { as: 'codex', op: 'handoff_submit', input: { id: WORK } },
    cells: steps({ 'file: markdown': NO_FILE, 'file: queue': NO_FILE, 'file: package': NO_FILE }),
  },
  {
    kind: 'evidence',
    rule: 'A verifier has seen every deliverable.',
    home: 'markdown',
    code: 'unmet',
    sentence: `${WORK} cannot be completed: no evidence for "Manual"`,
    prepare: inReview(TWO),
    asked: {
      as: 'perplexity',
      op: 'handoff_verify',
      input: { id: WORK, pass: true, checks: [seen('Middleware')] },
    },
    cells: steps(
      {
        'file: markdown': verified(
          byFormat('Manual'),
          '{deliverable: Middleware, status: verified, evidence: seen}',
        ),
        'file: queue': MARKDOWN_ONLY,
        'file: package': MARKDOWN_ONLY,
      },
      { 'import: markdown': verifiedElsewhere },
    ),
  },
  {
    kind: 'evidence',
    rule: 'Queue work is completed with an output.',
    home: 'queue',
    code: 'unmet',
    sentence: `${WORK} cannot be completed yet: no output or artifact was handed in`,
    prepare: accepted,
    asked: { as: 'codex', op: 'handoff_submit', input: { id: WORK, note: 'Done' } },
    cells: steps({
      'file: markdown': QUEUE_ONLY,
      'file: queue': failing(
        moved('completed', { completed_at: new Date().toISOString() }),
        'Output validation failed: output has no artifact_path; write where the artifact lies, for example artifacts/phase-13-react/artifact-1.json',
      ),
      'file: package': QUEUE_ONLY,
    }),
  },
  {
    kind: 'checks',
    rule: 'A check that does not say verified completes nothing.',
    home: 'markdown',
    code: 'unmet',
    sentence: `${WORK} cannot be completed: no evidence for "Middleware"`,
    prepare: inReview(),
    asked: {
      as: 'perplexity',
      op: 'handoff_verify',
      input: { id: WORK, pass: true, checks: [{ ...seen('Middleware'), status: 'refused' }] },
    },
    cells: steps({
      'file: markdown': verified(
        byFormat('Middleware'),
        '{deliverable: Middleware, status: completely missing, evidence: seen}',
      ),
      'file: queue': MARKDOWN_ONLY,
      'file: package': MARKDOWN_ONLY,
    }),
  },
  {
    kind: 'checks',
    rule: 'Work whose acceptance check fails is not completed.',
    home: 'queue',
    code: 'unmet',
    sentence: `${WORK} cannot be completed yet: check failed: file exists: "docs/limits.md" (not there)`,
    prepare: (world) => accepted(world, { checks: [{ kind: 'file_exists', path: 'docs/limits.md' }] }),
    asked: { as: 'codex', op: 'handoff_submit', input: { id: WORK, output: { files: [] } } },
    cells: steps({
      'file: markdown': NO_CHECKS,
      'file: queue': failing(completed()),
      'file: package': NO_CHECKS,
    }),
  },
  {
    kind: 'checks',
    rule: 'Work with a check that has not run is not completed.',
    home: 'queue',
    code: 'unmet',
    sentence: `${WORK} cannot be completed yet: ${NOT_RUN}`,
    prepare: (world) => accepted(world, UNLISTED),
    asked: { as: 'codex', op: 'handoff_submit', input: { id: WORK, output: { files: [] } } },
    cells: steps({
      'file: markdown': NO_CHECKS,
      'file: queue': failing(completed()),
      'file: package': NO_CHECKS,
    }),
  },
  {
    kind: 'checks',
    rule: 'The run of a check that counts is the run of the verifier.',
    code: 'unmet',
    sentence: `${WORK} cannot be completed: check failed: file exists: "docs/limits.md" (not there)`,
    prepare: async (world) => {
      if (world.home !== 'native') return offered(world)
      world.write('docs/limits.md', 'Limits')
      await inReview({ checks: [{ kind: 'file_exists', path: 'docs/limits.md' }] })(world)
      world.move('docs/limits.md', 'docs/gone.md')
    },
    asked: { as: 'planner', op: 'handoff_verify', input: { id: WORK, pass: true } },
    cells: steps({ 'file: markdown': NO_CHECKS, 'file: queue': OWN_LAST_WORD, 'file: package': NO_CHECKS }),
  },
  {
    kind: 'checks',
    rule: 'Only a person waives a check.',
    code: 'not_allowed',
    sentence: 'only a person can waive a check, and planner is not one',
    prepare: async (world) => (world.home === 'native' ? accepted(world, UNLISTED) : offered(world)),
    asked: { as: 'planner', op: 'handoff_waive', input: { id: WORK, check: 'npm test' } },
    cells: {
      ...steps({ 'file: markdown': NO_WAIVER, 'file: queue': NO_WAIVER, 'file: package': NO_WAIVER }),
      'command line': {
        is: 'refused',
        sentence:
          'baton handoff waive is for people only, and planner is of kind agent; ask a person to run it',
        why: PEOPLE,
      },
      MCP: {
        is: 'refused',
        sentence: 'handoff_waive is for people only, and planner is of kind agent; ask a person to run it',
        why: PEOPLE,
      },
      HTTP: {
        is: 'refused',
        sentence: 'only a person may do this, and planner is of kind agent; ask a person to do it',
        why: PEOPLE,
      },
      TypeScript: {
        is: 'refused',
        sentence: 'handoff_waive is for people only; a person must run it at a terminal or in the dashboard',
        why: PEOPLE,
      },
    },
  },
  {
    kind: 'checks',
    rule: 'Queue work whose tests fail is not completed.',
    home: 'queue',
    code: 'unmet',
    sentence: `${WORK} cannot be completed yet: tests are failing`,
    prepare: accepted,
    asked: {
      as: 'codex',
      op: 'handoff_submit',
      input: { id: WORK, output: { files: [] }, validation: { tests_passing: false } },
    },
    cells: steps({
      'file: markdown': QUEUE_ONLY,
      'file: queue': failing(completed({ validation: { status: 'passed', tests_passing: false } })),
      'file: package': QUEUE_ONLY,
    }),
  },
  {
    kind: 'retries',
    rule: 'Queue work is not retried more often than it says.',
    home: 'queue',
    code: 'wrong_state',
    sentence: `all 1 retries of ${WORK} are used; send the work as a new handoff`,
    prepare: async (world) => (world.home === 'queue' ? failedTwice(world) : offered(world)),
    asked: { as: 'planner', op: 'handoff_retry', input: { id: WORK } },
    cells: steps(
      {
        'file: markdown': QUEUE_ONLY,
        'file: queue': refused(moved('pending')),
        'file: package': QUEUE_ONLY,
      },
      {
        'import: queue': adopted(
          'queue',
          {
            task: 'BPRD-2026-0041',
            status: 'failed',
            more: {
              timestamp_failed: new Date().toISOString(),
              timestamp_created: new Date().toISOString(),
              error: { code: 'PROCESSING_ERROR', message: 'No compiler' },
              retry_policy: { max_retries: 1, retry_delay_seconds: 0, backoff_multiplier: 1 },
              retry_count: 1,
              retry_available: true,
            },
          },
          'Its retries are counted as the file says, and no other is granted.',
          async (world, { id, retry }) => {
            await assert.rejects(world.does('planner', 'handoff_retry', { id }), {
              message: `all ${retry?.max} retries of ${id} are used; send the work as a new handoff`,
            })
          },
        ),
      },
    ),
  },
  {
    kind: 'limits',
    rule: 'Failed work is retried only within the limit of its sender.',
    home: 'queue',
    code: 'limit_exceeded',
    sentence: 'planner has 1 active outgoing handoffs (max: 1)',
    settings: 'default_limits: {outgoing: 1}\n',
    prepare: async (world) => {
      await accepted(world, { retry: { max: 3, delay_s: 600, multiplier: 1 } })
      await world.does('codex', 'handoff_fail', { id: WORK, message: 'No', code: 'FATAL' })
      await world.sync()
      await world.does('planner', 'handoff_send', workFor('builder', { alias: 'handoff-next', task: 'P2.2' }))
      await world.sync()
    },
    asked: { as: 'planner', op: 'handoff_retry', input: { id: WORK } },
    cells: steps({
      'file: markdown': cannot('The markdown format has no retries.'),
      'file: queue': refused(moved('pending')),
      'file: package': cannot('The package format has no retries.'),
    }),
  },
  {
    kind: 'retries',
    rule: 'Only a failed handoff is retried.',
    home: 'queue',
    code: 'wrong_state',
    sentence: `${WORK} is in progress; only a failed handoff can be retried`,
    prepare: accepted,
    asked: { as: 'planner', op: 'handoff_retry', input: { id: WORK } },
    cells: steps({
      'file: markdown': cannot('The markdown format has no retries.'),
      'file: queue': refused(moved('pending'), {
        sentence: `${WORK} is in progress, so it cannot be moved back by hand. Its worker can fail it, or it times out`,
        why: 'The move back is refused before it counts as a retry.',
      }),
      'file: package': cannot('The package format has no retries.'),
    }),
  },
  {
    kind: 'retries',
    rule: 'Only its sender retries failed work.',
    home: 'queue',
    code: 'not_allowed',
    sentence: `mallory may not retry ${WORK}; that is for its sender planner`,
    prepare: async (world) => {
      await accepted(world, { retry: { max: 3, delay_s: 600, multiplier: 1 } })
      await world.does('codex', 'handoff_fail', { id: WORK, message: 'No', code: 'FATAL' })
    },
    asked: { as: 'mallory', op: 'handoff_retry', input: { id: WORK } },
    cells: steps({
      'file: markdown': cannot('The markdown format has no retries.'),
      'file: queue': cannot('A file that is moved back to pending counts as moved by its sender.'),
      'file: package': cannot('The package format has no retries.'),
    }),
  },
]
