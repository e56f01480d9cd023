import { containing } from '../../page.ts'
import type { Value } from '../connection/round-trip.ts'

/** A page of a table under conditions that a caller puts together; `$1` is the workspace. */
export class Listing {
  readonly values: Value[] = []
  readonly #table: string
  readonly #where = ['ws = $1']
  #each: { readonly column: string; readonly place: string } | undefined

  constructor(table: string) {
    this.#table = table
  }

  /** How many conditions there are beside the workspace. */
  get size(): number {
    return this.#where.length - 1
  }

  equal(column: string, value: string | undefined): void {
    if (value !== undefined) this.add((place) => `${column} = ${place}`, value)
  }

  add(condition: (place: string) => string, value: Value): void {
    this.#where.push(condition(this.#place(value)))
  }

  /**
   * One of several values. On its own it is looked up value by value, each in the order of the index; a plain
   * condition would walk through the history of a workspace to find the few rows that are open.
   */
  oneOf(column: string, values: readonly string[]): void {
    if (this.size > 0) this.add((place) => `${column} = ANY (${place}::text[])`, values)
    else this.#each = { column, place: this.#place([...new Set(values)]) }
  }

  /** A condition without a value, in the words of a partial index, which is not used otherwise. */
  indexed(condition: string): void {
    this.#where.push(condition)
  }

  /** A part of the id or the title. */
  contains(text: string): void {
    const place = this.#place(containing(text))
    const written = this.#place(containing(JSON.stringify(text).slice(1, -1)))
    // Taking a document apart costs far more than looking through it: only where the words stand somewhere in it.
    this.#where.push(
      `(id ILIKE ${place} OR CASE WHEN doc ILIKE ${written} THEN ${field('title')} ILIKE ${place} ELSE false END)`,
    )
  }

  select(columns: string, order: string, limit: number): string {
    const each = this.#each
    const where = [...this.#where, ...(each ? [`${each.column} = each.value`] : [])].join(' AND ')
    const rows = `FROM baton.${this.#table} WHERE ${where} ORDER BY ${order} LIMIT ${Math.trunc(limit)}`
    if (!each) return `SELECT ${columns} ${rows}`
    return `SELECT ${columns} FROM unnest(${each.place}::text[]) AS each (value)
      CROSS JOIN LATERAL (SELECT * ${rows}) AS found ORDER BY ${order} LIMIT ${Math.trunc(limit)}`
  }

  #place(value: Value): string {
    this.values.push(value)
    return `$${this.values.length + 1}`
  }
}

/**
 * A field of the document. PostgreSQL cannot take apart JSON that holds certain escapes (`\u0000`, half a
 * surrogate pair), and one such document must not fail a search over all of them.
 */
export const field = (name: string): string =>
  `CASE WHEN strpos(doc, '\\u') > 0 THEN substring(doc FROM '"${name}":"((?:[^"\\\\]|\\\\.)*)"')
   ELSE doc::json ->> '${name}' END`
