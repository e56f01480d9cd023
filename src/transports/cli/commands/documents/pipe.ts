import type { Readable } from 'node:stream'
import { decoded, MAX_FILE_BYTES, type ReadText } from './target-file.ts'

/** Reads standard input, up to the size that a file may have. */
export async function readPipe(stdin: Readable): Promise<ReadText> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk as Uint8Array))
    size += chunk.length
    if (size > MAX_FILE_BYTES) break
  }
  return decoded(Buffer.concat(chunks), false)
}
