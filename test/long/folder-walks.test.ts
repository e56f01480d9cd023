import { describe, it } from 'node:test'
import { newTargets } from '../folders/walk-targets.ts'
import { WALKERS } from '../folders/walkers.ts'
import { checkWalks, fileWalks, memoryWalks } from '../folders/walks.ts'
import { ENGINES } from '../support/program/workspace.ts'

describe('many random walks of intents by command and by file', () => {
  for (const walker of WALKERS) {
    const { what, runs } = walker
    it(`give the same state, notices and acts for ${what} files without a disk`, async () => {
      await using walks = await memoryWalks(walker)
      await checkWalks(walks, walker, { numRuns: runs.memory * 10, length: 6 })
    })

    for (const engine of ENGINES)
      it(`give the same through real ${what} files on ${engine}`, async () => {
        await using walks = await fileWalks(walker, newTargets(engine))
        await checkWalks(walks, walker, { numRuns: runs.files * 10, length: 6 })
      })
  }
})
