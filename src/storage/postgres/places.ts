import type { Handoff } from '../../domain/handoffs/handoff.ts'

/** The chain, task and parties of a handoff. All but the receiver stay as they are. */
export type HandoffPlace = Pick<Handoff, 'root' | 'task' | 'from' | 'to'>

/** More than a process works on at a time. */
const MOST_KEPT = 5_000

/** The places of handoffs that this process saw last: what belongs to them is loaded beside them, and then compared. */
export class Places {
  readonly #places = new Map<string, HandoffPlace>()

  get(uid: string): HandoffPlace | undefined {
    return this.#places.get(uid)
  }

  keep({ uid, root, task, from, to }: Handoff): void {
    this.#places.delete(uid)
    this.#places.set(uid, { root, task, from, to } as HandoffPlace)
    if (this.#places.size > MOST_KEPT) this.#places.delete(this.#places.keys().next().value!)
  }
}
