import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { samplesOf } from '../../../test/support/documents/samples.ts'
import type { Interpretation } from '../dialect.ts'
import { differences } from '../difference.ts'
import { sourcesOf } from '../text/sources.ts'
import { queue } from './index.ts'

const SAMPLES = [...samplesOf('queue').matchAll(/^```json\n(.*?)\n```$/gms)].map(([, json]) => json!)
const [REQUEST, RESPONSE, FAILURE, POLICY] = SAMPLES

function read(text: string, path?: string) {
  const [source] = sourcesOf(text, path === undefined ? {} : { path })
  const form = queue.formOf(source!)
  const answer: Interpretation = form === undefined ? { diagnostics: [] } : queue.interpret(source!, form)
  return { source: source!, form, ...answer, codes: answer.diagnostics.map(({ code }) => code) }
}

/** What printing the draft again would change in the sample. */
function changes(text: string): string[] {
  const { draft, source } = read(text)
  const native = queue.toNative(draft!)
  assert.ok(native.ok)
  return differences(source.value, native.value).map(({ path }) => path.join('.'))
}

describe('the samples of document 001', () => {
  it('are a request, a response, a failure and a policy that is no handoff', () => {
    assert.deepEqual(
      SAMPLES.map((sample) => read(sample).form),
      ['request', 'response', 'failure', undefined],
    )
    assert.match(POLICY!, /backoff_multiplier/)
  })

  it('[S1-33] [S1-16] [S1-17] gives the request whole and finds nothing wrong with it', () => {
    const { draft, diagnostics } = read(REQUEST!, 'handoffs/pending/hoff-001-1705147200000.json')
    const { package: pack, ...rest } = draft!

    assert.deepEqual(diagnostics, [])
    assert.deepEqual(rest, {
      id: 'hoff-001-1705147200000',
      state: 'offered',
      created_at: '2026-01-13T10:00:00Z',
      from: 'frontend-specialist',
      from_phase: 11,
      from_role: 'orchestrator',
      to: 'react-specialist',
      to_phase: 13,
      to_role: 'specialist',
      project: 'proj-001',
      depends_on: ['artifact-tech-stack-001'],
      priority: 'normal',
      timeout_s: 300,
      retry: { max: 3, delay_s: 30 },
      input_schema: 'react-specialist.input.schema.json',
      output_schema: 'react-specialist.output.schema.json',
      expected_output: {
        artifact_type: 'react-components',
        destination: 'artifacts/phase-13-react/artifact-react-comp-{timestamp}.json',
      },
    })
    assert.deepEqual(Object.keys(pack!).toSorted(), ['data', 'input'])
  })

  it('[S1-21] [S1-25] [S1-26] keeps the tech stack and the input data as they are', () => {
    const { draft, source } = read(REQUEST!)
    const { context, input } = source.value as {
      context: { tech_stack: object }
      input: { data: object }
    }

    assert.deepEqual(draft?.package?.data, { tech_stack: context.tech_stack })
    assert.deepEqual(draft?.package?.input, input.data)
    assert.deepEqual(Object.keys(input.data), [
      'component_requirements',
      'dependency_context',
      'code_quality',
    ])
  })

  it('[S1-24] keeps each component requirement', () => {
    const data = read(REQUEST!).draft?.package?.input as { component_requirements: object[] }

    assert.deepEqual(Object.keys(data.component_requirements[0]!), [
      'name',
      'type',
      'responsibility',
      'props',
      'state_needs',
      'api_integration',
    ])
  })

  it('[S1-46] [S1-41] [S1-43] reads the response, and warns that it came after its timeout', () => {
    const { draft, codes } = read(RESPONSE!, 'handoffs/completed/hoff-001-1705147200000.json')

    assert.deepEqual(codes, ['exceeded_timeout'])
    assert.equal(draft?.state, 'completed')
    assert.equal(draft?.ended_at, '2026-01-13T10:05:32Z')
    assert.deepEqual(draft?.result, {
      artifacts: [
        {
          path: 'artifacts/phase-13-react/artifact-react-comp-1705147532000.json',
          type: 'react-components',
          role: 'output',
        },
      ],
      schema_compliance: 'valid',
      validation: {
        status: 'passed',
        typescript_errors: 0,
        eslint_warnings: 0,
        tests_passing: true,
        coverage_percentage: 87,
        accessibility_violations: 0,
      },
    })
  })

  it('[S1-44] [S1-39] [S1-45] takes metadata and the time it took as metrics, and keeps the lists', () => {
    const { draft } = read(RESPONSE!)

    assert.deepEqual(draft?.metrics, {
      components_generated: 1,
      custom_hooks_generated: 1,
      test_files_generated: 1,
      total_lines_generated: 290,
      execution_time_seconds: 332,
    })
    assert.equal(draft?.next_steps?.length, 3)
    assert.deepEqual(draft?.extra, { warnings: [], errors: [] })
  })

  it('[S1-58] [S1-53] [S1-55] reads the failure with its details and what to do', () => {
    const { draft, diagnostics } = read(FAILURE!, 'handoffs/failed/hoff-002-1705147300000.json')

    assert.deepEqual(diagnostics, [])
    assert.equal(draft?.state, 'failed')
    assert.equal(draft?.ended_at, '2026-01-13T10:10:00Z')
    assert.equal(draft?.error?.code, 'SCHEMA_VALIDATION_FAILED')
    assert.equal(draft?.error?.severity, 'error')
    assert.deepEqual(draft?.error?.details, [
      {
        field: 'component_requirements[0].props.userId',
        error: "Missing required field 'type'",
        schema_path: '$.component_requirements[*].props.*',
      },
    ])
    assert.equal(draft?.error?.recovery_actions?.length, 3)
    assert.deepEqual(draft?.extra, { error: { timestamp: '2026-01-13T10:08:45Z' } })
  })

  it('[S1-56] [S1-57] reads how often it may be retried', () => {
    const { draft } = read(FAILURE!)

    assert.deepEqual([draft?.retry_available, draft?.retry_count, draft?.retry], [true, 0, { max: 3 }])
  })

  it('[S1-37] [S1-51] would change nothing but add the second spelling of the end', () => {
    assert.deepEqual(changes(REQUEST!), [])
    assert.deepEqual(changes(RESPONSE!), ['completed_at'])
    assert.deepEqual(changes(FAILURE!), ['failed_at'])
  })

  it('keeps garbled characters of the data as they are', () => {
    const { draft, diagnostics } = read(REQUEST!.replace('"Display user', '"âœ… Display user'))

    assert.deepEqual(diagnostics, [])
    assert.match(JSON.stringify(draft?.package?.input), /"responsibility":"âœ… Display user/)
  })
})

/** What document 001's own functions write, key for key. */
const CREATED = {
  handoff_id: 'hoff-20260113100000',
  timestamp: '2026-01-13T10:00:00.482913Z',
  status: 'pending',
  source: { agent_id: '@frontend-specialist', phase: 11, agent_type: 'orchestrator' },
  target: { agent_id: '@react-specialist', phase: 13, agent_type: 'specialist' },
  context: { project_id: 'proj-001', tech_stack: { framework: 'React', version: '18.2' } },
  input: {
    schema: 'react-specialist.input.schema.json',
    data: { component_requirements: [{ name: 'TestComponent', type: 'functional', props: {} }] },
  },
  timeout_seconds: 300,
}
const STARTED = { ...CREATED, status: 'in_progress', started_at: '2026-01-13T10:00:01.000001Z' }
const COMPLETED = {
  ...STARTED,
  status: 'completed',
  completed_at: '2026-01-13T10:05:33Z',
  execution_time_seconds: 332,
  output: {
    artifact_id: 'artifact-react-comp-1705147532000',
    artifact_path: 'artifacts/phase-13-react/artifact-react-comp-1705147532000.json',
    artifact_type: 'react-components',
    schema_compliance: 'valid',
  },
  validation: {
    status: 'passed',
    typescript_errors: 0,
    eslint_warnings: 0,
    tests_passing: true,
    coverage_percentage: 87,
  },
}
const FAILED = {
  ...STARTED,
  status: 'failed',
  failed_at: '2026-01-13T10:02:00Z',
  error: {
    code: 'PROCESSING_ERROR',
    message: 'no such component',
    severity: 'error',
    timestamp: '2026-01-13T10:02:00Z',
  },
  retry_available: true,
  retry_count: 0,
}
const readValue = (value: object, folder: string) =>
  read(JSON.stringify(value, undefined, 2), `handoffs/${folder}/hoff-20260113100000.json`)

describe("the files that document 001's functions write", () => {
  it('[S1-34] [S1-14] takes the request, and adds nothing to it', () => {
    const { draft, diagnostics } = readValue(CREATED, 'pending')

    assert.deepEqual(diagnostics, [])
    assert.equal(draft?.created_at, '2026-01-13T10:00:00.482Z')
    assert.deepEqual([draft?.priority, draft?.retry], [undefined, undefined])
  })

  it('[S1-35] takes a component without a responsibility and with no props', () => {
    const { draft, diagnostics } = readValue(CREATED, 'pending')

    assert.deepEqual(diagnostics, [])
    assert.deepEqual(draft?.package?.input, CREATED.input.data)
  })

  it('[S1-47] [S1-36] takes the completed file, which is the request and more', () => {
    const { draft, codes } = readValue(COMPLETED, 'completed')

    assert.deepEqual(codes, ['exceeded_timeout'])
    assert.equal(draft?.id, CREATED.handoff_id)
    assert.equal(draft?.ended_at, '2026-01-13T10:05:33Z')
    assert.equal(draft?.input_schema, CREATED.input.schema)
    assert.deepEqual([draft?.metrics, draft?.next_steps], [{ execution_time_seconds: 332 }, undefined])
  })

  it('[S1-59] [S1-52] takes the failed file, which has no maximum and no advice', () => {
    const { draft, diagnostics } = readValue(FAILED, 'failed')

    assert.deepEqual(diagnostics, [])
    assert.equal(draft?.ended_at, '2026-01-13T10:02:00Z')
    assert.deepEqual(draft?.error, {
      code: 'PROCESSING_ERROR',
      message: 'no such component',
      severity: 'error',
    })
    assert.deepEqual([draft?.retry_available, draft?.retry_count, draft?.retry], [true, 0, undefined])
  })

  it('takes the file in progress, whose start is also when it was accepted', () => {
    const { draft, diagnostics } = readValue(STARTED, 'in-progress')

    assert.deepEqual(diagnostics, [])
    assert.equal(draft?.state, 'in_progress')
    assert.deepEqual(
      [draft?.started_at, draft?.accepted_at, draft?.accepted_by],
      ['2026-01-13T10:00:01Z', '2026-01-13T10:00:01Z', 'react-specialist'],
    )
  })
})
