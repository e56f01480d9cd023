import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { describe, it } from 'node:test'

/** Top-level names that more than three source files define. The number may only fall; it was 157 at the start. */
const SHARED_NAMES = 15
/** These said nothing of what they stood for, so at most one file may define each. */
const SAY_OF_WHAT = [
  'placeOf',
  'shown',
  'nameOf',
  'Found',
  'textOf',
  'spoken',
  'Place',
  'CallOptions',
  'sha256',
  'MOST',
  'PAGE',
]
/** Words for a problem, alone or at the end of a name. */
const FOR_PROBLEM =
  /(?:^|[a-z])(?:Diagnostic|Finding|Unmet|Missing|Warning|Flaw|Fault|Complaint|SchemaProblem|Happening)s?$/
/** Public names of earlier versions, kept as deprecated aliases. */
const DEPRECATED = ['src/client.ts Happening']
/** A gerund says that something happens, not what the file holds. These are things: a reading, a heading. */
const GERUNDS_LEFT = new Set(['failure-routing.ts', 'greeting.ts', 'listing.ts', 'reading.ts', 'spelling.ts'])

const ROOT = resolve(import.meta.dirname, '..')
/** A declaration at the start of a line, in a file that is neither test, contract nor fixture. */
const DECLARATION =
  /^(?<exported>export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?<keyword>function\*?|const|class|interface|type|enum)\s+(?<name>[A-Za-z_$][\w$]*)/gm

const sources = globSync('src/**/*.{ts,tsx}', { cwd: ROOT })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.(?:test|contract)\.|\/fixtures\//.test(file))
const declarations = sources.flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(DECLARATION)].map(({ groups }) => ({
    file,
    name: groups!.name!,
    isType: ['class', 'interface', 'type'].includes(groups!.keyword!),
    isExported: groups!.exported !== undefined,
  })),
)
const filesOf = Map.groupBy(declarations, ({ name }) => name)
const count = (name: string): number => new Set(filesOf.get(name)?.map(({ file }) => file)).size

const rows = readFileSync(join(ROOT, 'docs/reference/glossary.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, term, meaning, type, not] = line.split('|').map((cell) => cell.trim())
    return term && !['term', '---'].includes(term)
      ? [{ term, meaning: meaning!, type: type!, not: not! }]
      : []
  })

describe('the glossary', () => {
  it('names for every term a type that its file exports', () => {
    const wrong = rows.filter(({ type }) => {
      const [, name, file] = /^`(\w+)` in `([\w./-]+)`$/.exec(type) ?? []
      return !declarations.some((each) => each.file === file && each.name === name && each.isExported)
    })

    assert.ok(rows.length >= 60)
    assert.deepEqual(
      wrong.map(({ term, type }) => `${term}: ${type}`),
      [],
    )
  })

  it('has one row for each term, with a meaning in one or two sentences and words not to use', () => {
    const terms = rows.map(({ term }) => term)

    assert.deepEqual(
      terms.filter((term, i) => terms.indexOf(term) !== i),
      [],
    )
    assert.deepEqual(
      rows.filter(({ meaning, not }) => !/^[^.]+\.(?: [^.]+\.)?$/.test(meaning) || not === ''),
      [],
    )
  })

  it('is followed: a type for what is wrong is a Problem or a Loss', () => {
    const wrong = declarations.filter(
      ({ name, isType, isExported }) => isType && isExported && FOR_PROBLEM.test(name),
    )

    assert.deepEqual(
      wrong.map(({ file, name }) => `${file} ${name}`),
      DEPRECATED,
    )
  })
})

describe('names', () => {
  it(`are shared by more than three files ${SHARED_NAMES} times at most`, () => {
    const shared = [...filesOf.keys()].filter((name) => count(name) > 3).toSorted()

    assert.ok(declarations.length > 5_000)
    assert.equal(
      shared.length,
      SHARED_NAMES,
      `lower the number in this test, or give a name that says of what: ${shared.join(', ')}`,
    )
  })

  it('that said nothing of what they stood for are left in one file at most', () => {
    assert.deepEqual(
      SAY_OF_WHAT.filter((name) => count(name) > 1),
      [],
    )
  })

  it('of files are nouns', () => {
    const gerunds = sources.filter((file) => /ing\.ts$/.test(file) && !GERUNDS_LEFT.has(basename(file)))

    assert.deepEqual(gerunds, [])
  })
})
