import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, quick, refusal } from '../support/program/command.ts'

type Dossier = { result?: { evidence: unknown; checks?: { ok?: boolean }[] }; handoff: { state: string } }

/** Work that codex has taken on. */
async function taken(t: TestContext, ...options: readonly string[]) {
  const where = { cwd: folders(t).repository('shop') }
  await ask(where, 'send', '--as', 'claude', '--to', 'codex', '--title', 'Ports', ...options)
  await ask(where, 'accept', '@', '--as', 'codex')
  return where
}

const named = (...names: readonly string[]) => names.flatMap((name) => ['--deliverable', name])
const shown = (...pairs: readonly string[]) => pairs.flatMap((pair) => ['--evidence', pair])

describe('evidence on the command line', () => {
  it('[S0-79] is told from a deliverable whose name holds an equals sign', async (t) => {
    const where = await taken(t, ...named('Set PORT=80', 'Set PORT=443', 'Set PORT'))

    await ask(
      where,
      'submit',
      '@',
      '--as',
      'codex',
      ...shown('Set PORT=80=a.conf', 'Set PORT=443 = b.conf?x=1', 'Set PORT=c.conf'),
    )

    const { result } = await ask<Dossier>(where, 'show', '@', '--as', 'claude')
    assert.deepEqual(result?.evidence, [
      { deliverable: 'Set PORT=80', evidence: 'a.conf' },
      { deliverable: 'Set PORT=443', evidence: 'b.conf?x=1' },
      { deliverable: 'Set PORT', evidence: 'c.conf' },
    ])
  })

  it('[S0-79] is not the name of the deliverable, in whole or in part', async (t) => {
    const where = await taken(t, ...named('Config with DEBUG=1 on'))

    for (const pair of ['Config with DEBUG=1 on', 'Config with DEBUG=1', 'Config with DEBUG=1 on= ']) {
      const { exit, code, message } = await refusal(where, 'submit', '@', '--as', 'codex', ...shown(pair))
      assert.deepEqual([exit, code], [2, 'invalid_input'], pair)
      assert.match(message, /--evidence "Config with DEBUG=1 on=…"/)
    }
    const nameless = await refusal(where, 'submit', '@', '--as', 'codex', ...shown('docs/a.md'))
    assert.match(nameless.message, /is not a pair, --evidence "deliverable=…"/)
    await ask(where, 'submit', '@', '--as', 'codex', ...shown('config with debug=1=x.conf'))
    const { result } = await ask<Dossier>(where, 'show', '@', '--as', 'claude')
    assert.deepEqual(result?.evidence, [{ deliverable: 'Config with DEBUG=1 on', evidence: 'x.conf' }])
  })

  it('[S0-79] is asked for in words that are taken as they are', async (t) => {
    const where = await taken(t, ...named('Set PORT=80', 'Set PORT=443', '[API] docs'))

    const { message } = await refusal(where, 'submit', '@', '--as', 'codex')
    const options = [...message.matchAll(/--evidence "([^"]+)"/g)].map(([, pair = '']) => pair)

    assert.deepEqual(options, ['Set PORT=80=…', 'Set PORT=443=…', '[API] docs=…'])
    assert.equal((await quick(where, 'submit', '@', '--as', 'codex', ...shown(...options))).code, 0)
  })

  it('[S0-81] of a verifier is told in the same way', async (t) => {
    const where = await taken(t, ...named('Set PORT=80'))
    await ask(where, 'submit', '@', '--as', 'codex', ...shown('Set PORT=80=a.conf'))

    await ask(where, 'verify', '@', '--as', 'claude', '--pass', '--check', 'Set PORT=80=seen at work')

    const { verifications } = await ask<{ verifications: { deliverable_checks: unknown }[] }>(
      where,
      'show',
      '@',
      '--as',
      'claude',
    )
    assert.deepEqual(verifications[0]?.deliverable_checks, [
      { deliverable: 'Set PORT=80', status: 'verified', evidence: 'seen at work' },
    ])
  })

  it('given under the beginning of a name meets the declared check of that name', async (t) => {
    const where = await taken(t, ...named('Middleware in src/'), '--check', 'evidence:Middleware in src/')

    await ask(where, 'submit', '@', '--as', 'codex', ...shown('Middleware=src/limit.ts'))

    const { result } = await ask<Dossier>(where, 'show', '@', '--as', 'claude')
    assert.deepEqual(
      result?.checks?.map(({ ok }) => ok),
      [true],
    )
    const { handoff } = await ask<Dossier>(where, 'verify', '@', '--as', 'claude', '--pass')
    assert.equal(handoff.state, 'completed')
  })

  it('that a declared check does not find is told to whoever hands in, and the check runs anew at the end', async (t) => {
    const where = await taken(t, ...named('Docs'), '--check', 'file:docs.md')

    const handedIn = await quick(where, 'submit', '@', '--as', 'codex', ...shown('Docs=docs.md'))
    const absent = await refusal(where, 'verify', '@', '--as', 'claude', '--pass')
    writeFileSync(join(where.cwd, 'docs.md'), 'Docs')
    const { handoff } = await ask<Dossier>(where, 'verify', '@', '--as', 'claude', '--pass')

    assert.match(handedIn.stderr, /^! check file exists: "docs\.md": not there$/m)
    assert.match(
      absent.message,
      /check failed: file exists: "docs\.md" \(not there\); give it back with --fail -m "why"$/,
    )
    assert.equal(handoff.state, 'completed')
  })

  it('of a declared check that cannot run here is told to sender and receiver', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const work = ['--to', 'codex', '--title', 'Ports', '--check', 'npm test']

    const sent = await quick(where, 'send', '--as', 'claude', ...work)
    await ask(where, 'accept', '@', '--as', 'codex')
    const handedIn = await quick(where, 'submit', '@', '--as', 'codex', '-m', 'Done')

    assert.match(
      sent.stderr,
      /check command exits 0: "npm test" cannot run here: list it under checks\.commands/,
    )
    assert.match(
      handedIn.stderr,
      /check command exits 0: "npm test": not run: list it under checks\.commands/,
    )
  })

  it('is needed for work without deliverables too: what was not handed in is not verified', async (t) => {
    const where = await taken(t)

    const refused = await refusal(where, 'verify', '1', '--as', 'claude', '--pass')
    const ended = await refusal(where, 'handoff', 'complete', '1', '--as', 'claude')

    for (const { exit, code, message } of [refused, ended]) {
      assert.deepEqual([exit, code], [8, 'unmet'])
      assert.match(message, /codex has handed in nothing; it does with: baton submit HO-2026-001 --as codex/)
    }
    const empty = await refusal(where, 'submit', '1', '--as', 'codex')
    assert.equal(empty.exit, 8)
    assert.match(empty.message, /cannot be submitted yet: nothing was handed in; say what was done/)
    await ask(where, 'submit', 'HO-2026-001', '--as', 'codex', '--note', 'Done')
    const { handoff } = await ask<Dossier>(where, 'verify', '1', '--as', 'claude', '--pass')
    assert.equal(handoff.state, 'completed')
  })

  it('[S0-81] of the verifier is what the help asks for and what is shown of verified work', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const sent = ['--home', 'markdown', '--priority', 'normal', ...named('Docs', 'Tests')]
    await ask(where, 'send', '--as', 'grok', '--to', 'claude', '--title', 'Limits', ...sent)
    await ask(where, 'accept', '@', '--as', 'claude')
    await ask(where, 'submit', '@', '--as', 'claude', '--note', 'done')
    const before = await quick(where, 'show', '@', '--as', 'grok')
    await ask(
      where,
      'verify',
      '@',
      '--as',
      'perplexity',
      '--pass',
      '--check',
      'Docs=read',
      '--check',
      'Tests=run',
    )

    const after = await quick(where, 'show', '@', '--as', 'grok')
    const help = await quick(where, 'verify', '--help')

    assert.match(before.stdout, /✗ Docs\s.*✗ Tests\s/s)
    assert.match(after.stdout, /✓ Docs\s+= read.*✓ Tests\s+= run/s)
    assert.match(help.stdout, /--check <deliverable=proof> {2}The evidence you saw for a deliverable/)
  })

  it('of work of document 000 is for every deliverable or left to the verifier, who is told how', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const sent = ['--home', 'markdown', ...named('Docs', 'Tests')]
    await ask(where, 'send', '--as', 'grok', '--to', 'claude', '--title', 'Limits', ...sent)
    await ask(where, 'accept', '@', '--as', 'claude')

    const half = await refusal(where, 'submit', '001', '--as', 'claude', '--evidence', 'Docs=README.md')
    assert.equal(
      half.message,
      'HO-2026-001 cannot be submitted yet: no evidence for "Tests"; add --evidence "Tests=…"',
    )

    await ask(where, 'submit', '001', '--as', 'claude', '--note', 'done')
    const unseen = await refusal(where, 'verify', '001', '--as', 'perplexity', '--pass')
    assert.equal(
      unseen.message,
      'HO-2026-001 cannot be completed: no evidence for "Docs"; no evidence for "Tests"; say what you saw with --check "Docs=…" --check "Tests=…", or give it back with --fail -m "why"',
    )
  })

  it("of other work is the receiver's, and no check of a verifier is asked for in its place", async (t) => {
    const where = await taken(t, ...named('Docs'))

    const { message } = await refusal(where, 'verify', '001', '--as', 'claude', '--pass')

    assert.equal(message, 'HO-2026-001 cannot be completed: no evidence for "Docs"')
  })

  it('is also asked of a step that others follow; the next one begins when the sender has verified it', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const chain = (title: string, ...more: readonly string[]) =>
      ask<{ handoff: { id: string } }>(
        where,
        'send',
        '--as',
        'lead',
        '--to',
        'claude',
        '--title',
        title,
        ...more,
        '--then',
        'codex',
        'Review',
      )
    const waiting = async () =>
      (await ask<{ items: { id: string }[] }>(where, 'inbox', '--as', 'codex')).items.map(({ id }) => id)
    await chain('Limits', ...named('Middleware'))
    await ask(where, 'accept', '@', '--as', 'claude')

    const refused = await refusal(where, 'submit', '@', '--as', 'claude')
    assert.match(refused.message, /no evidence for "Middleware"/)
    await ask(where, 'submit', '@', '--as', 'claude', ...shown('Middleware=a pull request'))
    assert.deepEqual(await waiting(), [])
    await ask(where, 'verify', '@', '--pass', '--as', 'lead')
    assert.deepEqual(await waiting(), ['limits-1.step-2'])

    // Where nothing is to be proven, the next agent looks at the result, without a stop.
    const { handoff } = await chain('Plan')
    await ask(where, 'accept', handoff.id, '--as', 'claude')
    await ask(where, 'submit', handoff.id, '--as', 'claude')
    assert.deepEqual(await waiting(), ['limits-1.step-2', handoff.id.replace('step-1', 'step-2')])
  })
})
