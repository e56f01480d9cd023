import { MOST_LIVE } from '../domain/handoffs/inputs.ts'

const EVERY_MS = 1_000
/** A program that prints nothing is still shown to run. */
const QUIET_MS = 10_000
/** Longer than any secret. */
const MARGIN = 16_384

/** Shows the newest output of a program while it runs, about once a second. One that ends sooner is not shown. */
export function liveOutput(mask: (text: string) => string, show: (log: string | false) => Promise<unknown>) {
  let [tail, isCut, isNew, sentAt] = ['', false, true, 0]
  let sending: Promise<unknown> | undefined
  /** Whole lines: half a secret would not be known as one, neither at the end nor where the beginning is gone. */
  const shown = (): string => {
    const masked = mask(tail.slice(0, Math.max(tail.lastIndexOf('\n'), tail.lastIndexOf('\r')) + 1))
    return masked.slice(Math.max(isCut ? MARGIN : 0, masked.length - MOST_LIVE))
  }
  // A store that is away is shown the next part.
  const tell = (log: string | false) => show(log).catch(() => undefined)
  const timer = setInterval(async () => {
    if (sending || (!isNew && Date.now() - sentAt < QUIET_MS)) return
    isNew = false
    sentAt = Date.now()
    sending = tell(shown())
    await sending
    sending = undefined
  }, EVERY_MS)
  return {
    add(chunk: Buffer): void {
      const all = tail + chunk.toString()
      tail = all.length > 4 * MOST_LIVE ? all.slice(-2 * MOST_LIVE) : all
      isCut ||= tail !== all
      isNew = true
    },
    async end(): Promise<void> {
      clearInterval(timer)
      await sending
      if (sentAt > 0) await tell(false)
    },
  }
}
