import { BatonError } from '../domain/errors.ts'
import { Needs, type Reads, type Store, type Unit } from '../storage/store.ts'

interface Waiting {
  readonly unit: Unit<unknown>
  /** Position of the call that it belongs to. */
  readonly call: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Several calls that are one change: each prepares its unit as if it were alone, and all units are decided one after
 * the other in one transaction. A refusal of one leaves nothing of the others.
 */
export class Together {
  readonly #store: Pick<Store, 'transact'>
  readonly #waiting: Waiting[] = []
  #committed = false
  #refused: unknown
  /** The call that is prepared, and then the one that is decided. */
  #call = 0
  #arrived: () => void = () => undefined

  constructor(store: Pick<Store, 'transact'>) {
    this.#store = store
  }

  /** A unit waits for those of the other calls. Units that follow after the commit run by themselves. */
  transact<T>(unit: Unit<T>): Promise<T> {
    if (this.#committed) return this.#store.transact(unit)
    // A call that tries again after a refusal must not do its part alone.
    if (this.#refused !== undefined) return Promise.reject(this.#refused)
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ unit, call: this.#call, resolve, reject })
      this.#arrived()
    }) as Promise<T>
  }

  /** Makes the calls; throws the first refusal, and then nothing has happened. */
  async run(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
    const running: Promise<unknown>[] = []
    try {
      for (const [i, call] of calls.entries()) {
        this.#call = i
        const arrived = new Promise<void>((resolve) => {
          this.#arrived = resolve
        })
        running.push(call())
        await Promise.race([arrived, running.at(-1)])
      }
      await this.#commit()
    } catch (error) {
      this.#refused = error
      for (const { reject } of this.#waiting) reject(error)
      const refused = (await Promise.allSettled(running))[this.#call]
      // A call may say more of its refusal than its unit does.
      throw refused?.status === 'rejected' ? refused.reason : error
    }
    // It has happened: what a call does after it refuses nothing any more.
    for (const { status, reason } of (await Promise.allSettled(running)) as PromiseRejectedResult[])
      if (status === 'rejected' && !(reason instanceof BatonError)) throw reason
  }

  async #commit(): Promise<void> {
    const [first] = this.#waiting
    if (!first) return
    const values = await this.#store.transact<readonly unknown[]>({
      ...first.unit,
      reads: merged(this.#waiting.map(({ unit }) => unit.reads)),
      decide: (view) => {
        const decided: unknown[] = []
        for (const { unit, call } of this.#waiting) {
          this.#call = call
          const value = unit.decide(view)
          if (value instanceof Needs) return value
          decided.push(value)
        }
        return decided
      },
    })
    this.#committed = true
    for (const [i, { resolve }] of this.#waiting.entries()) resolve(values[i])
  }
}

/** The rows of all of them. A claim and a key belong to a call that is alone. */
function merged(all: readonly Reads[]): Reads {
  const lists = all.flatMap(
    ({ claim: _claim, latest: _latest, idem: _idem, numbers: _numbers, ...reads }) =>
      Object.entries(reads) as [string, readonly string[]][],
  )
  const union: Record<string, string[]> = {}
  for (const [name, items] of lists) union[name] = [...new Set([...(union[name] ?? []), ...items])]
  const latest = all.flatMap((reads) => reads.latest ?? [])
  const numbers = all.reduce((sum, reads) => sum + (reads.numbers ?? 0), 0)
  return { ...all[0], ...union, latest, numbers }
}
