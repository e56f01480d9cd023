import { invalidInput } from '../../../../domain/errors.ts'
import type { Command } from '../../command.ts'
import { flag, isOn, numberOf, textOf } from '../../input/args.ts'
import type { Shell } from '../../shell.ts'
import { filesAt, STDIN, type Target } from './files.ts'
import { formatsFor, refuseTyped, supplyOf, TO, tellWritten, WRITING_FLAGS, type Written } from './output.ts'

export const convert: Command = {
  name: 'convert',
  summary:
    'Writes a handoff document in another format. Lists fields that are lost or missing. Needs no workspace.',
  words: ['file or -'],
  flags: [
    { ...TO, required: true },
    flag('document <number>', 'Its number, if the file has several documents'),
    ...WRITING_FLAGS,
  ],
  examples: [
    'baton convert handoff.md --to queue --set from_phase=6 --set to_phase=13',
    'baton convert report.md --document 2 --to package -o handoff.yaml',
    'baton convert - --to markdown --slot < handoff.json',
  ],
  async run(shell, args) {
    const [target] = filesAt(args.words, shell.io.cwd)
    if (!target || target.isWalked) throw invalidInput(`${args.words[0]} is a folder; convert takes one file`)
    const input = {
      text: await textAt(shell, target),
      ...(target.file !== STDIN && { path: target.path }),
      to: textOf(args, 'to'),
      document: numberOf(args, 'document', 1),
      slot: isOn(args, 'slot'),
      supply: supplyOf(args),
    }
    const [{ loadOperation }, { invoke }] = await Promise.all([
      import('../../../../operations/index.ts'),
      import('../../../../operations/operation.ts'),
    ])
    const op = await loadOperation('document_convert')
    const answer = await invoke(op, await noStore(shell), NOBODY, input).catch(refuseTyped)
    tellWritten(shell, answer as Written)
  },
}

// Neither the store nor the caller matters to an operation that only looks at its input.
const NOBODY = {} as never
const noStore = async (shell: Shell) => ({ deps: { formats: await formatsFor(shell) } }) as never

async function textAt(shell: Shell, target: Target): Promise<string> {
  const read = await (await import('./pipe.ts')).readFrom(target, shell.io.stdin)
  if (read.text !== undefined) return read.text
  throw invalidInput(`${target.file}: ${read.problem.message}`, { file: target.file })
}
