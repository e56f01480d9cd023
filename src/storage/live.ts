/** The newest output of a program that works on an attempt. Not in the log, and in no copy. */
export interface Live {
  readonly uid: string
  readonly attempt: number
  readonly at: string
  readonly text: string
}

export interface LiveRows {
  /** Puts a row in place of the last one. Without a text it goes, and with it all that were not put since `before`. */
  keepLive(row: Omit<Live, 'text'> & { readonly text?: string }, before: string): Promise<void>
  /** Rows that were put since then. The text of this handoff only. */
  live(since: string, uid?: string): Promise<readonly Live[]>
}
