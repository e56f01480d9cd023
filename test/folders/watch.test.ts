import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, BATON, cleanEnv } from '../support/program/command.ts'
import { acknowledged, active, aHandoffFolder, type HandoffFolder } from './handoffs.ts'
import { aQueueFolder } from './queue.ts'
import { until } from './until.ts'

const TASK = 'BPRD-2026-0042'

/** A command that goes on until it is stopped. */
async function background(
  t: { after(clean: () => void): void },
  folder: Pick<HandoffFolder, 'root' | 'where'>,
  seen: RegExp,
  ...args: string[]
) {
  const child: ChildProcess = spawn(process.execPath, [BATON, ...args], {
    cwd: folder.root,
    env: cleanEnv(folder.where),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  await until(
    () => seen.test(said),
    () => said,
  )
  return { child, said: () => said }
}

const isAcknowledged = (folder: HandoffFolder, id: string) => () =>
  /acknowledged_at: 2/.test(folder.read(active(id)))

/** The same workspace, as a process sees it that knows nothing of folders. */
async function withoutFolders(folder: HandoffFolder, work: () => Promise<unknown>): Promise<void> {
  const file = join(folder.root, 'baton.yaml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/folders:\n {2}- dialect: markdown\n {4}path: _handoffs\n/, ''))
  await work()
  writeFileSync(file, text)
}

describe('folders that are watched', () => {
  it('take in what an agent writes and show what others commit, without anybody asking', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const { child, said } = await background(t, folder, /watching/, 'folders', 'watch', '--as', 'grok')

    folder.edit(id, ...acknowledged('claude'))
    await until(isAcknowledged(folder, id), said)
    await withoutFolders(folder, () => ask(folder.where, 'reject', id, '--as', 'claude', '--reason', 'no'))
    await until(() => !folder.has(active(id)), said)
    child.kill('SIGINT')
    await once(child, 'exit')

    assert.match(said(), /applied\t_handoffs\/active/)
    assert.deepEqual(
      folder.files().map((path) => path.replace(/\d{4}\/\d\d/, 'month')),
      [`archived/month/${id}.md`],
    )
  })

  it('wait for a file whose writer has emptied it and is held up', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const { child, said } = await background(t, folder, /watching/, 'folders', 'watch', '--as', 'grok')
    const path = join(folder.root, active(id))
    const text = readFileSync(path, 'utf8')

    truncateSync(path)
    await pause(600)
    writeFileSync(path, text)
    folder.edit(id, ...acknowledged('claude'))
    await until(isAcknowledged(folder, id), said)
    child.kill('SIGINT')
    await once(child, 'exit')

    assert.deepEqual(folder.files(), [`active/${id}.md`], said())
  })

  it('go on when the folder was taken away and made again', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const { child, said } = await background(t, folder, /watching/, 'folders', 'watch', '--as', 'grok')

    renameSync(join(folder.root, '_handoffs'), join(folder.root, '..', 'away'))
    await until(() => folder.has(active(id)), said)
    folder.edit(id, ...acknowledged('claude'))

    await until(isAcknowledged(folder, id), said)
    child.kill('SIGKILL')
    await once(child, 'exit')
  })

  it('say of a status file that is no text what became of it, once for each version', async (t) => {
    const folder = await aQueueFolder(t)
    const status = join(folder.root, 'context/phase-status.json')
    const { said } = await background(t, folder, /watching/, 'folders', 'watch', '--as', 'grok')
    /** The watcher has looked again, and not only once: it names the file of another. */
    const passes = async (id: string): Promise<void> => {
      folder.put('pending', id, folder.request(id))
      await until(() => said().includes(`new\thandoffs/pending/${id}.json`), said)
    }

    writeFileSync(status, Buffer.from([0xff, 0xfe]))
    await until(() => /refused\t.*phase-status/.test(said()), said)
    await passes('hoff-a')
    writeFileSync(status, Buffer.from([0xff, 0xff]))
    await until(() => /phase-status\.json\.conflict-2/.test(said()), said)
    await passes('hoff-b')

    const lines = said().split('\n')
    assert.deepEqual(
      lines.flatMap((line) => /^(kept beside|refused)\t([^\t]+)/.exec(line)?.slice(1).join(' ') ?? []),
      [
        'kept beside context/phase-status.json.conflict',
        'refused context/phase-status.json',
        'kept beside context/phase-status.json.conflict-2',
      ],
    )
  })

  it('are watched by a server too', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const { child, said } = await background(t, folder, /http:\/\//, 'serve', '--port', '0')

    folder.edit(id, ...acknowledged('claude'))
    await until(isAcknowledged(folder, id), said)
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')

    assert.equal(code, 0, said())
  })
})

describe('a process that died before it wrote the file', () => {
  it('or right after it: its draft goes, and every file has one name again', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const draft = '.baton-0123456789abcdef.tmp'
    const places = [
      [active(id), `_handoffs/active/${draft}`],
      ['_handoffs/_index.yaml', `_handoffs/${draft}`],
      ['_handoffs/.gitignore', '_handoffs/.baton-fedcba9876543210.tmp'],
    ] as const
    for (const [file, left] of places) linkSync(join(folder.root, file), join(folder.root, left))

    folder.edit(id, ...acknowledged('claude'))
    await folder.sync()

    assert.deepEqual(
      places.map(([, left]) => folder.has(left)),
      [false, false, false],
    )
    assert.equal(await folder.state(id), 'accepted')
    assert.match(folder.read('_handoffs/_index.yaml'), /Acknowledged/)
  })

  it('[S0-98] is made good by the next one', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    await withoutFolders(folder, () => ask(folder.where, 'accept', id, '--as', 'claude'))
    assert.match(folder.read(active(id)), /^status: Active$/m)

    await folder.create('BPRD-2026-0077', '--to', 'gemini')

    assert.match(folder.read(active(id)), /^status: Acknowledged$/m)
  })

  it('left an operation without its file: the step is not taken or refused a second time', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    folder.edit(id, ...acknowledged('claude'))
    await withoutFolders(folder, () => ask(folder.where, 'accept', id, '--as', 'claude'))

    await folder.sync()

    assert.equal(await folder.state(id), 'accepted')
    assert.match(folder.read(active(id)), /^acknowledged_at: 2/m)
    assert.deepEqual(folder.files(), [`active/${id}.md`])
  })
})
