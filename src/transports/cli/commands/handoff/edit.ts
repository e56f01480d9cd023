import { differenceLines, itemTexts } from '../../../../domain/handoffs/edits.ts'
import type { OperationOutput } from '../../../../runner/operation-types.ts'
import { flag } from '../../input/args.ts'
import { added } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'
import { stepView } from '../../views/handoff.ts'

const REPLACE = added(flag('replace', 'Lists: put these in place of the old ones, which stay otherwise'))

/** Adds to lists unless told to replace them, and says what is different then. */
export function edit(): Extra {
  let lines: readonly string[] = []
  return {
    flags: (flags) => [
      ...flags.map((flag) => ({
        ...flag,
        also: [...(flag.also ?? []), ...(flag.repeats ? [`add-${flag.name}`] : [])],
      })),
      REPLACE,
    ],
    examples: ['baton edit HO-2026-001 --replace --criterion "p95 under 100 ms"'],
    async before(_, session, { id, replace, ...change }) {
      const { handoff, package: pack } = await session.call('handoff_get', { id })
      const before: Readonly<Record<string, unknown>> = { ...pack, title: handoff.title }
      const fields = Object.entries(change).map(
        ([field, given]) => [field, replace ? given : withOldItems(before[field], given)] as const,
      )
      lines = fields.flatMap(([field, value]) =>
        differenceLines(field, before[field], value).map((line) => `  ${line}`),
      )
      return { input: { id, ...Object.fromEntries(fields) } }
    },
    async after(shell, output) {
      const said = lines.length > 0 ? lines : ['  nothing is different: it said so before']
      const step = output as OperationOutput<'handoff_amend'>
      shell.answer(output, () => [stepView(shell, 'handoff_amend', step), ...said].join('\n'))
      return true
    },
  }
}

/** A list or the members of an object beside those that were there. */
function withOldItems(old: unknown, given: unknown): unknown {
  const [was, is] = [itemTexts(old), itemTexts(given)]
  if (Array.isArray(given)) return [...((old ?? []) as []), ...given.filter((_, i) => !was.includes(is[i]!))]
  return old && given && typeof given === 'object' ? { ...old, ...given } : given
}
