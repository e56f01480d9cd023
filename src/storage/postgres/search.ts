import { facetWord } from '../../domain/search.ts'
import { BEHIND, type SearchEngine, searchOver } from '../search.ts'
import type { Store } from '../store.ts'
import { type Ask, askWith, planned, type Trip } from './connection/ask.ts'
import { call } from './connection/round-trip.ts'
import { settled } from './reading/log.ts'
import { translated } from './reading/queries.ts'
import { columnsOf } from './tables.ts'

const POSITION = {
  name: 'search_position',
  text: `SELECT seq FROM baton.word WHERE ws = $1 AND words IS NOT NULL ORDER BY seq DESC LIMIT 1`,
}
/** Words were cut already: an array is taken as it is. In the order of uids, so that two never wait for each other. */
const PUT = `INSERT INTO baton.word AS w (ws, seq, at, uid, words)
  SELECT $1::integer, unnest($2::bigint[]), unnest($3::text[]), unnest($4::text[]),
    array_to_tsvector(string_to_array(unnest($5::text[]), ' '))
  ON CONFLICT (ws, uid) DO UPDATE SET seq = excluded.seq, at = excluded.at, words = excluded.words
  WHERE w.seq < excluded.seq OR w.words IS NULL AND w.seq = excluded.seq`
const DOCUMENTS = `SELECT uid, doc, (SELECT doc FROM baton.content AS c WHERE c.ws = $1 AND c.uid = h.uid)
  FROM baton.handoff AS h WHERE ws = $1 AND uid = ANY ($2::text[])`

/** A common word is in many of the newest rows: its index would bring nearly all rows only to drop them. */
const NEWEST = 500
/**
 * It may be missing in those alone. Where a look at some older rows finds it again, more are read before the index. Of
 * 400,000 rows, words of one in 200 took 50 ms by the index and 8 ms by these rows; a look in vain costs 5 to 10 ms.
 */
const NEWER = 15_000
const PLACES = [0.25, 0.5, 0.75]
const SAMPLE = 300
const AGAIN = 2

/** Rows of one tier: among the newest, else by the words alone, of which one names the workspace. */
// The planner would rather walk back through all rows. The second tier is sought only where the first leaves room.
function tierRows(tier: number, words: string, below: string, only = 'true'): string {
  const select = `SELECT ${tier} AS tier, seq, uid FROM`
  const last = `seq >= (SELECT seq FROM baton.word WHERE ws = $1 AND at >= $2 ORDER BY at, seq LIMIT 1)
    ORDER BY seq DESC LIMIT $3`
  const rows = 'SELECT * FROM baton.word WHERE ws = $1 AND words IS NOT NULL'
  const among = (most: number, where: string) => `${select} (${rows} AND seq < ${below} AND ${where}
      ORDER BY seq DESC LIMIT ${most}) AS w WHERE words @@ ${words}::tsquery AND ${last}`
  const sample = PLACES.map(
    (
      place,
    ) => `(${rows} AND seq <= (SELECT (${place} * max(seq))::bigint FROM baton.word WHERE ws = $1 AND words IS NOT NULL)
      ORDER BY seq DESC LIMIT ${SAMPLE})`,
  )
  const room = (name: string) => `(SELECT count(*) FROM ${name}) < $3`
  return `WITH n AS MATERIALIZED (${among(NEWEST, only)}),
    m AS MATERIALIZED (${among(
      NEWER,
      `${only} AND ${room('n')} AND
      (SELECT count(*) FROM (${sample.join(' UNION ALL ')}) AS s WHERE words @@ ${words}::tsquery) >= ${AGAIN}`,
    )})
  SELECT * FROM n WHERE NOT ${room('n')} UNION ALL SELECT * FROM m WHERE NOT ${room('m')} UNION ALL SELECT * FROM (
    ${select} (SELECT * FROM baton.word WHERE words @@ ${words}::tsquery AND ${only}
      AND ${room('n')} AND ${room('m')} OFFSET 0) AS w WHERE ws = $1 AND seq < ${below} AND ${last}) AS f ORDER BY seq DESC`
}
const withDocuments = (
  rows: string,
) => `SELECT t.*, (SELECT doc FROM baton.handoff WHERE ws = $1 AND uid = t.uid),
    (SELECT doc FROM baton.content WHERE ws = $1 AND uid = t.uid)
  FROM (${rows}) AS t ORDER BY tier, seq DESC`
const ONE = withDocuments(tierRows(1, '$4', '$5'))
const BOTH = withDocuments(`WITH t0 AS MATERIALIZED (${tierRows(0, '$4', '$5')}),
    t1 AS MATERIALIZED (${tierRows(1, '$6', '$7', '(SELECT count(*) FROM t0) < $3')})
  SELECT * FROM t0 UNION ALL SELECT * FROM t1 ORDER BY tier, seq DESC LIMIT $3`)

interface Ways extends Pick<SearchEngine, 'inTurn' | 'rest'> {
  readonly write: Ask
  readonly trip: Trip
  slowTrip(before: () => Promise<unknown>): Trip
}

export function postgresSearch(
  store: Store,
  ws: number,
  { write, trip, slowTrip, inTurn, rest }: Ways,
): Store['search'] {
  const own = facetWord('workspace', String(ws))
  const ask = askWith(trip, ws)
  const whole = (word: string) => `'${word}'`
  const behind = translated(BEHIND)
  return searchOver(store, {
    behind: async (most) => {
      let position = 0
      const last = await settled(async (calls) => {
        const [at, ...rest] = await trip([call(POSITION, ws), ...calls])
        position = Number(at?.[0]?.[0] ?? 0)
        return rest
      }, ws)
      // Without a name it is planned for these numbers.
      return position >= last ? [] : ask(undefined, behind.text, position, last, most)
    },
    documents: (uids) => ask('search_documents', DOCUMENTS, uids),
    inTurn,
    rest,
    put: (rows) => {
      const inOrder = rows
        .map((row) => ({ ...row, words: `${own} ${row.words}`.trim() }))
        .sort((a, b) => (a.uid < b.uid ? -1 : 1))
      return write('put_words', PUT, ...columnsOf(inOrder, 'seq', 'at', 'uid', 'words'))
    },
    async match(tiers, since, limit, catchUp) {
      const asked = tiers.flatMap(({ expression, below }) => [`${whole(own)} & (${expression})`, below])
      const text = tiers.length === 1 ? ONE : BOTH
      // Our sessions take no bitmaps, and an index of words has no other way.
      const read = askWith(planned(slowTrip(catchUp), { enable_bitmapscan: 'on' }), ws)
      return read(undefined, text, since, limit, ...asked)
    },
    write: { ...{ and: ' & ', or: ' | ', not: ' & !' }, prefix: (word) => `'${word}':*`, whole },
  })
}
