import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { aQueueFolder, type Json, type QueueFolder } from '../folders/queue.ts'
import { cleanEnv } from '../support/program/command.ts'

const ROOT = join(import.meta.dirname, '../..')
const INDEX = join(ROOT, 'src/index.ts')
const PYTHON = join(ROOT, 'examples/python-queue')
/** Nobody waits here for five minutes. */
const LIMIT = ['--timeout', '30']

interface Running {
  readonly child: ChildProcess
  /** What it has printed so far. */
  said(): string
  /** Its exit code, when it has ended by itself. */
  readonly ended: Promise<number | null>
}

function start(t: TestContext, folder: QueueFolder, command: string, args: readonly string[]): Running {
  const child = spawn(command, args, {
    cwd: folder.root,
    env: { ...cleanEnv(folder.where), PYTHONIOENCODING: 'utf-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  })
  return { child, said: () => text, ended }
}

const python = (t: TestContext, folder: QueueFolder, name: string, ...args: readonly string[]): Running =>
  start(t, folder, 'python3', [join(PYTHON, name), ...args])

const typescript = (t: TestContext, folder: QueueFolder, body: string): Running => {
  folder.write('../program.mts', `import { openBaton } from ${JSON.stringify(INDEX)}\n${body}`)
  return start(t, folder, process.execPath, [join(folder.root, '..', 'program.mts')])
}

async function until(running: Running, look: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !look(); await pause(20)) {
    assert.ok(Date.now() < deadline, `waited too long: ${running.said()}`)
    assert.equal(running.child.exitCode, null, running.said())
  }
}

/** As the journey types it, with an end that the test decides on. */
const SPECIALIST = `
const baton = await openBaton()
let calls = 0
await baton.specialist('react-specialist', {
  input: 'schemas/react-specialist.input.schema.json',
  output: 'schemas/react-specialist.output.schema.json',
}, async (work) => {
  calls += 1
  if (FAILS.includes(calls)) throw new Error('the compiler is down')
  const components = { files: work.input.component_requirements.map(({ name }) => name + '.tsx') }
  const file = await work.artifact('react-components', components)
  return { artifact: file, validation: { tests_passing: true, coverage_percentage: 87 }, next_steps: ['Use it'] }
})
console.log('listening')
process.once('SIGTERM', () => baton.close())
`

async function aFolder(t: TestContext): Promise<QueueFolder> {
  const folder = await aQueueFolder(t)
  const required = (name: string) => JSON.stringify({ type: 'object', required: [name] })
  folder.write('schemas/react-specialist.input.schema.json', required('component_requirements'))
  folder.write('schemas/react-specialist.output.schema.json', required('files'))
  return folder
}

async function aSpecialist(
  t: TestContext,
  folder: QueueFolder,
  fails: readonly number[] = [],
): Promise<Running> {
  const running = typescript(t, folder, SPECIALIST.replace('FAILS', JSON.stringify(fails)))
  await until(running, () => running.said().includes('listening'))
  return running
}

async function stop(running: Running): Promise<void> {
  running.child.kill('SIGTERM')
  assert.equal(await running.ended, 0, running.said())
}

describe('J3 over folders, with Python on one side', () => {
  it('[S1-115] [S1-65] an orchestrator in Python hands to a specialist in TypeScript', async (t) => {
    const folder = await aFolder(t)
    const specialist = await aSpecialist(t, folder)

    const orchestrator = python(
      t,
      folder,
      'orchestrator.py',
      '--component',
      'UserProfile',
      '--poll',
      '0.1',
      ...LIMIT,
    )
    const code = await orchestrator.ended
    await stop(specialist)

    assert.equal(code, 0, orchestrator.said())
    const [name = ''] = folder.names('completed')
    const file = folder.file('completed', name.replace('.json', ''))
    const output = file.output as { artifact_id: string; artifact_path: string; schema_compliance: string }
    assert.match(output.artifact_path, /^artifacts\/phase-13-react\/artifact-react-components-\d{13}\.json$/)
    assert.equal(output.artifact_path, `artifacts/phase-13-react/${output.artifact_id}.json`)
    assert.deepEqual(folder.json(output.artifact_path), { files: ['UserProfile.tsx'] })
    assert.deepEqual(
      [file.status, output.schema_compliance, file.validation, file.next_steps],
      ['completed', 'valid', { status: 'passed', tests_passing: true, coverage_percentage: 87 }, ['Use it']],
    )
    assert.ok(orchestrator.said().includes(output.artifact_path))
  })

  it('[S1-02] [S1-29] puts the artifact where the request wants it', async (t) => {
    const folder = await aFolder(t)
    const specialist = await aSpecialist(t, folder)
    const id = 'hoff-001-1705147200000'
    const destination = 'artifacts/phase-14-dotnet/components-{timestamp}.json'
    folder.put(
      'pending',
      id,
      folder.request(id, { expected_output: { artifact_type: 'react-components', destination } }),
    )

    await until(specialist, () => folder.placesOf(id).includes('completed'))
    await stop(specialist)

    const { artifact_path } = folder.file('completed', id).output as { artifact_path: string }
    assert.match(artifact_path, /^artifacts\/phase-14-dotnet\/components-\d{13}\.json$/)
    assert.ok(folder.has(artifact_path))
  })

  it('[S1-118] [S1-108] [S1-104] work that fails comes back to pending/ and is done then', async (t) => {
    const folder = await aFolder(t)
    const specialist = await aSpecialist(t, folder, [1])
    const id = 'hoff-002-1705147200000'
    const retry_policy = { max_retries: 3, retry_delay_seconds: 1, backoff_multiplier: 2 }
    folder.put('pending', id, folder.request(id, { retry_policy }))

    await until(specialist, () => folder.placesOf(id).includes('failed'))
    const failed = folder.file('failed', id)
    await until(specialist, () => folder.placesOf(id).includes('completed'))
    await stop(specialist)

    assert.equal(Date.parse(String(failed.not_before)) - Date.parse(String(failed.failed_at)), 1_000)
    const { retry_count, retry_history } = folder.file('completed', id) as Json & { retry_history: Json[] }
    assert.deepEqual(
      [retry_count, retry_history.map(({ error }) => (error as { message: string }).message)],
      [1, ['the compiler is down']],
    )
    assert.deepEqual(folder.placesOf(id), ['completed'])
  })

  it('[S1-96] [S1-114] input that the schema refuses reaches the orchestrator as the failure of the document', async (t) => {
    const folder = await aFolder(t)
    folder.write('schemas/react-specialist.input.schema.json', '{"type": "object", "required": ["pages"]}')
    const specialist = await aSpecialist(t, folder)

    const orchestrator = python(t, folder, 'orchestrator.py', '--poll', '0.1', ...LIMIT)
    const code = await orchestrator.ended
    await stop(specialist)

    assert.equal(code, 1)
    assert.match(orchestrator.said(), /Input validation failed: input is missing required field 'pages'/)
  })

  it('[S1-112] [S1-90] a specialist in Python answers a sender in TypeScript, who wakes when the file moves', async (t) => {
    const folder = await aFolder(t)
    const specialist = python(t, folder, 'specialist.py', '--count', '1', '--poll', '0.05')

    const sender = typescript(
      t,
      folder,
      `const baton = await openBaton()
       const sent = await baton.as('frontend-specialist').send({ to: 'react-specialist', home: 'queue', title: 'Build',
         input: { component_requirements: [{ name: 'Chart', type: 'functional', props: {} }] } })
       const { handoff, artifacts, next_steps } = await sent.wait({ timeout_s: 60 })
       console.log(JSON.stringify({ id: handoff.id, state: handoff.state, path: artifacts[0].path, next_steps }))
       await baton.close()`,
    )
    const codes = [await sender.ended, await specialist.ended]

    assert.deepEqual(codes, [0, 0], sender.said() + specialist.said())
    const { id, state, path, next_steps } = JSON.parse(sender.said())
    assert.deepEqual([state, next_steps], ['completed', ['Use the components in the application']])
    assert.deepEqual(folder.json(path), { files: ['Chart.tsx'] })
    assert.deepEqual(specialist.said().trim().split('\n'), [
      `🔄 Processing handoff: ${id}`,
      `✅ Handoff completed: ${id}`,
    ])
    assert.deepEqual(folder.placesOf(id), ['completed'])
  })

  it('[S1-88] [S1-117] what the specialist in Python cannot do is thrown at the sender in TypeScript', async (t) => {
    const folder = await aFolder(t)
    python(t, folder, 'specialist.py', '--count', '1', '--poll', '0.05')

    const sender = typescript(
      t,
      folder,
      `const baton = await openBaton()
       const sent = await baton.as('frontend-specialist').send({ to: 'react-specialist', home: 'queue', title: 'Build',
         input: { component_requirements: [{ name: 'Impossible' }] }, retry: { max: 0, delay_s: 1, multiplier: 1 } })
       await sent.wait({ timeout_s: 60 }).catch((error) => console.log(error.constructor.name + ': ' + error.message))
       await baton.close()`,
    )

    assert.equal(await sender.ended, 0, sender.said())
    assert.equal(sender.said().trim(), 'HandoffFailedException: there is no way to build Impossible')
  })

  it('[S1-116] an orchestrator in Python gives up when nobody answers, and the request stays', async (t) => {
    const folder = await aFolder(t)

    const orchestrator = python(t, folder, 'orchestrator.py', '--timeout', '0.3', '--poll', '0.1')

    assert.equal(await orchestrator.ended, 2)
    assert.match(orchestrator.said(), /Handoff hoff-\d+-\d{13} timed out after 0\.3s/)
    assert.equal(folder.names('pending').length, 1)
  })
})

describe('agents of two formats', () => {
  it('pass work to each other and back, each in its own files', async (t) => {
    const folder = await aQueueFolder(t, () =>
      [
        'dialect: markdown',
        'folders:',
        '  - {dialect: markdown, path: _handoffs}',
        '  - {dialect: queue, path: .}',
        '',
      ].join('\n'),
    )
    const command = join(folder.root, '..', 'baton')
    folder.write('../baton', `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin/baton.js')}' "$@"\n`)
    const child = spawn('bash', [join(ROOT, 'examples/two-dialects/run.sh')], {
      cwd: folder.root,
      env: { ...cleanEnv(folder.where), BATON: `sh ${command}`, PYTHONIOENCODING: 'utf-8' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const [code] = await once(child, 'close')

    assert.equal(code, 0, said)
    const [markdown = '', request = '', made = ''] = said.trim().split('\n').at(-1)?.split(' ') ?? []
    assert.deepEqual(
      [(await folder.show(request)).state, (await folder.show(markdown)).state],
      ['completed', 'in_review'],
    )
    assert.ok(readFileSync(join(folder.root, `_handoffs/active/${markdown}.md`), 'utf8').includes(made))
    assert.deepEqual(folder.json(made), { files: ['ProfilePage.tsx'] })
  })
})
