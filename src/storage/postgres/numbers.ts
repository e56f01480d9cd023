import { type Call, call, type Rows } from './connection/round-trip.ts'
import { MOMENT_MS } from './remembered.ts'
import { sequenceOf } from './workspace.ts'

export const DRAW = {
  name: 'draw_numbers',
  text: 'SELECT nextval($1::regclass) FROM generate_series(1, $2::integer)',
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
  #ahead: number[] = []
  #drawnAt = 0

  constructor(ws: number) {
    this.#ws = ws
  }

  /** The next that are here already, or nothing when they are fewer. */
  next(count: number): readonly number[] | undefined {
    if (performance.now() - this.#drawnAt > MOMENT_MS) this.#ahead = []
    return this.#ahead.length < count ? undefined : this.#ahead.slice(0, count)
  }

  use(count: number): void {
    this.#ahead.splice(0, count)
  }

  /** Draws these, and what the next batch may need after one of so many units. */
  draw(count: number, units: number): readonly Call[] {
    const ahead = units < MANY ? 0 : Math.max(0, AHEAD - this.#ahead.length)
    return count + ahead === 0 ? [] : [call(DRAW, sequenceOf(this.#ws), count + ahead)]
  }

  /** Keeps drawn numbers, once committed: before, a crash may let the server give them out again. */
  keep(rows: Rows): void {
    if (rows.length === 0) return
    this.#ahead.push(...rows.map(([number]) => Number(number)))
    this.#drawnAt = performance.now()
  }
}
