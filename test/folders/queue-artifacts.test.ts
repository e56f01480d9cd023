import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { overStdio } from '../mcp/agents.ts'
import { ask, cleanEnv, quick, refusal } from '../support/program/command.ts'
import { startServer } from '../support/servers/servers.ts'
import { aQueueFolder, artifact, type QueueFolder, response } from './queue.ts'

type Answer = { readonly handoff: { readonly state: string } }

const INDEX = join(import.meta.dirname, '../../src/index.ts')
const MADE = 'artifacts/phase-13-react/artifact-react-comp-1.json'
const GONE = 'artifacts/gone.json'
const ME = ['--as', 'react-specialist'] as const
const listed = (path: string) => ({ artifacts: [{ path, role: 'output' }] })
const named = (path: string) => ({ output: { artifact_id: 'x', artifact_path: path } })

/** A request in `in-progress/`, picked up by its specialist. */
async function taken(folder: QueueFolder, more: object = {}, id = 'hoff-1-1'): Promise<string> {
  folder.put('pending', id, folder.request(id, { ...more }))
  await folder.sync()
  await ask(folder.where, 'accept', id, ...ME)
  return id
}

/** Runs a program in the project as a user of `batonpass` would; answers what it printed as JSON. */
async function run(folder: QueueFolder, body: string): Promise<unknown> {
  const program = `import { openBaton } from ${JSON.stringify(INDEX)}\nconst baton = await openBaton()\n${body}\nawait baton.close()`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    cwd: folder.root,
    env: cleanEnv(folder.where),
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code] = await once(child, 'close')
  assert.equal(code, 0, said)
  return JSON.parse(said)
}

interface Refused {
  readonly code: string
  readonly message: string
}

/** Each surface with what it says when the work is handed in. */
const SURFACES: Readonly<
  Record<string, (t: TestContext, folder: QueueFolder, id: string, result: object) => Promise<Refused>>
> = {
  'the command line': async (_, folder, id, result) => {
    const given = Object.entries(result).flatMap(([name, value]) =>
      name === 'output' ? ['--output', JSON.stringify(value)] : ['--artifact', value[0].path],
    )
    return refusal(folder.where, 'submit', id, ...ME, ...given)
  },
  TypeScript: async (_, folder, id, result) =>
    (await run(
      folder,
      `await baton.as('react-specialist').submit('${id}', ${JSON.stringify(result)}).then(
         ({ state }) => console.log(JSON.stringify({ code: state })),
         ({ code, message }) => console.log(JSON.stringify({ code, message })))`,
    )) as Refused,
  HTTP: async (t, folder, id, result) => {
    const made = ['token', 'create', '--agent', 'react-specialist', '--scope', '*']
    const { secret } = await ask<{ secret: string }>(folder.where, ...made)
    const { url } = await startServer(t, folder.where)
    const answer = await fetch(`${url}/v1/handoffs/${id}/submit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(result),
    })
    const { code, detail } = (await answer.json()) as { code: string; detail: string }
    return { code, message: detail }
  },
  MCP: async (t, folder, id, result) => {
    const agent = await overStdio(t, folder.where, ['--agent', 'react-specialist'])
    const { code, text } = await agent.refused('handoff_submit', { id, ...result })
    return { code, message: text }
  },
}

describe('an artifact of document 001', () => {
  for (const [name, handIn] of Object.entries(SURFACES))
    it(`[S1-48] [S1-121] that is not there, or outside, is not handed in by ${name}`, async (t) => {
      const folder = await aQueueFolder(t)
      const id = await taken(folder)

      const missing = await handIn(t, folder, id, listed(GONE))
      const outside = await handIn(t, folder, id, named('../../x.json'))

      assert.deepEqual([missing.code, outside.code], ['unmet', 'unmet'])
      assert.match(missing.message, /there is no artifact at artifacts\/gone\.json/)
      assert.match(outside.message, /"\.\.\/\.\.\/x\.json" leaves the project/)
      await folder.sync()
      assert.deepEqual(folder.placesOf(id), ['in-progress'])
    })

  it('[S1-48] [S1-100] that a specialist names and that is not there fails the attempt with VALIDATION_FAILED', async (t) => {
    const folder = await aQueueFolder(t)

    const failures = await run(
      folder,
      `await baton.specialist('react-specialist', {}, async ({ input }) => ({ artifact: { id: 'x', path: input } }))
       const failures = []
       for (const input of ['${GONE}', '../../x'])
         await (await baton.as('maria').send({ to: 'react-specialist', title: 'x', home: 'queue', input }))
           .wait({ timeout_s: 20 }).then(({ handoff }) => failures.push(handoff.state), (error) => failures.push(error.message))
       console.log(JSON.stringify(failures))`,
    )

    assert.match(String((failures as string[])[0]), /there is no artifact at artifacts\/gone\.json/)
    assert.match(String((failures as string[])[1]), /leaves the project/)
    const [first = ''] = folder.names('failed')
    const { error } = folder.json(`handoffs/failed/${first}`) as { error: { code: string } }
    assert.equal(error.code, 'VALIDATION_FAILED')
    assert.deepEqual(folder.names('completed'), [])
  })

  it('[S1-65] that is there, or stored to be put there, is handed in by any surface', async (t) => {
    const folder = await aQueueFolder(t)
    const id = await taken(folder)
    const other = await taken(folder, {}, 'hoff-2-1')
    const stored = 'artifacts/phase-13-react/artifact-api-1.json'
    const content = Buffer.from('{"files": []}').toString('base64')
    artifact(folder)

    await ask(folder.where, 'submit', id, ...ME, '--artifact', MADE)
    const more = ['--role', 'output', '--handoff', other, '--content', content]
    await ask(folder.where, 'artifact', 'put', stored, ...ME, ...more)
    await ask(folder.where, 'submit', other, ...ME, '--artifact', stored)
    await folder.sync()

    assert.deepEqual([folder.placesOf(id), folder.placesOf(other)], [['completed'], ['completed']])
    assert.deepEqual(folder.json(stored), { files: [] })
  })

  it('[S1-121] that a link leads out of the project to is not there', async (t) => {
    const folder = await aQueueFolder(t)
    const id = await taken(folder)
    mkdirSync(join(folder.root, '../elsewhere'))
    writeFileSync(join(folder.root, '../elsewhere/x.json'), '{}')
    symlinkSync('../../elsewhere', join(folder.root, 'artifacts/out'))
    symlinkSync('../../elsewhere/x.json', join(folder.root, 'artifacts/x.json'))
    const stored = 'artifacts/out/made.json'
    const more = ['--role', 'output', '--handoff', id, '--content', 'e30=']
    await ask(folder.where, 'artifact', 'put', stored, ...ME, ...more)

    for (const path of ['artifacts/out/x.json', 'artifacts/x.json', stored]) {
      const { code, message } = await refusal(folder.where, 'submit', id, ...ME, '--artifact', path)
      assert.deepEqual([code, message.includes(`no artifact at ${path}`)], ['unmet', true])
    }
  })

  it('[S1-28] [S1-100] is held against the schema of the request, also when it is handed in by an operation', async (t) => {
    const folder = await aQueueFolder(t)
    const schema = 'react-specialist.output.schema.json'
    folder.write(`schemas/${schema}`, JSON.stringify({ type: 'object', required: ['stories'] }))
    const id = await taken(folder, { expected_output: { artifact_type: 'react-components', schema } })
    artifact(folder)

    const { code, message } = await refusal(folder.where, 'submit', id, ...ME, '--artifact', MADE)
    folder.write(MADE, '{"stories": []}')
    const { handoff } = await ask<Answer>(folder.where, 'submit', id, ...ME, '--artifact', MADE)

    assert.equal(code, 'unmet')
    assert.match(message, /missing required field 'stories'/)
    assert.equal(handoff.state, 'completed')
  })

  it('[S1-48] that was changed or read need not be there, only what was made', async (t) => {
    const folder = await aQueueFolder(t)
    const id = await taken(folder)
    artifact(folder)

    const state = await run(
      folder,
      `const artifacts = [{ path: '${MADE}', role: 'output' }, { path: 'src/old.ts', role: 'changed' }]
       const { handoff } = await baton.as('react-specialist').submit('${id}', { artifacts })
       console.log(JSON.stringify(handoff.state))`,
    )

    assert.equal(state, 'completed')
  })

  it('[S1-48] is looked for when delegated work is returned', async (t) => {
    const folder = await aQueueFolder(t)
    const sent = await ask<{ handoff: { id: string } }>(
      folder.where,
      ...['send', '--as', 'maria', '--to', 'react-specialist', '--title', 'x', '--type', 'delegation'],
    )
    const { id } = sent.handoff
    await ask(folder.where, 'accept', id, ...ME)
    const back = [
      ...['send', ...ME, '--to', 'maria', '--title', 'Done', '--type', 'return', '--home', 'package'],
      ...['--in-reply-to', id, '--summary', 'The component is there and tested'],
    ]

    const refused = await refusal(folder.where, ...back, '--artifact', GONE)
    artifact(folder)
    await ask(folder.where, ...back, '--artifact', MADE)

    assert.deepEqual([refused.code, /no artifact at/.test(refused.message)], ['unmet', true])
    assert.equal((await folder.show(id)).state, 'completed')
  })

  it('[S1-48] is looked for when work is completed whose file said it before', async (t) => {
    const folder = await aQueueFolder(t)
    const id = 'hoff-1-1'
    folder.put('in-progress', id, response(folder.request(id), { status: 'in_progress' }))
    await folder.sync()

    const { code, message } = await refusal(folder.where, 'handoff', 'complete', id, ...ME)
    artifact(folder)
    const { handoff } = await ask<Answer>(folder.where, 'handoff', 'complete', id, ...ME)

    assert.deepEqual([code, /no artifact at/.test(message), handoff.state], ['unmet', true, 'completed'])
  })

  it('of a workspace without the folder is not looked for', async (t) => {
    const folder = await aQueueFolder(t)
    folder.write('baton.yaml', 'dialect: queue\n')
    await ask(
      folder.where,
      'send',
      '--as',
      'maria',
      '--to',
      'react-specialist',
      '--title',
      'x',
      '--alias',
      'x-1',
    )
    await ask(folder.where, 'accept', 'x-1', ...ME)

    const { code, stderr } = await quick(folder.where, 'submit', 'x-1', ...ME, '--artifact', GONE)

    assert.equal(code, 0, stderr)
    assert.equal((await folder.show('x-1')).state, 'completed')
  })

  it('[S1-42] [S1-84] has one id: in the answer, in the response and in the name of its file', async (t) => {
    const folder = await aQueueFolder(t)

    const [id, output] = (await run(
      folder,
      `await baton.specialist('react-specialist', {}, async (work) => ({ artifact: await work.artifact('react', {}) }))
       const sent = await baton.as('frontend-specialist').send({ to: 'react-specialist', title: 'Build', home: 'queue' })
       console.log(JSON.stringify([sent.id, (await sent.wait()).output]))`,
    )) as [string, Record<string, string>]

    await folder.sync()
    const file = folder.file('completed', id).output as Record<string, string>
    assert.match(output.artifact_id ?? '', /^artifact-react-\d+$/)
    assert.equal(output.artifact_path, `artifacts/phase-13-react/${output.artifact_id}.json`)
    assert.partialDeepStrictEqual(file, output)
  })

  it('[S1-42] [S1-84] has one id also where its bytes are no JSON', async (t) => {
    const folder = await aQueueFolder(t)

    const [id, output] = (await run(
      folder,
      `await baton.specialist('react-specialist', {}, async (work) => ({ artifact: await work.artifact('picture', new Uint8Array([1, 2])) }))
       const sent = await baton.as('frontend-specialist').send({ to: 'react-specialist', title: 'Draw', home: 'queue' })
       console.log(JSON.stringify([sent.id, (await sent.wait()).output]))`,
    )) as [string, Record<string, string>]

    await folder.sync()
    assert.equal(output.artifact_id, output.artifact_path?.split('/').at(-1))
    assert.partialDeepStrictEqual(folder.file('completed', id).output as object, output)
  })
})
