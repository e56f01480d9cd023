import { isOn } from '../input/args.ts'
import type { Shell } from '../shell.ts'

/** A terminal is redrawn at most this often: more is flicker and costs time. */
const REDRAW_MS = 80

/** One line on a terminal that tells how far long work is, and is gone when it ends. Silent when piped. */
export async function withProgress<T>(
  { io, args }: Shell,
  work: (tell: (text: string) => void) => Promise<T>,
): Promise<T> {
  const isShown = io.stderr.isTTY === true && !isOn(args, 'quiet')
  let drawnAt = 0
  const tell = (text: string): void => {
    const now = performance.now()
    if (!isShown || now - drawnAt < REDRAW_MS) return
    drawnAt = now
    io.stderr.write(`\r\u001b[K… ${text}`)
  }
  try {
    return await work(tell)
  } finally {
    if (drawnAt > 0) io.stderr.write('\r\u001b[K')
  }
}
