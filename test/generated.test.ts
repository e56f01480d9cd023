import assert from 'node:assert/strict'
import { it } from 'node:test'
import { stale } from '../scripts/generate.ts'

it('keeps the generated pages in step with the code (npm run generate)', async () => {
  assert.deepEqual(await stale(), [])
})
