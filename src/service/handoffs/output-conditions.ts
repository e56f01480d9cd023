import type { Check, CheckResult, Result } from '../../domain/handoffs/package.ts'
import { HOME_RULES } from '../../domain/home.ts'
import type { Problem } from '../../domain/problem.ts'
import type { ServiceDeps } from '../deps.ts'

/**
 * Conditions on an output, given or stored, that only document 001's live folder can judge. Looked up before the
 * transaction, which must not wait for files.
 */
export async function outputConditions(
  { store, judgeOutput }: ServiceDeps,
  uid: string,
  given?: Result,
): Promise<readonly Problem[]> {
  if (!judgeOutput) return []
  const handoff = await store.handoff(uid)
  if (!handoff || handoff.type === 'return') return []
  if (!HOME_RULES[handoff.home].folder.includes('outputs')) return []
  const result = given ?? (await store.content(uid))?.result
  return result ? judgeOutput(handoff, result) : []
}

/** Declared checks as they come out here, or without a result as they would. Run before the transaction: they may take minutes. */
export async function declaredChecks(
  { runChecks }: ServiceDeps,
  declared: readonly Check[] | undefined,
  result?: Result,
): Promise<CheckResult[] | undefined> {
  if (!declared?.length) return undefined
  const run = runChecks ?? (await import('./acceptance.ts')).withoutProject
  return [...(await run(declared, result))]
}
