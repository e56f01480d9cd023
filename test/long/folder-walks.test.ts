import { describe, it } from 'node:test'
import { newTargets } from '../folders/walk-targets.ts'
import { WALKERS } from '../folders/walkers.ts'
import { checkWalks, fileWalks, memoryWalks } from '../folders/walks.ts'
import { ENGINES } from '../support/program/workspace.ts'

describe('many random walks of intents by command and by file', () => {
  for (const walker of WALKERS) {
    const { dialect } = walker.kind
    it(`give the same state, notices and acts for ${dialect} files without a disk`, async () => {
      await using walks = await memoryWalks(walker)
      await checkWalks(walks, walker, { numRuns: 6_700, length: 6 })
    })

    for (const engine of ENGINES)
      it(`give the same through real ${dialect} files on ${engine}`, async () => {
        await using walks = await fileWalks(walker, newTargets(engine))
        await checkWalks(walks, walker, { numRuns: 200, length: 6 })
      })
  }
})
