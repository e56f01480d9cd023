import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { exported, type Files, logOf, randomOf } from '../support/log/export-log.ts'
import { storyOf } from '../support/log/export-story.ts'
import { accepted, mutated } from '../support/log/mutations.ts'
import { said, saidInPython, writeFiles } from '../support/log/python-verifier.ts'

const MUTATIONS = 1_000_000
const LOGS = 1_000
const AT_ONCE = 100

const randomLog = (seed: number): Promise<Files> => {
  const random = randomOf(seed)
  return exported(logOf(storyOf(seed, 1 + random.below(seed % 20 === 0 ? 600 : 60)), 1 + random.below(100)))
}

describe('exports, at length', () => {
  it(`[S3-38] are never accepted with a change, in none of ${MUTATIONS} ways`, async () => {
    const logs = await Promise.all([11, 12, 13].map((seed) => exported(logOf(storyOf(seed, 12), 8))))
    const large = await exported(logOf(storyOf(14, 300), 100))

    assert.deepEqual(await accepted([large], Math.ceil(MUTATIONS / 100)), [])
    assert.deepEqual(await accepted(logs, MUTATIONS), [])
  })

  it(`[S3-39] are judged alike by both implementations, ${LOGS} logs and ${LOGS} changed ones`, async (t) => {
    const { home } = folders(t)
    for (let first = 1; first <= LOGS; first += AT_ONCE) {
      const logs = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => randomLog(first + i)))
      const changed = logs.map((files, i) => mutated(files, randomOf(first + i))?.files ?? files)
      const all = [...logs, ...changed]
      const theirs = saidInPython(all.map((files, i) => writeFiles(files, join(home, String(i)))))

      assert.deepEqual(theirs, await Promise.all(all.map(said)), `logs from ${first}`)
      assert.ok(theirs.slice(0, AT_ONCE).every(({ L0, L1, L5 }) => L0 === 'ok' && L1 === 'ok' && L5 === 'ok'))
      for (const i of all.keys()) rmSync(join(home, String(i)), { recursive: true })
    }
  })
})
