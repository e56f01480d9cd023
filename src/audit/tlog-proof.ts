import { fromBase64, toBase64 } from './base64.ts'
import { HASH_BYTES } from './sha256.ts'

/** A proof that can be given away: where a leaf stands, its path to the root, and the checkpoint with that root. */
export interface TlogProof {
  readonly index: number
  readonly hashes: readonly Uint8Array[]
  /** The signed note, byte for byte. */
  readonly checkpoint: string
}

const HEADER = 'c2sp.org/tlog-proof@v1'
const INDEX = /^index (0|[1-9]\d{0,15})$/
/** A tree of 2^63 leaves has no longer path. */
const MOST_HASHES = 63

/** The text that C2SP tlog-proof v1 describes. We write no extra data and read past that of others. */
export const printTlogProof = ({ index, hashes, checkpoint }: TlogProof): string =>
  `${HEADER}\nindex ${index}\n${hashes.map((hash) => `${toBase64(hash)}\n`).join('')}\n${checkpoint}`

/** Parses a proof; undefined when the text is not one. Verifies nothing in it. */
export function readTlogProof(text: string): TlogProof | undefined {
  const end = text.indexOf('\n\n')
  if (end < 0) return undefined
  const [header, ...lines] = text.slice(0, end).split('\n')
  if (lines[0]?.startsWith('extra ')) lines.shift()
  const [first = '', ...coded] = lines
  const index = INDEX.exec(first)?.[1]
  if (header !== HEADER || index === undefined || coded.length > MOST_HASHES) return undefined
  const hashes: Uint8Array[] = []
  for (const line of coded) {
    const hash = fromBase64(line)
    if (hash?.length !== HASH_BYTES) return undefined
    hashes.push(hash)
  }
  return { index: Number(index), hashes, checkpoint: text.slice(end + 2) }
}
