type Change = (text: string) => string

/** A value with every text in it changed, names of fields too. What needs no change is the same object as before. */
export function changeTexts<T>(value: T, change: Change): T {
  return changed(value, change) as T
}

/**
 * Half of a character that takes two, as cutting a text leaves it, has no bytes in UTF-8: no file could hold it, and a
 * log entry would not match its own text. Stores that take it replace it by the same sign.
 */
export const wellFormedDeep = <T>(value: T): T => changeTexts(value, (text) => text.toWellFormed())

function changed(value: unknown, change: Change): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return changedList(value, change)
  if (typeof value === 'object' && value !== null && isPlain(value)) return changedObject(value, change)
  return value
}

/** Most lists and objects need no change: what has none is looked at where it stands and is not made anew. */
function changedList(list: readonly unknown[], change: Change): readonly unknown[] {
  let next: unknown[] | undefined
  for (let i = 0; i < list.length; i++) {
    const each = changed(list[i], change)
    if (!next && each !== list[i]) next = list.slice(0, i)
    next?.push(each)
  }
  return next ?? list
}

function changedObject(object: object, change: Change): object {
  const values = object as Readonly<Record<string, unknown>>
  const keys = Object.keys(values)
  let next: [string, unknown][] | undefined
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!
    const [name, each] = [change(key), changed(values[key], change)]
    if (!next && (name !== key || each !== values[key])) next = Object.entries(values).slice(0, i)
    next?.push([name, each])
  }
  return next ? Object.fromEntries(next) : object
}

/** An object that is nothing but its fields. */
export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
