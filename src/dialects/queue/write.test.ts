import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { STATES } from '../../domain/lifecycle.ts'
import { convert } from '../convert.ts'
import type { Draft } from '../draft.ts'
import { sourcesOf } from '../text/sources.ts'
import { queue } from './index.ts'

const DRAFT: Draft = {
  id: 'hoff-7-1767225600000',
  created_at: '2026-01-01T00:00:00Z',
  state: 'offered',
  from: 'lead',
  from_phase: 11,
  from_role: 'orchestrator',
  to: 'builder',
  to_phase: 13,
  to_role: 'specialist',
  project: 'bakery',
  priority: 'high',
  timeout_s: 60,
  input_schema: 'builder.input.schema.json',
  package: { input: { routes: [] }, data: { tech_stack: { framework: 'Fastify' } } },
}
const ARTIFACT = { path: 'artifacts/phase-13-a/artifact-a-1.json', type: 'routes', role: 'output' as const }
const DONE: Draft = {
  ...DRAFT,
  state: 'completed',
  started_at: '2026-01-01T00:00:01Z',
  ended_at: '2026-01-01T00:01:00Z',
  result: { artifacts: [ARTIFACT], schema_compliance: 'valid' },
}
const FAILED: Draft = {
  ...DRAFT,
  state: 'failed',
  ended_at: '2026-01-01T00:01:00Z',
  error: { code: 'TIMEOUT', message: 'took too long', severity: 'error', recovery_actions: ['Wait'] },
  retry: { max: 2 },
  retry_count: 0,
  retry_available: true,
}

function written(draft: Draft): Record<string, unknown> {
  const native = queue.toNative(draft)
  assert.ok(native.ok, JSON.stringify(native))
  return native.value
}

function readAgain(draft: Draft): Draft | undefined {
  const [source] = sourcesOf(queue.print({ value: written(draft) }))
  return queue.interpret(source!, queue.formOf(source!)!).draft
}

function missingIn(draft: Draft): readonly string[] {
  const native = queue.toNative(draft)
  return native.ok ? [] : native.missing.map(({ field }) => field)
}

function lostIn(draft: Draft): readonly string[] {
  const made = convert(draft, 'queue')
  assert.ok(made.ok)
  return made.losses.map(({ field }) => field).sort()
}

describe('writing document 001', () => {
  it('[S1-15] [S1-16] [S1-22] prints strict JSON with two spaces, a newline and the keys in their order', () => {
    assert.equal(
      queue.print({ value: written(DRAFT) }),
      `{
  "handoff_id": "hoff-7-1767225600000",
  "timestamp": "2026-01-01T00:00:00Z",
  "status": "pending",
  "source": {
    "agent_id": "@lead",
    "phase": 11,
    "agent_type": "orchestrator"
  },
  "target": {
    "agent_id": "@builder",
    "phase": 13,
    "agent_type": "specialist"
  },
  "context": {
    "project_id": "bakery",
    "tech_stack": {
      "framework": "Fastify"
    }
  },
  "input": {
    "schema": "builder.input.schema.json",
    "data": {
      "routes": []
    }
  },
  "timeout_seconds": 60,
  "priority": "high"
}
`,
    )
  })

  it('[S1-38] [S1-37] [S1-41] writes a response for completed work, with both spellings of its end', () => {
    const value = written(DONE)

    assert.deepEqual(Object.keys(value).slice(0, 6), [
      'handoff_id',
      'timestamp',
      'started_at',
      'timestamp_completed',
      'completed_at',
      'status',
    ])
    assert.deepEqual([value.timestamp_completed, value.completed_at], [DONE.ended_at, DONE.ended_at])
    assert.deepEqual(value.output, {
      artifact_id: 'artifact-a-1',
      artifact_path: ARTIFACT.path,
      artifact_type: 'routes',
      schema_compliance: 'valid',
    })
  })

  it('[S1-52] [S1-51] [S1-53] writes a failure for failed work, with both spellings of its end', () => {
    const value = written(FAILED)

    assert.deepEqual(
      [value.status, value.timestamp_failed, value.failed_at],
      ['failed', FAILED.ended_at, FAILED.ended_at],
    )
    assert.deepEqual(value.error, {
      code: 'TIMEOUT',
      message: 'took too long',
      severity: 'error',
      timestamp: FAILED.ended_at,
    })
    assert.deepEqual(
      [value.retry_available, value.retry_count, value.max_retries, value.recovery_actions],
      [true, 0, 2, ['Wait']],
    )
  })

  it('writes every state with one of the four words, and says where that loses something', () => {
    const all: Draft = { ...DONE, ...FAILED, started_at: '2026-01-01T00:00:01Z', result: DONE.result }
    const words = STATES.map((state) => {
      const native = queue.toNative({ ...all, state })
      assert.ok(native.ok)
      const isLost = lostIn({ ...all, state }).includes('state')
      return `${state} ${native.value.status}${isLost ? ' *' : ''}`
    })

    assert.deepEqual(words, [
      'draft pending *',
      'offered pending',
      'accepted pending *',
      'in_progress in_progress',
      'blocked in_progress *',
      'needs_input in_progress *',
      'in_review in_progress *',
      'retry_wait failed *',
      'completed completed',
      'failed failed',
      'rejected failed *',
      'expired failed *',
      'cancelled failed *',
    ])
  })

  it('writes ends that the document has no word for as failures', () => {
    const { error: _error, ...rest } = FAILED
    const rejection = { type: 'scope', message: 'not my work' }
    const errorFor = (draft: Draft) => {
      const { code, message } = written(draft).error as { code: string; message: string }
      return `${code}: ${message}`
    }

    assert.equal(
      errorFor({ ...rest, state: 'rejected', rejection }),
      'PROCESSING_ERROR: Rejected: not my work',
    )
    assert.equal(errorFor({ ...rest, state: 'expired' }), 'TIMEOUT: Expired before it was accepted')
    assert.equal(errorFor({ ...rest, state: 'cancelled' }), 'PROCESSING_ERROR: Cancelled by its sender')
  })

  it('says that waiting work can be retried', () => {
    const { retry_available: _available, ...rest } = FAILED

    assert.equal(written({ ...rest, state: 'retry_wait' }).retry_available, true)
    assert.equal(written(rest).retry_available, undefined)
    assert.equal(written({ ...FAILED, retry_count: 2 }).retry_available, false)
  })

  it('asks for what a request needs and never makes it up', () => {
    const native = queue.toNative({
      from: 'lead',
      to: null,
      title: 'Build it',
      package: { purpose: 'a shop' },
    })

    assert.ok(!native.ok)
    assert.deepEqual(
      native.missing.map(({ field }) => field),
      ['id', 'created_at', 'from_phase', 'from_role', 'to', 'to_phase', 'to_role', 'input_schema'],
    )
    for (const { reason } of native.missing) assert.match(reason, /\w/)
  })

  it('[S1-16] [S1-17] asks for the type of an agent whose role is another word', () => {
    const missing = missingIn({ ...DRAFT, from_role: 'Chief', to_role: 'Orchestrator' })

    assert.deepEqual(missing, ['from_role', 'to_role'])
    assert.deepEqual(missingIn({ ...DONE, from_role: 'Chief' }), ['from_role'])
    const { from_role: _role, ...untyped } = DONE
    assert.deepEqual(missingIn(untyped), [])
  })

  it('asks a response for its artifact and its end, and a failure for its error', () => {
    const { result: _result, ended_at: _ended, ...done } = DONE
    const { error: _error, ...failed } = FAILED

    assert.deepEqual(missingIn({ ...done, state: 'completed' }), ['ended_at', 'result.artifacts'])
    assert.deepEqual(missingIn(failed), ['error'])
    assert.deepEqual(missingIn({ ...failed, state: 'rejected' }), ['error'])
  })

  it('carries what other formats say in input.data, where the way back is exact', () => {
    const draft: Draft = {
      ...DRAFT,
      title: 'Build the shop',
      to_reason: 'knows Fastify',
      package: {
        ...DRAFT.package,
        summary: 'A shop.',
        decisions: [{ decision: 'Fastify', rationale: 'small' }],
        deliverables: ['routes', 'tests'],
        criteria: ['coverage is at least 80 %'],
        links: { meeting: 'M-1' },
      },
    }

    assert.deepEqual(readAgain(draft), draft)
  })

  it("leaves a specialist's own package alone", () => {
    const draft: Draft = { ...DRAFT, package: { input: { package: { name: 'left-pad', summary: 'pads' } } } }

    assert.deepEqual(readAgain(draft)?.package, draft.package)
  })

  it('lists what is lost, and only that', () => {
    assert.deepEqual(lostIn(DRAFT), [])
    assert.deepEqual(lostIn(DONE), [])
    assert.deepEqual(lostIn(FAILED), [])
    assert.deepEqual(
      lostIn({
        ...DRAFT,
        type: 'delegation',
        ack_deadline: '2026-01-01T04:00:00Z',
        depends_on: ['task-15.3'],
        in_reply_to: 'HO-1',
        body: 'text',
        result: {},
      }),
      ['ack_deadline', 'body', 'depends_on', 'in_reply_to', 'result', 'type'],
    )
  })

  it('says of each field that is only sometimes lost when it is', () => {
    const isLost = (field: string, change: Draft, draft = DRAFT) => {
      return lostIn({ ...draft, ...change }).includes(field)
    }
    const at = '2026-01-01T00:00:01Z'

    assert.deepEqual(
      [
        isLost('accepted_at', { accepted_at: at }),
        isLost('accepted_at', { accepted_at: at, started_at: at }),
        isLost('accepted_at', { accepted_at: at, state: 'in_progress' }),
        isLost('accepted_at', { accepted_at: at, started_at: '2026-01-01T00:00:02Z' }),
      ],
      [true, false, false, true],
    )
    assert.deepEqual(
      [
        isLost('accepted_by', { accepted_by: 'builder', started_at: at }),
        isLost('accepted_by', { accepted_by: 'other', started_at: at }),
        isLost('accepted_by', { accepted_by: 'builder' }),
      ],
      [false, true, true],
    )
    assert.deepEqual([isLost('ended_at', { ended_at: at }), isLost('ended_at', {}, DONE)], [true, false])
    assert.deepEqual(
      [
        isLost('depends_on', { depends_on: ['artifact-a'] }),
        isLost('depends_on', { depends_on: ['artifact-a', 'artifact-b'] }),
        isLost('depends_on', { depends_on: [] }),
      ],
      [false, true, true],
    )
    assert.ok(isLost('result.artifacts', { result: { artifacts: [ARTIFACT, ARTIFACT] } }))
    assert.ok(
      isLost('result.artifacts', { result: { artifacts: [{ ...ARTIFACT, sha256: '0'.repeat(64) }] } }),
    )
    assert.ok(isLost('retry_available', { retry_count: 2 }, FAILED))
    assert.ok(isLost('package.data', { package: { data: { project_id: 'x' } } }))
    assert.ok(isLost('package.summary', { package: { summary: 'x', input: [1] } }))
    assert.ok(isLost('extra.status', { extra: { status: 'other' } }))
    assert.ok(!isLost('extra.ticket', { extra: { ticket: 1, source: { team: 'core' } } }))
  })

  it('keeps unknown keys behind the known ones, and lets a field win over what was kept', () => {
    const extra = { ticket: 'T-1', source: { team: 'core', phase: 'eleven' }, warnings: ['slow'] }
    const value = written({ ...DRAFT, extra })

    assert.deepEqual(value.source, { agent_id: '@lead', phase: 11, agent_type: 'orchestrator', team: 'core' })
    assert.deepEqual(Object.keys(value).slice(-2), ['ticket', 'warnings'])
  })

  it('has its slot at the top', () => {
    assert.deepEqual([queue.id, queue.slot], ['queue', ['x_baton']])
  })
})
