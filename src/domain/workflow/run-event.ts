import type { Refusal } from '../errors.ts'
import type { ArtifactRef } from '../handoffs/package.ts'
import type { State } from '../lifecycle.ts'
import type { Run } from './run.ts'

/** An event of a run. `id` is always that of one of its handoffs. */
export type RunEvent =
  | { readonly kind: 'begin' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'cancel' }
  | {
      readonly kind: 'ended'
      readonly step?: string | undefined
      readonly id: string
      readonly state: State
      readonly by: string
      readonly reason?: string | undefined
      /** Problems found by declared checks and the validation; absent without either. */
      readonly problems?: readonly string[] | undefined
      readonly summary?: string | undefined
      readonly artifacts?: readonly ArtifactRef[] | undefined
    }
  /** A failed handoff is offered again, or given to somebody else. */
  | { readonly kind: 'reopened'; readonly step: string; readonly id: string; readonly to: string }
  | { readonly kind: 'reassigned'; readonly step: string; readonly id: string; readonly to: string }
  /** The holder of the handoff `parent` has delegated a part of it. */
  | { readonly kind: 'delegated'; readonly id: string; readonly parent: string }

/** A handoff that a step needs. */
interface Needed {
  readonly step: string
  readonly id: string
  readonly to: string
}

/** The reason for another try or for asking, which the receiver must know. */
interface Because {
  readonly because?: string
}

/** An action that follows from an event; actions are done in order. */
export type RunAction =
  | (Needed & Because & { readonly do: 'start' })
  | (Needed & Because & { readonly do: 'gate'; readonly holds: boolean })
  | (Needed & { readonly do: 'escalate'; readonly text: string })
  | (Omit<Needed, 'id'> & {
      readonly do: 'notify'
      readonly kind: 'failed' | 'escalated'
      readonly text: string
    })
  | { readonly do: 'finish'; readonly state: 'completed' | 'failed'; readonly text: string }

export type Advance =
  | { readonly ok: true; readonly run: Run; readonly actions: readonly RunAction[] }
  | Refusal
