/** A caller of a server. A read ends when its caller has gone, and the slow reads of an agent share a budget. */
export interface Reader {
  readonly agent: string
  /** Reads what a page shows, all at once; programs read in loops. */
  readonly isPerson?: boolean
  readonly signal?: AbortSignal | undefined
  /** Quick reads go before those of others: one reads for many. */
  readonly isFirst?: boolean
}

/** Settings of the server that bound what a store does at once. */
export interface StoreLimits {
  /** How many transactions may be under way. */
  readonly writers: number
  /** How many quick reads, and how many slow ones. */
  readonly readers: number
  readonly slowReaders: number
  /** How long one statement may take; PostgreSQL ends it then. */
  readonly queryMs: number
  /** How long a slow read may take, and those of one agent together in a minute. */
  readonly slowReadMs: number
  readonly slowBudgetMs: number
}

/** How many may be at work at once, how many are, and how many wait for a place. */
export interface PoolState {
  readonly size: number
  readonly used: number
  readonly waiting: number
}

/** The part of the port that a server needs, which many callers share. */
export interface Shared {
  /**
   * Goes the way of a write that changes nothing. Rejects when the store does not answer, or when its file was deleted
   * or replaced since it was opened.
   */
  ping(): Promise<unknown>
  /** The reads of `work` are this caller's. Those that may take long wait in turn, and may be refused. */
  readAs<T>(reader: Reader, work: () => Promise<T>): Promise<T>
  pools(): Readonly<Record<string, PoolState>>
  /** Lists and searches that a replica answered, or the primary because the replica was away or behind. */
  replicaReads?(): Readonly<Record<string, number>> | undefined
}
