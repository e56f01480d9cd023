import { describe, it } from 'node:test'
import { BlockWalks } from '../folders/block-walks.ts'
import { RecordWalks } from '../folders/record-walks.ts'

const MEMORY = () => ({ engine: 'sqlite', path: ':memory:' }) as const

describe('many random walks by command and by a document that somebody brings', () => {
  it('give the same state, notices and acts for blocks that are collected', async () => {
    await using walks = await BlockWalks.open(MEMORY)
    await walks.check({ numRuns: 2_000, length: 6 })
  })

  it('give the same state and acts for task records that are imported', async () => {
    await using walks = await RecordWalks.open(MEMORY)
    await walks.check({ numRuns: 2_000, length: 6 })
  })
})
