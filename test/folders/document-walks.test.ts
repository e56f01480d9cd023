import { describe, it } from 'node:test'
import { BlockWalks } from './block-walks.ts'
import { RecordWalks } from './record-walks.ts'

const MEMORY = () => ({ engine: 'sqlite', path: ':memory:' }) as const

describe('random walks by command and by a document that somebody brings', () => {
  it('[S2-57] give the same state, notices and acts for blocks that are collected', async () => {
    await using walks = await BlockWalks.open(MEMORY)
    await walks.check({ numRuns: 200, length: 3 })
  })

  it('[S3-10] give the same state and acts for task records that are imported', async () => {
    await using walks = await RecordWalks.open(MEMORY)
    await walks.check({ numRuns: 200, length: 3 })
  })
})
