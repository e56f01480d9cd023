import { describe, it } from 'node:test'
import { checkBlocks } from '../folders/block-walks.ts'
import { fileSides, memorySides } from '../folders/document-sides.ts'
import { checkRecords } from '../folders/record-walks.ts'
import { ENGINES } from '../support/program/workspace.ts'

describe('many random walks by command and by a document that somebody brings', () => {
  it('give the same state, notices and acts for blocks that are collected', async () => {
    await checkBlocks(memorySides, { numRuns: 20_000, length: 6 })
  })

  it('give the same state and acts for task records that are imported', async () => {
    await checkRecords(memorySides, { numRuns: 20_000, length: 6 })
  })

  for (const engine of ENGINES) {
    it(`give the same for files with blocks on ${engine}`, async () => {
      await checkBlocks(() => fileSides(engine), { numRuns: 200, length: 6 })
    })

    it(`give the same for files with task records on ${engine}`, async () => {
      await checkRecords(() => fileSides(engine), { numRuns: 200, length: 6 })
    })
  }
})
