export const RUN_STATES = ['running', 'waiting', 'completed', 'failed', 'cancelled'] as const
export type RunState = (typeof RUN_STATES)[number]

/** One start of a workflow. Its uid is also the stream in which it and its handoffs are logged. */
export interface Run {
  readonly uid: string
  readonly id: string
  readonly rev: number
  /** Name of the workflow. */
  readonly name: string
  readonly state: RunState
  /** Who started it: the sender of its handoffs. */
  readonly by: string
  readonly started_at: string
  readonly updated_at: string
  readonly ended_at?: string
}
