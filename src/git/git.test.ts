import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { folders, git } from '../../test/support/documents/folders.ts'
import { gitEnvironment } from '../config/config.ts'
import { commitFiles } from './files.ts'
import { openRepository, Repository } from './git.ts'

const ENVIRONMENT = gitEnvironment({ PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null' })

describe('git as Baton starts it', () => {
  it('is not told of another repository by the hook that it runs in', async (t) => {
    const place = folders(t)
    const [one, other] = [place.repository('one'), place.repository('other')]
    git(other, 'branch', 'only-here')
    const env = { ...process.env, GIT_DIR: `${other}/.git`, GIT_WORK_TREE: other, GIT_SSH_COMMAND: 'ssh -q' }

    const kept = gitEnvironment(env)
    const repository = await openRepository(one, kept)

    assert.deepEqual(
      [kept.GIT_DIR, kept.GIT_WORK_TREE, kept.GIT_SSH_COMMAND],
      [undefined, undefined, 'ssh -q'],
    )
    assert.equal(repository?.root, one)
    assert.equal(await repository?.commit('only-here'), undefined)
  })

  it('[T8] gets a name as one argument behind the end of options, and no text that is not a name', async (t) => {
    const place = folders(t)
    const shim = place.file(
      'bin/git',
      '#!/bin/sh\nprintf "%s\\0" "$@" >> "$RECORD"; printf "\\1\\n" >> "$RECORD"\n',
    )
    chmodSync(shim, 0o755)
    const record = place.path('argv')
    const repository = new Repository(place.home, place.home, {
      PATH: `${place.path('bin')}:/usr/bin:/bin`,
      RECORD: record,
    })
    const part = fc.constantFrom(
      'a',
      'B',
      '-',
      '/',
      '.',
      '..',
      '$(touch x)',
      ';',
      '\n',
      ' ',
      "'",
      '--all',
      'feature/p0-1',
    )

    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (parts) => {
        writeFileSync(record, '')
        await repository.commit(parts.join('')).catch((error) => assert.equal(error.code, 'invalid_input'))
        for (const call of readFileSync(record, 'utf8').split('\u0001\n').filter(Boolean)) {
          const words = call.split('\0').slice(0, -1)
          assert.deepEqual(words.slice(-2), ['--end-of-options', `${parts.join('')}^{commit}`])
          assert.equal(words.length, 18)
        }
      }),
      { numRuns: 60 },
    )
    await repository.commit('feature/p0-1')
    assert.match(readFileSync(record, 'utf8'), /feature\/p0-1\^\{commit\}/)
    assert.equal(existsSync(place.path('x')), false)
  })

  it('answers the names of files as they are, whatever they are made of', async (t) => {
    const place = folders(t)
    const root = place.repository('shop')
    const before = git(root, 'rev-parse', 'HEAD').trim()
    const names = ['ümläut.txt', 'a b.txt', 'new\nline.txt', '"quoted".txt', '-rf', 'docs/x.md']
    for (const name of names) place.file(`shop/${name}`, name)
    git(root, 'add', '--all')
    git(root, 'commit', '--quiet', '--message', 'names')
    git(root, 'mv', 'a b.txt', 'c.txt')
    git(root, 'commit', '--quiet', '--message', 'rename')
    const repository = (await openRepository(root, ENVIRONMENT))!
    const head = (await repository.commit('HEAD'))!
    const first = git(root, 'rev-parse', 'HEAD~1').trim()

    const added = (await repository.changed(before, first)).map(({ path }) => path)
    const renamed = await repository.changed(first, head)

    assert.deepEqual([...added].sort(), [...names].sort())
    assert.deepEqual(renamed, [
      { path: 'a b.txt', deleted: true },
      { path: 'c.txt', deleted: false },
    ])
    assert.equal((await repository.files(head)).has('new\nline.txt'), true)
    assert.deepEqual(await commitFiles(repository, head).list('docs'), ['x.md'])
    assert.equal(await repository.fileAt(head, 'docs/x.md'), 'docs/x.md')
    await assert.rejects(repository.fileAt(head, '../x.md'), { code: 'invalid_input' })
  })

  it('knows the main branch by its name, by what the remote says, or not at all', async (t) => {
    const place = folders(t)
    const root = place.repository('shop')
    git(root, 'branch', '--move', 'trunk')
    const repository = (await openRepository(root, ENVIRONMENT))!
    const none = await repository.base()
    git(place.folder('copy'), 'clone', '--quiet', root, '.')
    git(place.path('copy'), 'switch', '--quiet', '--create', 'feature/x')
    const copy = (await openRepository(place.path('copy'), ENVIRONMENT))!

    assert.equal(none, undefined)
    assert.equal((await copy.base())?.name, 'trunk')
    assert.equal((await copy.base('feature/x'))?.commit, await copy.commit('HEAD'))
    // The folder for temporary files may lie in a repository.
    assert.equal(await openRepository('/', ENVIRONMENT), undefined)
  })

  it('says what is missing where git is not installed', async (t) => {
    const place = folders(t)

    await assert.rejects(openRepository(place.home, { PATH: place.folder('nothing') }), {
      code: 'unavailable',
      message: /git could not be started \(ENOENT\); install git/,
    })
  })
})
