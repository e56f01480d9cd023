import assert from 'node:assert/strict'
import { readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { replaceFile } from '../../src/setup/replace-file.ts'
import { folders } from '../support/documents/folders.ts'
import { put, textOf } from './files.ts'

const here = (t: TestContext): string => folders(t).folder('project')

describe('replacing a file', () => {
  it('gives the permissions that were asked for, whatever the mask of the process is', (t) => {
    const root = here(t)
    const mask = process.umask(0o077)
    t.after(() => process.umask(mask))

    replaceFile(join(root, 'hook'), 'x', { mode: 0o755 })
    replaceFile(join(root, 'plain'), 'x')

    const modes = ['hook', 'plain'].map((name) => statSync(join(root, name)).mode & 0o777)
    assert.deepEqual(modes, [0o755, 0o600])
  })

  it('keeps a file that is there when it is told to, and says so', (t) => {
    const root = here(t)
    const path = join(root, 'key')

    const answers = ['first', 'second'].map((text) => replaceFile(path, text, { keep: true }))

    assert.deepEqual([answers, textOf(root, 'key'), readdirSync(root)], [[true, false], 'first', ['key']])
  })

  it('changes nothing and leaves no draft behind when the last check refuses', (t) => {
    const root = here(t)
    put(root, { a: 'theirs' })
    const check = () => {
      throw new Error(`beside it lies ${readdirSync(root).length - 1} draft`)
    }

    assert.throws(() => replaceFile(join(root, 'a'), 'ours', { check }), /beside it lies 1 draft/)
    assert.deepEqual([textOf(root, 'a'), readdirSync(root)], ['theirs', ['a']])
  })

  it('leaves no draft behind when the file cannot get its name', (t) => {
    const root = here(t)
    put(root, { 'a/b': 'in the way' })

    assert.throws(() => replaceFile(join(root, 'a'), 'ours'), { code: 'EISDIR' })
    assert.deepEqual(readdirSync(root), ['a'])
  })

  it('replaces a link and leaves the file behind it alone', (t) => {
    const root = here(t)
    put(root, { target: 'theirs' })
    symlinkSync('target', join(root, 'link'))

    replaceFile(join(root, 'link'), 'ours')

    assert.deepEqual([textOf(root, 'target'), textOf(root, 'link')], ['theirs', 'ours'])
  })
})
