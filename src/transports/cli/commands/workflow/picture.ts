import { BatonError, notFound } from '../../../../domain/errors.ts'
import { present } from '../../../../domain/present.ts'
import { draw } from '../../../../operations/workflow.ts'
import { flag } from '../../input/args.ts'
import { added } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'
import { writeNamed } from '../named-file.ts'
import { fromFile, isAlone, readAlone } from './definition.ts'

const OUT = added(flag('out <file>', 'Write the picture to this file; .svg says the format too'))

type Format = Parameters<typeof draw>[1]

const formatOf = (said: unknown, out: unknown): Format | undefined =>
  (said as Format | undefined) ?? (String(out ?? '').endsWith('.svg') ? 'svg' : undefined)

/** With `--out` the picture is written to a file, an older picture is replaced. */
export const picture: Extra = {
  ...fromFile,
  examples: ['baton workflow picture drafts/feature.yaml --out feature.svg'],
  flags: (flags) => [...flags, OUT],
  async alone(shell, { out, format, run, ...input }) {
    if (run !== undefined || !(await isAlone(shell))) return undefined
    return draw(await readAlone(shell, input), formatOf(format, out) ?? 'mermaid')
  },
  async before(shell, session, { out, ...input }) {
    const format = formatOf(input.format, out)
    return (await fromFile.before?.(shell, session, { ...input, ...present({ format }) })) ?? { input }
  },
  refused(shell, error) {
    const name = error instanceof BatonError && error.code === 'not_found' ? error.details.name : undefined
    if (typeof name !== 'string' || !/-\d+$/.test(name)) return fromFile.refused?.(shell, error)
    return notFound(
      `there is no workflow ${name}; for the picture of a run: baton workflow picture --run ${name}`,
      { name },
      error,
    )
  },
  async after(shell, output, { out }) {
    if (typeof out !== 'string') return false
    const { text } = output as { text: string }
    writeNamed(shell, out, text, { replace: true })
    shell.answer(output, () => `${shell.screen.tick} written to ${out}`)
    return true
  },
}
