import type { Refusal } from '../errors.ts'
import type { ArtifactRef } from '../handoffs/package.ts'
import type { State } from '../lifecycle.ts'
import type { Run } from './run.ts'

/** What happened to a run. `id` is always that of a handoff of it. */
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
      /** Declared checks and the validation speak for the result; absent where there are none of them. */
      readonly problems?: readonly string[] | undefined
      readonly summary?: string | undefined
      readonly artifacts?: readonly ArtifactRef[] | undefined
    }
  /** A failed handoff is offered again, or given to somebody else. */
  | { readonly kind: 'reopened'; readonly step: string; readonly id: string; readonly to: string }
  | { readonly kind: 'reassigned'; readonly step: string; readonly id: string; readonly to: string }
  /** Whoever holds the handoff `parent` has delegated a part of it. */
  | { readonly kind: 'delegated'; readonly id: string; readonly parent: string }

/** What has to be done because of it, in this order. */
export type RunAction =
  | {
      readonly do: 'start'
      readonly step: string
      readonly id: string
      readonly to: string
      /** What the agent must know of the try before. */
      readonly because?: string
    }
  | {
      readonly do: 'gate'
      readonly step: string
      readonly id: string
      readonly to: string
      readonly holds: boolean
      readonly because?: string
    }
  | {
      readonly do: 'notify'
      readonly step: string
      readonly to: string
      readonly kind: 'failed' | 'escalated'
      readonly text: string
    }
  | {
      readonly do: 'escalate'
      readonly step: string
      readonly id: string
      readonly to: string
      readonly text: string
    }
  | { readonly do: 'finish'; readonly state: 'completed' | 'failed'; readonly text: string }

export type Advance =
  | { readonly ok: true; readonly run: Run; readonly actions: readonly RunAction[] }
  | Refusal
