import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'

/** A new field of the package costs about as many files as name an old one. Lower these; they never grow. */
const MOST_FILES = { open_questions: 7, decisions: 10 }
const RECIPE = 'docs/how-to/add-a-field.md'
/** Files that a new field touches, with its tests and pages. */
const MOST_TOUCHED = 15

const ROOT = resolve(import.meta.dirname, '..')
const NOT_BY_HAND =
  /\.(?:test|contract)\.|(?:^|\/)(?:fixtures|generated)\/|\.generated\.|^web\/src\/api\/routes\.ts$/

const texts = ['src', 'web/src'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !NOT_BY_HAND.test(file))
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const),
)

/** The source files in which a field is named, in comments too. */
const naming = (field: string): readonly string[] =>
  texts.filter(([, text]) => new RegExp(`\\b${field}\\b`).test(text)).map(([file]) => file)

describe('a field of the package', () => {
  for (const [field, most] of Object.entries(MOST_FILES))
    it(`${field} is named in at most ${most} source files`, () => {
      const files = naming(field)

      assert.ok(files.includes('src/domain/handoffs/package.ts'), 'the schema was found')
      assert.ok(files.length <= most, `${files.length} files:\n${files.join('\n')}`)
    })

  it(`touches the files that ${RECIPE} lists, at most ${MOST_TOUCHED}`, () => {
    const text = readFileSync(join(ROOT, RECIPE), 'utf8')
    const rows = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file]) => file)
    const touched = new Set(
      [...text.matchAll(/`([\w./-]+\.(?:tsx?|md)|docs\/[\w/]+\/)`/g)].map(([, file]) => file!),
    )
    const decisions = new Set(naming('decisions'))

    assert.deepEqual(
      rows.toSorted(),
      naming('open_questions')
        .filter((file) => decisions.has(file))
        .toSorted(),
    )
    assert.ok(touched.size <= MOST_TOUCHED, [...touched].join('\n'))
    assert.deepEqual(
      [...touched].filter((file) => !existsSync(join(ROOT, file))),
      [],
    )
  })
})
