import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { answers, fixturesOf } from '../../src/dialects/dialect.contract.ts'
import { DIALECTS } from '../../src/dialects/dialect.ts'
import { mutated } from '../support/documents/drafts.ts'

/** A million before a release: BATON_LONG_INPUTS=1000000 node --test test/long/dialects.test.ts, for an hour or two. */
const INPUTS = Number(process.env.BATON_LONG_INPUTS ?? 100_000)
const BATCH = 10_000
/** Reading keeps nothing; what grows beyond this between batches is a leak. */
const GROWTH_BYTES = 50 * 1024 * 1024

const samples = DIALECTS.flatMap(fixturesOf)
const random = fc.record({
  path: fc.constantFrom(undefined, 'a.md', 'a.json', 'a.yaml'),
  text: fc.string({ unit: 'binary' }),
})
const broken = fc
  .constantFrom(...samples)
  .chain(({ path, text }) => mutated(fc.constant(text)).map((changed) => ({ path, text: changed })))
const any = fc.oneof({ weight: 1, arbitrary: random }, { weight: 4, arbitrary: broken })

describe(`reading ${INPUTS} random and mutated texts`, () => {
  it('throws for none of them and keeps its memory', () => {
    const heap: number[] = []
    for (let done = 0; done < INPUTS; done += BATCH) {
      fc.assert(fc.property(any, answers), { numRuns: Math.min(BATCH, INPUTS - done) })
      heap.push(heapInUse())
    }
    assert.ok(heap.at(-1)! - heap[0]! < GROWTH_BYTES, `the heap grew from ${heap[0]} to ${heap.at(-1)} bytes`)
  })
})

function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  return process.memoryUsage().heapUsed
}
