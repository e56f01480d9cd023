import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { aQueueFolder, type Json, type Place, type QueueFolder } from '../folders/queue.ts'
import { until } from '../folders/until.ts'
import { aWatcher } from '../folders/watcher.ts'
import { ask, cleanEnv, refusal } from '../support/program/command.ts'

const SCRIPT = join(import.meta.dirname, 'document_001.py')
const QUEUE = join(import.meta.dirname, '../../src/queue.ts')
const cleaning: (() => void)[] = []

/** Document 001, done by programs that do not know Baton, beside a watcher. */
describe('J11: document 001 by hand', () => {
  let folder: QueueFolder
  before(async () => {
    const later = { after: (clean: () => void) => void cleaning.push(clean) }
    folder = await aQueueFolder(later)
    await aWatcher(later, folder.where)
  })
  after(() => {
    for (const clean of cleaning.reverse()) clean()
  })

  /** One program; answers what it printed. */
  const python = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync('python3', [SCRIPT, ...args], {
      cwd: folder.root,
      env: cleanEnv(folder.where),
      encoding: 'utf8',
    })
    assert.equal(status, 0, `${args.join(' ')}: ${stderr}`)
    return stdout
  }
  /** Until Baton has written the file there: with its mark, or with what it is asked for. */
  const settled = (place: Place, id: string, is: (file: Json) => boolean = () => true) =>
    until(
      () => {
        if (!folder.placesOf(id).includes(place)) return false
        try {
          const file = folder.file(place, id)
          return file.x_baton !== undefined && is(file)
        } catch {
          // It is just being written.
          return false
        }
      },
      () => `${id} is in ${folder.placesOf(id).join()}; ${pages().join()}`,
    )
  const pages = (): readonly string[] =>
    readdirSync(join(folder.root, 'handoffs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(?:problem|conflict)/.test(name),
    )
  /** What a program of `batonpass/queue` gets that waits for a handoff. */
  const waited = async (id: string): Promise<Json> => {
    const program = `import { wait_for_handoff_completion as wait } from ${JSON.stringify(QUEUE)}
      const answer = await wait('${id}', 60).catch((error) => ({ [error.constructor.name]: error.message }))
      process.stdout.write(JSON.stringify(answer))`
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      cwd: folder.root,
      env: cleanEnv(folder.where),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    await once(child, 'close')
    return JSON.parse(said)
  }

  it('[S1-65] [S1-87] the response of section 3: whoever waits gets the very object that was written', async () => {
    const id = 'hoff-001-1705147200000'
    python('create', id)
    await settled('pending', id)
    python('pick-up', id)
    await settled('in-progress', id, ({ status }) => status === 'in_progress')
    const waiting = waited(id)
    const written: Json = JSON.parse(python('response', id))

    const got = await waiting
    for (const [key, value] of Object.entries(written)) assert.deepEqual(got[key], value, key)
    assert.deepEqual(got.warnings, ['one prop is unused'])
    await settled('completed', id)
    assert.equal((await folder.show(id)).state, 'completed')
    assert.deepEqual(pages(), [])
  })

  it('[S1-66] [S1-88] the failure of section 3 is thrown at whoever waits', async () => {
    const id = 'hoff-002-1705147300000'
    python('create', id)
    await settled('pending', id)
    python('pick-up', id)
    await settled('in-progress', id, ({ status }) => status === 'in_progress')
    python('failure', id)

    assert.deepEqual(await waited(id), { HandoffFailedException: "props is missing 'type'" })
    await settled('failed', id)
    const { state, error } = await folder.show(id)
    assert.deepEqual([state, error?.code], ['failed', 'SCHEMA_VALIDATION_FAILED'])
    assert.deepEqual(pages(), [])
  })

  it('[S1-67] [S1-115] twenty requests at once, answered at once: no problem, no conflict', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `hoff-1${String(i).padStart(2, '0')}-1705147400000`)
    python('both', ...ids)

    for (const id of ids) await settled('completed', id)
    const { items } = await ask<{ items: { id: string }[] }>(
      folder.where,
      ...['handoff', 'list', '--state', 'completed', '--limit', '100'],
    )
    const done = new Set(items.map(({ id }) => id))
    assert.deepEqual(
      ids.filter((id) => !done.has(id)),
      [],
    )
    assert.deepEqual(pages(), [])
  })

  it('[S1-105] [S1-106] max_retries attempts and no more, whoever asks', async () => {
    const id = 'hoff-003-1705147500000'
    python('fails', id)
    await settled('pending', id)
    python('fail', id)
    await settled('pending', id, ({ retry_count }) => retry_count === 1)
    python('fail', id)
    await settled('failed', id, ({ retry_available }) => retry_available === false)

    const asked = await refusal(folder.where, 'handoff', 'retry', id, '--as', 'frontend-specialist')
    assert.match(
      asked.message,
      /^(?:all|the) .*retr\w+ of hoff-003-\d+ (?:are|is) used; send the work as a new handoff$/,
    )
    python('again', id)
    await until(() => pages().length > 0)
    await settled('failed', id)
    assert.equal((await folder.show(id)).state, 'failed')
    assert.deepEqual(folder.placesOf(id), ['failed'])
  })
})
