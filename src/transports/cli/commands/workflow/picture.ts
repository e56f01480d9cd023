import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { BatonError } from '../../../../domain/errors.ts'
import type { FieldFlag } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'
import { fromFile } from './definition.ts'

const OUT: FieldFlag = {
  name: 'out',
  field: 'out',
  kind: 'word',
  takes: 'value',
  placeholder: 'file',
  about: 'Write the picture to this file; .svg says the format too',
}

/** With `--out` the picture is written to a file, an older picture is replaced. */
export const picture: Extra = {
  flags: (flags) => [...flags, OUT],
  async before(shell, session, { out, ...input }) {
    const format = input.format ?? (String(out ?? '').endsWith('.svg') ? 'svg' : undefined)
    return (
      (await fromFile.before?.(shell, session, { ...input, ...(format !== undefined && { format }) })) ?? {
        input,
      }
    )
  },
  async after(shell, output, { out }) {
    if (typeof out !== 'string') return false
    const { text } = output as { text: string }
    try {
      writeFileSync(resolve(shell.io.cwd, out), text)
    } catch (error) {
      throw new BatonError(
        'invalid_input',
        `${out} cannot be written (${(error as NodeJS.ErrnoException).code}); name a file in a folder that is there`,
        { file: out },
        error,
      )
    }
    shell.answer(output, () => `${shell.screen.tick} written to ${out}`)
    return true
  },
}
