import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, it } from 'node:test'

const SOURCE_LINES = 400
const TEST_LINES = 600
const FILES_IN_A_FOLDER = 20
/** Lines of `src/` without tests, contracts and fixtures. It falls with the code; a change that raises it says why. */
const LINE_BUDGET = 82_548

const ROOT = resolve(import.meta.dirname, '..')
const FOLDERS = ['src', 'test', 'bench', 'scripts', 'bin', 'examples', 'web/src']
const NOT_OURS_TO_SIZE = /(?:^|\/)(?:fixtures|\.cache|node_modules)\//
/** Written by programs, or a record that must not change. */
const WITHOUT_CEILING = /(?:^|\/)(?:generated|migrations)\/|\.generated\./

const sizes = new Map(
  FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name).replaceAll('\\', '/'),
    ),
  )
    .filter((file) => /\.(?:tsx?|[mc]?js|css)$/.test(file) && !NOT_OURS_TO_SIZE.test(file))
    .map((file) => [file, linesOf(file)] as const),
)

describe('sizes', () => {
  it('keeps every file under its ceiling of lines', () => {
    const tooLong = [...sizes]
      .filter(([file, lines]) => lines > ceilingOf(file))
      .map(([file, lines]) => `${file} has ${lines} lines`)

    assert.deepEqual(tooLong, [])
  })

  it('keeps every folder at twenty source files or fewer', () => {
    const counts = new Map<string, number>()
    for (const file of [...sizes.keys()].filter(isSource)) {
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
    }
    const tooFull = [...counts]
      .filter(([, count]) => count > FILES_IN_A_FOLDER)
      .map(([folder, count]) => `${folder} holds ${count} source files`)

    assert.deepEqual(tooFull, [])
  })

  it('keeps src/ within its line budget', () => {
    const lines = [...sizes]
      .filter(([file]) => file.startsWith('src/') && isSource(file))
      .reduce((sum, [, count]) => sum + count, 0)

    assert.ok(lines > 0 && lines <= LINE_BUDGET, `src/ has ${lines} lines; its budget is ${LINE_BUDGET}`)
  })
})

function ceilingOf(file: string): number {
  if (WITHOUT_CEILING.test(file)) return Number.POSITIVE_INFINITY
  return file.startsWith('test/') || !isSource(file) ? TEST_LINES : SOURCE_LINES
}

function isSource(file: string): boolean {
  return !/\.(?:test|contract)\.ts$/.test(file)
}

function linesOf(file: string): number {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}
