import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { preCommitEdits } from '../../src/git/pre-commit-install.ts'
import { applyEdits } from '../../src/setup/file-edit.ts'
import { aRepository, handoffText, ID, NOTES, type Repo } from './staging.ts'

const WRONG = `docs/${ID}.md`
const RIGHT = `_handoffs/active/${ID}.md`

async function install({ root, env }: Repo, at = root) {
  const edits = await preCommitEdits(at, { env })
  await applyEdits(edits)
  return edits
}

async function remove({ root, env }: Repo) {
  const edits = await preCommitEdits(root, { env, remove: true })
  await applyEdits(edits)
  return edits
}

function aHook(repository: Repo, text: string, mode = 0o755, folder = '.git/hooks'): string {
  const path = join(repository.root, folder, 'pre-commit')
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const modeOf = (path: string): number => statSync(path).mode & 0o777

/** Whether a commit of a misplaced handoff is refused and one of a well placed handoff is not. */
function demandGuarded(repository: Repo): void {
  repository.stage(WRONG, handoffText())
  const refused = repository.commit()
  assert.equal(refused.code, 1, refused.text)
  assert.ok(refused.text.includes(`  ${WRONG}\n    → ${RIGHT}`), refused.text)
  repository.git('rm', '--quiet', '--cached', WRONG)
  repository.stage(RIGHT, handoffText())
  const passed = repository.commit()
  assert.equal(passed.code, 0, passed.text)
}

/** The same with a program that only notes what it is asked, for whatever is about the hook alone. */
function demandAsked(repository: Repo): void {
  repository.write('refuse', '')
  repository.stage('a.txt', 'a')
  assert.equal(repository.commit().code, 1)
  unlinkSync(join(repository.root, 'refuse'))
  const passed = repository.commit()
  assert.equal(passed.code, 0, passed.text)
  const asked = readFileSync(join(repository.root, 'asked.txt'), 'utf8')
  assert.equal(asked, 'hook pre-commit\n'.repeat(2))
}

describe('installing the pre-commit hook', () => {
  it('[S0-19] [S0-14] writes an executable hook that refuses a commit, and nothing the second time', async (t) => {
    const repository = aRepository(t)

    const edits = await install(repository)

    const path = join(repository.root, '.git/hooks/pre-commit')
    assert.deepEqual(
      edits.map((edit) => edit.path),
      [path],
    )
    assert.equal(modeOf(path), 0o755)
    assert.deepEqual(await install(repository), [])
    demandGuarded(repository)
    assert.equal((await remove(repository)).length, 1)
    assert.ok(!existsSync(path))
    assert.deepEqual(await remove(repository), [])
  })

  it('plans without writing anything', async (t) => {
    const { root, env } = aRepository(t)

    assert.equal((await preCommitEdits(root, { env })).length, 1)

    assert.ok(!existsSync(join(root, '.git/hooks/pre-commit')))
  })

  const shells = {
    'that ends early': '#!/bin/sh\necho ran >> ran.txt\nexit 0\n',
    'of bash by env': '#!/usr/bin/env bash\nset -euo pipefail\necho ran >> ran.txt\n',
    'without a first line for a program': 'echo ran >> ran.txt\n',
    'with nothing after the first line': '#!/bin/sh',
    'that is empty but for its first line': '#!/bin/sh\n',
    'without a line break at the end': '#!/bin/sh\necho ran >> ran.txt',
    'with Windows line breaks in a comment': '#!/bin/sh\n# a\r\necho ran >> ran.txt\n',
  }
  for (const [what, text] of Object.entries(shells))
    it(`[S0-19] keeps a shell hook ${what}, and removal restores it byte for byte`, async (t) => {
      const repository = aRepository(t, NOTES)
      const path = aHook(repository, text, 0o775)

      await install(repository)
      assert.deepEqual(await install(repository), [])
      demandAsked(repository)

      const ran = join(repository.root, 'ran.txt')
      assert.equal(existsSync(ran) && readFileSync(ran, 'utf8') === 'ran\n', text.includes('ran'))
      await remove(repository)
      assert.equal(readFileSync(path, 'utf8'), text)
      assert.equal(modeOf(path), 0o775)
    })

  it('[S0-19] a hook that refuses goes on refusing', async (t) => {
    const repository = aRepository(t, NOTES)
    aHook(repository, '#!/bin/sh\necho no tests >&2\nexit 3\n')
    await install(repository)
    repository.stage(RIGHT, handoffText())

    const { code, text } = repository.commit()

    assert.equal(code, 1)
    assert.match(text, /no tests/)
  })

  it('[S0-19] keeps a hook in another language beside its own, with its arguments and its refusals', async (t) => {
    const repository = aRepository(t, NOTES)
    const text =
      '#!/usr/bin/env python3\nimport os\nopen("ran.txt", "a").write("ran\\n")\nraise SystemExit(os.path.exists("stop"))\n'
    const path = aHook(repository, text)

    const edits = await install(repository)

    assert.deepEqual(
      edits.map((edit) => edit.path),
      [`${path}.before-baton`, path],
    )
    assert.deepEqual(await install(repository), [])
    demandAsked(repository)
    assert.equal(readFileSync(join(repository.root, 'ran.txt'), 'utf8'), 'ran\n')
    repository.write('stop', '')
    repository.stage('other.txt', 'x')
    assert.equal(repository.commit().code, 1)
    await remove(repository)
    assert.equal(readFileSync(path, 'utf8'), text)
    assert.ok(!existsSync(`${path}.before-baton`))
  })

  it('does not wake up a hook that somebody switched off', async (t) => {
    const repository = aRepository(t, NOTES)
    const text = '#!/bin/sh\necho ran >> ran.txt\n'
    const path = aHook(repository, text, 0o644)

    await install(repository)
    demandAsked(repository)

    assert.ok(!existsSync(join(repository.root, 'ran.txt')))
    await remove(repository)
    assert.equal(readFileSync(path, 'utf8'), text)
    assert.equal(modeOf(path), 0o644)
  })

  it('[S0-19] honours core.hooksPath, and refuses a folder that other repositories use', async (t) => {
    const repository = aRepository(t, NOTES)
    repository.git('config', 'core.hooksPath', 'tools/hooks')

    const [edit] = await install(repository)

    assert.equal(edit?.path, join(repository.root, 'tools/hooks/pre-commit'))
    demandAsked(repository)
    repository.git('config', 'core.hooksPath', repository.folder('shared-hooks'))
    await assert.rejects(preCommitEdits(repository.root, { env: repository.env }), {
      code: 'not_allowed',
      message: /baton hook pre-commit/,
    })
  })

  it('writes into what people write where husky owns the rest', async (t) => {
    const repository = aRepository(t)
    repository.git('config', 'core.hooksPath', '.husky/_')
    aHook(repository, '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n', 0o755, '.husky/_')
    const path = aHook(repository, 'npm test\n', 0o644, '.husky')

    const [edit] = await install(repository)

    assert.equal(edit?.path, path)
    assert.match(readFileSync(path, 'utf8'), /hook pre-commit \|\| exit[\s\S]*\nnpm test\n$/)
    await remove(repository)
    assert.equal(readFileSync(path, 'utf8'), 'npm test\n')
  })

  it('[S0-19] works from a linked worktree and for its commits', async (t) => {
    const repository = aRepository(t)
    const linked = repository.worktree(repository.root, 'linked')
    await install(repository, linked)
    repository.write(WRONG, handoffText(), linked)
    const run = (...args: readonly string[]) => repository.git('-C', linked, ...args)
    run('add', '.')

    const refused = repository.commit([], linked)

    assert.equal(refused.code, 1)
    assert.ok(refused.text.includes(WRONG), refused.text)
    run('rm', '-rqf', 'docs')
    repository.write(RIGHT, handoffText(), linked)
    run('add', '.')
    assert.equal(repository.commit([], linked).code, 0)
  })

  it('[S0-16] sees what `git commit -- path` and `git commit -a` are about to commit', async (t) => {
    const repository = aRepository(t)
    await install(repository)
    repository.stage('a.md', 'a\n')
    repository.stage('b.md', 'b\n')
    assert.equal(repository.commit().code, 0)
    repository.write('a.md', handoffText())
    repository.write('b.md', 'b2\n')

    assert.equal(repository.commit(['--', 'a.md']).code, 1)
    assert.equal(repository.commit(['-a']).code, 1)
    assert.equal(repository.commit(['--', 'b.md']).code, 0)
  })

  it('says what to do where the program is not installed', async (t) => {
    const repository = aRepository(t)
    await install(repository)
    repository.stage('a.md', 'a\n')

    const { code, text } = repository.commit([], repository.root, { PATH: '/usr/bin:/bin' })

    assert.equal(code, 1)
    assert.match(text, /baton is not installed here.*--no-verify/)
  })

  it('refuses to write through a link or over a hook that was kept before', async (t) => {
    const repository = aRepository(t)
    const { root, env } = repository
    const path = aHook(repository, '#!/usr/bin/env python3\n')
    writeFileSync(`${path}.before-baton`, 'older\n')
    await assert.rejects(preCommitEdits(root, { env }), { code: 'conflict' })
    repository.write('tools/check', '#!/bin/sh\n')
    unlinkSync(path)
    symlinkSync('../../tools/check', path)

    await assert.rejects(preCommitEdits(root, { env }), { code: 'conflict', message: /is a link/ })
  })
})
