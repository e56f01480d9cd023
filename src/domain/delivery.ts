/** A message to somewhere outside: a webhook or a mail. It is written with what it tells of, and sent afterwards. */
export interface Delivery {
  readonly uid: string
  readonly kind: 'webhook' | 'mail'
  /** When the next try is due; absent when it was delivered or given up. */
  readonly due_at?: string
  readonly attempts: number
  readonly created_at: string
}
