import assert from 'node:assert/strict'
import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders, git } from '../support/documents/folders.ts'
import { ask, refusal } from '../support/program/command.ts'
import {
  aQueueFolder,
  artifact,
  failure,
  isUtc,
  PLACES,
  type QueueFolder,
  queueFolderAt,
  response,
} from './queue.ts'

const ID = 'hoff-20260113100000'
const SEND = [
  'send',
  '--as',
  'frontend-specialist',
  '--to',
  'react-specialist',
  '--title',
  'Build UserProfile',
]

const sent = async (folder: QueueFolder, ...more: readonly string[]): Promise<string> =>
  (await ask<{ handoff: { id: string } }>(folder.where, ...SEND, ...more)).handoff.id

describe('the folders of document 001', () => {
  it('[S1-01] [S1-03] are made by init with the three context files, and a removed one is made again', async (t) => {
    const folder = await aQueueFolder(t)

    assert.deepEqual(
      PLACES.map((place) => folder.has(`handoffs/${place}`)),
      [true, true, true, true],
    )
    for (const name of ['project-context', 'tech-stack', 'phase-status'])
      assert.equal(typeof folder.json(`context/${name}.json`), 'object')
    const { rmdirSync } = await import('node:fs')
    rmdirSync(join(folder.root, 'handoffs/failed'))
    await folder.sync()
    assert.ok(folder.has('handoffs/failed'))
  })

  it('[S1-05] may lie below another root, and paths in the files have forward slashes', async (t) => {
    const top = await aQueueFolder(t, (text) => text.replace('path: .', 'path: team'))
    const folder = queueFolderAt(top.root, 'team')
    folder.put('pending', ID, folder.request(ID))
    await folder.sync()
    folder.write('artifacts/phase-13-react/artifact-react-comp-1.json', '{}')
    folder.put('completed', ID, response(folder.file('pending', ID)))
    const { rmSync } = await import('node:fs')
    rmSync(join(top.root, 'team/handoffs/pending', `${ID}.json`))
    await folder.sync()

    assert.equal((await folder.show(ID)).state, 'completed')
    const { artifact_path } = folder.file('completed', ID).output as { artifact_path: string }
    assert.equal(artifact_path, 'artifacts/phase-13-react/artifact-react-comp-1.json')
  })

  it('[S1-62] [S1-63] [S1-111] a request that is sent is a file in pending/ with status pending', async (t) => {
    const folder = await aQueueFolder(t)

    const id = await sent(folder, '--input', '{"component_requirements": []}')

    assert.match(id, /^hoff-\d{3,}-\d{13}$/)
    assert.deepEqual(folder.placesOf(id), ['pending'])
    const { x_baton, timestamp, ...file } = folder.file('pending', id)
    isUtc(timestamp)
    assert.deepEqual(file, {
      handoff_id: id,
      status: 'pending',
      source: { agent_id: '@frontend-specialist', phase: 11, agent_type: 'orchestrator' },
      target: { agent_id: '@react-specialist', phase: 13, agent_type: 'specialist' },
      input: {
        schema: 'react-specialist.input.schema.json',
        data: { component_requirements: [], package: { title: 'Build UserProfile' } },
      },
      timeout_seconds: 300,
      retry_policy: { max_retries: 3, retry_delay_seconds: 30, backoff_multiplier: 2 },
      retry_count: 0,
    })
  })

  it('[S1-06] are files that people can read, two spaces deep', async (t) => {
    const folder = await aQueueFolder(t)
    const id = await sent(folder)

    const text = readFileSync(join(folder.root, `handoffs/pending/${id}.json`), 'utf8')

    assert.equal(text, `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`)
  })

  it('[S1-79] give two requests of the same moment two names, and overwrite nothing', async (t) => {
    const folder = await aQueueFolder(t)

    const ids = await Promise.all(Array.from({ length: 8 }, () => sent(folder)))
    await folder.sync()

    assert.equal(new Set(ids).size, 8)
    assert.deepEqual(folder.names('pending'), ids.map((id) => `${id}.json`).sort())
  })

  it('[S1-03] fill the context of a request from the context files, and what the sender says wins', async (t) => {
    const folder = await aQueueFolder(t)
    folder.write('context/project-context.json', '{"project_id": "proj-007", "name": "Shop"}')
    folder.write('context/tech-stack.json', '{"framework": "React", "version": "18.2"}')

    const plain = await sent(folder)
    const own = await sent(folder, '--data', '{"project_id": "mine"}')

    assert.deepEqual(folder.file('pending', plain).context, {
      project_id: 'proj-007',
      tech_stack: { framework: 'React', version: '18.2' },
    })
    assert.equal((folder.file('pending', own).context as { project_id: string }).project_id, 'mine')
  })

  it('take the phases of agents from baton.yaml', async (t) => {
    const folder = await aQueueFolder(
      t,
      (text) => `${text}\nagents:\n  frontend-specialist: {phase: 9}\n  react-specialist: {phase: 14}\n`,
    )
    const id = await sent(folder)

    const { source, target } = folder.file('pending', id) as Record<string, { phase: number }>

    assert.deepEqual([source?.phase, target?.phase], [9, 14])
  })

  it('[S1-120] phase-status.json follows every step and keeps what others wrote into it', async (t) => {
    const folder = await aQueueFolder(t)
    folder.write('context/phase-status.json', '{"owner": "maria", "phases": {"7": {"status": "completed"}}}')
    const phase = () => (folder.json('context/phase-status.json').phases as Record<string, unknown>)['13']
    folder.put('pending', ID, folder.request(ID))
    await folder.sync()
    const pending = phase()
    folder.move(ID, 'pending', 'in-progress')
    await folder.sync()
    const picked = phase()
    artifact(folder)
    folder.put('in-progress', ID, response(folder.file('in-progress', ID)))
    folder.move(ID, 'in-progress', 'completed')
    await folder.sync()

    const file = folder.json('context/phase-status.json')
    assert.deepEqual(
      [pending, picked, phase()].map((each) => each as { status: string; handoff_id: string }),
      ['pending', 'in_progress', 'completed'].map((status, i) => ({
        status,
        handoff_id: ID,
        updated_at: ([pending, picked, phase()][i] as { updated_at: string }).updated_at,
      })),
    )
    assert.equal(file.owner, 'maria')
    assert.deepEqual((file.phases as Record<string, unknown>)['7'], { status: 'completed' })
  })

  it('[S1-04] to clear handoffs away touches neither context/ nor artifacts/, and an unreadable status file is left', async (t) => {
    const folder = await aQueueFolder(t)
    folder.write('context/phase-status.json', '{"phases": ')
    artifact(folder)
    folder.put('pending', ID, folder.request(ID))
    folder.put('completed', 'hoff-done-1', response(folder.request('hoff-done-1')))

    const happened = await folder.sync()

    assert.equal(readFileSync(join(folder.root, 'context/phase-status.json'), 'utf8'), '{"phases": ')
    assert.ok(happened.some(({ path, what }) => path === 'context/phase-status.json' && what === 'refused'))
    const { rmSync } = await import('node:fs')
    rmSync(join(folder.root, 'handoffs'), { recursive: true })
    await folder.sync()
    assert.ok(existsSync(join(folder.root, 'artifacts/phase-13-react/artifact-react-comp-1.json')))
    assert.deepEqual([folder.placesOf(ID), folder.placesOf('hoff-done-1')], [['pending'], []])
    assert.deepEqual(
      (await folder.sync()).map(({ path, what }) => [path, what]),
      [['context/phase-status.json', 'refused']],
    )
    assert.equal((await folder.show('hoff-done-1')).state, 'completed')
  })
})

describe('a file that a program without Baton puts there', () => {
  it('[S1-07] [S1-119] becomes a handoff from any folder, with every key it brought', async (t) => {
    const folder = await aQueueFolder(t)
    const ids = PLACES.map((_, i) => `hoff-${i + 1}-1705147200000`)
    artifact(folder)
    folder.put('pending', ids[0]!, { ...folder.request(ids[0]!), ours: [1] })
    folder.put('in-progress', ids[1]!, {
      ...folder.request(ids[1]!),
      status: 'in_progress',
      started_at: new Date().toISOString(),
    })
    folder.put('completed', ids[2]!, response(folder.request(ids[2]!)))
    folder.put('failed', ids[3]!, failure(folder.request(ids[3]!), 'no compiler'))

    await folder.sync()

    const states = await Promise.all(ids.map(async (id) => (await folder.show(id)).state))
    assert.deepEqual(states, ['offered', 'in_progress', 'completed', 'failed'])
    assert.deepEqual(
      ids.map((id) => folder.placesOf(id).join()),
      [...PLACES],
    )
    const { x_baton: _, ...pending } = folder.file('pending', ids[0]!)
    assert.deepEqual(pending, { ...folder.request(ids[0]!), ours: [1] })
  })

  it('[S1-121] is refused when its id leaves the folder, and nothing is written elsewhere', async (t) => {
    const folder = await aQueueFolder(t)
    for (const [i, id] of ['../../evil', '/tmp/evil', 'C:\\evil', 'a/../b'].entries())
      folder.put('pending', `odd-${i}`, folder.request(id))

    const happened = await folder.sync()

    assert.deepEqual(
      happened.map(({ what }) => what),
      ['refused', 'refused', 'refused', 'refused'],
    )
    assert.deepEqual(folder.names('in-progress'), [])
    assert.ok(folder.has('handoffs/pending/odd-0.json.problem'))
  })

  it('[S1-121] fails with VALIDATION_FAILED when its artifact lies outside, and when it is not there', async (t) => {
    const folder = await aQueueFolder(t)
    const paths = ['../outside.json', '/etc/passwd', 'artifacts/phase-13-react/none.json']
    for (const [i, artifact_path] of paths.entries()) {
      const id = `hoff-${i}-1`
      folder.put('pending', id, folder.request(id))
      await folder.sync()
      folder.put(
        'pending',
        id,
        response(folder.file('pending', id), { output: { artifact_id: 'x', artifact_path } }),
      )
      folder.move(id, 'pending', 'completed')
      await folder.sync()

      assert.deepEqual(folder.placesOf(id), ['failed'])
      assert.equal((folder.file('failed', id).error as { code: string }).code, 'VALIDATION_FAILED')
    }
  })

  it('[S1-82] waits in the order of priority, then age', async (t) => {
    const folder = await aQueueFolder(t)
    const wanted = [
      ['hoff-a-1', 'low', '2026-01-01T00:00:00Z'],
      ['hoff-b-1', 'normal', '2026-01-03T00:00:00Z'],
      ['hoff-c-1', 'critical', '2026-01-04T00:00:00Z'],
      ['hoff-d-1', 'normal', '2026-01-02T00:00:00Z'],
    ] as const
    for (const [id, priority, timestamp] of wanted) {
      folder.put('pending', id, folder.request(id, { priority, timestamp }))
      const written = new Date(timestamp)
      utimesSync(join(folder.root, `handoffs/pending/${id}.json`), written, written)
    }
    await folder.sync()

    const claimed: string[] = []
    for (const _ of wanted) {
      const { handoff } = await ask<{ handoff: { id: string } }>(
        folder.where,
        ...['handoff', 'claim', '--as', 'react-specialist'],
      )
      claimed.push(handoff.id)
    }

    assert.deepEqual(claimed, ['hoff-c-1', 'hoff-d-1', 'hoff-b-1', 'hoff-a-1'])
    assert.deepEqual(folder.names('pending'), [])
  })

  it('[S1-82] is as old as it says, whenever its file was written and found', async (t) => {
    const folder = await aQueueFolder(t)
    const found = [
      ['hoff-third', '2026-01-03T00:00:00Z'],
      ['hoff-ahead', '2999-01-01T00:00:00Z'],
      ['hoff-second-a', '2026-01-02T00:00:00Z'],
      ['hoff-second-b', '2026-01-02T00:00:00Z'],
      ['hoff-first', '1969-01-01T00:00:00Z'],
    ] as const
    for (const [id, timestamp] of found) {
      folder.put('pending', id, folder.request(id, { timestamp }))
      await folder.sync()
    }

    const { items } = await ask<{ items: { id: string }[] }>(
      folder.where,
      ...['inbox', '--as', 'react-specialist'],
    )
    const { handoff } = await ask<{ handoff: { id: string } }>(
      folder.where,
      ...['handoff', 'claim', '--as', 'react-specialist'],
    )

    assert.deepEqual(
      items.map(({ id }) => id),
      ['hoff-first', 'hoff-second-a', 'hoff-second-b', 'hoff-third', 'hoff-ahead'],
    )
    assert.equal(handoff.id, 'hoff-first')
  })
})

describe('steps of a program without Baton', () => {
  it('[S1-64] picks up by moving the file: status in_progress and started_at follow', async (t) => {
    const folder = await aQueueFolder(t)
    folder.put('pending', ID, folder.request(ID))
    await folder.sync()

    folder.move(ID, 'pending', 'in-progress')
    await folder.sync()

    const { status, started_at } = folder.file('in-progress', ID)
    assert.equal(status, 'in_progress')
    isUtc(started_at)
    const { state, holder } = await folder.show(ID)
    assert.deepEqual([state, holder], ['in_progress', 'react-specialist'])
  })

  for (const [when, isFirst] of [
    ['in the first pass of all', true],
    ['later', false],
  ] as const)
    it(`[A1-07] [S1-64] a file that is first seen in in-progress/ ${when} is brought in step`, async (t) => {
      const root = folders(t).repository('project')
      await ask({ cwd: root }, 'init', '--dialect', 'queue')
      const folder = queueFolderAt(root)
      if (!isFirst) await folder.sync()
      folder.put('in-progress', ID, folder.request(ID))

      await folder.sync()

      const { status, started_at, x_baton } = folder.file('in-progress', ID)
      assert.equal(status, 'in_progress')
      isUtc(started_at)
      assert.deepEqual(Object.keys(x_baton as object), ['uid', 'rev'])
      assert.equal((await folder.show(ID)).state, 'in_progress')
    })

  it('[A1-07] a committed file that says another status than its folder stays, and the doctor notes it', async (t) => {
    const root = folders(t).repository('project')
    await ask({ cwd: root }, 'init', '--dialect', 'queue')
    const folder = queueFolderAt(root)
    folder.put('in-progress', ID, folder.request(ID, { started_at: '2026-01-13T10:00:01Z' }))
    git(root, 'add', '.')
    git(root, 'commit', '-q', '-m', 'one in work')

    await folder.sync()

    assert.equal(folder.file('in-progress', ID).status, 'pending')
    const { findings } = await ask<{ findings: { code: string; path: string }[] }>(
      folder.where,
      'folders',
      'doctor',
    )
    assert.deepEqual(
      findings.map(({ code, path }) => [code, path]),
      [['differs', `handoffs/in-progress/${ID}.json`]],
    )
  })

  it('[S1-113] [S1-78] completes: the answer is kept as written, times are UTC, and both spellings are there', async (t) => {
    const folder = await aQueueFolder(t)
    folder.put('pending', ID, folder.request(ID))
    await folder.sync()
    folder.move(ID, 'pending', 'in-progress')
    await folder.sync()
    artifact(folder)

    folder.put('completed', ID, response(folder.file('in-progress', ID), { metadata: { components: 2 } }))
    const { rmSync } = await import('node:fs')
    rmSync(join(folder.root, `handoffs/in-progress/${ID}.json`))
    await folder.sync()

    const file = folder.file('completed', ID)
    assert.deepEqual(
      [file.status, (file.output as { artifact_id: string }).artifact_id, file.metadata],
      ['completed', 'artifact-react-comp-1', { components: 2 }],
    )
    assert.equal(file.completed_at, file.timestamp_completed)
    for (const key of ['timestamp', 'started_at', 'completed_at']) isUtc(file[key])
    const { result } = await ask<{ result: { validation: { coverage_percentage: number } } }>(
      folder.where,
      'show',
      ID,
    )
    assert.equal(result.validation.coverage_percentage, 87)
  })

  it('[S1-66] [S1-114] [S1-107] fails: the error is kept, retry_count is 0, and it comes back by itself', async (t) => {
    const folder = await aQueueFolder(t)
    folder.put('pending', ID, folder.request(ID))
    await folder.sync()
    folder.move(ID, 'pending', 'in-progress')
    await folder.sync()

    folder.put('in-progress', ID, failure(folder.file('in-progress', ID), 'the compiler is down'))
    folder.move(ID, 'in-progress', 'failed')
    await folder.sync()

    const file = folder.file('failed', ID)
    assert.deepEqual(folder.placesOf(ID), ['failed'])
    const { timestamp: _, ...error } = file.error as Record<string, unknown>
    assert.deepEqual(error, { code: 'PROCESSING_ERROR', message: 'the compiler is down', severity: 'error' })
    assert.deepEqual(
      [file.status, file.retry_count, file.retry_available, file.max_retries],
      ['failed', 0, true, 3],
    )
    assert.ok(Date.parse(String(file.not_before)) - Date.parse(String(file.failed_at)) >= 29_000)
    assert.equal((await folder.show(ID)).state, 'retry_wait')
  })

  it('[S1-77] [S1-108] returns to pending/ with retry_count 1 and its history when the sender asks again', async (t) => {
    const folder = await aQueueFolder(t)
    folder.put(
      'pending',
      ID,
      folder.request(ID, { retry_policy: { max_retries: 1, retry_delay_seconds: 0 } }),
    )
    await folder.sync()
    folder.put('pending', ID, failure(folder.file('pending', ID), 'no network'))
    folder.move(ID, 'pending', 'failed')
    await folder.sync()
    // Without a delay it is due at once.
    await folder.sync()

    const again = folder.file('pending', ID)
    assert.deepEqual(folder.placesOf(ID), ['pending'])
    assert.deepEqual(
      [again.status, again.retry_count, again.error, again.started_at],
      ['pending', 1, undefined, undefined],
    )
    const [before] = again.retry_history as { attempt: number; error: { message: string } }[]
    assert.deepEqual([before?.attempt, before?.error.message], [1, 'no network'])
    folder.put('pending', ID, failure(again, 'no network still'))
    folder.move(ID, 'pending', 'failed')
    await folder.sync()
    const last = folder.file('failed', ID)
    assert.deepEqual([last.retry_count, last.retry_available], [1, false])

    folder.move(ID, 'failed', 'pending')
    await folder.sync()
    assert.equal((await folder.show(ID)).attempt, 2)
    assert.deepEqual(folder.placesOf(ID), ['failed'])
  })

  it('goes from pending/ to completed/ in one look, and both steps are in the log', async (t) => {
    const folder = await aQueueFolder(t)
    folder.put('pending', ID, folder.request(ID))
    await folder.sync()
    artifact(folder)
    folder.put('pending', ID, response(folder.file('pending', ID)))
    folder.move(ID, 'pending', 'completed')
    await folder.sync()

    const { timeline } = await ask<{ timeline: { act: string; auth: string }[] }>(folder.where, 'show', ID)
    const acts = timeline.map(({ act }) => act).filter((act) => act.startsWith('handoff.'))
    assert.deepEqual(acts, ['handoff.send', 'handoff.accept', 'handoff.submit'])
    assert.ok(timeline.every(({ auth }) => auth === 'file'))
  })

  it('[S1-49] an answer with failing tests is a VALIDATION_FAILED, not a completion', async (t) => {
    const folder = await aQueueFolder(t)
    folder.put('pending', ID, folder.request(ID))
    await folder.sync()
    artifact(folder)
    folder.put('pending', ID, response(folder.file('pending', ID), { validation: { tests_passing: false } }))
    folder.move(ID, 'pending', 'completed')
    await folder.sync()

    assert.deepEqual(folder.placesOf(ID), ['failed'])
    const { code, message } = folder.file('failed', ID).error as { code: string; message: string }
    assert.equal(code, 'VALIDATION_FAILED')
    assert.match(message, /tests are failing/)
  })

  it('[S1-96] [S1-60] input that the schema of its name refuses fails when it is picked up', async (t) => {
    const folder = await aQueueFolder(t)
    const schema = { type: 'object', required: ['pages'] }
    folder.write('schemas/react-specialist.input.schema.json', JSON.stringify(schema))
    folder.put('pending', ID, folder.request(ID))
    await folder.sync()
    folder.move(ID, 'pending', 'in-progress')
    await folder.sync()

    const { error, validation } = folder.file('failed', ID) as Record<string, Record<string, unknown>>
    assert.deepEqual(
      [error?.code, error?.message],
      ['SCHEMA_VALIDATION_FAILED', "Input validation failed: input is missing required field 'pages'"],
    )
    assert.equal(validation?.status, 'failed')
  })

  it('[S1-100] output that its schema refuses is a VALIDATION_FAILED', async (t) => {
    const folder = await aQueueFolder(t)
    const schema = { type: 'object', required: ['stories'] }
    folder.write('schemas/react-specialist.output.schema.json', JSON.stringify(schema))
    const expected_output = { schema: 'react-specialist.output.schema.json' }
    folder.put('pending', ID, folder.request(ID, { expected_output }))
    await folder.sync()
    artifact(folder)
    folder.put('pending', ID, response(folder.file('pending', ID)))
    folder.move(ID, 'pending', 'completed')
    await folder.sync()

    const { error } = folder.file('failed', ID) as Record<string, Record<string, unknown>>
    assert.deepEqual(
      [error?.code, error?.message],
      ['VALIDATION_FAILED', "Output validation failed: output is missing required field 'stories'"],
    )
  })

  it('[S1-109] [S1-99] a tech stack that was never made fails the pick-up, on either side', async (t) => {
    const folder = await aQueueFolder(t)
    const context = { project_id: 'p', tech_stack_artifact_id: 'artifact-tech-stack-001' }
    for (const id of ['hoff-1-1', 'hoff-2-1', 'hoff-3-1'])
      folder.put('pending', id, folder.request(id, { context }))
    await folder.sync()

    folder.move('hoff-1-1', 'pending', 'in-progress')
    await folder.sync()
    const { code } = await refusal(folder.where, 'accept', 'hoff-2-1', '--as', 'react-specialist')
    assert.equal(code, 'failed')
    folder.write('artifacts/phase-07-tech-stack/artifact-tech-stack-001.json', '{}')
    folder.move('hoff-3-1', 'pending', 'in-progress')
    await folder.sync()

    for (const id of ['hoff-1-1', 'hoff-2-1'])
      assert.deepEqual(
        (folder.file('failed', id).error as { message: string }).message,
        'Required artifact not found: artifact-tech-stack-001',
      )
    assert.deepEqual(folder.placesOf('hoff-3-1'), ['in-progress'])
  })

  it('[S1-81] a file whose receiver was changed on the way is put back, and its sender has a notice', async (t) => {
    const folder = await aQueueFolder(t)
    folder.put('pending', ID, folder.request(ID))
    await folder.sync()
    const target = { agent_id: '@dotnet-specialist', phase: 14, agent_type: 'specialist' }
    folder.put('pending', ID, { ...folder.file('pending', ID), target })
    folder.move(ID, 'pending', 'in-progress')

    await folder.sync()

    assert.deepEqual(folder.placesOf(ID), ['pending'])
    assert.match(
      readFileSync(join(folder.root, `handoffs/in-progress/${ID}.json.problem`), 'utf8'),
      /target\.agent_id cannot be changed/,
    )
    await refusal(folder.where, 'accept', ID, '--as', 'dotnet-specialist')
  })

  it('completed work does not come back by hand', async (t) => {
    const folder = await aQueueFolder(t)
    artifact(folder)
    folder.put('completed', ID, response(folder.request(ID)))
    await folder.sync()

    folder.move(ID, 'completed', 'pending')
    await folder.sync()

    assert.deepEqual(folder.placesOf(ID), ['completed'])
    assert.equal((await folder.show(ID)).state, 'completed')
  })
})
