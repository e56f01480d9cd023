/** A block of document 002 as it was stored: what an agent said of its work, with the text it stood in. */
export interface Block {
  readonly uid: string
  /** SHA-256 of what was said and where it came from: the same summary is history once. */
  readonly digest: string
  readonly from: string
  readonly to: string
  readonly phase: string
  readonly status: string
  readonly task?: string
  /** uid of the run that it belongs to. */
  readonly run?: string
  readonly at: string
  readonly stored_at: string
  /** The block's text, byte for byte. */
  readonly raw: string
}
