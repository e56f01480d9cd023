import type { Block } from '../../../domain/blocks/block.ts'
import type { Delivery } from '../../../domain/people/delivery.ts'
import type { Run } from '../../../domain/workflow/run.ts'
import { numberCursor, toPage, uidCursor } from '../../page.ts'
import type { BlockFilter, Page, PageRequest, RunFilter } from '../../store.ts'
import type { Ask } from '../connection/ask.ts'
import type { Rows } from '../connection/round-trip.ts'
import { Listing } from './listing.ts'

/** Workflow runs, blocks of document 002 and messages to the outside. */
export class PostgresRuns {
  readonly #ask: Ask

  constructor(ask: Ask) {
    this.#ask = ask
  }

  async run(ref: string): Promise<Run | undefined> {
    const text = `SELECT doc FROM baton.run WHERE ws = $1 AND uid = $2
      UNION ALL SELECT doc FROM baton.run WHERE ws = $1 AND id = $2 LIMIT 1`
    return docs<Run>(await this.#ask('run', text, ref))[0]
  }

  async runs({ state, name }: RunFilter, { limit, cursor }: PageRequest): Promise<Page<Run>> {
    const list = new Listing('run')
    list.equal('name', name)
    if (state) list.oneOf('state', state)
    if (cursor !== undefined) list.add((place) => `uid < ${place}`, uidCursor(cursor))
    const rows = await this.#ask(undefined, list.select('doc', 'uid DESC', limit + 1), ...list.values)
    return toPage(docs<Run>(rows), limit, ({ uid }) => uid)
  }

  async blocks(
    { agent, phase, task, run }: BlockFilter,
    { limit, cursor }: PageRequest,
  ): Promise<Page<Block>> {
    const list = new Listing('block')
    list.equal('from_agent', agent)
    list.equal('phase', phase)
    list.equal('task', task)
    list.equal('run', run)
    if (cursor !== undefined) list.add((place) => `seq > ${place}::bigint`, numberCursor(cursor))
    const rows = await this.#ask(undefined, list.select('doc, seq', 'seq', limit + 1), ...list.values)
    const page = toPage(rows, limit, ([, seq]) => seq!)
    return { ...page, items: docs<Block>(page.items) }
  }

  async dueDeliveries(at: string, limit: number): Promise<readonly Delivery[]> {
    const text = `SELECT doc FROM baton.delivery WHERE ws = $1 AND due_at <= $2 ORDER BY due_at LIMIT $3::integer`
    return docs<Delivery>(await this.#ask('due_deliveries', text, at, limit))
  }
}

/** Documents were written by this program, from values of these types. */
export const docs = <T>(rows: Rows): readonly T[] => rows.map(([doc]) => JSON.parse(doc!))
