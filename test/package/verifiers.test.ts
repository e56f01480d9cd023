import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import type { Verification } from '../../src/audit/levels/index.ts'
import { folders } from '../support/documents/folders.ts'
import { exported, type Files, logOf, noteOf, VKEY } from '../support/log/export-log.ts'
import { storyOf } from '../support/log/export-story.ts'
import { writeFiles } from '../support/log/python-verifier.ts'

const DIST = resolve(import.meta.dirname, '../../dist')
const files = await exported(logOf(storyOf(5, 300)))
const [, page = ''] =
  /<script>([\s\S]*)<\/script>/.exec(readFileSync(join(DIST, 'baton-verify.html'), 'utf8')) ?? []

/** An export with one letter of its first text changed. */
function tampered(): Files {
  const changed = new Map(files)
  const text = Buffer.from(files.get('disclosures.jsonl')!)
  text[20] = text[20] === 65 ? 66 : 65
  return changed.set('disclosures.jsonl', text)
}

describe('the verifier in one file', () => {
  it('[S3-38] runs from anywhere, with no package beside it, and answers by its exit code', (t) => {
    const { home } = folders(t)
    cpSync(join(DIST, 'baton-verify.mjs'), join(home, 'verify.mjs'))
    const [good, bad, other] = [
      writeFiles(files, join(home, 'good')),
      writeFiles(tampered(), join(home, 'bad')),
      join(home, 'nothing'),
    ]
    writeFileSync(join(home, 'seen'), noteOf([]))
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [join(home, 'verify.mjs'), ...args], { encoding: 'utf8', cwd: home })

    assert.deepEqual(
      [good, bad, home, other].map((folder) => run(folder).status),
      [0, 1, 2, 3],
    )
    assert.equal(run().status, 3)
    assert.equal(run(good, '--nonsense').status, 3)
    assert.equal(run(good, '--vkey', 'nonsense').status, 3)
    assert.equal(run(good, '--vkey', VKEY, '--seen', 'seen').status, 0)
    assert.match(run(bad).stdout, /^✗ L5 disclosures .*line 1/m)
    assert.equal((JSON.parse(run(good, '--json').stdout) as Verification).verdict, 'ok')
  })
})

describe('the page that verifies', () => {
  type Verify = (
    files: ReadonlyMap<string, Blob>,
    known?: { vkey?: string; seen?: string },
  ) => Promise<Verification>
  const scope: { batonVerify?: Verify } & Record<string, unknown> = {
    crypto,
    TextEncoder,
    TextDecoder,
    atob,
    btoa,
  }
  runInNewContext(page, scope)
  const verify = (some: Files, known = {}) =>
    scope.batonVerify!(
      new Map([...some].map(([name, bytes]) => [`log/${name}`, new Blob([Uint8Array.from(bytes)])])),
      known,
    )

  it('[S3-38] says what the command says, with what a browser has', async () => {
    const found = await verify(files, { vkey: VKEY, seen: noteOf([]) })

    assert.equal(found.verdict, 'ok')
    assert.equal(
      found.levels.map(({ verdict }) => verdict).join(' '),
      'ok ok nothing not_asked nothing ok ok',
    )
    assert.equal((await verify(tampered())).levels[5]?.verdict, 'failed')
    assert.equal((await verify(new Map())).verdict, 'unverifiable')
  })

  it('[T22] may load nothing, send nothing and run nothing but itself', () => {
    const html = readFileSync(join(DIST, 'baton-verify.html'), 'utf8')
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? []
    const own = createHash('sha256').update(page).digest('base64')

    assert.ok(policy.startsWith(`default-src 'none'; script-src 'sha256-${own}'`), policy)
    assert.doesNotMatch(html, /\b(?:src|href)=|https?:\/\/(?!in-toto\.io)|@import|url\(/)
    assert.match(html, /prefers-color-scheme: dark/)
  })
})
