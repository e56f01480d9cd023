import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readDocuments } from '../read.ts'
import { rewrite } from '../rewrite.ts'
import { sourcesOf } from '../text/sources.ts'
import { markdown } from './index.ts'

const FOLDER = join(import.meta.dirname, 'fixtures')
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.(?:md|yaml)$/.test(file))
  .sort()

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')

/** What the dialect says of a text, in the form in which the fixtures have it. */
function answerTo(text: string, path: string): unknown {
  const [source] = sourcesOf(text, { path })
  assert.ok(source)
  const form = markdown.formOf(source)
  const { draft, diagnostics } = form ? markdown.interpret(source, form) : { diagnostics: [] }
  return {
    form: form ?? null,
    ...(draft && { draft }),
    diagnostics: [...source.diagnostics, ...diagnostics].map(
      ({ line, column, severity, code, message }) => `${line}:${column} ${severity} ${code}: ${message}`,
    ),
  }
}

describe('documents of the markdown dialect', () => {
  for (const file of files)
    it(`says of ${file} what a person would say`, () => {
      const expected: unknown = JSON.parse(read(file.replace(/\.(?:md|yaml)$/, '.json')))
      assert.deepEqual(answerTo(read(file), file), expected)
    })

  it('[S0-69] leaves every byte of an unchanged document as it was', () => {
    for (const file of files)
      for (const document of readDocuments(read(file), { path: file }))
        if (document.draft) assert.equal(rewrite(document, document.draft), read(file), file)
  })

  it('has fixtures of every form, and one that is none', () => {
    const forms = files
      .map((file) => sourcesOf(read(file), { path: file })[0])
      .map((source) => markdown.formOf(source!))
    assert.deepEqual([...new Set(forms)].map(String).sort(), ['handoff', 'index', 'undefined', 'v1'])
  })
})
