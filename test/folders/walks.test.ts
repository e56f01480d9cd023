import { describe, it } from 'node:test'
import { ENGINES } from '../support/program/workspace.ts'
import { newTargets } from './walk-targets.ts'
import { WALKERS } from './walkers.ts'
import { checkWalks, fileWalks, memoryWalks } from './walks.ts'

describe('random walks of intents by command and by file', () => {
  for (const walker of WALKERS) {
    const { dialect } = walker.kind
    it(`give the same state, notices and acts for ${dialect} files without a disk`, async () => {
      await using walks = await memoryWalks(walker)
      await checkWalks(walks, walker, { numRuns: 670, length: 2 })
    })

    for (const engine of ENGINES)
      it(`give the same through real ${dialect} files on ${engine}`, async () => {
        await using walks = await fileWalks(walker, newTargets(engine))
        await checkWalks(walks, walker, { numRuns: 20, length: 2 })
      })
  }
})
