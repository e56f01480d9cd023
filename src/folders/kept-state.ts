import { LOCK_WAIT_MS, Lock } from './files/lock.ts'
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

/** Keeps that Baton made a live folder: what lies there at the first pass came after it and is judged like all that does. */
export async function noteMade(dir: string, path: string): Promise<void> {
  const kept = new KeptState(dir)
  try {
    await kept.use(LOCK_WAIT_MS, async (state) => {
      if (!state.folder(path).isSeen) state.putFolder(path, {})
    })
  } finally {
    kept.close()
  }
}
