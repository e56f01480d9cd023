import type { ServerContext } from '@modelcontextprotocol/server'
import type { Operation } from '../../operations/operation.ts'

const EVERY_MS = 5_000

/** Tells whoever asked to be told that a call is still at work, until the answered function is called. */
export function keepTelling(
  op: Operation,
  { mcpReq }: ServerContext,
  everyMs: number = EVERY_MS,
): () => void {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => undefined
  const started = performance.now()
  const timer = setInterval(() => {
    const progress = (performance.now() - started) / 1_000
    const params = { progressToken, progress, message: `${op.name} is at work, ${Math.round(progress)} s` }
    // The client disconnected.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }, everyMs)
  return () => clearInterval(timer)
}
