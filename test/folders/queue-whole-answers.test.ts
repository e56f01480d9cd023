import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { aQueueFolder, artifact, FRONTEND, type Json, type QueueFolder, REACT } from './queue.ts'

const ID = 'hoff-001-1705147200000'

/** The keys of document 001's answers (section 3), which repeat nothing of the request but who it is between. */
const RESPONSE: Json = {
  handoff_id: ID,
  timestamp_completed: '2026-01-13T10:05:32Z',
  status: 'completed',
  execution_time_seconds: 332,
  source: { agent_id: FRONTEND.agent_id, phase: 11 },
  target: { agent_id: REACT.agent_id, phase: 13 },
  output: {
    artifact_id: 'artifact-react-comp-1',
    artifact_path: 'artifacts/phase-13-react/artifact-react-comp-1.json',
    artifact_type: 'react-components',
    schema_compliance: 'valid',
  },
  validation: { status: 'passed', tests_passing: true, coverage_percentage: 87 },
  metadata: { components_generated: 1 },
  next_steps: ['Integrate the component'],
  warnings: [],
  errors: [],
}
const FAILURE: Json = {
  handoff_id: ID,
  timestamp_failed: '2026-01-13T10:10:00Z',
  status: 'failed',
  execution_time_seconds: 120,
  source: RESPONSE.source,
  target: RESPONSE.target,
  error: {
    code: 'SCHEMA_VALIDATION_FAILED',
    message: "component_requirements[0].props is missing required field 'type'",
    severity: 'error',
    timestamp: '2026-01-13T10:08:45Z',
  },
  retry_available: true,
  retry_count: 0,
  max_retries: 3,
  recovery_actions: ["Ensure all props have 'type' field defined"],
}

async function begun(folder: QueueFolder): Promise<void> {
  artifact(folder)
  folder.put('pending', ID, folder.request(ID, { priority: 'high' }))
  await folder.sync()
  folder.move(ID, 'pending', 'in-progress')
  await folder.sync()
}

/** The answer as a file of its own, and the request taken away. */
async function answered(folder: QueueFolder, place: 'completed' | 'failed', answer: Json) {
  folder.put(place, ID, answer)
  rmSync(join(folder.root, `handoffs/in-progress/${ID}.json`))
  return folder.sync()
}

describe('an answer of document 001 that is written whole', () => {
  it('[S1-66] is told of all that it lacks where nobody knows the request', async (t) => {
    const folder = await aQueueFolder(t)
    await folder.sync()
    folder.put('completed', ID, { ...folder.request(ID), status: 'completed' })

    const happened = await folder.sync()

    const { reason = '' } = happened.find(({ what }) => what === 'refused') ?? {}
    for (const key of ['timestamp_completed', 'output'])
      assert.match(reason, new RegExp(`${key}\\S* is missing`))
  })

  it('[S1-65] [S1-113] completes the request though it repeats nothing of it', async (t) => {
    const folder = await aQueueFolder(t)
    await begun(folder)

    const happened = await answered(folder, 'completed', RESPONSE)

    assert.deepEqual(
      happened.filter(({ what }) => what === 'refused' || what === 'put_back'),
      [],
    )
    assert.equal((await folder.show(ID)).state, 'completed')
    assert.deepEqual(folder.placesOf(ID), ['completed'])
    const file = folder.file('completed', ID)
    assert.equal(file.execution_time_seconds, 332)
    assert.deepEqual([file.warnings, file.errors, file.priority], [[], [], 'high'])
  })

  it("[S1-65] counts with the worker's own timestamp in it", async (t) => {
    const folder = await aQueueFolder(t)
    await begun(folder)

    await answered(folder, 'completed', { ...RESPONSE, timestamp: '2026-01-13T10:05:32Z' })

    assert.equal((await folder.show(ID)).state, 'completed')
  })

  it('[S1-66] [S1-114] fails the request with its error', async (t) => {
    const folder = await aQueueFolder(t)
    await begun(folder)

    await answered(folder, 'failed', FAILURE)

    const { state, error } = await folder.show(ID)
    assert.equal(state, 'failed')
    assert.equal(error?.code, 'SCHEMA_VALIDATION_FAILED')
    assert.deepEqual(folder.placesOf(ID), ['failed'])
  })

  it('changes nothing of the request: another sender or timeout in it is refused', async (t) => {
    for (const other of [{ timeout_seconds: 9 }, { source: { agent_id: '@somebody-else' } }]) {
      const folder = await aQueueFolder(t)
      await begun(folder)

      const happened = await answered(folder, 'completed', { ...RESPONSE, ...other })

      assert.ok(happened.some(({ what }) => what === 'refused'))
      assert.equal((await folder.show(ID)).state, 'in_progress')
    }
  })
})
