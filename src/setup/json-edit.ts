import type { Change, Path } from '../dialects/text/source.ts'
import { sourcesOf } from '../dialects/text/sources.ts'
import { isMapping } from '../dialects/text/tree.ts'
import { BatonError, invalidInput } from '../domain/errors.ts'

export type { Change, Path }
export type Mapping = Readonly<Record<string, unknown>>

/** The settings in a JSON file, with comments or without; an empty file holds none. Refuses what it cannot read. */
export function readSettings(text: string, file: string): Mapping {
  if (isBlank(text)) return {}
  const sources = sourcesOf(text, { path: 'settings.json' })
  const wrong = sources.flatMap(({ diagnostics }) => diagnostics).find(({ severity }) => severity === 'error')
  if (wrong)
    throw invalidInput(
      `${file} cannot be read${wrong.line === undefined ? '' : ` (line ${wrong.line})`}: ${wrong.message}; repair it first, nothing was written`,
      { file, line: wrong.line },
    )
  const value = sources[0]?.value
  if (sources.length !== 1 || !isMapping(value))
    throw new BatonError('invalid_input', `${file} has to hold one JSON object; repair it first`, { file })
  return value
}

/** The text with the changes made and every other byte as it was. */
export function editSettings(text: string, changes: readonly Change[]): string {
  return sourcesOf(text, { path: 'settings.json' })[0]!.edit(changes)
}

/** A mapping inside settings; refuses where something else stands in its place. */
export function mappingAt(settings: Mapping, path: readonly string[], file: string): Mapping {
  let at: unknown = settings
  for (const [index, key] of path.entries()) {
    if (!isMapping(at) || !Object.hasOwn(at, key)) return {}
    at = at[key]
    if (!isMapping(at)) throw notA('an object', path.slice(0, index + 1), file)
  }
  return at as Mapping
}

export function listAt(settings: Mapping, path: readonly string[], file: string): readonly unknown[] {
  const found = mappingAt(settings, path.slice(0, -1), file)[path.at(-1)!]
  if (found === undefined) return []
  if (!Array.isArray(found)) throw notA('a list', path, file)
  return found
}

export const isBlank = (text: string): boolean => text.replace('\ufeff', '').trim() === ''

function notA(what: string, path: readonly string[], file: string): BatonError {
  return invalidInput(`${file}: ${path.join('.')} has to be ${what}; repair it first, nothing was written`, {
    file,
    path: path.join('.'),
  })
}
