/** A handler at work: its worker, its handoff, and whether the worker could take one more. */
interface Handling {
  readonly name: string
  readonly id: string
  readonly hasFreeSlot: () => boolean
}

// Asked for at run time: browsers have no such module, and lack only the warning.
const hooks = globalThis.process?.getBuiltinModule?.('async_hooks')
const handlers = hooks && new hooks.AsyncLocalStorage<Handling>()

/** Runs a handler so that a wait inside it knows whose it is. */
export const asHandler = <T>(handling: Handling, run: () => T): T =>
  handlers ? handlers.run(handling, run) : run()

/** A handler that waits for its own worker holds the slot that the work needs. */
export function warnOfOwnWait(handoff: { readonly id: string; readonly to: string }): void {
  const by = handlers?.getStore()
  if (by?.name === handoff.to && !by.hasFreeSlot())
    warn(
      `the handler of ${by.id} waits for ${handoff.id}, which is for ${by.name} too`,
      `${by.name} has no free slot; raise its concurrency`,
    )
}

export function warn(what: string, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error)
  // Browsers and workers have no process.
  const { process } = globalThis
  if (process?.emitWarning) process.emitWarning(`${what}: ${why}`, 'BatonWarning')
  else console.warn(`BatonWarning: ${what}: ${why}`)
}
