import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { samplesOf } from '../../../test/support/documents/samples.ts'
import { compileSchema } from '../../service/schema/json-schema.ts'
import { queue } from './index.ts'
import { schemas } from './schema.ts'

const problems = async (schema: keyof ReturnType<typeof schemas>, value: unknown) =>
  (await compileSchema(schemas()[schema]))(value).map(({ field, error }) => `${field} ${error}`)

const REQUEST = {
  handoff_id: 'hoff-7-1767225600000',
  timestamp: '2026-01-01T00:00:00Z',
  status: 'pending',
  source: { agent_id: '@lead', phase: 11, agent_type: 'orchestrator' },
  target: { agent_id: '@builder', phase: 13, agent_type: 'specialist' },
  input: { schema: 'builder.input.schema.json', data: {} },
}

describe('the JSON Schemas of document 001', () => {
  it('[S1-33] [S1-46] [S1-58] accept the samples of the document', async () => {
    const fences = samplesOf('queue').matchAll(/^```json\n(.*?)\n```$/gms)
    const samples = [...fences].map(([, json]) => JSON.parse(json!))

    assert.deepEqual(await problems('request', samples[0]), [])
    assert.deepEqual(await problems('response', samples[1]), [])
    assert.deepEqual(await problems('failure', samples[2]), [])
  })

  it('accept what is written, and refuse what the checks refuse', async () => {
    assert.deepEqual(await problems('request', REQUEST), [])
    assert.deepEqual(
      await problems('request', { ...REQUEST, source: { agent_id: 'lead', phase: 11.5 }, input: {} }),
      [
        "source Missing required field 'agent_type'",
        'source.agent_id must match pattern "^@[A-Za-z0-9][A-Za-z0-9._-]*$"',
        'source.phase must be integer',
        "input Missing required field 'schema'",
        "input Missing required field 'data'",
      ],
    )
    assert.deepEqual(await problems('response', { ...REQUEST, status: 'completed' }), [
      "$ Missing required field 'timestamp_completed'",
      "$ Missing required field 'output'",
    ])
  })

  it('describe the files beside the handoffs', async () => {
    assert.deepEqual(await problems('artifact', { artifact_id: 'a', sha256: 'x' }), [
      'sha256 must match pattern "^[0-9a-f]{64}$"',
    ])
    assert.deepEqual(await problems('phase_status', { phases: { '13': { status: 'done' } } }), [
      'phases.13.status must be one of "pending", "in_progress", "completed", "failed"',
    ])
    assert.deepEqual(await problems('tech_stack', []), ['$ must be object'])
    assert.deepEqual(await problems('project_context', {}), [])
  })

  it('accept every form that the dialect prints', async () => {
    const sides = {
      from: 'lead',
      from_phase: 11,
      from_role: 'orchestrator',
      to: 'builder',
      to_phase: 13,
      to_role: 'specialist',
    }
    const common = {
      ...sides,
      id: 'hoff-1',
      created_at: '2026-01-01T00:00:00Z',
      ended_at: '2026-01-01T00:01:00Z',
    }
    const drafts = {
      request: { ...common, state: 'offered', input_schema: 'builder.input.schema.json' },
      response: {
        ...common,
        state: 'completed',
        result: { artifacts: [{ path: 'artifacts/a-1.json', role: 'output' }] },
      },
      failure: { ...common, state: 'failed', error: { code: 'TIMEOUT', message: 'late' } },
    } as const
    for (const [form, draft] of Object.entries(drafts)) {
      const native = queue.toNative(draft as Parameters<typeof queue.toNative>[0])
      assert.ok(native.ok)
      assert.deepEqual(await problems(form as keyof typeof drafts, JSON.parse(queue.print(native))), [])
    }
  })
})
