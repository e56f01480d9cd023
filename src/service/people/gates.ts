import { ENGINE } from '../../domain/actor.ts'
import type { Handoff, HandoffType } from '../../domain/handoffs/handoff.ts'
import type { AskedOfPeople } from '../../domain/handoffs/inputs.ts'
import type { Check, CheckResult, ThreadItem } from '../../domain/handoffs/package.ts'
import { gateTypeOf } from '../../domain/people/gate.ts'
import type { Silence } from '../../domain/people/people-schema.ts'
import { checkSilence } from '../../domain/people/silence.ts'
import { present } from '../../domain/present.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Task } from '../../domain/tasks/task.ts'
import type { ServiceDeps } from '../deps.ts'
import { refuseNoPerson } from '../handoffs/admission.ts'
import { move, type Step } from '../handoffs/moves.ts'
import { mustContent } from '../lookup.ts'
import { isPm } from '../tasks/writeback.ts'
import { demand, refuse } from '../write.ts'

/** The outcome of an automatic gate's checks. */
export interface Automatic {
  readonly opens: boolean
  readonly checks: readonly CheckResult[]
}

/** The work or task that a gate holds up, as the unit has read it. */
interface Guarded {
  readonly work?: Handoff | undefined
  readonly task?: Task | undefined
  readonly opens?: boolean | undefined
}

/** A gate that is shut holds up what its sender holds or has sent; nobody stops work that is not theirs. */
export function gateOf(
  step: Step,
  said: AskedOfPeople['gate'],
  from: string,
  { work, task, opens = false }: Guarded,
): NonNullable<Handoff['gate']> {
  const wanted = gateTypeOf(said?.type)
  const type = wanted === 'auto' && !opens ? 'blocking' : wanted
  const isTheirs = work !== undefined && [work.to, work.from].includes(from)
  const holdsTask = task !== undefined && (isTheirs || task.owner === from || isPm(step))
  return {
    type,
    ...present({ name: said?.name, step: said?.step }),
    ...(isTheirs && type !== 'advisory' && { guards: work.uid }),
    ...(holdsTask && type !== 'advisory' && { holds_task: true }),
  }
}

/** Warns the sender of a gate that holds nothing up. */
export function idleGate({ id, type, gate, task, run }: Handoff): readonly Problem[] {
  if (type !== 'gate' || run !== undefined || gate?.type === 'advisory') return []
  if (gate?.guards !== undefined || gate?.holds_task) return []
  const message =
    task === undefined
      ? `${id} asks a person and holds nothing up; name the work as parent, or its task as task`
      : `${id} asks a person and holds nothing up: ${task} is not its sender's; the sender starts it first`
  return [{ code: 'gate_holds_nothing', message }]
}

/** Work that has gates, or of which parts were delegated, brings these along wherever it is judged. */
export function markGated({ view }: Step, { type, from, parent }: Handoff): void {
  if (parent === undefined || (type !== 'delegation' && type !== 'gate')) return
  const work = view.handoff(parent)
  if (!work || work.gated || (work.to !== from && (type === 'delegation' || work.from !== from))) return
  view.putHandoff({ ...work, gated: true })
}

/** Runs the checks of an automatic gate. What could not be looked at has not passed: then a person decides. */
async function runAutomatic(
  { runChecks }: ServiceDeps,
  said: AskedOfPeople['gate'],
  declared: readonly Check[] | undefined,
): Promise<Automatic | undefined> {
  if (gateTypeOf(said?.type) !== 'auto') return undefined
  if (!declared?.length)
    refuse(
      'invalid_input',
      'an automatic gate needs checks, for example --check file:docs/specification.md',
      { gate: 'auto' },
    )
  const checks = runChecks ? await runChecks(declared, {}) : []
  return { opens: checks.length === declared.length && checks.every(({ ok }) => ok === true), checks }
}

/** The checks stand with the gate. Where all passed Baton approves it; else the person reads what did not. */
export function judgeAutomatic(step: Step, gate: Handoff, { opens, checks }: Automatic): Handoff {
  const content = mustContent(step.view, gate.uid)
  const text = opens ? checks.map(({ name }) => name).join('\n') : whatFailed(checks)
  const said: ThreadItem = opens
    ? { kind: 'decision', by: ENGINE.name, at: step.at, text, choice: 'approve' }
    : { kind: 'progress', by: ENGINE.name, at: step.at, text }
  step.view.putContent(gate.uid, {
    ...content,
    result: { ...content.result, checks: [...checks] },
    thread: [...content.thread, said],
  })
  if (!opens) return gate
  return move({ ...step, actor: ENGINE }, gate, 'approve', {
    act: 'gate.approve',
    fields: { choice: 'approve', comment: text },
    set: { verified_by: ENGINE.name, choice: 'approve' },
    unset: ['need'],
    progress: true,
  })
}

const whatFailed = (checks: readonly CheckResult[]): string =>
  checks.length === 0
    ? 'The checks could not be run where the gate was sent from'
    : checks
        .filter(({ ok }) => ok !== true)
        .map(({ ok, name, detail }) => {
          const what = ok === undefined ? 'Not run' : 'Not passed'
          return `${what}: ${name}${detail ? ` (${detail})` : ''}`
        })
        .join('\n')

interface Asking extends AskedOfPeople {
  readonly type: HandoffType
  readonly checks?: readonly Check[] | undefined
  readonly parent?: Handoff | undefined
  readonly send: boolean
}

/** Looked up before a handoff is made: the outcome of its checks, and the work whose gates matter. */
export async function judgePeople(
  deps: ServiceDeps,
  { type, gate, silence, checks, parent, send }: Asking,
): Promise<{ readonly automatic?: Automatic | undefined; readonly guarded?: string | undefined }> {
  if (gate && type !== 'gate')
    refuse('invalid_input', `gate is for a handoff of type gate, and this is a ${type}`, { type })
  await judgeSilence(deps, silence)
  return {
    automatic: type === 'gate' && send ? await runAutomatic(deps, gate, checks) : undefined,
    guarded: type === 'gate' || parent?.gated ? parent?.uid : undefined,
  }
}

/** Only a person can be asked in place of a silent person. */
async function judgeSilence(deps: ServiceDeps, silence: Silence | undefined): Promise<void> {
  if (!silence) return
  demand(checkSilence(silence))
  const { to } = silence
  if (to === undefined) return
  const known = (await deps.store.agents()).find(({ name }) => name === to)
  refuseNoPerson(deps, 'escalation', to, known)
}
