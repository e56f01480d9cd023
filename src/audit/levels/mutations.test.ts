import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exported, logOf, memoryFiles, randomOf } from '../../../test/export-log.ts'
import { storyOf } from '../../../test/export-story.ts'
import { mutated } from '../../../test/mutations.ts'
import { NODE_PLATFORM } from '../../audit-platform.ts'
import { verifyExport } from './index.ts'

const MUTATIONS = 2_000

describe('an export that was changed', () => {
  it(`[S3-38] is never accepted, in none of ${MUTATIONS} ways`, async () => {
    const logs = await Promise.all([
      exported(logOf(storyOf(3, 40), 16)),
      exported(logOf(storyOf(4, 300), 200)),
    ])
    const accepted: string[] = []
    let tried = 0
    for (let seed = 1; tried < MUTATIONS; seed += 1) {
      const random = randomOf(seed)
      const change = mutated(logs[seed % 20 === 0 ? 1 : 0]!, random)
      if (!change) continue
      tried += 1
      const { verdict } = await verifyExport(memoryFiles(change.files), NODE_PLATFORM)
      if (verdict === 'ok') accepted.push(`${change.name}, seed ${seed}`)
    }

    assert.deepEqual(accepted, [])
  })
})
