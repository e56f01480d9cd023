import type { OperationOutput } from '../../../../runner/calls.ts'
import { added } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'
import { stepView } from '../../views/handoff.ts'

const REPLACE = added({
  name: 'replace',
  about: 'Lists: put these in place of the old ones, which stay otherwise',
})

type Before = Readonly<Record<string, unknown>>

/** Adds to lists unless told to replace them, and says what is different then. */
export function edit(): Extra {
  let before: Before = {}
  let now: Before = {}
  return {
    flags: (flags) => [
      ...flags.map((flag) =>
        flag.repeats ? { ...flag, also: [...(flag.also ?? []), `add-${flag.name}`] } : flag,
      ),
      REPLACE,
    ],
    examples: ['baton edit HO-2026-001 --replace --criterion "p95 under 100 ms"'],
    async before(_, session, { replace, ...change }) {
      const { handoff, package: pack } = await session.call('handoff_get', { id: change.id })
      before = { ...pack, title: handoff.title }
      now = Object.fromEntries(
        Object.entries(change).map(([field, given]) => [
          field,
          replace ? given : joined(before[field], given),
        ]),
      )
      return { input: { ...now } }
    },
    async after(shell, output) {
      const { id: _, ...fields } = now
      const lines = Object.entries(fields).flatMap(([field, value]) =>
        difference(field, before[field], value),
      )
      shell.answer(output, () =>
        [
          stepView(shell, 'handoff_amend', output as OperationOutput<'handoff_amend'>),
          ...(lines.length > 0 ? lines : ['  nothing is different: it said so before']),
        ].join('\n'),
      )
      return true
    },
  }
}

/** A list or the members of an object beside those that were there. */
function joined(old: unknown, given: unknown): unknown {
  if (Array.isArray(given) && Array.isArray(old)) {
    const known = new Set(old.map((each) => JSON.stringify(each)))
    return [...old, ...given.filter((each) => !known.has(JSON.stringify(each)))]
  }
  const areObjects = [old, given].every((each) => each && typeof each === 'object' && !Array.isArray(each))
  return areObjects ? { ...(old as object), ...(given as object) } : given
}

function difference(field: string, old: unknown, value: unknown): string[] {
  const texts = (list: unknown) => (Array.isArray(list) ? list : list === undefined ? [] : [list]).map(shown)
  const [was, is] = [texts(old), texts(value)]
  return [
    ...was.filter((each) => !is.includes(each)).map((each) => `  - ${field}: ${each}`),
    ...is.filter((each) => !was.includes(each)).map((each) => `  + ${field}: ${each}`),
  ]
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
