import { fromBase64, toBase64 } from './base64.ts'
import { HASH_BYTES } from './sha256.ts'

/** The head of a log as C2SP tlog-checkpoint v1.0.0 writes it: three lines, then signatures as on any note. */
export interface Checkpoint {
  /** Name of the log. */
  readonly origin: string
  readonly size: number
  readonly root: Uint8Array
}

const SIZE = /^(?:0|[1-9]\d{0,15})$/

export const printCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${toBase64(root)}\n`

/** Reads the text of a note; undefined when it is not a checkpoint. Further lines are refused. */
export function readCheckpoint(text: string): Checkpoint | undefined {
  const [origin, size = '', root = '', ...rest] = text.split('\n')
  const hash = fromBase64(root)
  if (!origin || !SIZE.test(size) || hash?.length !== HASH_BYTES || rest.length !== 1 || rest[0] !== '')
    return undefined
  const count = Number(size)
  return Number.isSafeInteger(count) ? { origin, size: count, root: hash } : undefined
}
