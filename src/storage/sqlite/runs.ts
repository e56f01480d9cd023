import type { SQLInputValue } from 'node:sqlite'
import type { Block } from '../../domain/blocks/block.ts'
import type { Delivery } from '../../domain/people/delivery.ts'
import type { Run } from '../../domain/workflow/run.ts'
import { numberCursor, toPage, uidCursor } from '../page.ts'
import type { BlockFilter, Page, PageRequest, RunFilter } from '../store.ts'
import type { Row, Statements } from './statements.ts'

/** Workflow runs, blocks of document 002 and messages to the outside. */
export class SqliteRuns {
  readonly #db: Statements

  constructor(db: Statements) {
    this.#db = db
  }

  run(ref: string): Run | undefined {
    const row =
      this.#db.get('SELECT doc FROM run WHERE uid = ?', ref) ??
      this.#db.get('SELECT doc FROM run WHERE id = ?', ref)
    return row && doc(row)
  }

  runs({ state, name }: RunFilter, { limit, cursor }: PageRequest): Page<Run> {
    const list = new Conditions()
    if (state) list.add(`state IN (${state.map(() => '?').join(', ')})`, ...state)
    if (name !== undefined) list.add('name = ?', name)
    if (cursor !== undefined) list.add('uid < ?', uidCursor(cursor))
    const rows = this.#db.all(
      `SELECT doc FROM run ${list.where} ORDER BY uid DESC LIMIT ?`,
      ...list.values,
      limit + 1,
    )
    return toPage(rows.map(doc<Run>), limit, ({ uid }) => uid)
  }

  blocks({ agent, phase, task, run }: BlockFilter, { limit, cursor }: PageRequest): Page<Block> {
    const list = new Conditions()
    if (agent !== undefined) list.add('from_agent = ?', agent)
    if (phase !== undefined) list.add('phase = ?', phase)
    if (task !== undefined) list.add('task = ?', task)
    if (run !== undefined) list.add('run = ?', run)
    if (cursor !== undefined) list.add('seq > ?', numberCursor(cursor))
    const rows = this.#db.all(
      `SELECT seq, doc FROM block ${list.where} ORDER BY seq LIMIT ?`,
      ...list.values,
      limit + 1,
    )
    const page = toPage(rows, limit, (row) => String(row.seq))
    return { ...page, items: page.items.map(doc<Block>) }
  }

  dueDeliveries(at: string, limit: number): readonly Delivery[] {
    return this.#db
      .all('SELECT doc FROM delivery WHERE due_at <= ? ORDER BY due_at LIMIT ?', at, limit)
      .map(doc<Delivery>)
  }
}

class Conditions {
  readonly values: SQLInputValue[] = []
  readonly #all: string[] = []

  add(condition: string, ...values: SQLInputValue[]): void {
    this.#all.push(condition)
    this.values.push(...values)
  }

  get where(): string {
    return this.#all.length > 0 ? `WHERE ${this.#all.join(' AND ')}` : ''
  }
}

/** Documents were written by this program, from values of these types. */
export const doc = <T>(row: Row): T => JSON.parse(row.doc as string)
