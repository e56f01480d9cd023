import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = resolve(import.meta.dirname, '..')

describe('the files of the repository', () => {
  it('name no folder of the machine they were written on', () => {
    const folders = ['work', 'root', 'farm']

    assert.deepEqual(linesWith(`(^|[^A-Za-z0-9_.})-])/(${folders.join('|')})/`), [])
  })

  it('record no download address in the lock file', () => {
    assert.deepEqual(linesWith('"resolved"', 'package-lock.json'), [])
  })

  it('hold no test that is left out, alone or still to be written', () => {
    assert.deepEqual(linesWith('[.](skip|only|todo)[(]', '*.test.ts', '*.contract.ts'), [])
  })
})

/** Also works in an unpacked archive, where there is no repository: only what is ignored is left out. */
function linesWith(pattern: string, ...files: readonly string[]): string[] {
  const options = ['--no-index', '--exclude-standard', '--no-color', '-nIE']
  const found = spawnSync('git', ['grep', ...options, '-e', pattern, '--', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  assert.ok(found.status === 0 || found.status === 1, found.stderr)
  return found.stdout.split('\n').filter((line) => line !== '')
}
