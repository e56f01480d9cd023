import type { Unmet } from '../../domain/handoffs/guards.ts'
import type { Result } from '../../domain/handoffs/package.ts'
import type { ServiceDeps } from '../deps.ts'

/**
 * What only the live folder of document 001 can say against an output that is being handed in, or was. Looked up before
 * the transaction, which must not wait for files.
 */
export async function outputConditions(
  { store, judgeOutput }: ServiceDeps,
  uid: string,
  given?: Result,
): Promise<readonly Unmet[]> {
  if (!judgeOutput) return []
  const handoff = await store.handoff(uid)
  if (handoff?.home !== 'queue' || handoff.type === 'return') return []
  const result = given ?? (await store.content(uid))?.result
  return result ? judgeOutput(handoff, result) : []
}
