import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exported, logOf } from '../../../test/support/log/export-log.ts'
import { storyOf } from '../../../test/support/log/export-story.ts'
import { accepted } from '../../../test/support/log/mutations.ts'

const MUTATIONS = 20_000

describe('an export that was changed', () => {
  it(`[T3] [S3-38] is refused after each of ${MUTATIONS} changes`, async () => {
    const small = await exported(logOf(storyOf(3, 12), 8))
    const large = await exported(logOf(storyOf(4, 300), 200))

    assert.deepEqual(await accepted([small], MUTATIONS - 200), [])
    assert.deepEqual(await accepted([large], 200), [])
  })
})
