import { beforeYear } from '../loaded.ts'
import { type Call, call } from './connection/round-trip.ts'
import { sequenceOf } from './workspace.ts'

/** Each id is looked up by itself (`OFFSET 0`): otherwise the planner reads the whole table. */
const isUnused = (id: string) =>
  `NOT EXISTS (SELECT FROM baton.handoff h WHERE h.ws = $1 AND h.id = ${id} OFFSET 0)`

export const DRAW = {
  name: 'draw_numbers',
  text: `WITH drawn AS MATERIALIZED (SELECT nextval($2::regclass) AS number, value::bigint AS before
      FROM baton.meta, generate_series(1, $3::integer) WHERE ws = $1 AND key = $4),
    named AS (SELECT number, concat('HO-', $5::text, '-', to_char(number - before, 'FM999999999000')) AS id FROM drawn)
    SELECT number, id FROM named WHERE ${isUnused('named.id')} AND ${isUnused("named.id || '-R'")} ORDER BY number`,
}

/** How many numbers were given out before this year. In a year that an older program began, none counts as such. */
const BEGIN_YEAR = {
  name: 'begin_year',
  text: `INSERT INTO baton.meta (ws, key, value) SELECT $1, $3, CASE
      WHEN EXISTS (SELECT FROM baton.handoff WHERE ws = $1 AND id LIKE concat('HO-', $4::text, '-%'))
        AND NOT EXISTS (SELECT FROM baton.meta WHERE ws = $1 AND key LIKE $5) THEN 0
      ELSE coalesce(pg_sequence_last_value($2::regclass), 0) END
    ON CONFLICT DO NOTHING`,
}

export const drawNumbers = (ws: number, count: number, year: string): Call =>
  call(DRAW, ws, sequenceOf(ws), count, beforeYear(year), year)

export const beginYear = (ws: number, year: string): Call =>
  call(BEGIN_YEAR, ws, sequenceOf(ws), beforeYear(year), year, beforeYear('____'))
