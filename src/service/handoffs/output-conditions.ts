import { rolesOf } from '../../domain/handoffs/guards.ts'
import type { Check, CheckResult, Package, Result } from '../../domain/handoffs/package.ts'
import { HOME_RULES } from '../../domain/home.ts'
import { isOpen, type Role } from '../../domain/lifecycle.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { mustContent } from '../lookup.ts'
import { Later } from '../write.ts'
import type { Step } from './moves.ts'

/** The facts of a step that a transaction cannot see: the run of the declared checks, and what the output lacks elsewhere. */
interface Seen {
  readonly checks?: CheckResult[] | undefined
  readonly lacking: readonly Problem[]
}

/** They are looked up before the transaction, and only where a package asks for any: most do not. */
export class Outlook {
  readonly #look: () => Promise<Seen>
  #seen: Seen | undefined

  constructor(look: () => Promise<Seen>) {
    this.#look = look
  }

  get seen(): Seen {
    return this.#seen ?? { lacking: [] }
  }

  async take(): Promise<void> {
    this.#seen = await this.#look()
  }

  /** Before anything else of a unit that has read the content. */
  first({ deps, view }: Step, uid: string): Later | undefined {
    const { checks, data } = mustContent(view, uid).package
    const isAsked = checks?.length || data?.workflow_state !== undefined || deps.judgeOutput
    return isAsked && !this.#seen ? new Later(() => this.take()) : undefined
  }
}

/**
 * Conditions on an output, given or stored, of the steps that come after it in its run, and of document 001's live
 * folder. Looked up before the transaction, which must not wait for files.
 */
export async function outputConditions(
  deps: ServiceDeps,
  uid: string,
  travels: Package | undefined,
  given?: Result,
): Promise<readonly Problem[]> {
  const inRun = travels?.data?.workflow_state !== undefined
  const next = inRun ? await (await import('../workflows/next-input.ts')).nextInputs(deps, uid, given) : []
  return [...next, ...(await folderConditions(deps, uid, given))]
}

async function folderConditions(
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

/**
 * The run of a caller that takes a step. Nothing runs for a caller without the role: the transaction refuses the step,
 * and judges the role again after the run.
 */
export async function checksFor(
  deps: ServiceDeps,
  { actor }: Call,
  { uid, role }: { readonly uid: string; readonly role: Role },
  declared: readonly Check[] | undefined,
  result: Result,
): Promise<CheckResult[] | undefined> {
  const handoff = declared?.length ? await deps.store.handoff(uid) : undefined
  if (!handoff || !isOpen(handoff.state)) return undefined
  const roles = rolesOf(actor, handoff, deps.policy, await deps.store.agent(actor.name))
  return roles.has(role) ? declaredChecks(deps, declared, result) : undefined
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
