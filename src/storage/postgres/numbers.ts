import { beforeYear, type Numbered } from '../loaded.ts'
import { type Call, call, type Rows } from './connection/round-trip.ts'
import { MOMENT_MS } from './remembered.ts'
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

/** With so many units in a batch the next will need some, too. */
const MANY = 8
/** As many as the server itself may leave out after a crash. */
const AHEAD = 32

/**
 * Numbers for new handoffs. While many callers are at work, some are drawn before they are needed: work can then be
 * decided without asking for them. What nobody has used within a moment is left out.
 */
export class Numbers {
  readonly #ws: number
  #ahead: Numbered[] = []
  #drawnAt = 0

  constructor(ws: number) {
    this.#ws = ws
  }

  /** The next that are here already, or nothing when they are fewer. */
  next(count: number, year: string): readonly Numbered[] | undefined {
    const isOld = performance.now() - this.#drawnAt > MOMENT_MS
    this.#ahead = isOld ? [] : this.#ahead.filter(({ id }) => id.startsWith(`HO-${year}-`))
    return this.#ahead.length < count ? undefined : this.#ahead.slice(0, count)
  }

  use(count: number): void {
    this.#ahead.splice(0, count)
  }

  /** Draws these, and what the next batch may need after one of so many units. */
  draw(count: number, units: number, year: string): readonly Call[] {
    const ahead = units < MANY ? 0 : Math.max(0, AHEAD - this.#ahead.length)
    if (count + ahead === 0) return []
    return [call(DRAW, this.#ws, sequenceOf(this.#ws), count + ahead, beforeYear(year), year)]
  }

  beginYear(year: string): Call {
    const ws = this.#ws
    return call(BEGIN_YEAR, ws, sequenceOf(ws), beforeYear(year), year, beforeYear('____'))
  }

  /** Keeps drawn numbers, once committed: before, a crash may let the server give them out again. */
  keep(rows: Rows): void {
    if (rows.length === 0) return
    this.#ahead.push(...rows.map(numbered))
    this.#drawnAt = performance.now()
  }
}

export const numbered = ([number, id]: Rows[number]): Numbered => ({ number: Number(number), id: id! })
