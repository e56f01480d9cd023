import { ANYONE } from '../../domain/actor.ts'
import { type HandoffType, TYPES } from '../../domain/lifecycle.ts'
import type { Draft } from '../draft.ts'
import type { Words } from '../text/words.ts'
import { TYPE_SYNONYMS } from './words.ts'

/** What the type of a package is seen by; document 004 has no field for it. */
export interface TypeMarks {
  readonly gate: boolean
  readonly to: string | null | undefined
  /** null: said to stand outside the workflow. */
  readonly step: string | number | null | undefined
  /** Whether it goes from the receiver of an open delegation back to its sender. */
  readonly answers: boolean
  readonly workflow: boolean
  readonly expectations: boolean
}

export interface OpenDelegation {
  readonly id: string
  readonly from: string
  readonly to: string
}

export type Answered =
  | { readonly kind: 'one'; readonly id: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly ids: readonly string[] }

export const Types: Words<HandoffType> = { name: 'handoff_type', words: TYPES, synonyms: TYPE_SYNONYMS }

/** The first rule that holds decides. */
const TYPE_RULES: readonly (readonly [HandoffType, (marks: TypeMarks) => boolean])[] = [
  ['gate', ({ gate }) => gate],
  ['escalation', ({ to }) => to === ANYONE],
  ['return', ({ answers, step }) => answers || step === null],
  ['sequential', ({ workflow, expectations }) => workflow || !expectations],
  ['delegation', () => true],
]

export function inferType(marks: TypeMarks): HandoffType {
  return TYPE_RULES.find(([, holds]) => holds(marks))?.[0] ?? 'delegation'
}

/** What each type is seen by, for whoever is told that it is another one than was said. */
export const WHY: Readonly<Record<HandoffType, string>> = {
  gate: 'it has a gate',
  escalation: 'it goes to human',
  return: 'its from.step is null',
  sequential: 'it has a workflow_state or no expectations',
  delegation: 'it has expectations and no workflow_state',
}

export function marksOf(draft: Draft, open: readonly OpenDelegation[] = []): TypeMarks {
  const { gate, workflow, package: travels } = draft
  const { deliverables, criteria, constraints } = travels ?? {}
  return {
    gate: gate?.name !== undefined || gate?.type !== undefined,
    to: draft.to,
    step: draft.from_step,
    answers: answeredBy(draft, open).kind !== 'none',
    workflow: workflow !== undefined,
    expectations: [deliverables, criteria, constraints].some((list = []) => list.length > 0),
  }
}

/** The given type, else the one that the rule of document 004 gives. */
export const typeOf = (draft: Draft): HandoffType => draft.type ?? inferType(marksOf(draft))

/**
 * Which of the open delegations a package answers: the one it names, else the only one between the same two in
 * the other direction. Several without a name are for the sender to tell apart.
 */
export function answeredBy(draft: Draft, open: readonly OpenDelegation[]): Answered {
  const reversed = open.filter(({ from, to }) => from === draft.to && to === draft.from)
  const named = reversed.find(({ id }) => id === draft.in_reply_to)
  const [only, ...more] = named ? [named] : reversed
  if (only === undefined) return { kind: 'none' }
  return more.length === 0
    ? { kind: 'one', id: only.id }
    : { kind: 'several', ids: reversed.map(({ id }) => id) }
}
