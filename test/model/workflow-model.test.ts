import { describe, it } from 'node:test'
import { checkPure } from './pure.ts'
import { checkStored } from './stored.ts'

describe('any workflow, whatever happens to it', () => {
  it('[S4-14] [S4-61] follows the reference in 10,000 random walks without a store', () => checkPure(10_000))

  it('[S4-24] [S4-61] [S4-63] follows the reference on SQLite, also when callers die', (t) =>
    checkStored(t, 'sqlite', 300))

  it('[S4-24] [S4-61] [S4-63] follows the reference on PostgreSQL, also when callers die', (t) =>
    checkStored(t, 'postgres', 100))
})
