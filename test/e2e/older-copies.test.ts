import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, onTerminal, quick, refusal, type Where } from '../support/program/command.ts'

const OLDER = /is an older copy: its log had \d+ signed entries when you saw it last, and has \d+ now/

describe('an older copy of a store in its place', () => {
  it('is told by reads, takes no writes, and is taken up again by a person', async (t) => {
    const where: Where = { cwd: folders(t).repository('shop') }
    const file = join(where.cwd, '.baton/baton.db')
    const backup = join(where.cwd, '../backup.jsonl.gz')
    const send = (title: string) => ['send', '--to', 'codex', '--title', title]
    await ask(where, ...send('Kept'))
    await ask(where, 'audit', 'checkpoint')
    await ask(where, 'store', 'backup', backup)
    const db = new DatabaseSync(file)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    copyFileSync(file, `${file}.old`)
    await ask(where, ...send('Lost'))
    await ask(where, 'audit', 'checkpoint')

    copyFileSync(`${file}.old`, file)
    for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })

    const read = await quick(where, 'inbox', '--as', 'codex')
    assert.deepEqual([read.code, OLDER.test(read.stderr)], [0, true])
    for (const write of [send('Twice'), ['serve', '--port', '0'], ['accept', 'HO-2026-001', '--as', 'codex']])
      assert.match((await refusal(where, ...write)).message, OLDER)
    rmSync(file)
    assert.equal(onTerminal(where, ['store', 'restore', backup]).code, 0)
    await ask(where, ...send('Goes on'))
  })
})
