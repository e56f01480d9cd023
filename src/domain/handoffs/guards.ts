import { ANYONE, isSeenPerson } from '../actor.ts'
import type { Actor, Agent } from '../agent.ts'
import { type Guard, HOME_RULES } from '../home.ts'
import { type Command, isOpen, type Role } from '../lifecycle.ts'
import { shutGates, shutReason } from '../people/gate.ts'
import { hasRole, type Policy } from '../policy.ts'
import type { Problem } from '../problem.ts'
import type { Handoff } from './handoff.ts'
import type { Check, Content, Result, Validation } from './package.ts'

/** The actor's roles in this handoff. Its own agent row holds the configured ones. */
export function rolesOf(actor: Actor, handoff: Handoff, policy: Policy, agent?: Agent): Set<Role> {
  const roles = new Set<Role>()
  if (actor.auth === 'engine') return roles.add('clock')
  if (actor.name === handoff.from) roles.add('sender')
  if (actor.name === handoff.to || (actor.kind === 'human' && isForAnyone(handoff))) roles.add('receiver')
  const asked = [handoff.to, handoff.escalated_to]
  if (actor.kind === 'human' && (asked.includes(actor.name) || asked.includes(ANYONE))) roles.add('person')
  const isVerifier = mayVerify(actor, handoff, policy, agent)
  if (isVerifier) roles.add('verifier')
  if (receiverCompletes(handoff) ? actor.name === handoff.to : isVerifier) roles.add('completer')
  return roles
}

/** Steps of the sender that a person may take over stuck work of others. */
const OVERRIDES: readonly Command[] = ['cancel', 'reassign']

/** The roles in which the caller gives this command, and whether it does so in place of the sender. */
export function rolesFor(
  command: Command,
  actor: Actor,
  handoff: Handoff,
  policy: Policy,
  agent: Agent | undefined,
  /** A role that the caller has for another reason. */
  as?: Role,
): { readonly roles: Set<Role>; readonly isOver: boolean } {
  const roles = rolesOf(actor, handoff, policy, agent)
  if (as !== undefined) roles.add(as)
  const isOver = OVERRIDES.includes(command) && !roles.has('sender') && isSeenPerson(actor)
  if (isOver) roles.add('sender')
  return { roles, isOver }
}

/** Work that any person may take on. Documents 000 and 001 name the receiver in their files, so there it must be one. */
export const isForAnyone = ({ to, state, home }: Handoff): boolean =>
  to === ANYONE && state === 'offered' && HOME_RULES[home].anyone

/** A receiver's own word never closes native or document 000's handoffs. */
function mayVerify(actor: Actor, handoff: Handoff, policy: Policy, agent?: Agent): boolean {
  if (actor.name === handoff.to) return false
  const named = reviewerOf(handoff)
  if (named !== undefined) return actor.name === named || actor.kind === 'human'
  if (HOME_RULES[handoff.home].lastWord === 'verifier')
    return verifiersFor(handoff, policy, actor, agent).includes(actor.name)
  return (
    actor.name === handoff.from || actor.kind === 'human' || hasRole(policy, 'verifier', actor.name, agent)
  )
}

/** Document 000: the verifier; where it is itself the receiver the chief, and where that is too, the sender. */
function verifiersFor(handoff: Handoff, policy: Policy, actor: Actor, agent?: Agent): readonly string[] {
  const verifiers = hasRole(policy, 'verifier', actor.name, agent)
    ? [...policy.verifiers, actor.name]
    : policy.verifiers
  if (!policy.verifiers.includes(handoff.to)) return verifiers
  const others = verifiers.filter((name) => name !== handoff.to)
  if (others.length > 0) return others
  return policy.chief === handoff.to ? [handoff.from] : [policy.chief]
}

/** The agent that is asked first to verify; views show it as the next to move. */
export function verifierOf(handoff: Handoff, policy: Policy): string {
  const named = reviewerOf(handoff)
  if (named !== undefined) return named
  if (HOME_RULES[handoff.home].lastWord !== 'verifier') return handoff.from
  const usual = policy.verifiers.find((name) => name !== handoff.to)
  return usual ?? (policy.chief === handoff.to ? handoff.from : policy.chief)
}

/** True when the receiver alone may close: documents 001 to 004 unless their sender says otherwise, and every return. */
export const receiverCompletes = ({ type, home, review }: Handoff): boolean =>
  type === 'return' || (review === undefined && HOME_RULES[home].lastWord === 'receiver')

/** The agent that the sender named for the last word. */
export const reviewerOf = ({ review }: Pick<Handoff, 'review'>): string | undefined =>
  review === 'sender' || review === 'none' ? undefined : review

/** Everything that stands between this handoff and done; empty when its home's guard holds. */
export function unmetConditions(handoff: Handoff, content: Content): readonly Problem[] {
  if (handoff.type === 'return') return accepted(handoff)
  const guards = HOME_RULES[handoff.home].completion
  // A sender that wants a review wants evidence with it, in every format.
  const more: readonly Guard[] =
    handoff.review === undefined || guards.includes('evidence') ? [] : ['evidence']
  return [...guards, ...more].flatMap((guard) => GUARDS[guard](content, handoff))
}

/**
 * The evidence required of a receiver that does not close. Document 000 keeps evidence in its verifier's record, so
 * a receiver may leave all of it to the verifier. A receiver that shows some must cover every deliverable.
 */
export function handInConditions({ home }: Handoff, content: Content): readonly Problem[] {
  const { lastWord, completion } = HOME_RULES[home]
  if (lastWord === 'verifier' && !content.result?.evidence?.length) return []
  const isEmpty = completion.includes('handed in') && !content.package.deliverables?.length
  return isEmpty && saysNothing(content.result ?? {}) ? [EMPTY] : evidenced(content)
}

const EMPTY: Problem = {
  code: 'nothing_handed_in',
  message: 'nothing was handed in; say what was done in a note, or give an output or an artifact',
}

/** An empty list is an answer, an empty object is not. Some fields say nothing of the work itself. */
function saysNothing({ note = '', output, ...more }: Result): boolean {
  const isBlank = !(typeof output === 'string' ? /\S/.test(output) : Array.isArray(output) || hasAny(output))
  const { metadata: _, schema_compliance: _c, checks: _r, submitted_at: _a, ...others } = more
  return isBlank && !/[\p{L}\p{N}]/u.test(note) && !Object.values(others).some(hasAny)
}

const hasAny = (value: unknown): boolean =>
  typeof value === 'object' ? Object.keys(value ?? {}).length > 0 : value !== undefined

/** No work goes on past a gate that a person has not opened, whatever its home and whoever asks. */
export const gateConditions = (gates: readonly Handoff[], work: Handoff): readonly Problem[] =>
  shutGates(gates, work.uid).map((gate) => ({ code: 'gate_shut', message: shutReason(gate) }))

/** Delegations that the receiver sent in this attempt and that are still open. */
export const delegationConditions = (below: readonly Handoff[], work: Handoff): readonly Problem[] =>
  below
    .filter(({ type, from, parent_attempt }) => {
      return type === 'delegation' && from === work.to && (parent_attempt ?? work.attempt) === work.attempt
    })
    .filter(({ state }) => state !== 'draft' && isOpen(state))
    .map(({ id, to }) => ({
      code: 'delegation_open',
      message: `${to} has not returned ${id}; wait for it, or cancel it with: baton cancel ${id}`,
    }))

const GUARDS: Readonly<Record<Guard, (content: Content, handoff: Handoff) => readonly Problem[]>> = {
  accepted: (_, handoff) => accepted(handoff),
  'handed in': handedIn,
  evidence: evidenced,
  verified,
  output: produced,
  checks: checked,
  // In a run of these formats the gate of the step judges them (S4-69).
  'checks outside runs': (content, handoff) => (handoff.run === undefined ? checked(content, handoff) : []),
  validation: validated,
}

function accepted(handoff: Handoff): readonly Problem[] {
  if (handoff.accepted_at !== undefined && handoff.accepted_by !== undefined) return []
  return [{ code: 'not_accepted', message: `${handoff.to} has not accepted it` }]
}

/** Native: where nothing is named that must be there, handing in is what the receiver says of the work. */
function handedIn({ package: pack, result }: Content, { id, to }: Handoff): readonly Problem[] {
  if (result || pack.deliverables?.length) return []
  const message = `${to} has handed in nothing; it does with: baton submit ${id} --as ${to} -m "…"`
  return [{ code: 'nothing_handed_in', message }]
}

/** Native: the receiver has handed in something for every deliverable. */
function evidenced(content: Content): readonly Problem[] {
  return missing(content, content.result?.evidence ?? [])
}

/** Document 000: the last verification says `verified`, with evidence, for every deliverable and for nothing else. */
function verified(content: Content): readonly Problem[] {
  const { deliverable_checks: checks = [] } = content.verifications.at(-1) ?? {}
  const known = deliverablesOf(content)
  const unknown = checks.filter(({ deliverable }) => !known.has(deliverable.trim()))
  const message = (deliverable: string) => `${JSON.stringify(deliverable)} is not one of its deliverables`
  return [
    ...missing(
      content,
      checks.filter(({ status }) => status === 'verified'),
    ),
    ...unknown.map((each) => ({ code: 'unknown_deliverable', message: message(each.deliverable) })),
  ]
}

const deliverablesOf = ({ package: { deliverables = [] } }: Content): ReadonlySet<string> =>
  new Set(deliverables.map((each) => each.trim()))

/** Deliverables without evidence; of two for the same one the last counts. */
function missing(content: Content, given: NonNullable<Result['evidence']>): readonly Problem[] {
  const said = new Map(given.map(({ deliverable, evidence }) => [deliverable.trim(), evidence.trim()]))
  const without = [...deliverablesOf(content)].filter((deliverable) => !said.get(deliverable))
  const message = (deliverable: string) => `no evidence for ${JSON.stringify(deliverable)}`
  return without.map((each) => ({ code: 'deliverable_without_evidence', message: message(each) }))
}

/** Every declared check has held in the run of whoever has the last word, or a person has waived it. */
function checked(content: Content, handoff: Handoff): readonly Problem[] {
  const last = receiverCompletes(handoff) ? content.result : content.verifications.at(-1)
  return (content.package.checks ?? []).flatMap((check, i): readonly Problem[] => {
    const name = checkName(check)
    const { ok, detail } = last?.checks?.[i] ?? {}
    if (ok || content.waived?.some((waiver) => waiver.check === name)) return []
    if (ok === false)
      return [{ code: 'check_failed', message: `check failed: ${name}${detail ? ` (${detail})` : ''}` }]
    const how = `a person can waive it with: baton handoff waive ${handoff.id} ${/^[\w ]+: (.*)/s.exec(name)?.[1] ?? JSON.stringify(name)}`
    return [{ code: 'check_not_run', message: `check ${name} was ${detail ?? 'not run'}; ${how}` }]
  })
}

/** The name by which a person waives it. */
export function checkName(check: Check): string {
  if (check.kind === 'file_exists') return `file exists: ${JSON.stringify(check.path)}`
  if (check.kind === 'sha256') return `sha256 of ${JSON.stringify(check.path)}`
  if (check.kind === 'command') return `command exits 0: ${JSON.stringify(check.command)}`
  if (check.kind === 'evidence') return `evidence for ${JSON.stringify(check.deliverable)}`
  return 'output matches its JSON Schema'
}

function produced(content: Content): readonly Problem[] {
  const result = content.result
  const unmet: Problem[] = []
  if (result?.output === undefined && !result?.artifacts?.length)
    unmet.push({ code: 'artifact_missing', message: 'no output or artifact was handed in' })
  if (result?.schema_compliance === 'invalid')
    unmet.push({ code: 'schema_invalid', message: 'the output does not match its schema' })
  return unmet
}

/** Document 001: failing tests, type errors or coverage under the target cannot pass (S1-49). */
function validated(content: Content): readonly Problem[] {
  const validation = content.result?.validation
  if (!validation) return []
  return validationProblems(validation, coverageTarget(content.package.input)).map((message) => ({
    code: 'VALIDATION_FAILED',
    message,
  }))
}

/** A report as a program wrote it: what it says of coverage may be no number. */
type Report = Pick<Validation, 'status' | 'tests_passing' | 'typescript_errors'> & {
  readonly coverage_percentage?: unknown
}

export function validationProblems(validation: Report, target?: number): readonly string[] {
  const problems: string[] = []
  if (validation.status === 'failed') problems.push('the validation says failed')
  if (validation.tests_passing === false) problems.push('tests are failing')
  if ((validation.typescript_errors ?? 0) > 0) problems.push(`${validation.typescript_errors} type errors`)
  const written = validation.coverage_percentage
  const coverage = percentOf(written)
  if (target === undefined || written === undefined) return problems
  if (coverage === undefined)
    problems.push(`coverage_percentage ${JSON.stringify(written)} is not a number; the target is ${target} %`)
  else if (coverage < target) problems.push(`coverage is ${coverage} % and the target is ${target} %`)
  return problems
}

export function coverageTarget(input: unknown): number | undefined {
  const quality = (input as { code_quality?: { testing_coverage_target?: unknown } } | null | undefined)
    ?.code_quality
  return percentOf(quality?.testing_coverage_target)
}

/** `80`, `"80"`, `"80 %"` and `"79,5%"` as a number. */
export function percentOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  const [, digits] = (typeof value === 'string' && /^\s*(\d{1,9}(?:[.,]\d{1,9})?)\s*%?\s*$/.exec(value)) || []
  return digits === undefined ? undefined : Number(digits.replace(',', '.'))
}

/** Whether work on it may begin only when its receiver has said what it understood. */
export const needsAcknowledgment = ({ home, type }: Handoff): boolean =>
  HOME_RULES[home].begins === 'understood' && (type === 'sequential' || type === 'delegation')
