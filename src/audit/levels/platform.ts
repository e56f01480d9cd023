import type { IsSigned } from '../envelope.ts'
import type { Sha256 } from '../merkle.ts'
import { openNote, type Verifier } from '../note.ts'

/** Functions of the runtime that the levels need: Node and browsers have their own. */
export interface Platform {
  readonly sha256: Sha256
  readonly isSigned: IsSigned
}

/** The text of a note that this verifier signed; undefined otherwise. */
export async function openSigned(
  note: string,
  verifier: Verifier,
  isSigned: IsSigned,
): Promise<string | undefined> {
  let asked: Parameters<IsSigned> | undefined
  const opened = openNote(note, verifier, (...claim) => {
    asked = claim
    return true
  })
  return opened && asked && (await isSigned(...asked)) ? opened.text : undefined
}
