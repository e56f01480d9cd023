import { type Difference, fieldDifferences, sameData, valueAt } from '../dialects/difference.ts'
import type { ForeignChange, PlannedCall } from './folder.ts'

/**
 * The fields that the author changed and that the engine does not say already: a pass that died in between is not
 * judged twice. Fields that are left to authors or follow from a step do not count. A key that is absent asks for
 * nothing, unless it is a part of the package and the file makes no step: then its sender takes it out.
 */
export function askedFields(
  { base, now, file }: ForeignChange,
  isLeft: (path: Difference['path']) => boolean,
): ReadonlySet<string> {
  const mayTakeOut = sameData(file.state, now.state)
  const changed = fieldDifferences(base, file).filter(
    ({ path, after }) =>
      !isLeft(path) &&
      (after !== undefined || (mayTakeOut && path[0] === 'package')) &&
      !sameData(valueAt(now, path), after),
  )
  return new Set(changed.map(({ path }) => path.join('.')))
}

/** Whether the field or a part of it is among these. */
export const has = (fields: ReadonlySet<string>, field: string): boolean =>
  [...fields].some((each) => each === field || each.startsWith(`${field}.`))

/** Fields that no step of the author covers. */
export const fixedIn = (fields: ReadonlySet<string>, covered: ReadonlySet<string>): readonly string[] =>
  [...fields].filter((field) => !covered.has(field) && !covered.has(field.split('.')[0]!))

/** The call that amends these fields to what the file says. */
export function amendmentOf(
  { handoff, file }: ForeignChange,
  fields: readonly string[],
): readonly PlannedCall[] {
  const said = fields.map((field) => [field.replace('package.', ''), valueAt(file, field.split('.'))])
  const input = { id: handoff.uid, ...Object.fromEntries(said) }
  return fields.length === 0 ? [] : [{ actor: handoff.from, op: 'handoff_amend', input }]
}
