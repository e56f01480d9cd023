import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { folders, git } from '../support/documents/folders.ts'
import { ask, onTerminal, quick, refusal, type Where } from '../support/program/command.ts'
import { startServer } from '../support/servers/servers.ts'
import { newDatabase, query, sharedPostgres } from '../support/store/store-places.ts'

const OLDER = /is an older copy: its log had \d+ signed entries when you saw it last, and has \d+ now/
const OTHER = /has another history: you have seen a checkpoint of \d+ entries that is not here/
const IN_GIT = /is not the one that git remembers: at [0-9a-f]{12} it remembers \d+ entries, and the log has/
const send = (title: string) => ['send', '--to', 'codex', '--title', title]

/** The steps that differ by engine: keep a copy as it is now, put it into the place of the store, take the store away. */
interface Place {
  readonly env: Readonly<Record<string, string>>
  keep(): Promise<void>
  rollBack(): Promise<void>
  empty(): Promise<void>
}

const PLACES: Readonly<Record<'sqlite' | 'postgres', (cwd: string) => Promise<Place>>> = {
  sqlite: async (cwd) => {
    const file = join(cwd, '.baton/baton.db')
    const empty = async () => {
      for (const rest of ['', '-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })
    }
    return {
      env: {},
      empty,
      keep: async () => {
        const db = new DatabaseSync(file)
        db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
        db.close()
        copyFileSync(file, `${file}.old`)
      },
      rollBack: async () => {
        await empty()
        copyFileSync(`${file}.old`, file)
      },
    }
  },
  postgres: async (cwd) => {
    mkdirSync(join(cwd, '.baton'))
    writeFileSync(join(cwd, '.baton/.gitignore'), '*\n')
    const server = sharedPostgres()
    const url = await newDatabase()
    const name = new URL(url).pathname.slice(1)
    const exchange = async (made: string) => {
      await query(server, `DROP DATABASE ${name} WITH (FORCE)`)
      await query(server, made)
    }
    return {
      env: { BATON_STORE: url },
      keep: () => query(server, `CREATE DATABASE ${name}_old TEMPLATE ${name}`).then(() => undefined),
      rollBack: () => exchange(`ALTER DATABASE ${name}_old RENAME TO ${name}`),
      empty: () => exchange(`CREATE DATABASE ${name}`),
    }
  },
}

async function healthy(where: Where): Promise<void> {
  const { code, stdout } = await quick(where, 'doctor')
  assert.equal(code, 0, stdout)
}

/** A store whose log was signed and anchored twice, and a copy of it from between. */
async function copied(t: TestContext, engine: keyof typeof PLACES) {
  const cwd = folders(t).repository('shop')
  const { env, keep, ...place } = await PLACES[engine](cwd)
  const where: Where = { cwd, env }
  const backup = join(cwd, '../backup.jsonl.gz')
  git(cwd, 'commit', '--quiet', '--allow-empty', '--message', 'first')
  await ask(where, ...send('Kept'))
  await ask(where, 'audit', 'anchor')
  await ask(where, 'store', 'backup', backup)
  await keep()
  await ask(where, ...send('Lost'))
  git(cwd, 'commit', '--quiet', '--allow-empty', '--message', 'second')
  await ask(where, 'audit', 'anchor')
  const forget = () => {
    const home = join(cwd, '../.baton')
    rmSync(join(home, 'trust-log'), { recursive: true })
    for (const note of readdirSync(join(home, 'stores')))
      if (note.startsWith('seen')) rmSync(join(home, 'stores', note))
  }
  return { where, backup, forget, ...place }
}

const ENGINES = ['sqlite', 'postgres'] as const

describe('an older copy of a store in its place', () => {
  for (const engine of ENGINES)
    it(`is told by reads, takes no writes, and is taken up again by a person, on ${engine}`, async (t) => {
      const { where, backup, rollBack, empty } = await copied(t, engine)
      await rollBack()

      const read = await quick(where, 'inbox', '--as', 'codex')
      assert.deepEqual([read.code, OLDER.test(read.stderr)], [0, true])
      for (const write of [send('Twice'), ['accept', 'HO-2026-001', '--as', 'codex']])
        assert.match((await refusal(where, ...write)).message, OLDER)
      await assert.rejects(startServer(t, where), OLDER)
      await empty()
      assert.equal(onTerminal(where, ['store', 'restore', backup]).code, 0)
      await ask(where, ...send('Goes on'))
      await healthy(where)
    })

  it('is another history when it went on elsewhere, and every command says so', async (t) => {
    const { where, rollBack } = await copied(t, 'sqlite')
    await rollBack()
    const elsewhere = { ...where, env: { ...where.env, BATON_HOME: join(where.cwd, '../elsewhere') } }
    for (const title of ['Other', 'More', 'Most']) await ask(elsewhere, ...send(title))

    const read = await quick(where, 'inbox', '--as', 'codex')
    assert.deepEqual([read.code, OTHER.test(read.stderr)], [0, true], read.stderr)
    const { message, details } = await refusal(where, ...send('Twice'))
    assert.match(message, OTHER)
    assert.match(String(details.seen), /^\d+ [\w+/]+=$/)
    assert.match(String(details.here), /^\d+ [\w+/]+=$/)
  })

  for (const engine of ENGINES)
    it(`[T25] is found by what git remembers where this user remembers nothing, on ${engine}, until a person has looked`, async (t) => {
      const { where, rollBack, forget } = await copied(t, engine)
      await rollBack()
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
      await healthy(where)
      await startServer(t, where)
    })
})
