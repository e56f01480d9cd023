import type { Rows } from '../queries.ts'
import { BEHIND, searchOver } from '../search.ts'
import type { Store } from '../store.ts'
import type { Question } from './read-thread.ts'
import type { Statements } from './statements.ts'

const OLDER = 'DELETE FROM word WHERE uid = ? AND seq <= ?'
const PUT = `INSERT INTO word (seq, at, uid, words) SELECT ?, ?, ?, ?
  WHERE NOT EXISTS (SELECT 1 FROM word WHERE uid = ?)`

/** Rows come in the order of the index, and no more of them than are asked for. */
const MATCH = `SELECT * FROM (SELECT ? AS tier, w.seq, w.uid FROM search AS s JOIN word AS w ON w.seq = s.rowid
  WHERE search MATCH ? AND s.rowid < ?
    AND s.rowid >= (SELECT seq FROM word WHERE at >= ? ORDER BY at, seq LIMIT 1)
  ORDER BY s.rowid DESC LIMIT ?)`

export const sqliteSearch = (
  store: Store,
  db: Statements,
  { write, read }: { write(work: () => void): Promise<void>; read(...question: Question): Promise<Rows> },
): Store['search'] =>
  searchOver(store, {
    behind: async (most) => db.rows(BEHIND, Number.MAX_SAFE_INTEGER, most),
    put: (rows) =>
      write(() => {
        for (const { seq, at, uid, words } of rows) {
          db.run(OLDER, uid, seq)
          db.run(PUT, seq, at, uid, words, uid)
        }
      }),
    match: (tiers, since, limit) =>
      read(
        `${tiers.map(() => MATCH).join(' UNION ALL ')} LIMIT ?`,
        ...tiers.flatMap(({ tier, expression, below }) => [tier, expression, below, since, limit]),
        limit,
      ),
    write: {
      ...{ and: ' AND ', or: ' OR ', not: ' NOT ' },
      prefix: (word) => `"${word}"*`,
      whole: (word) => `"${word}"`,
    },
  })
