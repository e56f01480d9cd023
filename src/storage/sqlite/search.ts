import type { Rows } from '../queries.ts'
import { BEHIND, type SearchEngine, searchOver } from '../search.ts'
import type { Store } from '../store.ts'
import type { Question } from './read-process.ts'
import type { Statements } from './statements.ts'

const POSITION = 'SELECT -n FROM word WHERE words IS NOT NULL ORDER BY n LIMIT 1'
const OLDER = 'DELETE FROM word WHERE uid = ? AND n >= ?'
const PUT = `INSERT INTO word (n, at, uid, words) SELECT ?, ?, ?, ?
  WHERE NOT EXISTS (SELECT 1 FROM word WHERE uid = ?)`
const DOCUMENTS = `SELECT uid, doc, (SELECT doc FROM content WHERE uid = handoff.uid) FROM handoff
  WHERE uid IN (SELECT value FROM json_each(?))`

/** Rows come in the order of the index, and no more of them than are asked for. */
const MATCH = `SELECT * FROM (SELECT ? AS tier, -w.n, w.uid, (SELECT doc FROM handoff WHERE uid = w.uid),
    (SELECT doc FROM content WHERE uid = w.uid) FROM search AS s JOIN word AS w ON w.n = s.rowid
  WHERE search MATCH ? AND s.rowid > ?
    AND s.rowid <= (SELECT n FROM word WHERE at >= ? ORDER BY at, n DESC LIMIT 1)
  ORDER BY s.rowid LIMIT ?)`

interface Ways extends Pick<SearchEngine, 'rest'> {
  write(work: () => void): Promise<void>
  read(...question: Question): Promise<Rows>
}

export const sqliteSearch = (store: Store, db: Statements, { write, read, rest }: Ways): Store['search'] =>
  searchOver(store, {
    behind: async (most) => {
      const [[position = 0] = []] = db.rows(POSITION)
      return db.rows(BEHIND, position, Number.MAX_SAFE_INTEGER, most)
    },
    documents: async (uids) => db.rows(DOCUMENTS, JSON.stringify(uids)),
    inTurn: (work) => work(),
    rest,
    put: (rows) =>
      write(() => {
        for (const { seq, at, uid, words } of rows) {
          db.run(OLDER, uid, -seq)
          db.run(PUT, -seq, at, uid, words, uid)
        }
      }),
    async match(tiers, since, limit, catchUp) {
      await catchUp()
      return read(
        `${tiers.map(() => MATCH).join(' UNION ALL ')} LIMIT ?`,
        ...tiers.flatMap(({ tier, expression, below }) => [tier, expression, -below, since, limit]),
        limit,
      )
    },
    write: {
      ...{ and: ' AND ', or: ' OR ', not: ' NOT ' },
      prefix: (word) => `"${word}"*`,
      whole: (word) => `"${word}"`,
    },
  })
