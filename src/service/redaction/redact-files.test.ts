import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { run } from '../../../test/support/program/invoke.ts'
import { by, openWorkspace, person } from '../../../test/support/program/workspace.ts'
import { startOwnPostgres } from '../../../test/support/servers/postgres.ts'
import { filesWith } from '../../../test/support/store/secrets.ts'
import { query } from '../../../test/support/store/store-places.ts'

const PAGE = join(import.meta.dirname, '../../../docs/how-to/postgres.md')

/** The statements that the page gives to a superuser. */
function statements(): readonly string[] {
  const [, block = ''] = /### After a redaction.*?```sql\n(.*?)```/s.exec(readFileSync(PAGE, 'utf8')) ?? []
  return block.split('\n').filter((line) => line !== '')
}

/** A server whose files held a word, as they are after its redaction by a program with this role. */
async function redacted(t: TestContext, role: string, rights: readonly string[] = []) {
  const server = await startOwnPostgres()
  await query(server.url, `CREATE ROLE ${role} LOGIN`)
  await query(server.url, `CREATE DATABASE store OWNER ${role}`)
  const admin = new URL('store', server.url).href
  for (const right of rights) await query(admin, `GRANT ${right} TO ${role}`)
  const url = Object.assign(new URL(admin), { username: role })
  const target = { engine: 'postgres', url: url.href, workspace: 'files' } as const
  const w = await openWorkspace(t, { engine: 'postgres', target })
  t.after(() => server.stop())
  const word = `sklive${randomBytes(12).toString('hex')}`
  // Several, so that the word is in the statistics, and a search, so that it is in the index.
  const ids: string[] = []
  for (const title of ['Deploy', 'Test', 'Release']) {
    const more = { title: `${title} with ${word}`, summary: `Use the key ${word}.` }
    ids.push((await w.service.sending.send(by('planner'), { to: 'codex', ...more })).handoff.id)
  }
  await run(w.service, by('codex'), 'handoff_list', { text: word })
  await query(url.href, 'ANALYZE')
  await query(server.url, 'CHECKPOINT')
  const [row] = await query(server.url, 'SHOW data_directory')
  const folder = String(row?.data_directory)
  const files = () => filesWith(folder, word).map((file) => relative(folder, file))
  const before = files()
  let unreachable: readonly string[] = []
  for (const id of ids)
    for (const field of ['title', 'summary']) {
      const answer = await run(w.service, person('maria'), 'audit_redact', {
        id,
        field,
        reason: 'leaked-key',
      })
      unreachable = (answer as { unreachable: string[] }).unreachable
    }
  return { before, files, unreachable, admin }
}

const isLog = (file: string) => file.startsWith('pg_wal/')

describe('the files of a PostgreSQL server', () => {
  it('hold a redacted word nowhere where the program may clear the log of changes too', async (t) => {
    const { before, files, unreachable } = await redacted(t, 'baton_owner', [
      'pg_checkpoint',
      'pg_monitor',
      'EXECUTE ON FUNCTION pg_switch_wal()',
    ])

    assert.ok(before.some(isLog) && !before.every(isLog), before.join())
    assert.deepEqual(files(), [])
    assert.deepEqual(
      unreachable.filter((place) => place.startsWith('old bytes')),
      [],
    )
  })

  it('hold it in that log alone where it may not, and nowhere after the statements of the page', async (t) => {
    const { files, unreachable, admin } = await redacted(t, 'baton_owner')
    const left = files()

    assert.ok(statements().length > 5)
    for (const statement of statements()) await query(admin, statement)

    assert.ok(left.length > 0 && left.every(isLog), left.join())
    assert.match(unreachable.join(), /old bytes in the write-ahead log of PostgreSQL: at a quiet time, run/)
    assert.deepEqual(files(), [])
  })
})
