/** A head of a log that this user has seen, with the key it was signed with. */
export interface RememberedLog {
  readonly origin: string
  readonly vkey: string
  /** The signed note, byte for byte. */
  readonly note: string
}

/** The place of a store, in words from outside it: the store's own content may have been changed. */
export type StorePlace = string

export interface LogKey {
  readonly vkey: string
  readonly file: string
  /**
   * Signs the text of a checkpoint. `check` is shown the text that was signed last and throws unless this one
   * extends it; what is about to be signed is kept on disk before it is.
   */
  sign(text: string, check: (last: string | undefined) => Promise<void>): Promise<string>
}

/** Keys of logs and what is remembered of logs: with the user, never in the store. */
export interface LogKeys {
  /** Name of this machine, to tell others where a key is. */
  readonly host: string
  /** Path of a log's key file, whether or not it exists. */
  fileOf(origin: string): string
  key(origin: string): Promise<LogKey | undefined>
  /** The key of a log; makes one when it is missing. */
  makeKey(origin: string): Promise<LogKey>
  /** Puts the key of a log and what it has signed aside, under other names. */
  retireKey(origin: string): Promise<void>
  /** Which log was found at a place before. */
  originAt(place: StorePlace): Promise<string | undefined>
  remembered(origin: string): Promise<RememberedLog | undefined>
  remember(place: StorePlace, log: RememberedLog): Promise<void>
  /** Forgets what was remembered of a place and of this log. */
  forget(place: StorePlace, origin: string): Promise<void>
}
