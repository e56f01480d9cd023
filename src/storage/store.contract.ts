import { describe, type TestContext } from 'node:test'
import { openStore, type StoreTarget } from '../compose/main.ts'
import { describeBatches } from './contract/batches.contract.ts'
import { describeChanges } from './contract/changes.contract.ts'
import { describeDue } from './contract/due.contract.ts'
import { describeFlow } from './contract/flow.contract.ts'
import { describeGates } from './contract/gates.contract.ts'
import { describeKeeping } from './contract/keeping.contract.ts'
import { describeLive } from './contract/live.contract.ts'
import { describeNumbers } from './contract/numbers.contract.ts'
import { describePages } from './contract/pages.contract.ts'
import { describeRaces } from './contract/races.contract.ts'
import { describeRedaction } from './contract/redaction.contract.ts'
import { describeRows } from './contract/rows.contract.ts'
import { describeRuns } from './contract/runs.contract.ts'
import { describeTasks } from './contract/tasks.contract.ts'
import { describeTree } from './contract/tree.contract.ts'
import type { Store } from './store.ts'

/** An empty workspace of an engine, and how to get rid of it. */
export interface StorePlace {
  readonly target: StoreTarget
  readonly remove: () => void | Promise<void>
}

/** A workspace for one test. */
export interface Room {
  readonly target: StoreTarget
  /** A connection of its own, closed when the test ends. */
  readonly open: (options?: { readonly readOnly?: boolean }) => Promise<Store>
}

export type NewRoom = (t: TestContext) => Room

/** The promises of `Store`, run against each engine by that engine's own test file. */
export function describeStoreContract(engine: string, newPlace: () => StorePlace): void {
  const newRoom: NewRoom = (t) => {
    const { target, remove } = newPlace()
    const opened: Store[] = []
    t.after(async () => {
      await Promise.all(opened.map((store) => store.close()))
      await remove()
    })
    return {
      target,
      open: async (options = {}) => {
        const store = await openStore({ ...target, ...options })
        opened.push(store)
        return store
      },
    }
  }
  describe(`store contract: ${engine}`, () => {
    describeRows(newRoom)
    describeTasks(newRoom)
    describeRuns(newRoom)
    describeGates(newRoom)
    describeBatches(newRoom)
    describeRaces(newRoom)
    describeNumbers(newRoom)
    describeDue(newRoom)
    describePages(newRoom)
    describeChanges(newRoom)
    describeTree(newRoom)
    describeKeeping(newRoom)
    describeRedaction(newRoom)
    describeLive(newRoom)
    describeFlow(newRoom)
  })
}
