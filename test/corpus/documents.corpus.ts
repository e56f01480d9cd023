import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { addsAndRemovesAKey, answers } from '../../src/dialects/dialect.contract.ts'
import { readDocuments, rewrite, summaryOf } from '../../src/dialects/index.ts'
import { mutated } from '../support/documents/drafts.ts'
import { sharedFile, sharedFiles } from './files.ts'

const FOLDER = 'data/corpus'
const files = sharedFiles(FOLDER).filter((file) => !file.endsWith('corpus/README.md'))
const read = (file: string) => readDocuments(sharedFile(file), { path: file.slice(FOLDER.length + 1) })

describe('real files', () => {
  it('each give a draft, or an error with the line', () => {
    for (const file of files) {
      const lines = sharedFile(file).split('\n').length
      for (const { draft, dialect, diagnostics } of read(file)) {
        const errors = diagnostics.filter(({ severity }) => severity === 'error')
        assert.ok(draft || dialect || errors.length > 0, `${file}: nothing was said`)
        for (const { line, column, message } of diagnostics) {
          assert.ok(line >= 1 && line <= lines && column >= 1, `${file}:${line}:${column} ${message}`)
          assert.match(message, /\S/)
        }
      }
    }
  })

  it('keep every byte when nothing changes', () => {
    for (const file of files)
      for (const document of read(file))
        if (document.draft) assert.equal(rewrite(document, document.draft), sharedFile(file), file)
  })

  it('have a receiver, a state and a title where a person finds them', () => {
    const named = files.filter((file) => /_handoffs\/handoff-.*\.md$/.test(file))
    const assigned = named.filter((file) => /\*\*Assigned to\*\*:/.test(sharedFile(file)))
    assert.ok(assigned.length > 10)
    for (const file of assigned) {
      const text = sharedFile(file)
      const [document] = read(file)
      assert.ok(document)
      const { to, from, state, title } = summaryOf(document)
      assert.equal(to, /\*\*Assigned to\*\*: *([\w-]+)/.exec(text)?.[1]?.toLowerCase(), file)
      assert.equal(from, /\*\*Created by\*\*: *([\w-]+)/.exec(text)?.[1]?.toLowerCase(), file)
      assert.ok(state, file)
      assert.equal(title, /^# (.+)$/m.exec(text)?.[1], file)
    }
  })

  it('take a new key in one place and give it back without a trace', () => {
    for (const path of files) addsAndRemovesAKey({ path, text: sharedFile(path) })
  })

  it('never make a reader throw, however they are mutated', () => {
    const broken = fc
      .constantFrom(...files)
      .chain((path) => mutated(fc.constant(sharedFile(path))).map((text) => ({ path, text })))
    fc.assert(fc.property(broken, answers), { numRuns: 2_000 })
  })
})
