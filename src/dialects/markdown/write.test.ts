import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { convert } from '../convert.ts'
import type { Draft } from '../draft.ts'
import { readDocuments } from '../read.ts'
import { rewrite } from '../rewrite.ts'
import { markdown } from './index.ts'

const FULL: Draft = {
  id: 'handoff-grok-claude-BPRD-2026-0042-20260221',
  from: 'grok',
  from_role: 'Chief',
  to: 'claude',
  task: 'BPRD-2026-0042',
  state: 'offered',
  created_at: '2026-02-21T14:30:00Z',
  updated_at: '2026-02-21T14:35:00Z',
  ack_deadline: '2026-02-21T18:35:00Z',
  target_completion: '2026-02-24',
  title: 'Limit the rate of requests',
  package: {
    purpose: 'From planning to development.\nClaude knows the code.\n',
    context: 'Two callers send most of the load.',
    deliverables: ['Middleware', 'Tests'],
    criteria: ['npm test passes'],
    links: { meeting: 'meetings/2026-02-21.md', skill: 'skills/api' },
  },
}

function written(draft: Draft): { text: string; value: Record<string, unknown>; body: string } {
  const native = markdown.toNative(draft)
  assert.ok(native.ok)
  return { text: markdown.print(native), value: native.value, body: native.body ?? '' }
}

const losses = (draft: Draft): Record<string, string> => {
  const made = convert(draft, 'markdown')
  assert.ok(made.ok)
  return Object.fromEntries(made.losses.map(({ field, reason }) => [field, reason]))
}

const missing = (draft: Draft): string[] => {
  const native = markdown.toNative(draft)
  return native.ok ? [] : native.missing.map(({ field }) => field)
}

describe('writing a handoff of version 2', () => {
  it('[S0-56] [S0-57] [S0-60] writes the keys in the order of the document', () => {
    const { text } = written(FULL)
    assert.ok(
      text.startsWith('---\nhandoff_id: handoff-grok-claude-BPRD-2026-0042-20260221\nfrom_agent: grok\n'),
    )
    const front = parse(text.split('---\n')[1]!) as object
    assert.deepEqual(
      Object.keys(front),
      (
        'handoff_id from_agent to_agent related_task status created_at updated_at expires_at target_completion ' +
        'title purpose context deliverables verification_criteria source_meeting skill_web_node ' +
        'acknowledged_at acknowledged_by acknowledgment_notes completed_at completion_verified_by completion_notes'
      ).split(' '),
    )
  })

  it('[S0-61] [S0-62] writes null where the recipient or the end has not come yet', () => {
    const { value } = written(FULL)
    for (const key of ['acknowledged_at', 'acknowledged_by', 'acknowledgment_notes'])
      assert.equal(value[key], null, key)
    for (const key of ['completed_at', 'completion_verified_by', 'completion_notes'])
      assert.equal(value[key], null, key)
  })

  it('[S0-63] writes times in UTC to the second', () => {
    const { value } = written({ ...FULL, created_at: '2026-02-21T14:30:00.987Z' })
    assert.equal(value.created_at, '2026-02-21T14:30:00Z')
    assert.deepEqual(
      losses({ ...FULL, created_at: '2026-02-21T14:30:00.987Z' }).created_at,
      'times are written to the second',
    )
    assert.match(written(FULL).text, /^created_at: 2026-02-21T14:30:00Z$/m)
  })

  it('[S0-64] writes several lines as a block', () => {
    assert.match(
      written(FULL).text,
      /^purpose: \|\n {2}From planning to development\.\n {2}Claude knows the code\.\n/m,
    )
  })

  it('[S0-70] [S0-71] begins the body with the title, and with names for people', () => {
    assert.ok(
      written(FULL).body.startsWith(
        '\n# Handoff: Limit the rate of requests\n\n## From: Grok (Chief)\n## To: Claude\n\n### Purpose\n',
      ),
    )
    assert.match(written({ ...FULL, to: 'react-specialist' }).body, /^## To: React Specialist$/m)
  })

  it('[S0-72] writes the sections in order, each with the content of its field', () => {
    const { body } = written(FULL)
    assert.deepEqual(body.match(/^### .*$/gm), [
      '### Purpose',
      '### Context',
      '### Deliverables',
      '### Verification Criteria',
      '### Timeline',
      '### References',
    ])
    assert.match(
      body,
      /### Purpose\nFrom planning to development\.\nClaude knows the code\.\n\n### Context\nTwo callers/,
    )
    assert.match(
      body,
      /### Deliverables\n- Middleware\n- Tests\n\n### Verification Criteria\n- npm test passes\n/,
    )
  })

  it('[S0-73] [S0-74] lists times and references; the target only where there is one', () => {
    const { body } = written(FULL)
    assert.match(
      body,
      /### Timeline\n- Created: 2026-02-21T14:30:00Z\n- Expires if not acknowledged: 2026-02-21T18:35:00Z\n- Target completion: 2026-02-24\n/,
    )
    assert.match(
      body,
      /### References\n- Task: \[BPRD-2026-0042\]\(BPRD-2026-0042\)\n- Meeting: \[meetings\/2026-02-21\.md\]\(meetings\/2026-02-21\.md\)\n- Skill: \[skills\/api\]\(skills\/api\)\n$/,
    )
    const { target_completion: _, ...untimed } = FULL
    assert.doesNotMatch(written(untimed).body, /Target completion/)
  })

  it('[S0-72] [S0-73] repeats in the body what the front matter is given by rule', () => {
    const { ack_deadline: _set, ...draft } = FULL
    const { purpose: _said, ...travels } = FULL.package!
    const { value, body } = written({ ...draft, package: travels })

    assert.equal(value.expires_at, '2026-02-21T18:30:00Z')
    assert.match(body, /\n- Expires if not acknowledged: 2026-02-21T18:30:00Z\n/)
    assert.equal(value.purpose, 'Middleware; Tests')
    assert.match(body, /\n### Purpose\nMiddleware; Tests\n/)
  })

  it('asks for what the format demands and never makes it up', () => {
    assert.deepEqual(missing({}), [
      'from',
      'to',
      'task',
      'state',
      'created_at',
      'title',
      'package.purpose',
      'package.context',
      'package.deliverables',
      'package.criteria',
    ])
    assert.deepEqual(missing({ ...FULL, to: null }), ['to'])
    assert.deepEqual(missing({ ...FULL, task: 'P0.1.2' }), ['task'])
    assert.deepEqual(missing({ ...FULL, package: { ...FULL.package, criteria: [] } }), ['package.criteria'])
  })

  it('names what the format cannot say', () => {
    const lost = losses({
      ...FULL,
      uid: 'x',
      state: 'in_review',
      priority: 'high',
      ended_at: '2026-02-22T00:00:00Z',
      package: {
        ...FULL.package,
        decisions: [{ decision: 'Use a token bucket' }],
        constraints: ['No new service'],
      },
    })
    assert.deepEqual(lost, {
      state: 'written as Acknowledged',
      ended_at: 'no key for it in in_review',
      uid: 'the format has no key for it',
      priority: 'the format has no key for it',
      'package.decisions': 'only as text in the body',
      'package.constraints': 'only as text in the body',
    })
    assert.match(
      written({ ...FULL, package: { ...FULL.package, constraints: ['No new service'] } }).body,
      /### Constraints\n- No new service/,
    )
  })

  it('gives an id of its own where the draft has that of another format', () => {
    const foreign = { ...FULL, id: 'HO-2026-001' }
    assert.equal(written(foreign).value.handoff_id, FULL.id)
    assert.ok('id' in losses(foreign))
  })

  it('writes a failure and a cancellation as rejections with a type', () => {
    const failed = written({ ...FULL, state: 'failed', error: { code: 'X', message: 'Disk full' } }).value
    assert.deepEqual(
      [failed.status, failed.rejection_reason],
      ['Rejected', { type: 'failure', message: 'Disk full' }],
    )
    const cancelled = written({ ...FULL, state: 'cancelled' }).value
    assert.deepEqual(
      [cancelled.status, cancelled.rejection_reason],
      ['Rejected', { type: 'cancelled', message: 'cancelled' }],
    )
  })

  it('[S0-81] writes the verification record in the form of the document', () => {
    const deliverable_checks = [{ deliverable: 'Middleware', status: 'verified' as const, evidence: 'PR 1' }]
    const verification = {
      verified_at: '2026-02-21T20:00:00Z',
      verified_by: 'perplexity',
      pass: true,
      deliverable_checks,
    }
    const { value } = written({ ...FULL, verification })
    assert.equal(value.completion_verified_by, 'perplexity')
    assert.deepEqual(value.verification_record, { verified_at: '2026-02-21T20:00:00Z', deliverable_checks })
  })
})

describe('changing a handoff that was read', () => {
  const path = '_handoffs/active/handoff-grok-claude-BPRD-2026-0107-20260304.md'
  const strict = readFileSync(join(import.meta.dirname, 'fixtures', path), 'utf8')

  const edited = (text: string, change: Draft, at = path): string => {
    const [document] = readDocuments(text, { path: at })
    assert.ok(document?.draft)
    return rewrite(document, { ...document.draft, ...change })
  }

  it('[S0-69] changes only the lines that say it: comments, unknown keys and body stay', () => {
    const after = edited(strict, {
      state: 'accepted',
      accepted_at: '2026-03-04T09:00:00Z',
      accepted_by: 'claude',
    })
    const lines = strict.split('\n')
    assert.deepEqual(
      after.split('\n').filter((line, i) => line !== lines[i]),
      ['status: Acknowledged', 'acknowledged_at: 2026-03-04T09:00:00Z', 'acknowledged_by: claude'],
    )
  })

  it('writes a change where the document keeps the value', () => {
    const nested = readFileSync(join(import.meta.dirname, 'fixtures/nested.md'), 'utf8')
    assert.equal(
      edited(nested, { state: 'completed' }, 'nested.md'),
      nested.replace('status: accepted ', 'status: Complete '),
    )
  })

  it('[S0-72] keeps a body that only repeats the front matter in step with it', () => {
    const { text } = written(FULL)
    const after = edited(text, { title: 'Limit the load' }, 'a.md')
    assert.equal(after, text.replaceAll('Limit the rate of requests', 'Limit the load'))
  })
})
