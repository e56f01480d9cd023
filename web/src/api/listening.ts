/** Nobody waits longer than this for the stream of events before reading. */
const MOST_WAIT_MS = 1_000

let open = () => {}
let isWaited = true
const opened = new Promise<boolean>((resolve) => {
  open = () => resolve(true)
  setTimeout(() => {
    isWaited = false
    resolve(false)
  }, MOST_WAIT_MS)
})

/** The stream is open. Says whether everything that was read came after that. */
export function listening(): boolean {
  open()
  return isWaited
}

/** Reading begins when the stream tells of changes: then nothing has to be read twice. */
export const whenListening = (): Promise<boolean> => opened
