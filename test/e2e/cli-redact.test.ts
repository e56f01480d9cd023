import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { type Folders, folders, git } from '../support/documents/folders.ts'
import { ask, doctorFinds, onTerminal, quick, refusal, type Where } from '../support/program/command.ts'

interface Place {
  readonly made: Folders
  readonly where: Where
}

/** A repository of its own, whose user has a home of its own. */
function project(t: TestContext): Place {
  const made = folders(t)
  return { made, where: { cwd: made.repository('project'), env: { BATON_HOME: made.folder('home') } } }
}

describe('baton audit redact', () => {
  it('asks a person at the terminal, says what it cannot reach, and leaves nothing in the file', async (t) => {
    const { where } = project(t)
    const secret = 'sk-live-6b1f0c2d9e'
    const send = ['--to', 'codex', '--title', 'Deploy', '--summary', `The key is ${secret}`]
    const { handoff } = await ask<{ handoff: { id: string } }>(where, 'send', ...send)
    const args = ['audit', 'redact', handoff.id, '--field', 'summary', '--reason', 'leaked-key']

    const refused = await refusal(where, ...args)
    const { code, shown } = onTerminal(where, args, { steps: [['for good?', 'y\r']] })

    assert.deepEqual([refused.code, refused.exit], ['not_allowed', 4])
    assert.equal(code, 0, shown)
    assert.match(shown, /rotate it first/)
    assert.match(shown, /summary of HO-\d+-\d+ is gone: 1 text of the log, 1 document/)
    assert.match(shown, /git commits[\s\S]*backups[\s\S]*agents/)
    const shownNow = await ask(where, 'show', handoff.id)
    assert.deepEqual(shownNow.package, { summary: '[redacted]' })
    assert.ok(!readFileSync(join(where.cwd, '.baton', 'baton.db')).includes(secret))
    assert.deepEqual(await doctorFinds(where), ['callers'])
  })

  it('leaves the time at which the work was completed', async (t) => {
    const { where } = project(t)
    const send = ['--to', 'codex', '--title', 'Deploy', '--summary', 'The key is lost']
    const { id } = (await ask<{ handoff: { id: string } }>(where, 'send', ...send)).handoff
    await ask(where, 'accept', id, '--as', 'codex')
    await ask(where, 'submit', id, '--as', 'codex', '-m', 'Done')
    const { handoff } = await ask<{ handoff: { ended_at: string } }>(where, 'verify', id, '--pass')

    const args = ['audit', 'redact', id, '--field', 'summary', '--reason', 'leaked-key']
    onTerminal(where, args, { steps: [['for good?', 'y\r']] })

    const { stdout } = await quick(where, 'show', id)
    assert.match(stdout, /\[redacted\]/)
    assert.ok(stdout.includes(`completed, ${handoff.ended_at}\n`), stdout)
  })

  it('changes nothing without a yes, and asks nothing when the field, the entry or the reason is wrong', async (t) => {
    const { where } = project(t)
    const send = ['--to', 'codex', '--title', 'Deploy', '--summary', 'The key']
    const { handoff } = await ask<{ handoff: { id: string } }>(where, 'send', ...send)
    const args = (id: string, field: string, reason = 'leaked-key') => [
      ...['audit', 'redact', id],
      ...['--field', field, '--reason', reason],
    ]

    const no = onTerminal(where, args(handoff.id, 'summary'), { steps: [['for good?', 'n\r']] })
    const wrong = [
      onTerminal(where, args(handoff.id, 'sumary')),
      onTerminal(where, args('HO-2020-404', 'summary')),
      onTerminal(where, args(handoff.id, 'summary', 'a leaked key')),
    ]

    assert.equal(no.code, 4)
    assert.match(no.shown, /as it was: it was not confirmed/)
    assert.deepEqual(
      wrong.map(({ code, shown }) => [code, /for good\?|rotate/.test(shown)]),
      [
        [2, false],
        [3, false],
        [2, false],
      ],
    )
    const [field, entry, reason] = wrong.map(({ shown }) => shown.replaceAll(/\s+/g, ' '))
    assert.match(field!, /no field sumary to redact; it has summary, title/)
    assert.match(entry!, /HO-2020-404/)
    assert.match(reason!, /a code without spaces/)
    const shownNow = await ask(where, 'show', handoff.id)
    assert.deepEqual(shownNow.package, { summary: 'The key' })
  })
})

describe('baton agent key', () => {
  it('makes a key with which the agent’s records are signed from then on', async (t) => {
    const { where } = project(t)
    const as = (...args: string[]) => ask<Record<string, unknown>>(where, ...args, '--as', 'codex')
    await as('task', 'create', 'P0.1.1', '--title', 'Set up')

    const made = await as('agent', 'key', 'codex')
    const again = await as('agent', 'key', 'codex')
    const record = await as(
      ...['thought', 'record', 'P0.1.1', '--summary', 'Set up. Tested. Clean.'],
      ...['--branch', 'feature/p0-1-1-setup', '--commit-sha', 'c0ffee'.padEnd(40, '0')],
    )

    assert.match(String(made.kid), /^[0-9a-f]{32}$/)
    assert.deepEqual(again, made)
    assert.equal(statSync(String(made.file)).mode & 0o777, 0o600)
    assert.equal(record.signed, true)
    const { items } = await as('agent', 'list')
    const codex = (items as { name: string; key?: { id: string } }[]).find(({ name }) => name === 'codex')
    assert.equal(codex?.key?.id, made.kid)
  })

  it('is refused to others and for a key that is elsewhere; people replace it', async (t) => {
    const { made, where } = project(t)
    await ask(where, 'agent', 'key', 'codex', '--as', 'codex')
    const elsewhere = { ...where, env: { BATON_HOME: made.folder('elsewhere') } }

    const other = await refusal(where, 'agent', 'key', 'gemini', '--as', 'codex')
    const missing = await refusal(elsewhere, 'agent', 'key', 'codex', '--as', 'codex')
    const alone = await refusal(elsewhere, 'agent', 'key', 'codex', '--replace', '--as', 'codex')
    const { code, shown } = onTerminal(elsewhere, ['agent', 'key', 'codex', '--replace'], {
      steps: [['another key?', 'y\r']],
    })

    assert.deepEqual([other.code, missing.code, alone.code], ['not_allowed', 'conflict', 'not_allowed'])
    assert.match(missing.message, /Copy its file from the other machine/)
    assert.equal(code, 0, shown)
  })
})

describe('baton audit anchor', () => {
  it('[T25] notes the newest checkpoint at HEAD, and finds out when the log was rolled back', async (t) => {
    const { made, where } = project(t)
    const store = join(where.cwd, '.baton', 'baton.db')
    const create = (id: string) => ask(where, 'task', 'create', id, '--title', 'Work', '--as', 'codex')
    await create('T1')
    const first = await ask<{ size: number; commit: string }>(where, 'audit', 'anchor')
    copyFileSync(store, made.path('old.db'))
    await create('T2')
    git(where.cwd, 'commit', '--quiet', '--allow-empty', '--message', 'second')
    const second = await ask<{ size: number; commit: string }>(where, 'audit', 'anchor')
    const home = (name: string) => ({ ...where, env: { BATON_HOME: made.folder(name) } })

    const held = await ask(home('colleague'), 'audit', 'verify', '--anchored')
    copyFileSync(made.path('old.db'), store)
    const rolledBack = await refusal(home('newcomer'), 'audit', 'verify', '--anchored')

    assert.deepEqual(held, { size: second.size, held: 2, newest: second.size, others: 0, broken: [] })
    const note = git(where.cwd, 'notes', '--ref=baton', 'show', first.commit)
    assert.match(note, new RegExp(`^baton.local/[0-9a-f-]{36}\\n${first.size}\\n`))
    assert.deepEqual([rolledBack.code, rolledBack.exit], ['store_refused', 17])
    assert.match(rolledBack.message, new RegExp(`remembers ${second.size} entries, and the log has only`))
  })

  it('passes over notes of others, and needs a repository', async (t) => {
    const { made, where } = project(t)
    await ask(where, 'task', 'create', 'T1', '--title', 'Work', '--as', 'codex')
    const outside = {
      ...where,
      cwd: made.folder('outside'),
      env: { ...where.env, BATON_WORKSPACE: where.cwd },
    }
    await ask(where, 'audit', 'checkpoint', '--as', 'codex')
    git(where.cwd, 'notes', '--ref=baton', 'add', '-m', 'reviewed by Maria')

    const before = await ask(where, 'audit', 'verify', '--anchored')
    const nowhere = await refusal(outside, 'audit', 'anchor')

    assert.deepEqual([before.held, before.others, before.broken], [0, 1, []])
    assert.equal(nowhere.code, 'not_found')
  })
})
