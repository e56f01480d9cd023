import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'

const SOURCE_LINES = 400
const TEST_LINES = 600

/** Files over the ceiling: the lines they have today and why. A number may only fall, and the list only shrink. */
const EXCEPTIONS: Readonly<Record<string, { readonly lines: number; readonly reason: string }>> = {}

const ROOT = resolve(import.meta.dirname, '..')
const EXEMPT = /(?:^|\/)(?:generated|migrations|fixtures)\/|\.generated\.|(?:^|\/)\.cache\//

const sizes = new Map(
  ['src', 'test', 'bench', 'scripts', 'bin', 'examples']
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name).replaceAll('\\', '/'),
      ),
    )
    .filter((file) => /\.(?:tsx?|[cm]?js)$/.test(file) && !EXEMPT.test(file))
    .map((file) => [file, linesOf(file)] as const),
)

describe('sizes', () => {
  it('keeps every file under its ceiling, but for the listed ones', () => {
    const tooLong = [...sizes]
      .filter(([file, lines]) => lines > (EXCEPTIONS[file]?.lines ?? ceilingOf(file)))
      .map(([file, lines]) => `${file} has ${lines} lines`)

    assert.deepEqual(tooLong, [])
  })

  it('lists no exception that is no longer needed or has a smaller number by now', () => {
    const stale = Object.entries(EXCEPTIONS)
      .filter(([file, { lines }]) => {
        const now = sizes.get(file) ?? 0
        return now <= ceilingOf(file) || now < lines
      })
      .map(([file]) => `${file} has ${sizes.get(file) ?? 0} lines now`)

    assert.deepEqual(stale, [])
  })
})

function ceilingOf(file: string): number {
  return file.startsWith('test/') || /\.(?:test|contract)\.ts$/.test(file) ? TEST_LINES : SOURCE_LINES
}

function linesOf(file: string): number {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}
