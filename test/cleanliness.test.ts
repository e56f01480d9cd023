import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = resolve(import.meta.dirname, '..')
/** A call for a test with its options on one line or several; options that are made elsewhere show in the run. */
const TITLE = String.raw`(?:(?<quote>['"\x60])(?:\\.|(?!\k<quote>).)*\k<quote>|[\w.]+)`
const LEFT_OUT = new RegExp(
  String.raw`\b(?:it|test|suite|describe\w*)\(\s*${TITLE}\s*,\s*\{[^{}]*\b(?:skip|only|todo)\b`,
  's',
)

describe('the files of the repository', () => {
  it('name no folder of the machine they were written on', () => {
    const folders = ['work', 'root', 'farm']

    assert.deepEqual(linesWith(`(^|[^A-Za-z0-9_.})-])/(${folders.join('|')})/`), [])
  })

  it('record no download address in the lock file', () => {
    assert.deepEqual(linesWith('"resolved"', 'package-lock.json'), [])
  })

  it('hold no test that is left out, alone or still to be written', () => {
    assert.deepEqual(linesWith('[.](skip|only|todo)[(]', '*.test.ts', '*.contract.ts', 'test/*.ts'), [])
    const files = globSync('{{src,web,bench,scripts}/**/*.{test,contract}.ts,test/**/*.ts}', { cwd: ROOT })
    assert.ok(files.length > 300)
    const found = files.map((file) => [file, LEFT_OUT.exec(readFileSync(join(ROOT, file), 'utf8'))?.[0]])
    assert.deepEqual(
      found.filter(([, call]) => call !== undefined),
      [],
    )
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
