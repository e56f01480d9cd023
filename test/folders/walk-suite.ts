import { describe, it } from 'node:test'
import { ENGINES } from '../support/program/workspace.ts'
import { newTargets } from './walk-targets.ts'
import { checkWalks, fileWalks, memoryWalks, type Walker } from './walks.ts'

/** The walks of these walkers, in files of their own so that they run beside each other. */
export function describeWalks(
  walkers: readonly Walker[],
  { times, length }: { readonly times: number; readonly length: number },
): void {
  describe('random walks of intents by command and by file', () => {
    for (const walker of walkers) {
      const { what, runs } = walker
      it(`give the same state, notices and acts for ${what} files without a disk`, async () => {
        await using walks = await memoryWalks(walker)
        // Half of them are half as long: most differences show in the first steps.
        for (const most of [Math.ceil(length / 2), length])
          await checkWalks(walks, walker, { numRuns: (runs.memory * times) / 2, length: most })
      })

      for (const engine of ENGINES)
        it(`give the same through real ${what} files on ${engine}`, async () => {
          await using walks = await fileWalks(walker, newTargets(engine))
          await checkWalks(walks, walker, { numRuns: runs.files * times, length })
        })
    }
  })
}
