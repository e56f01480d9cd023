import type { Draft } from '../../dialects/draft.ts'
import { artifactsAgainstGit, type Kinds } from '../../dialects/package/artifacts.ts'
import { checkSending } from '../../dialects/package/rules.ts'
import {
  type Answered,
  answeredBy,
  inferType,
  marksOf,
  type OpenDelegation,
  WHY,
} from '../../dialects/package/types.ts'
import { ANYONE } from '../../domain/actor.ts'
import { receiverCompletes } from '../../domain/handoffs/guards.ts'
import type { Handoff, HandoffType } from '../../domain/handoffs/handoff.ts'
import type { Package } from '../../domain/handoffs/package.ts'
import { HOME_RULES, type Home } from '../../domain/home.ts'
import { OPEN_STATES } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import type { FieldProblem, Problem } from '../../domain/problem.ts'
import { newName } from '../../domain/texts/nearest.ts'
import { kindHere, knownAgents } from '../agents/agents.ts'
import type { ServiceDeps } from '../deps.ts'
import { refuse } from '../write.ts'
import { declaredChecks } from './output-conditions.ts'

/** A handoff as it is judged before it is sent. */
export interface Offered {
  readonly from: string
  readonly to: string
  readonly home: Home
  readonly type?: HandoffType | undefined
  /** Whether it says what kind of gate it is. */
  readonly isGate?: boolean | undefined
  readonly in_reply_to?: string | undefined
  readonly review?: string | undefined
  readonly package: Package
  readonly created_files?: readonly string[] | undefined
  /** A draft may be unfinished: what would be refused is only said. */
  readonly send: boolean
}

export interface Judged {
  readonly type: HandoffType
  /** The open delegation that this is the answer to. */
  readonly answers?: Handoff
  readonly warnings: readonly Problem[]
}

/** More open delegations between two agents than anybody tells apart. */
const MOST_DELEGATIONS = 20
/** Findings that are told in every home; the other rules belong to document 004 alone. */
const EVERYWHERE: readonly string[] = [
  'vacuous_summary',
  'not_measurable',
  'pending_without_question',
  'placeholder',
]
/** Only a warning: the receiver may have the file, and its own check looks again. */
const SAID_ONLY = 'artifact_not_found'

/** The type of a new handoff, what its receiver would stumble over, and refusals where its home has rules. */
export async function judgeSending(deps: ServiceDeps, offered: Offered): Promise<Judged> {
  const { home, send } = offered
  const files = artifactsAgainstGit({ package: offered.package }, offered.created_files ?? [])
  const here = [await unrunnable(deps, offered.package), await newReceiver(deps, offered.to)]
  const more = [...files.map(said), ...here.flat()]
  if (HOME_RULES[home].sending === 'warns') {
    const type = offered.type ?? 'sequential'
    if (type === 'return' || offered.in_reply_to !== undefined) refuseReturn()
    const found = checkSending(draftOf(offered, type)).filter(({ code }) => EVERYWHERE.includes(code))
    return { type, warnings: [...found.map(said), ...more, ...unproven(offered)] }
  }
  const open = await delegationsBetween(deps, offered)
  // Every person is somebody to escalate to, whatever the name.
  const isPerson = (await kindHere(deps, offered.to)) === 'human'
  const { type, warnings } = typeOf(offered, open, isPerson)
  const answers = type === 'return' ? answered(offered, open) : undefined
  const kinds = await kindsOf(deps, offered.package)
  const found = checkSending(draftOf(offered, type), kinds)
  if (send) refuseBroken(found)
  return { type, ...present({ answers }), warnings: [...warnings, ...found.map(said), ...more] }
}

/** A slip in a name would hand the work to somebody who is never there. */
export async function newReceiver(deps: ServiceDeps, to: string): Promise<readonly Problem[]> {
  // A list of agents in `baton.yaml` refuses other names by itself.
  if (to === ANYONE || deps.policy.agents || knownAgents(deps).has(to)) return []
  const message = newName(to, await deps.store.agents())
  return message ? [{ code: 'new_name', message }] : []
}

/** Nobody verifies their own work, and the queue format asks for an output and for nothing else. */
function unproven({ from, to, type, home, review, package: { deliverables } }: Offered): readonly Problem[] {
  const { lastWord, completion } = HOME_RULES[home]
  const isOwn = from === to && (type ?? 'sequential') === 'sequential'
  const own = `${to} cannot verify its own work; a verifier or another person has to, or name one with review`
  if (review !== undefined) return []
  if (isOwn && lastWord === 'sender') return [{ code: 'own_work', message: own }]
  if (!deliverables?.length || !completion.includes('output')) return []
  const message = `work of the ${home} format is completed without evidence for its deliverables; with review each deliverable needs it`
  return [{ code: 'evidence_not_asked', message }]
}

/** A check that cannot run here is told before anybody waits for it. */
async function unrunnable(deps: ServiceDeps, { checks }: Package): Promise<readonly Problem[]> {
  const found = checks?.length ? ((await declaredChecks(deps, checks)) ?? []) : []
  return found.flatMap(({ name, detail }) => {
    const reason = detail?.replace('not run: ', '')
    const message = `check ${name} cannot run here: ${reason}; the work is completed where it runs, or a person waives it`
    return detail === undefined ? [] : [{ code: 'check_not_run', message }]
  })
}

/** The rules of a package by itself, without a look at anything else. */
export function refuseBrokenPackage(handoff: Handoff, travels: Package): void {
  if (HOME_RULES[handoff.home].sending === 'warns') return
  const { from, to, type } = handoff
  refuseBroken(checkSending({ from, to, type, package: travels }))
}

/** Which artifacts are on disk in the project. A path without an entry could not be checked. */
export async function kindsOf({ runChecks }: ServiceDeps, travels: Package): Promise<Kinds | undefined> {
  const paths = [...new Set((travels.artifacts ?? []).map(({ path }) => path))]
  if (!runChecks || paths.length === 0) return undefined
  const results = await runChecks(
    paths.map((path) => ({ kind: 'file_exists', path })),
    {},
  )
  return new Map(
    paths.flatMap((path, i) => {
      const ok = results[i]?.ok
      return ok === undefined ? [] : [[path, ok ? ('file' as const) : ('missing' as const)]]
    }),
  )
}

function refuseBroken(found: readonly FieldProblem[]): void {
  const errors = found.filter(({ severity, code }) => severity === 'error' && code !== SAID_ONLY)
  if (errors.length === 0) return
  const problems = errors.map(({ code, field, message }) => ({
    code,
    field: field.replace(/^package\./, ''),
    message,
  }))
  refuse('invalid_input', problems.map(({ field, message }) => `${field}: ${message}`).join('; '), {
    problems,
  })
}

const said = ({ code, message }: FieldProblem): Problem => ({ code, message })

const draftOf = ({ from, to, package: travels }: Offered, type?: HandoffType): Draft => ({
  from,
  to,
  ...present({ type }),
  package: travels,
})

/** A given type counts; where the package reads as another one, the sender is told. */
function typeOf(
  offered: Offered,
  open: readonly Handoff[],
  toPerson: boolean,
): { readonly type: HandoffType; readonly warnings: readonly Problem[] } {
  const { type, package: travels, in_reply_to } = offered
  const draft: Draft = {
    ...draftOf(offered),
    ...(toPerson && { to: ANYONE }),
    ...((offered.isGate || travels.validation_request) && { gate: { type: 'blocking' } }),
  }
  const inferred = in_reply_to === undefined ? inferType(marksOf(draft, named(open))) : 'return'
  if (type === undefined || type === inferred) return { type: inferred, warnings: [] }
  const why = inferred === 'return' ? `${open[0]?.id} waits for it` : WHY[inferred]
  const message = `type says ${type}, but the package reads as ${inferred}: ${why}`
  return { type, warnings: [{ code: 'type_contradicts', message }] }
}

/** Delegations of the receiver to the sender that wait for an answer. */
export async function delegationsBetween(
  { store }: ServiceDeps,
  { from, to, type }: Pick<Offered, 'from' | 'to' | 'type'>,
): Promise<readonly Handoff[]> {
  if (type !== undefined && type !== 'return') return []
  const filter = { from: to, to: from, type: 'delegation' as const, state: OPEN_STATES }
  return (await store.handoffs(filter, { limit: MOST_DELEGATIONS })).items
}

const named = (open: readonly Handoff[]): readonly OpenDelegation[] =>
  open.map(({ id, from, to }) => ({ id, from, to }))

/** The delegation that it names, else the only one. A name that is not open must not answer another. */
function answered(offered: Offered, open: readonly Handoff[]): Handoff | undefined {
  const { from, to, in_reply_to: ref } = offered
  const delegation =
    ref === undefined
      ? onlyOf(answeredBy({ from, to }, named(open)), open)
      : open.find(({ id, uid }) => ref === id || ref === uid)
  if (delegation && !receiverCompletes(delegation)) refuseReturn(delegation)
  return delegation
}

function onlyOf(found: Answered, open: readonly Handoff[]): Handoff | undefined {
  if (found.kind === 'several')
    refuse('invalid_input', `this could answer ${found.ids.join(' or ')}; name one as in_reply_to`, {
      delegations: found.ids,
    })
  return found.kind === 'one' ? open.find(({ id }) => id === found.id) : undefined
}

/** Flags a return that answers nothing. */
export function refuseUnasked(from: string, to: string): never {
  refuse(
    'invalid_input',
    `${to} has no open delegation to ${from} that this return could answer; leave out the type, or see: baton inbox`,
    { type: 'return' },
  )
}

function refuseReturn(delegation?: Handoff): never {
  const how = delegation ? `submit ${delegation.id}` : 'submit the work'
  refuse('invalid_input', `a return is made by Baton when a delegation is completed; ${how}`, {
    type: 'return',
    ...present({ delegation: delegation?.id }),
  })
}
