import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { markdownDocument } from '../support/documents/documents.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, quick, refusal } from '../support/program/command.ts'

const SEND = ['send', '--to', 'codex', '--title', 'Limits']

// biome-ignore format: read as a table
const REFUSED: readonly (readonly [says: string, ...args: string[]])[] = [
  ['--title must not be empty', 'send', '--to', 'codex', '--title', ''],
  ['--retry: multiplier is missing; it takes a number', ...SEND, '--retry', '{"max":1,"delay_s":1}'],
  ['--silence: policy is one of wait, expire, escalate, reassign', ...SEND, '--type', 'gate', '--silence', 'exire:1s'],
  ['--progress is at most 100', 'task', 'update', 'T1', '--progress', '150'],
  ['packge is not a format; use markdown, queue, block, writeback or package', 'convert', 'a.md', '--to', 'packge'],
  ['accept has no option --id; write it without: baton accept 1', 'accept', '--id', '1'],
  ['there is no audit session; begin one with audit_session_start first; type: baton audit session-start', 'audit', 'verify-chain'],
]

describe('a refusal', () => {
  it('says in words what a field takes, under the name that was typed', async (t) => {
    const where = { cwd: folders(t).repository('project') }
    writeFileSync(join(where.cwd, 'a.md'), markdownDocument())
    await ask(where, 'task', 'create', 'T1', '--title', 'Work')

    for (const [says, ...args] of REFUSED) assert.equal((await refusal(where, ...args)).message, says)
  })

  it('is one JSON document where a noun has no verb, and a page for people', async () => {
    const { code, exit, message } = await refusal({ cwd: '/' }, 'folders')
    const page = await quick({ cwd: '/' }, 'folders')

    assert.deepEqual([code, exit, page.code], ['invalid_input', 2, 2])
    assert.equal(message, 'folders needs a verb: doctor, sync, watch; for example: baton folders doctor')
    assert.match(page.stderr, /baton folders/)
  })

  it('names the scopes that there are, where none is near', async (t) => {
    const where = { cwd: folders(t).repository('project') }
    const { message } = await refusal(where, 'token', 'create', '--agent', 'ci', '--scope', 'bogus')

    assert.match(message, /^there is no scope bogus; write one of \*, agent:read, /)
  })

  it('names the command that seals a session, where a root is asked for before', async (t) => {
    const where = { cwd: folders(t).repository('project') }
    await ask(where, 'audit', 'session-start', '--as', 'codex')
    const { message } = await refusal(where, 'merkle', 'root', '--as', 'codex')

    assert.match(message, /call merkle_finalize first; type: baton merkle finalize --as codex$/)
  })
})
