import type { Path } from '../source.ts'
import { isMapping, setOwn } from '../tree.ts'

/** The value as it is after a change. The value itself stays as it was. */
export function withChange(value: unknown, path: Path, change: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change === undefined ? value : change
  if (Array.isArray(value) && typeof step === 'number') return changedList(value, step, rest, change)
  if (isMapping(value)) return changedMapping(value, String(step), rest, change)
  return change === undefined ? value : wrapped(path, change)
}

/** A value inside the lists and mappings that a path names. */
export function wrapped(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, step) => {
    if (typeof step === 'number') return [inner]
    const outer = {}
    setOwn(outer, step, inner)
    return outer
  }, value)
}

/** What JSON can say of a value; the rest is left out. */
export function plainCopy(value: unknown): unknown {
  if (value === undefined) return undefined
  const text = JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item))
  return text === undefined ? undefined : JSON.parse(text)
}

function changedList(list: readonly unknown[], index: number, rest: Path, change: unknown): unknown[] {
  if (index >= list.length) return change === undefined ? [...list] : [...list, wrapped(rest, change)]
  if (rest.length === 0 && change === undefined) return list.filter((_, at) => at !== index)
  return list.map((item, at) => (at === index ? withChange(item, rest, change) : item))
}

function changedMapping(mapping: Record<string, unknown>, key: string, rest: Path, change: unknown) {
  const changed: Record<string, unknown> = {}
  for (const name of Object.keys(mapping)) {
    if (name !== key) setOwn(changed, name, mapping[name])
    else if (rest.length > 0 || change !== undefined)
      setOwn(changed, name, withChange(mapping[name], rest, change))
  }
  if (change !== undefined && !Object.hasOwn(mapping, key)) setOwn(changed, key, wrapped(rest, change))
  return changed
}
