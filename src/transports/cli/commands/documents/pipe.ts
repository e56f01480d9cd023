import type { Readable } from 'node:stream'
import { STDIN, type Target } from './files.ts'
import { decoded, MAX_FILE_BYTES, type ReadText, readTarget } from './target-file.ts'

/** Reads a file, or standard input up to the size that a file may have. */
export async function readFrom(target: Target, stdin: Readable): Promise<ReadText> {
  if (target.file !== STDIN) return readTarget(target)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk as Uint8Array))
    size += chunk.length
    if (size > MAX_FILE_BYTES) break
  }
  return decoded(Buffer.concat(chunks), false)
}
