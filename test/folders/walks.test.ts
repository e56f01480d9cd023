import { describe, it } from 'node:test'
import { ENGINES } from '../support/program/workspace.ts'
import { newTargets } from './walk-targets.ts'
import { WALKERS } from './walkers.ts'
import { checkWalks, fileWalks, memoryWalks } from './walks.ts'

describe('random walks of intents by command and by file', () => {
  for (const walker of WALKERS) {
    const { what, runs } = walker
    it(`give the same state, notices and acts for ${what} files without a disk`, async () => {
      await using walks = await memoryWalks(walker)
      await checkWalks(walks, walker, { numRuns: runs.memory, length: 2 })
    })

    for (const engine of ENGINES)
      it(`give the same through real ${what} files on ${engine}`, async () => {
        await using walks = await fileWalks(walker, newTargets(engine))
        await checkWalks(walks, walker, { numRuns: runs.files, length: 2 })
      })
  }
})
