import { describe, it } from 'node:test'
import { ENGINES } from '../support/program/workspace.ts'
import { checkBlocks } from './block-walks.ts'
import { fileSides, memorySides } from './document-sides.ts'
import { checkRecords } from './record-walks.ts'

describe('random walks by command and by a document that somebody brings', () => {
  it('[S2-57] give the same state, notices and acts for blocks that are collected', async () => {
    await checkBlocks(memorySides, { numRuns: 2_000, length: 2 })
  })

  it('[S3-10] give the same state and acts for task records that are imported', async () => {
    await checkRecords(memorySides, { numRuns: 2_000, length: 2 })
  })

  for (const engine of ENGINES) {
    it(`[S2-57] give the same for files with blocks on ${engine}`, async () => {
      await checkBlocks(() => fileSides(engine), { numRuns: 20, length: 2 })
    })

    it(`[S3-10] give the same for files with task records on ${engine}`, async () => {
      await checkRecords(() => fileSides(engine), { numRuns: 20, length: 2 })
    })
  }
})
