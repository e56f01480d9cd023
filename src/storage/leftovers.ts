import type { Cleared } from './store.ts'

/** A table, and the condition for a row that nobody needs any more; `?` is the instant before which it ended. */
export type Leftover = readonly [name: keyof Cleared, table: string, where: string]

/** Rows that are cleared away in time. `field` is the SQL of a member of the document. */
export const leftovers = (field: (name: string) => string): readonly Leftover[] => [
  ['idem', 'idem', 'at < ?'],
  ['notices', 'notice', 'seen_at < ?'],
  ['deliveries', 'delivery', `due_at IS NULL AND ${field('created_at')} < ?`],
  // Sessions and login links, of which the log says that they ended.
  ['tokens', 'token', `${field('revoked_at')} < ? AND ${field('expires_at')} IS NOT NULL`],
]
