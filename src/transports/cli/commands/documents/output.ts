import { BatonError } from '../../../../domain/errors.ts'
import { type Issue, issueSentence } from '../../../../domain/texts/issue-words.ts'
import type { OperationOutput } from '../../../../runner/operation-types.ts'
import { type Arguments, badOption, type Flag, flag, isOn, textOf, textsOf } from '../../input/args.ts'
import { oneLine, plainText } from '../../screen/plain-text.ts'
import type { Shell } from '../../shell.ts'
import { writeNamed } from '../named-file.ts'

/** Named here because the command line knows no dialect but by name; the operation is the judge. */
const DIALECTS = ['markdown', 'queue', 'block', 'writeback', 'package']

export const TO = flag('to <dialect>', 'The dialect to write, or a format of baton.yaml', {
  choices: DIALECTS,
})

/** The team's own formats. A `baton.yaml` that cannot be read is told, and is not in the way of documents. */
export async function formatsFor(shell: Shell) {
  const { formatsAround } = await import('../../../../workspace/workspace.ts')
  return formatsAround(shell.io.cwd, shell.io.env).catch((error: unknown) => {
    if (!(error instanceof BatonError)) throw error
    shell.warn(error.message)
    return []
  })
}

/** Options of whatever writes a document. */
export const WRITING_FLAGS: readonly Flag[] = [
  flag('slot', 'Keep fields that the format does not have under x_baton, so that nothing is lost'),
  flag('set <field=value>', 'A field that the dialect requires and the document lacks', { repeats: true }),
  flag('out <file>', 'Write into this new file', { also: ['o'] }),
  flag('force', 'Replace the file of --out'),
]

type Converted = OperationOutput<'document_convert'>
/** The diagnostics are problems of the document that was read. */
export type Written = Pick<Converted, 'text' | 'losses'> & Partial<Converted>

/** `--set field=value` as fields by name. */
export function supplyOf(args: Arguments): Record<string, string> {
  return Object.fromEntries(
    textsOf(args, 'set').map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw badOption('set', `${JSON.stringify(text)} is not a pair, --set field=value`)
      return [text.slice(0, at).trim(), text.slice(at + 1)]
    }),
  )
}

/** The document goes to the file or the answer; what was wrong with it and what it lost is told beside it. */
export function tellWritten(shell: Shell, { text, ...more }: Written): void {
  const out = textOf(shell.args, 'out')
  if (out !== undefined)
    writeNamed(shell, out, text, {
      replace: isOn(shell.args, 'force'),
      advice: 'name another file, or replace it with --force',
    })
  if (!shell.isJson) {
    for (const { severity, line, message } of more.diagnostics ?? [])
      if (severity === 'error') shell.warn(`line ${line}: ${oneLine(message)}`)
    const { losses } = more
    // More lines would push the document off the screen.
    if (losses.length > 3) shell.warn(`lost ${losses.map((loss) => loss.field).join(', ')}; --json says why`)
    else for (const { field, reason } of losses) shell.warn(`lost ${field}: ${oneLine(reason)}`)
  }
  if (out !== undefined) shell.answer({ ...more, file: out }, () => `${shell.screen.tick} written to ${out}`)
  else shell.answer({ text, ...more }, () => terminalText(shell, text))
}

/** To a pipe byte for byte; a terminal gets nothing that would move its cursor. */
const terminalText = ({ screen }: Shell, text: string): string =>
  (screen.isTerminal ? plainText(text) : text).replace(/\n$/, '')

/** A refused field, or a refusal for want of something, as the options that people type. */
export function refuseTyped(error: unknown): never {
  if (!(error instanceof BatonError)) throw error
  if (Array.isArray(error.details.issues)) {
    const lines = (error.details.issues as Issue[]).map((issue) =>
      issueSentence(issue, (path) => `--${path.join('.')}`),
    )
    throw new BatonError(error.code, lines.join('; '), error.details, error)
  }
  if (error.code !== 'unmet' || !Array.isArray(error.details.missing)) throw error
  const missing = error.details.missing as readonly { field: string; reason: string }[]
  const lines = missing.map(({ field, reason }) => `--set ${field}=…  ${oneLine(reason)}`)
  const message = `${error.details.to} needs more fields; add them with:\n${lines.join('\n')}`
  throw new BatonError('unmet', message, error.details, error)
}
