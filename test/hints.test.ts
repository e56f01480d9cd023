import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { loadOperation } from '../src/operations/index.ts'
import { isOtherCommand, NOUNS, secondWords, shortForm } from '../src/transports/cli/catalog.ts'
import { flagsOf } from '../src/transports/cli/input/flags.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** A command as messages and pages show it; what follows the word in a sentence is not one. */
const SHOWN = /(?:with: |see: |run: |next: |`|\$ )baton ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g
/** What a message says to type, up to the end of its sentence. */
const TO_TYPE = /with: baton ([a-z][a-z-]*)(?: ([a-z][a-z-]*)(?![$a-z]))?([^`'\n]*)/g
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

  it('shows everything that the command cannot do without', async () => {
    const wrong: string[] = []
    let seen = 0
    for (const file of filesOf('src'))
      for (const [shown, first = '', second = '', rest = ''] of readFileSync(file, 'utf8').matchAll(
        TO_TYPE,
      )) {
        const name = shortForm(first) ?? NOUNS[first]?.[second]
        if (!name || file.endsWith('.test.ts')) continue
        seen += 1
        const { input, positional = [] } = await loadOperation(name)
        const needed = flagsOf({ input, positional }).filter((flag) => flag.required && !flag.part)
        const isMissing = needed.some((flag) =>
          positional.includes(flag.field) ? !/^ [^\s,;-]/.test(rest) : !rest.includes(`--${flag.name}`),
        )
        if (isMissing) wrong.push(`${relative(ROOT, file)}: ${shown}`)
      }

    assert.ok(seen > 20)
    assert.deepEqual(wrong, [])
  })
})
