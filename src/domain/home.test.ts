import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOMES } from './home.ts'

it('knows native and the five dialects by these names', () => {
  assert.deepEqual(HOMES, ['native', 'markdown', 'queue', 'block', 'writeback', 'package'])
})
