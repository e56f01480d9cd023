import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Rows } from '../queries.ts'

export type Row = Record<string, SQLInputValue>

/**
 * Prepared statements by their text: each is compiled once for a connection. SQLite plans by the value of a bare
 * `LIMIT ?`, and so would compile the statement again whenever one is bound; it does not look into a sum.
 */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()
  readonly #inOrder = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
    // An accumulator may be anything; its type says less.
    db.aggregate('median', { start: () => [], step: withValue, result: medianOf } as never)
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  /** Rows in the order of their columns. */
  rows(sql: string, ...values: SQLInputValue[]): Rows {
    return this.#statement(sql, this.#inOrder).all(...values) as unknown as Rows
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  iterate(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
    // A statement of its own: a cursor that is still open must not be reset by another call.
    return this.#db.prepare(sql).iterate(...values) as Iterable<Row>
  }

  #statement(sql: string, prepared = this.#prepared): StatementSync {
    let statement = prepared.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql.replaceAll('LIMIT ?', 'LIMIT ? + 0'))
      statement.setReturnArrays(prepared === this.#inOrder)
      prepared.set(sql, statement)
    }
    return statement
  }
}

function withValue(values: number[], value: SQLInputValue): number[] {
  values.push(Number(value))
  return values
}

const medianOf = (values: number[]): number | null =>
  Float64Array.from(values).sort()[Math.floor((values.length - 1) / 2)] ?? null
