import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { BatonError, notFound } from '../../../../domain/errors.ts'
import { MAX_BLOB_BYTES } from '../../../../service/handoffs/artifacts.ts'
import { added } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'
import { writeNamed } from '../named-file.ts'

const OUT = added({ name: 'out', placeholder: 'file', about: 'Write the bytes to this new file' })

/** A file that is here is registered with its hash. */
export const put: Extra = {
  async before(shell, _, input) {
    const bytes = typeof input.content === 'string' ? Buffer.byteLength(input.content, 'base64') : 0
    if (bytes > MAX_BLOB_BYTES)
      throw new BatonError(
        'too_large',
        `${input.path} has ${bytes} bytes, and at most ${MAX_BLOB_BYTES} are stored; leave --content out to register it by its hash`,
        { size: bytes, limit: MAX_BLOB_BYTES },
      )
    const path = resolve(shell.io.cwd, String(input.path))
    if (input.sha256 !== undefined || input.content !== undefined) return { input }
    if (!existsSync(path)) {
      shell.warn(`there is no file ${input.path} here, so only its path is registered, without a hash`)
      return { input }
    }
    return { input: { ...input, sha256: createHash('sha256').update(readFileSync(path)).digest('hex') } }
  },
}

/** With `--out` the bytes are written to a file that was not there before. */
export const get: Extra = {
  flags: (flags) => [...flags, OUT],
  async before(_shell, _session, { out: _, ...input }) {
    return { input }
  },
  async after(shell, output, { out }) {
    if (typeof out !== 'string') return false
    const { artifact, content } = output as { artifact: { path: string }; content?: string }
    if (content === undefined)
      throw notFound(`the bytes of ${artifact.path} are not stored here, only its path and hash`)
    writeNamed(shell, out, Buffer.from(content, 'base64'))
    shell.answer(output, () => `${shell.screen.tick} written to ${out}`)
    return true
  },
}
