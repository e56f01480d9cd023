import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkNative } from './check.ts'

const REQUEST = {
  handoff_id: 'hoff-7-1767225600000',
  timestamp: '2026-01-01T00:00:00Z',
  status: 'pending',
  source: { agent_id: '@lead', phase: 11, agent_type: 'orchestrator' },
  target: { agent_id: '@builder', phase: 13, agent_type: 'specialist' },
  input: { schema: 'builder.input.schema.json', data: {} as object },
}
const RESPONSE = {
  handoff_id: REQUEST.handoff_id,
  timestamp_completed: '2026-01-01T00:01:00Z',
  status: 'completed',
  source: { agent_id: '@lead', phase: 11 },
  target: { agent_id: '@builder', phase: 13 },
  output: { artifact_id: 'artifact-a-1', artifact_path: 'artifacts/phase-13-a/artifact-a-1.json' },
}

const codes = (value: object, form: 'request' | 'response' | 'failure' = 'request') =>
  checkNative({ ...value }, { form }).map(({ code, path }) => `${code} ${path.join('.')}`)
const inRequest = (change: object) => codes({ ...REQUEST, ...change })
const inResponse = (change: object) => codes({ ...RESPONSE, ...change }, 'response')

describe('the rules of document 001', () => {
  it('[S1-16] [S1-17] [S1-22] miss nothing in a request and name each key that is absent', () => {
    assert.deepEqual(codes(REQUEST), [])
    assert.deepEqual(codes({}), [
      'missing_field handoff_id',
      'missing_field timestamp',
      'missing_field status',
      'missing_field source.agent_id',
      'missing_field source.phase',
      'missing_field source.agent_type',
      'missing_field target.agent_id',
      'missing_field target.phase',
      'missing_field target.agent_type',
      'missing_field input.schema',
      'missing_field input.data',
    ])
  })

  it('[S1-38] [S1-41] [S1-53] name each key that a response and a failure miss, with an example', () => {
    const missing = (form: 'response' | 'failure') => checkNative({}, { form }).map(({ message }) => message)

    assert.deepEqual(codes(RESPONSE, 'response'), [])
    assert.equal(
      missing('response')[1],
      'timestamp_completed is missing; a response needs it, for example "timestamp_completed": "2026-01-13T10:05:32Z"',
    )
    assert.equal(
      missing('failure').at(-2),
      'error.code is missing; a failure needs it, for example "code": "PROCESSING_ERROR"',
    )
  })

  it('[S1-23] [S1-28] say what the schemas of a target are called', () => {
    const expected = (schema: string) => inRequest({ expected_output: { schema } })

    assert.deepEqual(inRequest({ input: { schema: 'other.json', data: {} } }), ['schema_name input.schema'])
    assert.deepEqual(expected('builder.output.schema.json'), [])
    assert.deepEqual(expected('builder.schema.json'), ['schema_name expected_output.schema'])
  })

  it('[S1-27] [S1-29] do not miss an expected output, and want {timestamp} in its destination', () => {
    const destination = (text: string) => inRequest({ expected_output: { destination: text } })

    assert.deepEqual(inRequest({}), [])
    assert.deepEqual(destination('artifacts/phase-13-a/artifact-a-{timestamp}.json'), [])
    assert.deepEqual(destination('artifacts/a.json'), ['destination_fixed expected_output.destination'])
  })

  it('refuse every path that leaves the project', () => {
    for (const path of [
      '../x.json',
      'a/../../x',
      '/etc/passwd',
      'C:\\x',
      '\\\\host\\x',
      '~/x',
      'a\0b',
      'a\\..\\b',
    ]) {
      assert.deepEqual(inRequest({ expected_output: { destination: path } }), [
        'unsafe_path expected_output.destination',
      ])
      assert.deepEqual(inResponse({ output: { artifact_id: 'x', artifact_path: path } }), [
        'unsafe_path output.artifact_path',
      ])
    }
    assert.deepEqual(inRequest({ expected_output: { destination: 'a..b/{timestamp}' } }), [])
  })

  it('[S1-42] want the file of an artifact named after its id', () => {
    assert.deepEqual(inResponse({ output: { ...RESPONSE.output, artifact_id: 'artifact-b-2' } }), [
      'artifact_name output.artifact_path',
    ])
  })

  it('[S1-49] [S1-43] do not let failing tests, type errors or thin coverage pass', () => {
    const report = (validation: object, input: object = {}) =>
      inResponse({ validation: { status: 'passed', ...validation }, input: { data: input } })
    const target = { code_quality: { testing_coverage_target: 80 } }

    assert.deepEqual(
      report({ tests_passing: true, typescript_errors: 0, coverage_percentage: 80 }, target),
      [],
    )
    for (const bad of [{ tests_passing: false }, { typescript_errors: 1 }, { status: 'failed' }])
      assert.deepEqual(report(bad), ['validation_failed validation.status'])
    assert.deepEqual(report({ coverage_percentage: 79 }, target), ['validation_failed validation.status'])
    assert.deepEqual(inResponse({ output: { ...RESPONSE.output, schema_compliance: 'invalid' } }), [
      'schema_invalid output.schema_compliance',
    ])
  })

  it('[S1-39] [S1-46] warn of work that took longer than its timeout, and take it as completed', () => {
    const [finding, ...others] = checkNative(
      { ...RESPONSE, execution_time_seconds: 61, timeout_seconds: 60 },
      { form: 'response' },
    )

    assert.deepEqual([finding?.severity, finding?.code, others], ['warning', 'exceeded_timeout', []])
    assert.deepEqual(inResponse({ execution_time_seconds: 300 }), [])
    assert.deepEqual(inResponse({ execution_time_seconds: 301 }), ['exceeded_timeout execution_time_seconds'])
  })

  it('report times in an order that cannot be', () => {
    const times = { timestamp: '2026-01-01T00:02:00Z', started_at: '2026-01-01T00:00:30Z' }

    assert.deepEqual(inResponse(times), ['time_order started_at'])
    assert.deepEqual(inResponse({ timestamp: '2026-01-01T00:02:00Z' }), ['time_order timestamp_completed'])
    assert.deepEqual(inResponse({ timestamp: '2026-01-01T00:01:00Z' }), [])
  })
})
