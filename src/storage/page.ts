import { BatonError } from '../domain/errors.ts'
import type { Page } from './store.ts'

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

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
  if (!match) throw foreignCursor(cursor)
  return [match[1], match[2]]
}

/** A cursor of a list that goes on after a uid. */
export function uidCursor(cursor: string): string {
  if (!UID.test(cursor)) throw foreignCursor(cursor)
  return cursor
}

/** A cursor of a list that goes on after a number. */
export function numberCursor(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw foreignCursor(cursor)
  return Number(cursor)
}

const foreignCursor = (cursor: string): BatonError =>
  new BatonError('invalid_input', 'this cursor is not one that Baton gave out', { cursor })

/** A LIKE pattern for texts that contain these words as they stand. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, (c) => `\\${c}`)}%`
