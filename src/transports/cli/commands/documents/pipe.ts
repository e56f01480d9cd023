import type { Readable } from 'node:stream'
import { bytesFrom } from '../../input/values.ts'
import { STDIN, type Target } from './files.ts'
import { decoded, MAX_FILE_BYTES, type ReadText, readTarget } from './target-file.ts'

/** Reads a file, or standard input up to the size that a file may have. */
export async function readFrom(target: Target, stdin: Readable): Promise<ReadText> {
  if (target.file !== STDIN) return readTarget(target)
  return decoded(await bytesFrom(stdin, MAX_FILE_BYTES), false)
}
