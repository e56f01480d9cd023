import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { cleanEnv } from '../support/program/command.ts'
import { aQueueFolder, artifact, isUtc, type QueueFolder, response } from './queue.ts'

const INDEX = join(import.meta.dirname, '../../src/index.ts')
const QUEUE = join(import.meta.dirname, '../../src/queue.ts')

/** Runs a program in the project as a user of `batonpass/queue` would; answers what it printed, line by line. */
async function run(folder: QueueFolder, body: string): Promise<readonly string[]> {
  const program = `import * as queue from ${JSON.stringify(QUEUE)}\n${body}`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    cwd: folder.root,
    env: cleanEnv(folder.where),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code] = await once(child, 'close')
  assert.equal(code, 0, said)
  return said.split('\n').filter(Boolean)
}

const CREATE = `const id = await queue.create_handoff_request('@frontend-specialist', '@react-specialist',
  { component_requirements: [{ name: 'TestComponent', type: 'functional', props: {} }] }`

const WORKER = `async (data) => {
  const { mkdirSync, writeFileSync } = await import('node:fs')
  mkdirSync('artifacts/phase-13-react', { recursive: true })
  writeFileSync('artifacts/phase-13-react/artifact-react-1.json', JSON.stringify(data))
  return { id: 'artifact-react-1', path: 'artifacts/phase-13-react/artifact-react-1.json', type: 'react-components' }
}`

describe('the five functions of document 001', () => {
  it('[S1-83] [S1-71] [S1-111] create: prints the line of the document, and the request is in pending/ as it was given', async (t) => {
    const folder = await aQueueFolder(t)

    const [line, id = ''] = await run(folder, `${CREATE})\nconsole.log(id)`)

    assert.equal(line, `✅ Handoff created: ${id}`)
    const { input, timeout_seconds } = folder.file('pending', id)
    assert.deepEqual(input, {
      schema: 'react-specialist.input.schema.json',
      data: { component_requirements: [{ name: 'TestComponent', type: 'functional', props: {} }] },
    })
    assert.equal(timeout_seconds, 300)
  })

  it('[S1-70] [S1-112] [S1-12] process: a missing id is said and answers null; a file of another program is picked up', async (t) => {
    const folder = await aQueueFolder(t)
    const id = 'hoff-20260113100000'
    folder.put('pending', id, folder.request(id))

    const lines = await run(
      folder,
      `console.log(await queue.process_handoff_request('hoff-none-1'))
       const taken = await queue.process_handoff_request('${id}')
       console.log(taken.status)
       console.log(await queue.process_handoff_request('${id}'))`,
    )

    assert.deepEqual(lines, [
      '❌ Handoff not found: hoff-none-1',
      'null',
      `🔄 Processing handoff: ${id}`,
      'in_progress',
      `❌ Handoff not found: ${id}`,
      'null',
    ])
    assert.deepEqual(folder.placesOf(id), ['in-progress'])
  })

  it('[S1-72] [S1-73] [S1-84] process with a worker: its artifact is handed in, and whoever waits gets the file', async (t) => {
    const folder = await aQueueFolder(t)

    const lines = await run(
      folder,
      `${CREATE})
       await queue.process_handoff_request(id, ${WORKER})
       const file = await queue.wait_for_handoff_completion(id, 5)
       console.log(JSON.stringify(file))`,
    )
    const file = JSON.parse(lines.at(-1) ?? '')
    const id = file.handoff_id

    assert.deepEqual(lines.slice(0, 3), [
      `✅ Handoff created: ${id}`,
      `🔄 Processing handoff: ${id}`,
      `✅ Handoff completed: ${id}`,
    ])
    assert.deepEqual(file.output, {
      artifact_id: 'artifact-react-1',
      artifact_path: 'artifacts/phase-13-react/artifact-react-1.json',
      artifact_type: 'react-components',
      schema_compliance: 'valid',
    })
    const { x_baton: _, ...there } = folder.file('completed', id)
    const { x_baton: __, ...answered } = file
    assert.deepEqual(there, answered)
  })

  it('[S1-87] wait: answers the very object of the completed file, also with keys of its worker', async (t) => {
    const folder = await aQueueFolder(t)
    const id = 'hoff-20260113100000'
    const request = folder.request(id)
    folder.put('pending', id, request)
    await folder.sync()
    artifact(folder)
    const answer = { ...response(request), execution_time_seconds: 332, warnings: ['w1'], worker_key: 'kept' }
    folder.put('pending', id, answer)
    folder.move(id, 'pending', 'completed')

    const lines = await run(
      folder,
      `console.log(JSON.stringify(await queue.wait_for_handoff_completion('${id}', 5)))`,
    )

    const file = JSON.parse(lines.at(-1) ?? '')
    assert.deepEqual([file.execution_time_seconds, file.warnings, file.worker_key], [332, ['w1'], 'kept'])
    assert.deepEqual(file, folder.file('completed', id))
  })

  it('[S1-80] [S1-78] the time of execution is counted, and all times are UTC', async (t) => {
    const folder = await aQueueFolder(t)

    const [, , , text = ''] = await run(
      folder,
      `${CREATE})
       const file = await queue.process_handoff_request(id, async (data) => {
         await new Promise((resolve) => setTimeout(resolve, 60))
         return (${WORKER})(data)
       })
       console.log(JSON.stringify(file))`,
    )
    const file = JSON.parse(text)

    assert.equal(
      file.execution_time_seconds,
      (Date.parse(file.completed_at) - Date.parse(file.started_at)) / 1_000,
    )
    assert.ok(file.execution_time_seconds >= 0.06)
    for (const key of ['timestamp', 'started_at', 'completed_at', 'timestamp_completed']) isUtc(file[key])
  })

  it('[S1-74] [S1-75] [S1-76] what a worker throws is the failure: PROCESSING_ERROR with its text', async (t) => {
    const folder = await aQueueFolder(t)

    const lines = await run(
      folder,
      `${CREATE}, { retry_policy: { max_retries: 0 } })
       await queue.process_handoff_request(id, async () => { throw new Error('no compiler') })
       try { await queue.wait_for_handoff_completion(id) } catch (error) { console.log(error.constructor.name, error.message) }
       console.log(id)`,
    )
    const id = lines.at(-1) ?? ''

    assert.deepEqual(lines.slice(2, 4), [`❌ Handoff failed: ${id}`, 'HandoffFailedException no compiler'])
    const { error, retry_available, retry_count } = folder.file('failed', id) as Record<
      string,
      Record<string, unknown>
    >
    assert.deepEqual(
      [error?.code, error?.message, error?.severity],
      ['PROCESSING_ERROR', 'no compiler', 'error'],
    )
    assert.deepEqual([retry_available, retry_count], [false, 0])
  })

  it('[S1-88] [S1-108] wait tells of a failure while its file is in failed/, though another attempt follows', async (t) => {
    const folder = await aQueueFolder(t)

    const lines = await run(
      folder,
      `${CREATE})
       await queue.process_handoff_request(id, async () => { throw new Error('kaboom') })
       const no = (error) => console.log(error.constructor.name, error.message)
       await queue.wait_for_handoff_completion(id, 2).catch(no)
       console.log(id)`,
    )
    const id = lines.at(-1) ?? ''

    assert.deepEqual(folder.placesOf(id), ['failed'])
    assert.equal((await folder.show(id)).state, 'retry_wait')
    assert.equal(lines[3], 'HandoffFailedException kaboom')

    folder.move(id, 'failed', 'pending')
    const later = await run(
      folder,
      `await queue.wait_for_handoff_completion('${id}', 0.2).catch((error) => console.log(error.constructor.name))`,
    )
    assert.deepEqual(later, ['HandoffTimeoutException'])
  })

  it('[S1-88] wait tells of a failure that nobody described, also where only its file is known', async (t) => {
    const folder = await aQueueFolder(t)
    const [bare, coded] = ['hoff-001-1705147200000', 'hoff-002-1705147200000']
    const failed = { status: 'failed', timestamp_failed: '2026-01-13T10:10:00Z' }
    folder.put('failed', bare, folder.request(bare))
    folder.put('failed', coded, { ...folder.request(coded), ...failed, error: { code: 'DISK_FULL' } })

    const lines = await run(
      folder,
      `const no = (error) => console.log(error.constructor.name, error.message)
       for (const id of ['${bare}', '${coded}']) await queue.wait_for_handoff_completion(id, 2).catch(no)`,
    )

    assert.deepEqual(lines, [
      'HandoffFailedException it was moved to failed/ without an error',
      'HandoffFailedException its error has no message',
    ])
    assert.deepEqual(
      [bare, coded].map((id) => (folder.file('failed', id).error as { code: string }).code),
      ['PROCESSING_ERROR', 'DISK_FULL'],
    )
    assert.deepEqual(await folder.sync(), [])
  })

  it('[S1-85] complete and fail refuse what is not in progress, and change nothing', async (t) => {
    const folder = await aQueueFolder(t)

    const lines = await run(
      folder,
      `${CREATE})
       const no = (error) => console.log(error.code)
       await queue.complete_handoff_success(id, { id: 'a', path: 'artifacts/a.json' }).catch(no)
       await queue.complete_handoff_failure(id, 'no').catch(no)
       await queue.complete_handoff_failure('hoff-none-1', 'no').catch(no)
       console.log(id)`,
    )

    assert.deepEqual(lines.slice(1, 4), ['wrong_state', 'wrong_state', 'not_found'])
    assert.deepEqual(folder.placesOf(lines.at(-1) ?? ''), ['pending'])
  })

  it("[S1-91] [S1-94] [S1-116] wait gives up after the time that was given, else after the request's own", async (t) => {
    const folder = await aQueueFolder(t)

    const lines = await run(
      folder,
      `${CREATE}, { timeout_seconds: 0.4 })
       const no = (error) => console.log(error.constructor.name, error.message)
       await queue.wait_for_handoff_completion(id, 0.2).catch(no)
       await queue.wait_for_handoff_completion(id).catch(no)
       console.log(id)`,
    )
    const id = lines.at(-1)

    assert.deepEqual(lines.slice(1, 3), [
      `HandoffTimeoutException Handoff ${id} timed out after 0.2s`,
      `HandoffTimeoutException Handoff ${id} timed out after 0.4s`,
    ])
  })

  it('[S1-48] [S1-121] an artifact that is not there, or lies outside, is not handed in', async (t) => {
    const folder = await aQueueFolder(t)

    const lines = await run(
      folder,
      `${CREATE})
       await queue.process_handoff_request(id)
       for (const path of ['artifacts/none.json', '../outside.json', '/etc/hostname'])
         await queue.complete_handoff_success(id, { id: 'a', path }).catch((error) => console.log(error.code))
       console.log(id)`,
    )

    assert.deepEqual(lines.slice(2, 5), ['unmet', 'unmet', 'unmet'])
    assert.deepEqual(folder.placesOf(lines.at(-1) ?? ''), ['in-progress'])
  })

  it('[S1-49] [S1-100] a worker whose report is bad fails with VALIDATION_FAILED', async (t) => {
    const folder = await aQueueFolder(t)

    const lines = await run(
      folder,
      `${CREATE})
       const file = await queue.process_handoff_request(id, async (data) => ({
         ...(await (${WORKER})(data)), validation: { typescript_errors: 2 } }))
       console.log(file.error.code, file.status)`,
    )

    assert.equal(lines.at(-1), 'VALIDATION_FAILED failed')
  })

  it('[S1-97] what a worker throws is told without the key that stands in it', async (t) => {
    const folder = await aQueueFolder(t)
    const key = ['gh', 'p_', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6'].join('')

    const lines = await run(
      folder,
      `${CREATE})
       const file = await queue.process_handoff_request(id, () => { throw new Error('no access with ${key}') })
       console.log(file.error.code, file.error.message)`,
    )

    assert.equal(lines.at(-1), 'PROCESSING_ERROR no access with [a GitHub token]')
  })

  it('refuse what is missing or wrong by its name, and leave nothing behind', async (t) => {
    const folder = await aQueueFolder(t)

    const lines = await run(
      folder,
      `const calls = [
         () => queue.create_handoff_request(),
         () => queue.create_handoff_request('x y', '@react-specialist', {}),
         () => queue.create_handoff_request('@frontend-specialist', 5, {}),
         () => queue.create_handoff_request('@frontend-specialist', '@react-specialist', { count: 1n }),
         () => queue.process_handoff_request(),
         () => queue.process_handoff_request('hoff-1', 'worker'),
         () => queue.complete_handoff_success('hoff-1'),
         () => queue.complete_handoff_success('hoff-1', { id: 'a' }),
         () => queue.complete_handoff_failure(7, 'x'),
         () => queue.complete_handoff_failure('hoff-1'),
         () => queue.wait_for_handoff_completion(),
         () => queue.wait_for_handoff_completion('hoff-1', NaN),
       ]
       for (const call of calls)
         await call().catch((error) => console.log(error.code, error.message))`,
    )

    const name = 'give the name of an agent, for example'
    const id = "give the handoff's id, for example hoff-001-1768298400000"
    const artifact = 'give { id, path } of the artifact, with the path from the project'
    assert.deepEqual(lines, [
      `invalid_input source is missing; ${name} @frontend-specialist`,
      `invalid_input source is "x y"; ${name} @frontend-specialist`,
      `invalid_input target is not a string; ${name} @react-specialist`,
      'invalid_input input.count is a bigint, which JSON cannot represent; use a number or a string',
      `invalid_input id is missing; ${id}`,
      'invalid_input worker is not a function; give one that returns { id, path } of its artifact, or leave it out',
      `invalid_input artifact is missing; ${artifact}`,
      `invalid_input artifact.path is missing; ${artifact}`,
      `invalid_input id is not a string; ${id}`,
      'invalid_input message is missing; say why the work failed',
      `invalid_input id is missing; ${id}`,
      'invalid_input timeout_seconds is NaN; it is a number of seconds from 0 up, for example 60',
    ])
  })

  it('[S1-100] a worker that answers no artifact fails with VALIDATION_FAILED, and is told what to answer', async (t) => {
    const folder = await aQueueFolder(t)

    const lines = await run(
      folder,
      `for (const junk of [undefined, 'done', { id: 'a' }, { id: 'a', path: 5 }]) {
         ${CREATE}, { print: () => {} })
         const file = await queue.process_handoff_request(id, async () => junk, { print: () => {} })
         console.log(file.status, file.error.code, file.error.message)
       }`,
    )

    const wanted = 'give { id, path } of the artifact, with the path from the project'
    assert.deepEqual(
      lines,
      [
        'artifact is missing',
        'artifact is not an object',
        'artifact.path is missing',
        'artifact.path is not a string',
      ].map((what) => `failed VALIDATION_FAILED ${what}; ${wanted}`),
    )
  })
})

describe('openBaton in a folder of handoffs', () => {
  it('[S1-95] finds a file that lay there before, in the first call after opening', async (t) => {
    const folder = await aQueueFolder(t)
    const id = 'hoff-20260113100000'
    folder.put('pending', id, folder.request(id))

    const lines = await run(
      folder,
      `const { openBaton } = await import(${JSON.stringify(INDEX)})
       const baton = await openBaton()
       const ended = await baton.as('frontend-specialist').wait(id, { timeout_s: 0.1 }).catch((error) => error.code)
       console.log(ended)
       await baton.close()`.replace('wait(id', `wait('${id}'`),
    )

    assert.deepEqual(lines, ['timed_out'])
  })
})
