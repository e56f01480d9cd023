import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { folders, git } from '../support/documents/folders.ts'
import { ask, onTerminal, quick, refusal, type Where } from '../support/program/command.ts'
import { startServer } from '../support/servers/servers.ts'

const OLDER = /is an older copy: its log had \d+ signed entries when you saw it last, and has \d+ now/
const OTHER = /has another history: you have seen a checkpoint of \d+ entries that is not here/
const IN_GIT = /is not the one that git remembers: at [0-9a-f]{12} it remembers \d+ entries, and the log has/
const send = (title: string) => ['send', '--to', 'codex', '--title', title]

/** A store whose log was signed and anchored twice, and a copy of it from between. */
async function copied(t: TestContext) {
  const where: Where = { cwd: folders(t).repository('shop') }
  const file = join(where.cwd, '.baton/baton.db')
  const backup = join(where.cwd, '../backup.jsonl.gz')
  git(where.cwd, 'commit', '--quiet', '--allow-empty', '--message', 'first')
  await ask(where, ...send('Kept'))
  await ask(where, 'audit', 'anchor')
  await ask(where, 'store', 'backup', backup)
  const db = new DatabaseSync(file)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  copyFileSync(file, `${file}.old`)
  await ask(where, ...send('Lost'))
  git(where.cwd, 'commit', '--quiet', '--allow-empty', '--message', 'second')
  await ask(where, 'audit', 'anchor')
  const rollBack = () => {
    for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })
    copyFileSync(`${file}.old`, file)
  }
  const forget = () => {
    const home = join(where.cwd, '../.baton')
    rmSync(join(home, 'trust-log'), { recursive: true })
    for (const note of readdirSync(join(home, 'stores')))
      if (note.startsWith('seen')) rmSync(join(home, 'stores', note))
  }
  return { where, file, backup, rollBack, forget }
}

describe('an older copy of a store in its place', () => {
  it('is told by reads, takes no writes, and is taken up again by a person', async (t) => {
    const { where, file, backup, rollBack } = await copied(t)
    rollBack()

    const read = await quick(where, 'inbox', '--as', 'codex')
    assert.deepEqual([read.code, OLDER.test(read.stderr)], [0, true])
    for (const write of [send('Twice'), ['accept', 'HO-2026-001', '--as', 'codex']])
      assert.match((await refusal(where, ...write)).message, OLDER)
    await assert.rejects(startServer(t, where), OLDER)
    rmSync(file)
    assert.equal(onTerminal(where, ['store', 'restore', backup]).code, 0)
    await ask(where, ...send('Goes on'))
    assert.equal((await quick(where, 'doctor')).code, 0)
  })

  it('is another history when it went on elsewhere, and every command says so', async (t) => {
    const { where, rollBack } = await copied(t)
    rollBack()
    const elsewhere = { ...where, env: { BATON_HOME: join(where.cwd, '../elsewhere') } }
    for (const title of ['Other', 'More', 'Most']) await ask(elsewhere, ...send(title))

    const read = await quick(where, 'inbox', '--as', 'codex')
    assert.deepEqual([read.code, OTHER.test(read.stderr)], [0, true], read.stderr)
    const { message, details } = await refusal(where, ...send('Twice'))
    assert.match(message, OTHER)
    assert.match(String(details.seen), /^\d+ [\w+/]+=$/)
    assert.match(String(details.here), /^\d+ [\w+/]+=$/)
  })

  it('[T25] is found by what git remembers where this user remembers nothing, until a person has looked', async (t) => {
    const { where, rollBack, forget } = await copied(t)
    rollBack()
    forget()

    const { code, stdout } = await quick(where, 'doctor')
    assert.equal(code, 8)
    assert.match(stdout, new RegExp(`✗ checkpoint.*${IN_GIT.source}`))
    for (const command of ['checkpoint', 'trust'])
      assert.match((await refusal(where, 'audit', command)).message, IN_GIT)
    await assert.rejects(startServer(t, where), IN_GIT)
    const exported = await quick(where, 'audit', 'export', '--out', 'log')
    assert.deepEqual([exported.code, IN_GIT.test(exported.stderr)], [0, true], exported.stderr)

    const steps = [['another history?', 'y\n']] as const
    assert.equal(onTerminal(where, ['audit', 'trust', '--reset'], { steps }).code, 0)
    assert.equal((await quick(where, 'doctor')).code, 0)
    await startServer(t, where)
  })
})
