import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Draft } from '../draft.ts'
import { checkNative } from './check.ts'
import { checkArtifact, dependencyMissing, schemaFailure, schemaRequestsOf } from './index.ts'

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

  it('[S1-48] want the artifact of completed work to be there', () => {
    const draft: Draft = {
      state: 'completed',
      result: { artifacts: [{ path: 'artifacts/a.json', role: 'output' }] },
    }
    const found = (change: Draft, files: readonly string[]) =>
      checkArtifact({ ...draft, ...change }, (path) => files.includes(path)).map(({ code }) => code)

    assert.deepEqual(found({}, ['artifacts/a.json']), [])
    assert.deepEqual(found({}, []), ['artifact_missing'])
    assert.deepEqual(found({ state: 'in_progress' }, []), [])
    assert.deepEqual(found({ result: { artifacts: [{ path: '../a', role: 'output' }] } }, ['../a']), [
      'artifact_missing',
    ])
  })
})

describe('which schemas a handoff names', () => {
  it('[S1-22] [S1-27] asks for the input, and for the output where there is one', () => {
    const draft: Draft = {
      input_schema: 'builder.input.schema.json',
      output_schema: 'builder.output.schema.json',
      package: { input: { routes: [] } },
    }
    const input = { which: 'input', name: 'builder.input.schema.json', value: { routes: [] } }

    assert.deepEqual(schemaRequestsOf({}), [])
    assert.deepEqual(schemaRequestsOf(draft), [input])
    assert.deepEqual(schemaRequestsOf({ ...draft, result: { output: { n: 1 } } }), [
      input,
      { which: 'output', name: 'builder.output.schema.json', value: { n: 1 } },
    ])
    assert.deepEqual(schemaRequestsOf({ ...draft, result: { artifacts: [{ path: 'a.json' }] } })[1], {
      which: 'output',
      name: 'builder.output.schema.json',
      path: 'a.json',
    })
  })
})

describe('a value that does not match its schema', () => {
  const path = ['component_requirements', 0, 'props', 'userId']
  const missing = (name: string, where: readonly (string | number)[] = path) => ({
    path: where,
    message: `must have required property '${name}'`,
    keyword: 'required',
    params: { missingProperty: name },
  })

  it("[S1-60] [S1-61] [S1-55] fails in document 001's words", () => {
    assert.deepEqual(schemaFailure([missing('type')], 'input'), {
      code: 'SCHEMA_VALIDATION_FAILED',
      message:
        "Input validation failed: component_requirements[0].props.userId is missing required field 'type'",
      severity: 'error',
      details: [
        {
          field: 'component_requirements[0].props.userId',
          error: "Missing required field 'type'",
          schema_path: '$.component_requirements[*].props.userId',
        },
      ],
      recovery_actions: [
        'Fix input schema validation errors',
        "Ensure component_requirements[0].props.userId has 'type' field defined",
        'Retry handoff with corrected input',
      ],
    })
  })

  it("[S1-57] [S1-61] gives the document's own advice where the schema speaks of every entry", () => {
    const detail = {
      field: 'component_requirements[0].props.userId',
      error: "Missing required field 'type'",
      schema_path: '$.component_requirements[*].props.*',
    }
    const failure = schemaFailure([detail], 'input')

    assert.deepEqual(failure.details, [detail])
    assert.deepEqual(
      schemaFailure([{ ...missing('type'), schema_path: detail.schema_path }], 'input'),
      failure,
    )
    assert.deepEqual(failure.recovery_actions, [
      'Fix input schema validation errors',
      "Ensure all props have 'type' field defined",
      'Retry handoff with corrected input',
    ])
    assert.deepEqual(
      schemaFailure([missing('name', ['routes', 3]), missing('name', ['routes', 4])], 'input')
        .recovery_actions,
      [
        'Fix input schema validation errors',
        "Ensure all routes have 'name' field defined",
        'Retry handoff with corrected input',
      ],
    )
  })

  it('speaks of the input itself, and of faults of any other kind', () => {
    assert.equal(
      schemaFailure([missing('routes', [])], 'input').message,
      "Input validation failed: input is missing required field 'routes'",
    )
    const failure = schemaFailure([{ path: ['n'], message: 'must be integer', keyword: 'type' }], 'input')
    assert.equal(failure.message, 'Input validation failed: n must be integer')
    assert.deepEqual(failure.recovery_actions, [
      'Fix input schema validation errors',
      'Retry handoff with corrected input',
    ])
  })

  it('is another failure where it is an output', () => {
    const failure = schemaFailure([{ path: [], message: 'must be object' }], 'output')

    assert.deepEqual(
      [failure.code, failure.message, failure.recovery_actions],
      ['VALIDATION_FAILED', 'Output validation failed: output must be object', ['Fix implementation']],
    )
  })

  it('does not list more faults than anyone reads', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => missing('x', ['list', i]))

    assert.equal(schemaFailure(many, 'input').details?.length, 50)
  })
})

describe('an artifact that is not there', () => {
  it('[S1-53] fails with the code and the advice of the document', () => {
    assert.deepEqual(dependencyMissing('artifact-stack-001'), {
      code: 'DEPENDENCY_MISSING',
      message: 'Required artifact not found: artifact-stack-001',
      severity: 'error',
      recovery_actions: ['Generate dependency first'],
    })
  })
})
