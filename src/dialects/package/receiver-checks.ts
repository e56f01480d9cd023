import type { HandoffType } from '../../domain/handoffs/handoff.ts'
import type { CheckResult } from '../../domain/handoffs/package.ts'
import { constraintNotMeasurable, isVacuousSummary, vagueWord } from '../../domain/texts/measurable.ts'
import type { Draft } from '../draft.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { insideProject, type Kinds } from './artifacts.ts'
import { typeOf } from './types.ts'

export interface ReceivingFacts {
  /** What the receiver finds on disk; absent when it cannot look. */
  readonly kinds?: Kinds
  /** Constraints that the receiver cannot keep, and why; absent when its capabilities are not known. */
  readonly incompatible?: readonly { readonly constraint: string; readonly reason: string }[]
}

export interface Received {
  /** One for each line of document 004's checklist; `ok` is absent where the check could not be made. */
  readonly checks: readonly CheckResult[]
  /** What stops the receiver from starting, in the words of document 004. */
  readonly blockers: readonly string[]
}

interface ReceivingOutcome {
  readonly blockers: readonly string[]
  readonly warnings?: readonly string[]
  readonly evaluated?: boolean
}

/** Document 004's checklist for whoever receives. */
// biome-ignore format: read as a table
const CHECKLIST: readonly (readonly [string, (draft: Draft, facts: ReceivingFacts) => ReceivingOutcome])[] = [
  ['summary present and understandable',        summary],
  ['all artifacts exist',                       artifacts],
  ['expectations.deliverable clear',            deliverable],
  ['constraints compatible with my capabilities', constraints],
]

/** Types whose receiver cannot begin without knowing what is expected. The samples of the others have no expectations. */
const NEEDS_DELIVERABLE: readonly HandoffType[] = ['delegation', 'escalation']

export function checkReceiving(draft: Draft, facts: ReceivingFacts = {}): Received {
  const outcomes = CHECKLIST.map(([name, check]) => ({ name, ...check(draft, facts) }))
  return {
    checks: outcomes.map(({ name, blockers, warnings = [], evaluated = true }) => {
      const detail = [...blockers, ...warnings].join('; ')
      if (blockers.length === 0 && !evaluated) return { name, detail: detail || 'not evaluated' }
      return { name, ok: blockers.length === 0, ...(detail !== '' && { detail }) }
    }),
    blockers: outcomes.flatMap(({ blockers }) => blockers),
  }
}

function summary({ package: travels }: Draft): ReceivingOutcome {
  const text = travels?.summary
  if (text === undefined) return { blockers: ['Summary missing'] }
  const empty = isPlaceholder(text, 'package') || isVacuousSummary(text)
  return { blockers: empty ? [`Summary '${text}' not understandable`] : [] }
}

function artifacts({ package: travels }: Draft, { kinds }: ReceivingFacts): ReceivingOutcome {
  const listed = travels?.artifacts ?? []
  const blockers = listed.flatMap(({ path }) => {
    if (insideProject(path) === undefined) return [`Artifact ${path} outside the project`]
    return kinds?.get(path) === 'missing' || isPlaceholder(path, 'package')
      ? [`Artifact ${path} not found`]
      : []
  })
  return { blockers, evaluated: listed.every(({ path }) => kinds?.has(path) === true) }
}

function deliverable(draft: Draft): ReceivingOutcome {
  const { deliverables = [], validation_request } = draft.package ?? {}
  const unclear = deliverables
    .filter((text) => isPlaceholder(text, 'package'))
    .map((text) => `Deliverable '${text}' not clear`)
  if (unclear.length > 0) return { blockers: unclear }
  if (deliverables.length > 0 || (validation_request?.items ?? []).length > 0) return { blockers: [] }
  return NEEDS_DELIVERABLE.includes(typeOf(draft))
    ? { blockers: ['Deliverable missing'] }
    : { blockers: [], warnings: ['Deliverable missing'] }
}

function constraints({ package: travels }: Draft, { incompatible }: ReceivingFacts): ReceivingOutcome {
  const vague = (travels?.constraints ?? [])
    .flatMap((text) => vagueWord(text) ?? [])
    .map(constraintNotMeasurable)
  const impossible = (incompatible ?? []).map(
    ({ constraint, reason }) => `Constraint '${constraint}' not possible: ${reason}`,
  )
  return {
    blockers: [...vague, ...impossible],
    evaluated: incompatible !== undefined || (travels?.constraints ?? []).length === 0,
  }
}
