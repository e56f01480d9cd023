import { Lock } from './files/lock.ts'
import { FolderState } from './state.ts'

/** The lock of the live folders and what is known of them, open as long as wanted: to open both takes longer than a pass. */
export class KeptState {
  readonly #lock: Lock
  readonly #file: string
  #state: FolderState | undefined

  /** Of the folder that holds both: `.baton`. */
  constructor(dir: string) {
    this.#lock = new Lock(`${dir}/folders.lock`)
    this.#file = `${dir}/folders.db`
  }

  use<T>(waitMs: number, work: (state: FolderState) => Promise<T>): Promise<T> {
    return this.#lock.hold(waitMs, async () => {
      if (this.#state?.isGone) this.#drop()
      this.#state ??= new FolderState(this.#file)
      return work(this.#state)
    })
  }

  close(): void {
    this.#drop()
    this.#lock.close()
  }

  #drop(): void {
    this.#state?.close()
    this.#state = undefined
  }
}
