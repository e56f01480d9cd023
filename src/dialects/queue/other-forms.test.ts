import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sourcesOf } from '../text/sources.ts'
import { artifactOf } from './artifact.ts'
import { contextProblems, withPhase } from './context-files.ts'
import { queue } from './index.ts'

const ID = 'artifact-api-1767287345000'
const sourceOf = (value: unknown, path: string) =>
  sourcesOf(JSON.stringify(value, undefined, 2), { path })[0]!
const artifactIn = (value: unknown, path = `artifacts/phase-14-api/${ID}.json`) =>
  artifactOf(sourceOf(value, path))

describe('an artifact file', () => {
  const ARTIFACT = {
    artifact_id: ID,
    artifact_type: 'api-routes',
    phase: 14,
    file: 'src/orders.ts',
    sha256: '0'.repeat(64),
    dependencies: ['artifact-stack-1'],
    lifecycle: 'ready',
    created_at: '2026-01-01T00:00:00Z',
    handoff_id: 'hoff-1',
    routes: [{ path: '/orders' }],
  }

  it('[S1-42] is read with every key', () => {
    const { artifact, diagnostics } = artifactIn(ARTIFACT)

    assert.deepEqual(diagnostics, [])
    assert.deepEqual(artifact?.extra, { routes: [{ path: '/orders' }] })
    assert.equal(artifact?.id, ID)
  })

  it('is no handoff, and says what is wrong with it', () => {
    const source = sourceOf(
      { ...ARTIFACT, sha256: 'abc', file: '../x', artifact_id: 'other', dependencies: ['other'] },
      `artifacts/phase-14-api/${ID}.json`,
    )
    const { draft, diagnostics } = queue.interpret(source, queue.formOf(source)!)

    assert.equal(draft, undefined)
    assert.deepEqual(
      diagnostics.map(({ severity, code, line }) => `${line} ${severity} ${code}`),
      [
        '2 warning artifact_name',
        '5 error unsafe_path',
        '6 error sha256_form',
        '7 warning depends_on_itself',
      ],
    )
  })

  it('may be any JSON object, which is kept; anything else is refused', () => {
    assert.deepEqual(artifactIn({ a: 1 }).artifact, { extra: { a: 1 } })
    assert.deepEqual(
      artifactIn([1]).diagnostics.map(({ code }) => code),
      ['not_an_object'],
    )
  })
})

describe('a context file', () => {
  it('is free JSON, but for the phases that the product keeps', () => {
    const value = {
      phases: {
        '13': { status: 'completed', handoff_id: 'hoff-1', updated_at: '2026-01-01T00:00:00Z' },
        x: {},
      },
      note: 'kept',
    }
    const source = sourceOf(value, 'context/phase-status.json')
    const codes = (found: unknown, path: string) =>
      contextProblems(sourceOf(found, path)).map(({ code }) => code)

    assert.equal(queue.formOf(source), 'context')
    assert.deepEqual(codes(value, 'context/phase-status.json'), ['phase_key'])
    assert.deepEqual(codes({ phases: { 13: { status: 'odd' } } }, 'context/phase-status.json'), [
      'unknown_status',
    ])
    assert.deepEqual(codes({ any: [1] }, 'context/tech-stack.json'), [])
    assert.deepEqual(codes([], 'context/project-context.json'), ['not_an_object'])
  })

  it('gets the state of one phase and keeps all else', () => {
    const status = { status: 'failed', handoff_id: 'hoff-2', updated_at: '2026-01-02T00:00:00Z' } as const
    const before = { note: 'kept', phases: { '13': { status: 'completed' }, '14': { owner: 'core' } } }

    assert.deepEqual(withPhase(before, 14, status), {
      note: 'kept',
      phases: { '13': { status: 'completed' }, '14': { owner: 'core', ...status } },
    })
    assert.deepEqual(withPhase({}, 13, status), { phases: { '13': status } })
  })
})

describe('a status board', () => {
  const BOARD = {
    project: 'bakery',
    last_updated: '2026-01-04',
    agents: {
      planner: { status: 'idle', current_task: null, brief_note: 'waiting' },
      builder: { status: 'blocked', current_task: 'BAKE-8', handoff_file: 'notes/BAKE-8.md' },
    },
  }

  it('is named as what it is and gives no single handoff', () => {
    const source = sourceOf(BOARD, 'agent-handoffs.json')
    const { draft, diagnostics } = queue.interpret(source, queue.formOf(source)!)

    assert.deepEqual([queue.formOf(source), draft], ['board', undefined])
    assert.deepEqual(
      diagnostics.map(({ severity, code, line }) => `${line} ${severity} ${code}`),
      ['4 info status_board'],
    )
    assert.match(diagnostics[0]!.message, /2 agents \(1 with work\), not one handoff/)
  })
})
