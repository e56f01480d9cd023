import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aQueueFolder, artifact, type Json, type QueueFolder, response } from './queue.ts'

const ID = 'hoff-1'

/** A request that a specialist has picked up. */
async function begun(folder: QueueFolder, more: Json = {}): Promise<void> {
  folder.put('pending', ID, folder.request(ID, more))
  await folder.sync()
  folder.move(ID, 'pending', 'in-progress')
  await folder.sync()
}

async function answered(folder: QueueFolder, place: 'completed' | 'failed', answer: Json): Promise<Json> {
  folder.put('in-progress', ID, { ...folder.file('in-progress', ID), ...answer })
  folder.move(ID, 'in-progress', place)
  await folder.sync()
  return folder.file(folder.placesOf(ID)[0] ?? place, ID)
}

describe('what a specialist wrote', () => {
  it('[S1-49] [S1-100] stays with an output that does not do, and the failure says what is missing', async (t) => {
    const folder = await aQueueFolder(t)
    await begun(folder)
    const report = { tests_passing: false, coverage_percentage: 41, failing: ['login.test.ts:12'] }

    const file = await answered(folder, 'completed', {
      status: 'completed',
      output: { artifact_id: 'x', remarks: 'half of it' },
      validation: report,
      warnings: ['disk at 99 %'],
    })

    const { code, message } = file.error as Json
    assert.equal(code, 'VALIDATION_FAILED')
    assert.match(String(message), /output has no artifact_path/)
    assert.deepEqual(folder.placesOf(ID), ['failed'])
    assert.deepEqual(file.validation, report)
    assert.deepEqual(file.output, { artifact_id: 'x', remarks: 'half of it' })
    assert.deepEqual(file.warnings, ['disk at 99 %'])

    folder.move(ID, 'failed', 'pending')
    await folder.sync()
    const again = folder.file('pending', ID)
    const [before] = again.retry_history as Json[]
    assert.deepEqual([again.output, again.validation, again.warnings], [undefined, undefined, undefined])
    assert.deepEqual([before?.output, before?.validation], [file.output, report])
    assert.deepEqual(before?.warnings, ['disk at 99 %'])
  })

  it('[S1-66] [S1-108] of a failure stays in the file, and through every later attempt in its history', async (t) => {
    const folder = await aQueueFolder(t)
    await begun(folder, {
      warnings: ['from the sender'],
      retry_policy: { max_retries: 2, retry_delay_seconds: 0 },
    })
    assert.deepEqual(folder.file('in-progress', ID).warnings, ['from the sender'])
    const error = { code: 'PROCESSING_ERROR', message: 'boom', stack: 'at line 77' }
    const recovery_actions = ['empty the disk']

    await answered(folder, 'failed', {
      status: 'failed',
      error,
      warnings: ['disk at 99 %'],
      recovery_actions,
    })
    await folder.sync()
    folder.move(ID, 'pending', 'in-progress')
    await folder.sync()
    await answered(folder, 'failed', { status: 'failed', error: { ...error, stack: 'at line 78' } })
    await folder.sync()

    const history = folder.file('pending', ID).retry_history as Json[]
    assert.deepEqual(history[0]?.recovery_actions, recovery_actions)
    const errors = history.map((each) => each.error as Json)
    assert.deepEqual(
      errors.map(({ code, message, stack }) => ({ code, message, stack })),
      [error, { ...error, stack: 'at line 78' }],
    )
    assert.deepEqual(history[0]?.warnings, ['disk at 99 %'])
  })

  it('[A1-05] [S1-80] when it ended stays as written, in both spellings, and how long it took is counted from there', async (t) => {
    const folder = await aQueueFolder(t)
    await begun(folder)
    artifact(folder)
    const started_at = '2026-01-13T10:05:00Z'

    const file = await answered(
      folder,
      'completed',
      response(folder.request(ID), { started_at, completed_at: '2026-01-13T10:05:32.000001Z' }),
    )
    folder.put('completed', ID, { ...file, completed_at: '2026-01-14T00:00:00Z' })
    await folder.sync()

    const times = (each: Json) => [
      ...[each.started_at, each.completed_at, each.timestamp_completed],
      each.execution_time_seconds,
    ]
    const ended = '2026-01-13T10:05:32.000001Z'
    assert.deepEqual(times(file), [started_at, ended, ended, 32])
    assert.deepEqual(times(folder.file('completed', ID)), times(file))
  })

  it('[S1-78] a time of another zone is written in UTC', async (t) => {
    const folder = await aQueueFolder(t)
    await begun(folder)

    const file = await answered(folder, 'failed', {
      status: 'failed',
      started_at: '2026-01-13T12:05:00+02:00',
      failed_at: '2026-01-13T12:05:32+02:00',
      error: { code: 'AUTH', message: 'boom' },
    })

    assert.deepEqual(
      [file.started_at, file.failed_at, file.timestamp_failed, file.execution_time_seconds],
      ['2026-01-13T10:05:00Z', '2026-01-13T10:05:32Z', '2026-01-13T10:05:32Z', 32],
    )
  })

  for (const [target, coverage, message] of [
    [80, '50%', /coverage is 50 % and the target is 80 %/],
    ['80%', 50, /coverage is 50 % and the target is 80 %/],
    ['80', '79,5 %', /coverage is 79.5 % and the target is 80 %/],
    [80, 'not measured', /coverage_percentage "not measured" is not a number.* target is 80 %/],
    ['80%', '85%', undefined],
  ] as const)
    it(`[S1-49] as coverage ${coverage} is ${message ? 'under' : 'over'} the target ${target}`, async (t) => {
      const folder = await aQueueFolder(t)
      const data = { code_quality: { testing_coverage_target: target } }
      await begun(folder, { input: { schema: 'x', data } })
      artifact(folder)
      const validation = { status: 'passed', coverage_percentage: coverage }

      const file = await answered(folder, 'completed', response({}, { validation }))

      assert.deepEqual(folder.placesOf(ID), [message ? 'failed' : 'completed'])
      assert.equal((file.validation as Json).coverage_percentage, coverage)
      if (!message) return
      const error = file.error as Json
      assert.equal(error.code, 'VALIDATION_FAILED')
      assert.match(String(error.message), message)
    })

  for (const [error, reason] of [
    [{ error_code: 'X_FAILED', error_message: 'boom' }, /^boom$/],
    [{ why: 'boom' }, /its error has no message/],
  ] as const)
    it(`[S1-66] of a failure as ${Object.keys(error)} is understood or missed, and kept`, async (t) => {
      const folder = await aQueueFolder(t)
      await begun(folder)

      const file = await answered(folder, 'failed', { status: 'failed', error })

      assert.match((await folder.show(ID)).error?.message ?? '', reason)
      assert.match(JSON.stringify(file.error), /boom/)
    })
})
