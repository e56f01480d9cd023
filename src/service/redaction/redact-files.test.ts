import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
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

describe('the files of a PostgreSQL server', () => {
  it('hold a redacted word nowhere after the statements of the page', async (t) => {
    const server = await startOwnPostgres()
    const target = { engine: 'postgres', url: server.url, workspace: 'files' } as const
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
    await query(server.url, 'ANALYZE')
    const [row] = await query(server.url, 'SHOW data_directory')
    const files = () => filesWith(String(row?.data_directory), word)
    for (const id of ids)
      for (const field of ['title', 'summary'])
        await run(w.service, person('maria'), 'audit_redact', { id, field, reason: 'leaked-key' })
    const before = files()

    assert.ok(statements().length > 5)
    for (const statement of statements()) await query(server.url, statement)

    assert.ok(
      before.some((file) => file.includes('pg_wal')),
      'the log of changes held the word',
    )
    assert.deepEqual(files(), [])
  })
})
