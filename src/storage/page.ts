import { BatonError } from '../domain/errors.ts'
import type { Page } from './store.ts'

/** One row more than the page holds was read: it tells whether another page follows. */
export function toPage<T>(rows: readonly T[], limit: number, cursorOf: (item: T) => string): Page<T> {
  if (rows.length <= limit) return { items: rows }
  const items = rows.slice(0, limit)
  return { items, next: cursorOf(items[items.length - 1] as T) }
}

/** The two parts of a cursor `rank:uid`; nothing for a first page. */
export function cursorParts(cursor: string | undefined): readonly [string | undefined, string | undefined] {
  if (cursor === undefined) return [undefined, undefined]
  const match = /^(\d+):(.+)$/.exec(cursor)
  if (!match) throw new BatonError('invalid_input', 'this cursor is not one that Baton gave out', { cursor })
  return [match[1], match[2]]
}
