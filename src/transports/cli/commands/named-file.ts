import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { BatonError } from '../../../domain/errors.ts'
import type { Shell } from '../shell.ts'

interface Writing {
  /** Replaces the file where there is one. */
  readonly replace?: boolean
  /** The way on where there is one already. */
  readonly advice?: string
}

/** Writes a file that the person named. */
export function writeNamed(
  { io }: Shell,
  file: string,
  content: string | Uint8Array,
  { replace = false, advice = 'name another file' }: Writing = {},
): void {
  try {
    writeFileSync(resolve(io.cwd, file), content, { flag: replace ? 'w' : 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isThere = code === 'EEXIST'
    const what = isThere ? 'is there already' : `cannot be written (${code})`
    const next = isThere ? advice : 'name a file in a folder that is there'
    throw new BatonError(isThere ? 'conflict' : 'invalid_input', `${file} ${what}; ${next}`, { file }, error)
  }
}
