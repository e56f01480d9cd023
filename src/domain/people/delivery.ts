/** Events that ask for a person's move; a message can also tell of a notice, by its kind. */
export const WAITING_EVENTS = ['gate', 'decision', 'question'] as const

/**
 * A message to somewhere outside: a webhook or a mail. It is written with what it tells of, and sent afterwards. It
 * holds no text: what it says is made of the handoff when it is sent, so a text that was taken away is not sent later.
 */
export interface Delivery {
  readonly uid: string
  readonly kind: 'webhook' | 'mail'
  /** When the next try is due; absent when it was delivered or given up. */
  readonly due_at?: string
  readonly attempts: number
  readonly created_at: string
  /** The name of the channel in `baton.yaml`. Its address and its secret stay there. */
  readonly channel: string
  readonly event: string
  /** uid of the handoff. */
  readonly about: string
  /** The person or agent that is told. */
  readonly to: string
  readonly delivered_at?: string
  readonly last_error?: string
}

/** A way out of the workspace, as far as deciding needs to know it. */
export interface Channel {
  readonly name: string
  readonly kind: 'webhook' | 'mail'
  readonly events?: readonly string[] | undefined
  /** Only what is for these; left out: everyone. */
  readonly for?: readonly string[] | undefined
}

/** Events for a channel that names none: those that a person has to answer. */
const USUAL_EVENTS: readonly string[] = [...WAITING_EVENTS, 'reminder', 'escalated']

export const takes = (channel: Channel, event: string, to: string): boolean =>
  (channel.events ?? USUAL_EVENTS).includes(event) && (channel.for === undefined || channel.for.includes(to))

/** How long each try may take before another process may try: longer than any channel's own time-out. */
export const CLAIM_S = 120
/** Seconds until the next try, after the first, second, … that failed. After the last the message is given up. */
const BACK_OFF_S = [30, 120, 600, 3_600] as const

export const backOffSeconds = (attempts: number): number | undefined => BACK_OFF_S[attempts - 1]
