import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { isOtherCommand, NOUNS, secondWords, shortForm } from '../src/transports/cli/catalog.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** A command as messages and pages show it; what follows the word in a sentence is not one. */
const SHOWN = /(?:with: |see: |run: |next: |`|\$ )baton ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g
const SENTENCES: readonly string[] = ['has', 'log']

const isThere = (first: string, second: string | undefined): boolean => {
  if (shortForm(first) || (isOtherCommand(first) && secondWords(first).length === 0)) return true
  return second === undefined
    ? isOtherCommand(first) || Object.hasOwn(NOUNS, first)
    : secondWords(first).includes(second)
}

function* filesOf(folder: string): Generator<string> {
  for (const each of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    if (
      each.isFile() &&
      /\.(tsx?|md|ya?ml|sh)$/.test(each.name) &&
      !/node_modules|dist/.test(each.parentPath)
    )
      yield join(each.parentPath, each.name)
}

describe('a command that a message or a page shows', () => {
  it('is one that can be typed', () => {
    const files = ['src', 'docs', 'examples', 'web'].flatMap((folder) => [...filesOf(folder)])
    const wrong = [...files, join(ROOT, 'README.md')].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(SHOWN)]
        .filter(([, first = '', second]) => !SENTENCES.includes(first) && !isThere(first, second))
        .map(([shown]) => `${relative(ROOT, file)}: ${shown}`),
    )

    assert.ok(files.length > 500)
    assert.deepEqual(wrong, [])
  })
})
