import assert from 'node:assert/strict'
import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, baton, onTerminal, quick, refusal, trusted, type Where } from '../support/program/command.ts'
import { newDatabase, query } from '../support/store/store-places.ts'

const NOBODY = 65_534

/** A workspace with a finished, an open and a refused handoff, and a task. */
async function shop(t: TestContext): Promise<Where & { path: (name: string) => string }> {
  const files = folders(t)
  const where = { cwd: files.repository('shop') }
  await ask(where, 'send', '--to', 'codex', '--title', 'Add limits', '--deliverable', 'Docs')
  await ask(where, 'accept', '@', '--as', 'codex')
  await ask(where, 'submit', '@', '--as', 'codex', '--evidence', 'Docs=docs/limits.md')
  await ask(where, 'verify', '@', '--pass')
  await ask(where, 'send', '--to', 'codex', '--title', 'Open work')
  await ask(where, 'task', 'create', 'T1', '--title', 'First')
  writeFileSync(files.path('shop', 'a.bin'), Buffer.from([0, 1, 255]))
  await ask(where, 'artifact', 'put', 'a.bin', '--content', '@a.bin', '--handoff', '1')
  return { ...where, path: (name) => files.path(name) }
}

const database = ({ cwd }: Where): string => join(cwd, '.baton', 'baton.db')
const everything = async (where: Where, ...more: string[]) => [
  await ask(where, 'handoff', 'list', ...more),
  await ask(where, 'show', '1', ...more),
  await ask(where, 'task', 'list', ...more),
  await ask(where, 'agent', 'list', ...more),
]

describe('store backup, restore and copy', () => {
  it('bring everything back into a new store, which then goes on', async (t) => {
    const where = await shop(t)
    const file = where.path('backup.gz')

    const made = await baton(where, 'store', 'backup', file)
    const restored = await baton(where, 'store', 'restore', file, '--store', where.path('new.db'))

    assert.equal(made.code, 0, made.stderr)
    assert.match(made.stdout, /^✓ \d+ rows, \d+ KB, read back: /)
    assert.equal(restored.code, 0, restored.stderr)
    assert.match(restored.stdout, /every field compared\n✓ \d+ chains with \d+ entries verified\n$/)
    const options = ['--store', where.path('new.db')]
    assert.deepEqual(await everything(where, ...options), await everything(where))
    const { handoff } = await ask<{ handoff: { id: string } }>(
      where,
      'send',
      '--to',
      'codex',
      '--title',
      'Goes on',
      ...options,
    )
    assert.match(handoff.id, /-003$/)
  })

  it('refuse a file that is there, a store that was used and a backup that is damaged', async (t) => {
    const where = await shop(t)
    const file = where.path('backup.gz')
    await ask(where, 'store', 'backup', file)

    assert.equal((await refusal(where, 'store', 'backup', file)).exit, 6)
    assert.equal((await refusal(where, 'store', 'restore', file)).exit, 6)
    writeFileSync(file, readFileSync(file).subarray(0, 200))
    assert.equal((await refusal(where, 'store', 'restore', file, '--store', where.path('new.db'))).exit, 17)
    assert.equal((await refusal(where, 'store', 'backup')).exit, 2)
    assert.equal((await refusal(where, 'store', 'copy')).exit, 2)
  })

  it('refuse a store that is not there, as all that only read do, and make none', async (t) => {
    const files = folders(t)
    const where = { cwd: files.repository('shop') }
    const typo = files.path('typo.db')
    const env = { BATON_STORE: typo }
    const calls: readonly (readonly [Where, ...string[]])[] = [
      [where, 'inbox', '--store', '../typo.db'],
      [{ ...where, env }, 'handoff', 'list'],
      [{ ...where, env }, 'store', 'info'],
      [{ ...where, env }, 'whoami'],
      [{ ...where, env }, 'store', 'backup', '../bk'],
      [{ ...where, env }, 'store', 'copy', '--to', '../copy.db'],
      [{ ...where, env }, 'audit', 'export', '--out', '../lg'],
    ]

    for (const [place, ...args] of calls) {
      const { exit, message } = await refusal(place, ...args)
      assert.equal(exit, 3, args.join(' '))
      const named = place === where ? '--store' : 'BATON_STORE'
      assert.ok(message.startsWith(`there is no store at ${typo}, which ${named} names; `), message)
    }
    assert.deepEqual(readdirSync(files.path()), ['shop'])
    await ask({ ...where, env }, 'send', '--to', 'codex', '--title', 'Makes it')
    assert.equal((await ask<{ items: unknown[] }>({ ...where, env }, 'handoff', 'list')).items.length, 1)
  })

  it('leave no new store behind when the backup cannot be restored', async (t) => {
    const files = folders(t)
    const where = { cwd: files.repository('shop') }
    files.file('g.db', 'garbage')

    for (const more of [['--store', '../y.db'], []])
      assert.equal((await refusal(where, 'store', 'restore', '../g.db', ...more)).exit, 17)

    assert.deepEqual(readdirSync(files.path()), ['g.db', 'shop'])
    assert.deepEqual(readdirSync(where.cwd), ['.git'])
  })

  it('refuse a place below a file, as the export of a log does', async (t) => {
    const where = await shop(t)
    writeFileSync(where.path('f'), '')

    const backup = await refusal(where, 'store', 'backup', '../f/x')
    const log = await refusal(where, 'audit', 'export', '--out', '../f/x')

    assert.deepEqual([backup.exit, log.exit], [13, 6])
    assert.match(
      backup.message,
      /f\/x cannot be written \(ENOTDIR\).*check the folder, its permissions and the free space/,
    )
    assert.match(log.message, /\/f is in the way; name another place/)
  })

  it('copy to PostgreSQL and back again, with every field the same, and end the use of what was copied', async (t) => {
    const where = await shop(t)
    const url = new URL(await newDatabase())
    url.password = 'sesame'
    const place = `${url.hostname}:${url.port}${url.pathname}`
    const before = await everything(where)

    const there = await baton(where, 'store', 'move', '--to', url.href)
    const again = await baton(where, 'store', 'copy', '--to', url.href)
    const back = await ask(where, 'store', 'copy', '--to', where.path('back.db'), '--store', url.href)

    assert.equal(there.code, 0, there.stderr)
    const ended = `✓ ${database(where)} takes no more writes and can still be read\nNext: name the new store as store in baton.yaml`
    assert.ok(there.stdout.includes(ended), there.stdout)
    assert.equal(again.code, 0, again.stderr)
    assert.deepEqual([back.location, back.retired], [where.path('back.db'), place])
    assert.match(String(back.next), /run baton trust/)
    assert.deepEqual(await everything(where, '--store', url.href), before)
    assert.deepEqual(await everything(where, '--store', where.path('back.db')), before)
    assert.deepEqual(await everything(where), before)
    const info = await ask(where, 'store', 'info')
    assert.deepEqual([info.engine, info.moved], ['sqlite', place])
    const told = `${database(where)} was copied to ${place} and takes no more writes. Go on there: name it as store in baton.yaml, BATON_STORE or --store`
    assert.ok((await quick(where, 'inbox')).stderr.includes(`! ${told}`))
    for (const args of [
      ['send', '--to', 'codex', '--title', 'x'],
      ['serve', '--port', '0'],
      ['mcp', '--agent', 'codex'],
    ]) {
      const { exit, message } = await refusal(where, ...args)
      assert.deepEqual([exit, message], [17, told])
    }
    assert.equal(
      [there, again].some(({ stdout, stderr }) => `${stdout}${stderr}`.includes('sesame')),
      false,
    )
  })

  it('refuse a workspace of PostgreSQL that was used, and say how to name a new one', async (t) => {
    const where = await shop(t)
    const used = await newDatabase()
    await ask(where, 'send', '--to', 'codex', '--title', 'Of others', '--store', used)

    const { exit, message } = await refusal(where, 'store', 'move', '--to', used)
    const moved = await baton(where, 'store', 'move', '--to', used, '--workspace', 'shop')

    const way = 'name a new one: --workspace of store move, or workspace in baton.yaml'
    assert.deepEqual([exit, message], [6, `this workspace is not empty; ${way}`])
    assert.equal(moved.code, 0, moved.stderr)
  })

  it('are taken up again after a copy by a backup of the source', async (t) => {
    const where = await shop(t)
    await ask(where, 'store', 'copy', '--to', '../copy.db')

    await ask(where, 'store', 'backup', '../kept.gz')
    await ask(where, 'store', 'restore', '../kept.gz', '--store', where.path('again.db'))

    await ask(where, 'send', '--to', 'codex', '--title', 'Goes on', '--store', where.path('again.db'))
  })

  it('let baton trust take up the store that baton.yaml names after a copy', async (t) => {
    const where = await shop(t)
    await ask(where, 'store', 'copy', '--to', '../copy.db')
    writeFileSync(join(where.cwd, 'baton.yaml'), `store: ${where.path('copy.db')}\n`)

    trusted(where)

    await ask(where, 'send', '--to', 'codex', '--title', 'Goes on')
  })

  it('show on a terminal how far they are, and take that away at the end', async (t) => {
    const where = await shop(t)

    const { code, raw, shown } = onTerminal(where, ['store', 'backup', where.path('backup.gz')])

    assert.equal(code, 0)
    assert.match(raw, /… (writing|reading back): \d+/)
    assert.match(shown.split('\r').at(-1)!, /✓ \d+ rows/)
  })
})

describe('store upgrade', () => {
  it('refuses where no store is, and makes none', async (t) => {
    const files = folders(t)
    const where = { cwd: files.repository('shop') }
    const typo = files.path('typo.db')
    const env = { BATON_STORE: typo }

    const answers = [
      await refusal(where, 'store', 'upgrade', '--store', '../typo.db'),
      await refusal({ ...where, env }, 'store', 'upgrade', '--backup-made'),
      await refusal(where, 'store', 'upgrade'),
    ]

    const fix = 'correct the path, or send a first handoff to make it'
    assert.deepEqual(
      answers.map(({ exit, message }) => [exit, message]),
      [
        [3, `there is no store at ${typo}, which --store names; ${fix}`],
        [3, `there is no store at ${typo}, which BATON_STORE names; ${fix}`],
        [3, `there is no workspace in ${where.cwd} or above it; make one with: baton init`],
      ],
    )
    assert.deepEqual([readdirSync(files.path()), readdirSync(where.cwd)], [['shop'], ['.git']])
    await ask(where, 'send', '--to', 'codex', '--title', 'Makes it')
    assert.equal((await quick(where, 'store', 'upgrade')).code, 0)
  })
})

describe('gc', () => {
  it('only says what it would do until it is told to, and never touches work, log or artifacts', async (t) => {
    const where = await shop(t)
    await ask(where, 'send', '--to', 'codex', '--title', 'Keyed', '--key', 'k1')
    const db = new DatabaseSync(database(where))
    db.exec(`UPDATE idem SET at = '2020-01-01T00:00:00.000Z'`)
    db.close()
    const before = await everything(where)

    const dry = await ask(where, 'gc')
    const still = await ask(where, 'gc', '--yes', '--dry-run')
    const done = await ask(where, 'gc', '--yes')
    const again = await ask(where, 'gc')

    assert.deepEqual(still, { ...dry, before: still.before })
    assert.deepEqual([dry.applied, dry.idem, done.applied, done.idem, again.idem], [false, 1, true, 1, 0])
    assert.deepEqual(await everything(where), before)
    assert.equal((await ask<{ ok: boolean }>(where, 'doctor')).ok, true)
    assert.equal((await refusal(where, 'gc', '--older-than', '1d')).exit, 2)
  })
})

describe('doctor', () => {
  it('finds everything in order, and then the entry that somebody changed', async (t) => {
    const where = await shop(t)
    const good = await ask<{ ok: boolean; checks: { name: string; ok: boolean; detail: string }[] }>(
      where,
      'doctor',
    )
    const db = new DatabaseSync(database(where))
    db.exec(
      `UPDATE entry SET body = CAST(replace(CAST(body AS TEXT), 'codex', 'mario') AS BLOB) WHERE act = 'handoff.accept'`,
    )
    db.exec('UPDATE ended SET failed = failed + 2')
    db.close()

    const bad = await baton(where, 'doctor', '--json')

    assert.deepEqual(
      good.checks.map(({ name, ok }) => [name, ok]),
      [
        ['node', true],
        ['workspace', true],
        ['store', true],
        ['log', true],
        ['rows', true],
        ['callers', true],
        ['counts', true],
      ],
    )
    assert.equal(bad.code, 8)
    const { checks } = JSON.parse(bad.stdout)
    assert.match(
      checks.find(({ name }: { name: string }) => name === 'counts').detail,
      /^the count of failed is 2, and 0 rows are there: /,
    )
    assert.match(
      checks.find(({ name }: { name: string }) => name === 'log').detail,
      /^1 chain of \d+ broken; the first is \S+ at entry \d+: /,
    )
  })

  it('finds a row that somebody changed, as show and audit verify do', async (t) => {
    const where = await shop(t)
    const { items } = await ask<{ items: { id: string }[] }>(where, 'handoff', 'list')
    const { id } = items[0]!
    assert.equal((await quick(where, 'audit', 'verify')).code, 0)
    const db = new DatabaseSync(database(where))
    db.prepare(`UPDATE handoff SET doc = json_set(doc, '$.verified_by', 'maria') WHERE id = ?`).run(id)
    db.close()

    const told = `The row of ${id} was changed outside Baton: the log tells of another; see: baton doctor`
    assert.equal((await ask<{ warning: string }>(where, 'show', id)).warning, told)
    assert.ok((await quick(where, 'show', id)).stdout.includes(told))
    const { code, stdout } = await quick(where, 'doctor', '--json')
    const rows = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'rows')
    assert.deepEqual([code, rows.ok], [8, false])
    assert.match(
      rows.detail,
      new RegExp(`^1 finding against the log, the first: The row of handoff ${id} was changed outside Baton`),
    )
    const verified = await quick(where, 'audit', 'verify')
    assert.deepEqual(
      [verified.code, verified.stdout.includes(`The row of handoff ${id} was changed`)],
      [1, true],
    )
  })

  it('notes that a role of PostgreSQL may change the log, and that store grants helps', async (t) => {
    const url = await newDatabase()
    const app = new URL(url)
    app.username = `app_${process.pid}`
    const where = { cwd: folders(t).repository('shop') }
    for (const store of [[], ['--store', url]])
      await ask(where, 'send', '--to', 'codex', '--title', 'X', ...store)
    const { sql } = await ask<{ sql: string }>(where, 'store', 'grants', app.username)
    await query(url, `CREATE ROLE ${app.username} LOGIN; ${sql}`)
    t.after(() => query(url, `DROP OWNED BY ${app.username}; DROP ROLE ${app.username}`))
    const rights = async (store: string) => {
      const { code, stdout } = await quick(where, 'doctor', '--json', '--store', store)
      const checks = JSON.parse(stdout).checks as { name: string; ok: boolean; detail: string }[]
      return { code, found: checks.find(({ name }) => name === 'rights') }
    }

    assert.deepEqual(await rights(url), {
      code: 0,
      found: {
        name: 'rights',
        ok: true,
        detail:
          'this role may also change and delete entries of the log; for a role that may not, run: baton store grants <role>',
      },
    })
    assert.equal((await rights(app.href)).found, undefined)
  })

  it('tells of settings that wait for trust, of a folder open to others and of a missing workspace', async (t) => {
    const where = await shop(t)
    writeFileSync(join(where.cwd, 'baton.yaml'), 'store: ./other.db\n')
    chmodSync(join(where.cwd, '.baton'), 0o777)
    const failing = async (place: Where) => {
      const { stdout } = await quick(place, 'doctor', '--json')
      return (JSON.parse(stdout).checks as { name: string; ok: boolean }[])
        .filter(({ ok }) => !ok)
        .map(({ name }) => name)
    }

    assert.deepEqual(await failing(where), ['workspace', 'settings'])
    assert.deepEqual(await failing({ cwd: folders(t).folder('empty') }), ['workspace'])
  })
})

describe('a store that cannot be used', () => {
  it('is another file: it is refused with the way out and left as it is', async (t) => {
    const where = await shop(t)
    const text = 'Dear diary, this is not a database. '.repeat(100)
    writeFileSync(where.path('diary.txt'), text)
    const other = new DatabaseSync(where.path('other.db'))
    other.exec('CREATE TABLE mine (a); INSERT INTO mine VALUES (1)')
    other.close()
    const bytes = readFileSync(where.path('other.db'))

    for (const file of ['diary.txt', 'other.db']) {
      const { exit, message } = await refusal(
        where,
        'send',
        '--to',
        'x',
        '--title',
        'y',
        '--store',
        where.path(file),
      )
      assert.equal(exit, 17, message)
      assert.match(message, /not a Baton store/)
    }
    assert.equal(readFileSync(where.path('diary.txt'), 'utf8'), text)
    assert.deepEqual(readFileSync(where.path('other.db')), bytes)
  })

  it('is of a newer Baton: it says so', async (t) => {
    const where = await shop(t)
    const db = new DatabaseSync(database(where))
    db.exec(`PRAGMA user_version = 99; UPDATE meta SET value = '99' WHERE key LIKE 'least_%'`)
    db.close()

    const { exit, message } = await refusal(where, 'inbox')

    assert.equal(exit, 17)
    assert.match(message, /made by a newer Baton \(schema 99/)
  })

  it('is held by another program: nothing is lost and the call can be repeated', async (t) => {
    const where = await shop(t)
    const holder = new DatabaseSync(database(where))
    holder.exec('BEGIN IMMEDIATE')

    const held = await refusal(where, 'send', '--to', 'codex', '--title', 'Late', '--key', 'k1')
    holder.exec('ROLLBACK')
    holder.close()
    const { handoff } = await ask<{ handoff: { title: string } }>(
      where,
      'send',
      '--to',
      'codex',
      '--title',
      'Late',
      '--key',
      'k1',
    )

    assert.deepEqual([held.exit, held.retry], [13, true])
    assert.match(held.message, /another program holds the lock/)
    assert.equal(handoff.title, 'Late')
  })

  it('lies in a folder that may not be written: reading works, writing says what to check', async (t) => {
    const where = await shop(t)
    const folder = join(where.cwd, '.baton')
    const uid = process.getuid?.() === 0 ? NOBODY : undefined
    giveAway(where, uid)
    for (const name of ['baton.db', 'baton.db-wal', 'baton.db-shm', 'notify'])
      tryChmod(join(folder, name), 0o444)
    chmodSync(folder, 0o555)
    const caller = uid === undefined ? where : { ...where, uid }

    const read = await baton(caller, 'handoff', 'list')
    const written = await baton(caller, 'send', '--to', 'codex', '--title', 'x', '--json')

    chmodSync(folder, 0o755)
    assert.equal(read.code, 0, read.stderr)
    assert.match(read.stdout, /Open work/)
    assert.match(
      read.stderr,
      /^! .*is not writable for you; it was opened read-only\n(?:! .*was not made by you on this machine.*\n)?$/,
    )
    assert.equal(written.code, 13, written.stderr)
    assert.match(JSON.parse(written.stderr).error.message, /cannot be written; check the permissions/)
  })

  it('lies in a folder that may not be entered: the refusal names the path and the permission', async (t) => {
    const where = await shop(t)
    const folder = join(where.cwd, '.baton')
    const uid = process.getuid?.() === 0 ? NOBODY : undefined
    giveAway(where, uid)
    chmodSync(folder, 0o000)
    const caller = uid === undefined ? where : { ...where, uid }

    const found = await baton(caller, 'inbox', '--as', 'codex')
    const named = await baton(caller, 'inbox', '--as', 'codex', '--store', database(where))

    chmodSync(folder, 0o755)
    for (const { code, stderr } of [found, named]) {
      assert.equal(code, 4, stderr)
      assert.match(
        stderr,
        /^✗ \S+\/\.baton\/baton\.db is closed to you; check the permissions [^\n]*EACCES\)\n$/,
      )
    }
  })

  it('would have to be made in a folder that may not be written: nothing is left behind', async (t) => {
    const where = { cwd: folders(t).repository('locked') }
    const uid = process.getuid?.() === 0 ? NOBODY : undefined
    giveAway(where, uid)
    chmodSync(where.cwd, 0o555)

    const { code, stderr } = await baton(
      uid === undefined ? where : { ...where, uid },
      'send',
      '--to',
      'codex',
      '--title',
      'x',
    )

    chmodSync(where.cwd, 0o755)
    assert.equal(code, 4)
    assert.match(stderr, /^✗ .*\.baton cannot be made \(EACCES\); check the folder above it[^\n]*\n$/)
  })
})

/** Permissions do not stop the administrator: then everything becomes somebody else's, who calls. */
function giveAway({ cwd }: Where, uid: number | undefined): void {
  if (uid === undefined) return
  chmodSync(join(cwd, '..'), 0o755)
  for (const name of ['.', ...readdirSync(cwd, { recursive: true, encoding: 'utf8' })])
    chownSync(join(cwd, name), uid, uid)
}

function tryChmod(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

describe('a send that is refused', () => {
  it('takes no number', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await ask(where, 'init')
    writeFileSync(join(where.cwd, 'baton.yaml'), 'default_limits: {incoming: 1}\n')
    const send = (to: string) => ['send', '--as', 'planner', '--to', to, '--title', 'Add limits']
    await ask(where, ...send('codex'))

    for (const _ of [1, 2]) assert.equal((await refusal(where, ...send('codex'))).code, 'limit_exceeded')

    const { handoff } = await ask<{ handoff: { id: string } }>(where, ...send('gemini'))
    assert.match(handoff.id, /-002$/)
  })
})
