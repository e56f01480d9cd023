import { describe, it } from 'node:test'
import { checkPure } from '../model/pure.ts'
import { checkStored } from '../model/stored.ts'

/** `WORKFLOW_WALKS=2` does twice as much. */
const FACTOR = Number(process.env.WORKFLOW_WALKS ?? 1)

describe('any workflow, whatever happens to it, for long', () => {
  it('follows the reference without a store', () => checkPure(1_000_000 * FACTOR))

  it('follows the reference on SQLite, also when callers die', (t) =>
    checkStored(t, 'sqlite', 20_000 * FACTOR))

  it('follows the reference on PostgreSQL, also when callers die', (t) =>
    checkStored(t, 'postgres', 20_000 * FACTOR))
})
