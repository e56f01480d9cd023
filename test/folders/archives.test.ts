import assert from 'node:assert/strict'
import { rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, quick } from '../support/program/command.ts'
import { active, aHandoffFolder, whats } from './handoffs.ts'
import { aQueueFolder, artifact, failure, type QueueFolder, response } from './queue.ts'
import { until } from './until.ts'
import { aWatcher } from './watcher.ts'

const ID = 'hoff-20260113100000'

function inState<T>(root: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(root, '.baton/folders.db'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** As in a folder of very many files: to list it takes so long that it is not done each time. */
const asIfLarge = (folder: QueueFolder): void =>
  inState(folder.root, (db) => {
    const { changes } = db.prepare('UPDATE stamp SET cost = 1e9').run()
    assert.ok(Number(changes) >= 2)
  })

/** Any command that writes makes an ordinary pass. */
const ordinaryPass = (folder: QueueFolder) =>
  ask(folder.where, 'task', 'create', `T.${Math.random()}`, '--title', 'Something else', '--as', 'lead')

const isKnown = async (folder: QueueFolder, id: string): Promise<boolean> =>
  (await quick(folder.where, 'show', id)).code === 0

async function doctor(folder: QueueFolder, ...more: readonly string[]) {
  const { stdout } = await quick(folder.where, 'folders', 'doctor', ...more, '--json')
  return JSON.parse(stdout) as { clean: boolean; findings: { code: string; path: string }[] }
}

async function pickedUp(folder: QueueFolder, id = ID): Promise<void> {
  artifact(folder)
  folder.put('pending', id, folder.request(id))
  await folder.sync()
  folder.move(id, 'pending', 'in-progress')
  await folder.sync()
}

describe('a folder of ended handoffs that has grown large', () => {
  it('[S1-113] takes an answer in at once, moved there or written beside the request', async (t) => {
    const folder = await aQueueFolder(t)
    await pickedUp(folder)
    await pickedUp(folder, 'hoff-2-1')
    await folder.sync()
    asIfLarge(folder)

    folder.put('in-progress', ID, response(folder.file('in-progress', ID)))
    folder.move(ID, 'in-progress', 'completed')
    folder.put('completed', 'hoff-2-1', response(folder.file('in-progress', 'hoff-2-1')))
    await ordinaryPass(folder)

    for (const id of [ID, 'hoff-2-1']) {
      assert.equal((await folder.show(id)).state, 'completed')
      assert.deepEqual(folder.placesOf(id), ['completed'])
    }
  })

  it('[S1-119] knows a file that nobody waits for when it is asked to look, and a watcher knows it by its name', async (t) => {
    const folder = await aQueueFolder(t)
    artifact(folder)
    await folder.sync()
    asIfLarge(folder)
    folder.put('completed', ID, response(folder.request(ID)))

    await ordinaryPass(folder)
    const isKnownByChance = await isKnown(folder, ID)
    await folder.sync()
    asIfLarge(folder)
    await aWatcher(t, folder.where)
    folder.put('failed', 'hoff-2-1', failure(folder.request('hoff-2-1'), 'no disk'))
    // Seen again with each change of the file: a single signal may be lost.
    await until(async () => {
      utimesSync(join(folder.root, 'handoffs/failed/hoff-2-1.json'), new Date(), new Date())
      return isKnown(folder, 'hoff-2-1')
    })

    assert.equal(isKnownByChance, false)
    assert.equal((await folder.show(ID)).state, 'completed')
  })

  it('puts an ended file back that somebody edits, also where nothing came or went', async (t) => {
    const folder = await aQueueFolder(t)
    await pickedUp(folder)
    folder.put('in-progress', ID, response(folder.file('in-progress', ID)))
    folder.move(ID, 'in-progress', 'completed')
    await folder.sync()
    await pause(60)
    await folder.sync()
    asIfLarge(folder)

    writeFileSync(
      join(folder.root, `handoffs/completed/${ID}.json`),
      JSON.stringify({ ...folder.file('completed', ID), source: { agent_id: '@mallory', phase: 11 } }),
    )
    await ordinaryPass(folder)

    assert.deepEqual(folder.file('completed', ID).source, {
      agent_id: '@frontend-specialist',
      phase: 11,
      agent_type: 'orchestrator',
    })
    assert.ok(folder.has(`handoffs/completed/${ID}.json.problem`))
  })

  it('[S1-04] lets whoever clears it away do so, and agrees with the doctor then', async (t) => {
    const folder = await aQueueFolder(t)
    artifact(folder)
    for (let i = 0; i < 5; i++)
      folder.put('completed', `hoff-${i}-1`, response(folder.request(`hoff-${i}-1`)))
    await folder.sync()
    await folder.sync()
    for (let i = 0; i < 5; i++) rmSync(join(folder.root, `handoffs/completed/hoff-${i}-1.json`))

    const happened = await folder.sync()

    assert.deepEqual([whats(happened), folder.names('completed')], [[], []])
    assert.equal((await doctor(folder)).clean, true)
    assert.equal((await folder.show('hoff-3-1')).state, 'completed')
  })
})

describe('the archive of document 000', () => {
  it('takes back what was deleted there, and says so where a year is a link', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send('BPRD-2026-0042')
    await ask(folder.where, 'reject', id, '--as', 'claude', '--reason', 'no')
    const [file] = folder.files()
    rmSync(join(folder.root, '_handoffs', file!))
    symlinkSync('/', join(folder.root, '_handoffs/archived/1999'))
    symlinkSync('..', join(folder.root, '_handoffs/archived/2026/02'))

    const happened = await folder.sync()

    assert.ok(file?.startsWith('archived/'))
    assert.ok(folder.has(`_handoffs/${file}`))
    assert.ok(happened.some(({ what, path }) => what === 'left' && path === '_handoffs/archived/2026/02'))
    assert.equal(folder.has(active(id)), false)
  })
})

describe('what is known of the folders', () => {
  it('is taken over from the first form of its file, and nothing happens to a handoff', async (t) => {
    const folder = await aHandoffFolder(t)
    const open = await folder.send('BPRD-2026-0042')
    const ended = await folder.send('BPRD-2026-0043', '--to', 'gemini')
    await ask(folder.where, 'reject', ended, '--as', 'gemini', '--reason', 'no')
    const before = folder.files()
    inState(folder.root, (db) =>
      db.exec(`DROP TABLE look; DROP TABLE stamp; PRAGMA user_version = 1;
        CREATE TABLE look (folder TEXT NOT NULL, path TEXT NOT NULL, ino TEXT NOT NULL, size INTEGER NOT NULL,
          mtime TEXT NOT NULL, sha256 TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (folder, path)) STRICT, WITHOUT ROWID`),
    )

    const happened = await folder.sync()

    assert.deepEqual([whats(happened), folder.files()], [[], before])
    assert.deepEqual([await folder.state(open), await folder.state(ended)], ['offered', 'rejected'])
  })
})
