import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { validateHandoff } from '../../src/dialects/block/validate.ts'
import { markdown } from '../../src/dialects/markdown/index.ts'
import { sourcesOf } from '../../src/dialects/text/sources.ts'
import { PHASES, STATUSES } from '../../src/domain/blocks/phases.ts'
import { secretIn } from '../../src/domain/texts/secrets.ts'
import { samplesOf } from '../support/documents/samples.ts'
import { sharedFile, sharedFiles } from './files.ts'

const DOCUMENTS = {
  markdown: sharedFile('seeds/000_a8135943c8722f8f.txt'),
  queue: sharedFile('seeds/001_fd7351f4ec8fd1db.txt'),
  block: sharedFile('seeds/002_473df8e3b3f58eea.txt'),
  package: sharedFile('seeds/004_d9934d177422da7e.txt'),
}

describe('the published documents', () => {
  for (const [format, text] of Object.entries(DOCUMENTS))
    it(`have the samples of ${format} as our fixtures have them`, () => {
      const unindented = text.replace(/^ {3}/gm, '')
      const fences = samplesOf(format as keyof typeof DOCUMENTS).matchAll(/^```(?:ya?ml|json)\n(.*?)^```$/gms)
      const cited = [...fences].map(([, sample]) => sample!)
      assert.ok(cited.length > 2)
      for (const sample of cited) assert.ok(text.includes(sample) || unindented.includes(sample), sample)
    })

  it('of markdown handoffs are not handoffs', () => {
    for (const source of sourcesOf(DOCUMENTS.markdown, { path: 'seeds/000.md' }))
      assert.equal(markdown.formOf(source), undefined)
  })

  it('of blocks have eight of them', () => {
    const blocks = sourcesOf(DOCUMENTS.block, { path: 'a.md' }).filter(({ kind }) => kind === 'fence')
    const lines = blocks.map(({ start, position }) => position(start).line - 1)
    assert.deepEqual(lines, [19, 210, 235, 259, 281, 300, 320, 392])
  })

  it('of blocks have a function that says of any four texts what ours says', () => {
    const script = /function validateHandoff[\s\S]*?\n}\n/.exec(DOCUMENTS.block)![0]
    const theirs = new Function(`${script}; return validateHandoff`)() as (handoff: unknown) => true
    const word = fc.oneof(
      fc.constantFrom(...PHASES, ...STATUSES, '@a', 'None', 'none', '', '@', null, undefined),
      fc.string(),
    )
    const block = fc.record({ phase: word, from: word, to: word, status: word }, { requiredKeys: [] })
    const said = (validate: (handoff: unknown) => true, handoff: unknown): string => {
      try {
        return String(validate(handoff))
      } catch (error) {
        return (error as Error).message
      }
    }

    fc.assert(
      fc.property(block, (handoff) => assert.equal(said(validateHandoff, handoff), said(theirs, handoff))),
      { numRuns: 1_000 },
    )
  })

  it('and all data beside them hold nothing that looks like a secret', () => {
    const texts = sharedFiles('data').filter((name) => /\.(md|ya?ml|json|txt)$/.test(name))
    const found = [...sharedFiles('seeds'), ...texts]
      .map((name) => [name, secretIn(sharedFile(name))])
      .filter(([, kind]) => kind !== undefined)
    assert.deepEqual(found, [])
  })
})
