import { once } from '../domain/once.ts'
import { MAX_BLOCKS } from './text/limits.ts'
import { lineStarts } from './text/lines.ts'
import type { Path, Source } from './text/source.ts'
import { isMapping } from './text/tree.ts'

/** Each mapping of a list as a source of its own, the way some keep all their handoffs in one file. */
export function elementsOf(source: Source): readonly Source[] {
  if (!Array.isArray(source.value)) return []
  const starts = once(() => lineStarts(source.text))
  return source.value
    .slice(0, MAX_BLOCKS)
    .flatMap((value, index) => (isMapping(value) ? [element(source, value, index, starts)] : []))
}

function element(source: Source, value: unknown, index: number, starts: () => readonly number[]): Source {
  const below = (path: Path): Path => [index, ...path]
  return {
    ...source,
    value,
    /** Found when asked for: most lists are not of handoffs. */
    get start() {
      const { line, column } = source.locate([index])
      return (starts()[line - 1] ?? 0) + column - 1
    },
    // What is wrong with the notation of the whole is said once.
    diagnostics: index === 0 ? source.diagnostics : [],
    locate: (path, part) => source.locate(below(path), part),
    raw: (path) => source.raw(below(path)),
    edit: (changes) => source.edit(changes.map(({ path, value: to }) => ({ path: below(path), value: to }))),
  }
}
