import type { Sha256 } from '../merkle.ts'
import { openNote, type Verifier } from '../note.ts'

/** Whether an Ed25519 signature over the message is this key's. A browser takes its time over it. */
export type CheckEd25519 = (
  key: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>

/** Functions of the runtime that the levels need: Node and browsers have their own. */
export interface Platform {
  readonly sha256: Sha256
  readonly isSigned: CheckEd25519
}

/** The text of a note that this verifier signed; undefined otherwise. */
export async function openSigned(
  note: string,
  verifier: Verifier,
  isSigned: CheckEd25519,
): Promise<string | undefined> {
  let asked: Parameters<CheckEd25519> | undefined
  const opened = openNote(note, verifier, (...claim) => {
    asked = claim
    return true
  })
  return opened && asked && (await isSigned(...asked)) ? opened.text : undefined
}
