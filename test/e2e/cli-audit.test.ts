import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { recordOf } from '../support/log/audit.ts'
import { ask, baton, lines, onTerminal, quick, refusal, type Where } from '../support/program/command.ts'

const RECORD = recordOf('P0.1.1')

/** A repository of its own, whose user has a home of its own. */
function project(t: TestContext): Where {
  const made = folders(t)
  return { cwd: made.repository('project'), env: { BATON_HOME: made.folder('home') } }
}
const as =
  (where: Where, agent: string) =>
  (words: string, more: readonly string[] = []) =>
    ask(where, ...words.split(' '), ...more, '--as', agent)

async function worked(where: Where, agent: string): Promise<void> {
  const codex = as(where, agent)
  await codex('task create P0.1.1', ['--title', 'Set up the package'])
  await codex('audit session-start')
  await codex('task start P0.1.1')
  await codex('task complete P0.1.1', [
    ...['--branch', RECORD.branch, '--commit-sha', RECORD.commit_sha],
    ...['--tests-run', RECORD.tests_run[0]!, '--summary', RECORD.summary],
  ])
}

describe('the audit commands', () => {
  it('[S3-31] seal a session in the order of document 003, as typed', async (t) => {
    const where = project(t)
    const codex = as(where, 'codex')
    await worked(where, 'codex')

    const chain = await codex('audit verify-chain')
    const sealed = await codex('merkle finalize')
    const root = await codex('merkle root')

    assert.equal(chain.ok, true)
    assert.deepEqual(root, sealed)
    const shown = await quick(where, 'merkle', 'root', '--as', 'gemini')
    assert.ok(shown.stdout.includes(String(sealed.session_root)), shown.stdout)
    assert.ok(shown.stdout.includes(String(sealed.checkpoint).trimEnd()))
  })

  it('[S3-108] say which step is missing', async (t) => {
    const where = project(t)
    await as(where, 'codex')('task create P1', ['--title', 'Work'])

    const before = await refusal(where, 'merkle', 'finalize', '--as', 'codex')
    await as(where, 'codex')('audit session-start')
    const early = await refusal(where, 'merkle', 'finalize', '--as', 'codex')
    const rootless = await refusal(where, 'merkle', 'root', '--as', 'codex')

    assert.match(before.message, /audit_session_start first/)
    assert.deepEqual([early.code, early.exit], ['unmet', 8])
    assert.match(early.message, /^FINAL_THOUGHT_RECORD_MISSING: .* call thought_record/)
    assert.match(rootless.message, /call merkle_finalize first/)
  })

  it('show the log, its key, its checkpoint and the proof of a task', async (t) => {
    const where = project(t)
    await worked(where, 'codex')

    const note = await quick(where, 'audit', 'checkpoint', '--as', 'codex')
    const again = await quick(where, 'audit', 'checkpoint', '--show', '--as', 'codex')
    const key = await quick(where, 'audit', 'key', '--as', 'codex')
    const log = await quick(where, 'audit', 'log', '--as', 'codex')
    const proof = await quick(where, 'audit', 'proof', 'P0.1.1', '--as', 'codex')
    const sessions = await quick(where, 'audit', 'sessions', '--as', 'codex')

    assert.equal(again.stdout, note.stdout)
    const [origin, size] = lines(note.stdout)
    assert.ok(key.stdout.startsWith(`${origin}+`), key.stdout)
    assert.equal(lines(log.stdout).length, Number(size))
    assert.ok(proof.stdout.includes(note.stdout.trimEnd()), proof.stdout)
    assert.match(proof.stdout, /task\.done/)
    assert.equal((await quick(where, 'audit', 'proof', '0.1.1', '--as', 'codex')).stdout, proof.stdout)
    assert.match(sessions.stdout, /^AS-\w+\topen\tcodex/)
    assert.ok(existsSync(join(where.env!.BATON_HOME!, '.baton', 'keys')))
  })

  it('number an entry in a proof and a seal as the log does', async (t) => {
    const where = project(t)
    await worked(where, 'codex')
    const numbers = (text: string): string[] =>
      lines(text)
        .map((line) => line.split('\t'))
        .flatMap(([number, act]) => (act === 'task.done' ? [number ?? ''] : []))

    const proof = await quick(where, 'audit', 'proof', 'P0.1.1', '--as', 'codex')
    const sealed = await quick(where, 'merkle', 'finalize', '--as', 'codex')
    const log = await quick(where, 'audit', 'log', '--as', 'codex')

    assert.equal(numbers(log.stdout).length, 1, log.stdout)
    assert.deepEqual(numbers(proof.stdout), numbers(log.stdout))
    assert.match(sealed.stdout, /leaf \d+ of the tree/)
  })

  it('begin anew with another log only for a person at a terminal', async (t) => {
    const where = project(t)
    await worked(where, 'codex')
    await as(where, 'codex')('audit checkpoint')

    const alone = await refusal(where, 'audit', 'trust', '--reset', '--as', 'codex')
    const kept = await quick(where, 'audit', 'trust', '--as', 'codex')
    const reset = onTerminal(where, ['audit', 'trust', '--reset'], { steps: [['Forget', 'y\r']] })

    assert.equal(alone.code, 'not_allowed')
    assert.match(kept.stdout, /extends what you remember of it/)
    assert.equal(reset.code, 0)
    assert.match(reset.shown, /forgotten/)
  })

  it('[S3-93] [S3-95] answer two processes that finalize at once with the same seal', async (t) => {
    const where = project(t)
    await worked(where, 'codex')

    const [one, two] = await Promise.all(
      ['codex', 'gemini'].map((agent) => baton(where, 'merkle', 'finalize', '--json', '--as', agent)),
    )

    assert.equal(one?.code, 0, one?.stderr)
    assert.equal(two?.code, 0, two?.stderr)
    assert.equal(two?.stdout, one?.stdout)
  })
})
