import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ask, quick, refusal } from '../support/program/command.ts'
import { aQueueFolder, artifact, type Json, PLACES, type QueueFolder, response } from './queue.ts'

const ID = 'hoff-20260113100000'
const MADE = 'artifact-react-comp-1'
const FILE = `artifacts/phase-13-react/${MADE}.json`
const STACK = 'artifact-tech-stack-001'
const REGISTRY = 'artifacts/registry.json'
const stackOf = (id: string) => ({ context: { project_id: 'p', tech_stack_artifact_id: id } })

const sha256 = (folder: QueueFolder, path: string): string =>
  createHash('sha256')
    .update(readFileSync(join(folder.root, path)))
    .digest('hex')

const entries = (folder: QueueFolder): Record<string, Json> =>
  folder.json(REGISTRY).artifacts as Record<string, Json>

interface Finding {
  readonly code: string
  readonly path: string
  readonly note: boolean
}

async function doctor(folder: QueueFolder, ...more: readonly string[]) {
  const { stdout } = await quick(folder.where, 'folders', 'doctor', ...more, '--json')
  return JSON.parse(stdout) as { clean: boolean; findings: Finding[]; left?: Finding[] }
}

/** A request that another program picks up and answers with an artifact. */
async function handedIn(folder: QueueFolder, id = ID, more: Json = {}): Promise<void> {
  folder.put('pending', id, folder.request(id, more))
  await folder.sync()
  folder.move(id, 'pending', 'in-progress')
  await folder.sync()
  artifact(folder)
  folder.put('in-progress', id, response(folder.file('in-progress', id)))
  folder.move(id, 'in-progress', 'completed')
  await folder.sync()
}

/** The file went to failed/, and neither a page, a copy, a notice nor an entry says that somebody wrote a wrong one. */
async function nobodyIsBlamed(folder: QueueFolder): Promise<void> {
  assert.deepEqual(folder.placesOf(ID), ['failed'])
  for (const place of PLACES)
    assert.deepEqual(folder.names(place), place === 'failed' ? [`${ID}.json`] : [], place)
  const { notices } = await ask<{ notices: unknown[] }>(folder.where, 'inbox', '--as', 'react-specialist')
  assert.deepEqual(notices, [])
  const { items } = await ask<{ items: { act: string }[] }>(folder.where, 'audit', 'log')
  assert.ok(!items.some(({ act }) => act === 'file.refused'))
}

describe('artifacts/registry.json', () => {
  it('[S1-02] [S1-41] [S1-42] says of what was handed in what it is, where it lies and what it was made from', async (t) => {
    const folder = await aQueueFolder(t)
    folder.write(`artifacts/phase-07-tech-stack/${STACK}.json`, '{}')

    await handedIn(folder, ID, stackOf(STACK))

    const { created_at, ...entry } = entries(folder)[MADE]!
    assert.match(String(created_at), /Z$/)
    assert.deepEqual(entry, {
      artifact_id: MADE,
      artifact_type: 'react-components',
      phase: 13,
      file: FILE,
      sha256: sha256(folder, FILE),
      dependencies: [STACK],
      lifecycle: 'ready',
      handoff_id: ID,
    })
    const { result } = await ask<{ result: { artifacts: { sha256: string }[] } }>(folder.where, 'show', ID)
    assert.equal(result.artifacts[0]?.sha256, sha256(folder, FILE))
    assert.equal((await doctor(folder)).clean, true)
  })

  it('[S1-84] has what a specialist of Baton hands in, too', async (t) => {
    const folder = await aQueueFolder(t)
    const { create_handoff_request, process_handoff_request } = await import('../../src/queue.ts')
    const options = { cwd: folder.root, print: () => undefined }
    const id = await create_handoff_request('frontend-specialist', 'react-specialist', {}, options)
    artifact(folder)

    await process_handoff_request(id, () => ({ id: MADE, path: FILE, type: 'react-components' }), options)

    const { lifecycle, handoff_id, sha256: hash, phase } = entries(folder)[MADE]!
    assert.deepEqual([lifecycle, handoff_id, hash, phase], ['ready', id, sha256(folder, FILE), 13])
  })

  it('[S1-109] [S1-99] shows what a request waits for before it is made, and the pick-up fails without it', async (t) => {
    const folder = await aQueueFolder(t)
    folder.put('pending', ID, folder.request(ID, stackOf(STACK)))
    await folder.sync()

    const waiting = entries(folder)[STACK]
    folder.move(ID, 'pending', 'in-progress')
    await folder.sync()

    assert.deepEqual(waiting, { artifact_id: STACK, dependencies: [], lifecycle: 'draft' })
    const { code, message } = folder.file('failed', ID).error as { code: string; message: string }
    assert.deepEqual([code, message], ['DEPENDENCY_MISSING', `Required artifact not found: ${STACK}`])
  })

  for (const command of ['accept', 'claim'])
    it(`[S1-109] [S1-99] ${command} says what is not there, and blames nobody for the file that it moved`, async (t) => {
      const folder = await aQueueFolder(t)
      folder.put('pending', ID, folder.request(ID, stackOf(STACK)))
      await folder.sync()

      const words = command === 'accept' ? ['accept', ID] : ['handoff', 'claim']
      const { exit, code, message } = await refusal(folder.where, ...words, '--as', 'react-specialist')
      await folder.sync()

      assert.deepEqual(
        [exit, code, message],
        [
          16,
          'failed',
          `${ID} cannot be begun: DEPENDENCY_MISSING: Required artifact not found: ${STACK}; Generate dependency first`,
        ],
      )
      await nobodyIsBlamed(folder)
    })

  it('[S1-109] a file outside of artifacts/ that is not there fails the pick-up in the same way', async (t) => {
    const folder = await aQueueFolder(t)
    const input = {
      schema: 'none.json',
      data: { package: { artifacts: [{ path: 'docs/a.md', role: 'input' }] } },
    }
    folder.put('pending', ID, folder.request(ID, { input }))
    await folder.sync()

    const { message } = await refusal(folder.where, 'accept', ID, '--as', 'react-specialist')
    await folder.sync()

    assert.match(message, /DEPENDENCY_MISSING: Required artifact not found: docs\/a\.md/)
    await nobodyIsBlamed(folder)
  })

  it('[S1-109] a file of the package that is not there is a DEPENDENCY_MISSING as well', async (t) => {
    const folder = await aQueueFolder(t)
    const artifacts = [{ path: `artifacts/phase-07-tech-stack/${STACK}.json`, role: 'input' }]
    const input = { schema: 'react-specialist.input.schema.json', data: { package: { artifacts } } }
    for (const id of ['hoff-1-1', 'hoff-2-1']) folder.put('pending', id, folder.request(id, { input }))
    await folder.sync()
    const isAwaited = entries(folder)[STACK]?.lifecycle

    folder.move('hoff-1-1', 'pending', 'in-progress')
    await folder.sync()
    folder.write(`artifacts/phase-07-tech-stack/${STACK}.json`, '{}')
    folder.move('hoff-2-1', 'pending', 'in-progress')
    await folder.sync()

    assert.equal(isAwaited, 'draft')
    assert.equal((folder.file('failed', 'hoff-1-1').error as { code: string }).code, 'DEPENDENCY_MISSING')
    assert.deepEqual(folder.placesOf('hoff-2-1'), ['in-progress'])
  })

  it('[S1-109] leads to an artifact whose file has another name', async (t) => {
    const folder = await aQueueFolder(t)
    const file = 'artifacts/phase-07-tech-stack/chosen.json'
    folder.write(file, '{"framework": "React"}')
    folder.write(REGISTRY, JSON.stringify({ artifacts: { [STACK]: { artifact_id: STACK, file } } }))
    folder.write(
      'artifacts/phase-07-tech-stack/x.json',
      JSON.stringify({ artifact_id: 'x', artifact_type: 'notes', lifecycle: 'ready' }),
    )
    folder.put('pending', ID, folder.request(ID, stackOf(STACK)))
    await folder.sync()

    folder.move(ID, 'pending', 'in-progress')
    await folder.sync()

    assert.deepEqual(folder.placesOf(ID), ['in-progress'])
    const { artifact_type, lifecycle, phase } = entries(folder).x!
    assert.deepEqual([artifact_type, lifecycle, phase], ['notes', 'ready', 7])
    folder.write(REGISTRY, JSON.stringify({ artifacts: { [STACK]: { file: '../../etc/passwd' } } }))
    folder.put('pending', 'hoff-2-1', folder.request('hoff-2-1', stackOf('artifact-none-1')))
    await folder.sync()
    folder.move('hoff-2-1', 'pending', 'in-progress')
    await folder.sync()
    assert.deepEqual(folder.placesOf('hoff-2-1'), ['failed'])
  })

  it('[S1-48] tells what was changed or taken away since it was handed in, and the doctor says so', async (t) => {
    const folder = await aQueueFolder(t)
    await handedIn(folder)
    const before = sha256(folder, FILE)
    folder.write(FILE, '{"files": ["Another.tsx"]}\n')

    const found = await doctor(folder)
    await doctor(folder, '--fix')
    const changed = entries(folder)[MADE]
    rmSync(join(folder.root, FILE))
    await folder.sync()

    assert.equal(found.clean, false)
    assert.deepEqual(
      found.findings.map(({ code, path, note }) => [code, path, note]),
      [
        ['artifact', FILE, true],
        ['index', REGISTRY, false],
      ],
    )
    assert.deepEqual([changed?.lifecycle, changed?.sha256], ['superseded', before])
    assert.equal(entries(folder)[MADE]?.lifecycle, 'archived')
    const after = await doctor(folder)
    assert.deepEqual([after.clean, after.findings.map(({ code }) => code)], [true, ['artifact']])
  })

  it('[S1-48] the doctor does not say in one breath that an artifact is gone and that all agree', async (t) => {
    const folder = await aQueueFolder(t)
    await handedIn(folder)
    const said = async (...words: readonly string[]) => (await quick(folder.where, ...words)).stdout
    const before = [await said('folders', 'doctor'), await said('doctor')]
    rmSync(join(folder.root, FILE))
    await folder.sync()

    const after = [await said('folders', 'doctor'), await said('doctor')]

    for (const text of before) assert.match(text, /engine agree/)
    for (const text of after) assert.doesNotMatch(text, /agree/)
    assert.match(after[0]!, /handed it in, and it is gone.*\n.*nothing to repair; 1 note above/)
    assert.match(after[1]!, /nothing to repair in the live folders; 1 note, see: baton folders doctor/)
  })

  it('[S1-04] is made again from what is there, in the same words, and keeps what others wrote into it', async (t) => {
    const folder = await aQueueFolder(t)
    await handedIn(folder)
    const whole = folder.json(REGISTRY)
    rmSync(join(folder.root, REGISTRY))
    await folder.sync()
    const again = folder.json(REGISTRY)

    const mine = {
      owner: 'maria',
      artifacts: { [MADE]: { review: 'fine' }, 'artifact-x-1': { note: 'mine' } },
    }
    folder.write(REGISTRY, JSON.stringify(mine))
    await folder.sync()

    assert.deepEqual(again, whole)
    const { owner } = folder.json(REGISTRY)
    assert.deepEqual([owner, entries(folder)['artifact-x-1']], ['maria', { note: 'mine' }])
    const { review, lifecycle } = entries(folder)[MADE]!
    assert.deepEqual([review, lifecycle], ['fine', 'ready'])
    rmSync(join(folder.root, '.baton/folders.db'))
    rmSync(join(folder.root, REGISTRY))
    await folder.sync()
    assert.deepEqual(folder.json(REGISTRY), whole)
  })

  it('[S1-119] has what somebody puts into a phase, and notices when it goes', async (t) => {
    const folder = await aQueueFolder(t)
    const path = 'artifacts/phase-14-dotnet/artifact-api-1.json'
    const said = { artifact_id: 'artifact-api-1', artifact_type: 'api', dependencies: [STACK] }
    folder.write(path, JSON.stringify(said))
    await folder.sync()
    const there = entries(folder)['artifact-api-1']

    renameSync(join(folder.root, path), join(folder.root, 'elsewhere.json'))
    await doctor(folder, '--fix')

    assert.deepEqual(there, {
      ...said,
      phase: 14,
      file: path,
      sha256: createHash('sha256').update(JSON.stringify(said)).digest('hex'),
      lifecycle: 'draft',
    })
    assert.equal(entries(folder)['artifact-api-1']?.lifecycle, 'archived')
  })

  it('is left alone where it cannot be read, follows no link, and is not written for nothing', async (t) => {
    const folder = await aQueueFolder(t)
    const isThere = existsSync(join(folder.root, REGISTRY))
    folder.write(REGISTRY, '{"artifacts": ')
    folder.write('secret.json', '{"artifact_id": "artifact-secret-1"}')
    folder.write('artifacts/phase-13-react/artifact-a-1.json', '{}')
    symlinkSync('..', join(folder.root, 'artifacts/phase-15-out'))
    symlinkSync('../../secret.json', join(folder.root, 'artifacts/phase-13-react/artifact-secret-1.json'))

    const happened = await folder.sync()
    const kept = readFileSync(join(folder.root, REGISTRY), 'utf8')
    rmSync(join(folder.root, REGISTRY))
    await folder.sync()
    const odd = {
      'artifact-o-1': { file: 'artifacts//x' },
      'artifact-o-2': { file: 'artifacts/phase-15-out/a' },
    }
    folder.write(REGISTRY, JSON.stringify({ artifacts: { ...entries(folder), ...odd } }))
    folder.put('pending', ID, folder.request(ID, stackOf('artifact-o-1')))
    await doctor(folder, '--fix')

    assert.equal(isThere, false)
    assert.ok(happened.some(({ path, what }) => path === REGISTRY && what === 'refused'))
    assert.equal(kept, '{"artifacts": ')
    assert.deepEqual(Object.keys(entries(folder)).sort(), ['artifact-a-1', ...Object.keys(odd)])
  })
})
