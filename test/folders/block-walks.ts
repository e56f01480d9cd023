import assert from 'node:assert/strict'
import fc from 'fast-check'
import { recordIn } from '../../src/audit/entry.ts'
import { createService, openStore, type StoreTarget } from '../../src/compose/main.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { OPEN_STATES } from '../../src/domain/lifecycle.ts'
import type { OperationName } from '../../src/operations/index.ts'
import type { Service } from '../../src/service/service.ts'
import type { Store } from '../../src/storage/store.ts'
import { collect, summary } from '../support/documents/blocks.ts'
import { run } from '../support/program/invoke.ts'
import { by, Clock } from '../support/program/workspace.ts'

const STATUSES = ['pending', 'in_progress', 'complete', 'failed', 'blocked', 'retry'] as const
const AGENTS = ['ann', 'ben', 'cy'] as const

/** What an agent says of its part, and to whom it goes on. */
interface Said {
  readonly by: (typeof AGENTS)[number]
  readonly status: (typeof STATUSES)[number]
  readonly isLast: boolean
}

interface Side {
  readonly service: Service
  readonly store: Store
}

const FIRST: Said = { by: 'ann', status: 'complete', isLast: false }
const OWN = /^(?:uid|id|root|rev|parent|session|data|attempts|ack_deadline|lease_until|.+_at|at)$/

/** Walks of blocks by `collect` against the commands of their authors. */
export class BlockWalks {
  readonly #clock = new Clock()
  readonly #command: Side
  readonly #files: Side
  #made = 0

  private constructor(command: Store, files: Store) {
    const side = (store: Store): Side => ({ store, service: createService(store, { now: this.#clock.now }) })
    this.#command = side(command)
    this.#files = side(files)
  }

  static async open(target: (name: string) => StoreTarget): Promise<BlockWalks> {
    return new BlockWalks(await openStore(target('command')), await openStore(target('files')))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#command.store.close(), this.#files.store.close()])
  }

  async check({ numRuns, length }: { readonly numRuns: number; readonly length: number }): Promise<void> {
    const said = fc.record({
      by: fc.constantFrom('ben' as const, 'ben' as const, 'cy' as const, 'ann' as const),
      status: fc.constantFrom(...STATUSES),
      isLast: fc.boolean(),
    })
    const walk = fc.array(said, { minLength: 1, maxLength: length, size: 'max' })
    await fc.assert(
      fc.asyncProperty(walk, (steps) => this.#walk(steps)),
      { numRuns },
    )
  }

  async #walk(steps: readonly Said[]): Promise<void> {
    this.#made += 1
    const task = `task-${this.#made}`
    for (const [i, said] of [FIRST, ...steps].entries()) {
      this.#clock.pass(1_000)
      const from = `${said.by}${this.#made}`
      const next = `${AGENTS[(AGENTS.indexOf(said.by) + 1) % AGENTS.length]}${this.#made}`
      const to = said.isLast ? 'None' : next
      await this.#obey(task, { from, to, status: said.status })
      const named = to === 'None' ? to : `@${to}`
      const text = summary({ phase: 'Testing', from: `@${from}`, to: named, status: said.status, task })
      const { blocks } = await collect(this.#files.service, { [`${task}-${i}.md`]: text }, {}, by(from))
      assert.deepEqual(
        blocks.map(({ outcome, reason, followed }) => [outcome, reason, followed?.problem]),
        [['recorded', undefined, undefined]],
      )
    }
    assert.deepEqual(await this.#seen(this.#files, task), await this.#seen(this.#command, task))
  }

  /** Does by command what the block stands for. */
  async #obey(task: string, { from, to, status }: { from: string; to: string; status: Said['status'] }) {
    const { service } = this.#command
    const does = (op: OperationName, input: object) => run(service, by(from), op, input)
    const given = await this.#open(task, { to: from })
    if (given && status !== 'pending' && status !== 'retry') {
      const { id, state } = given
      if (state === 'offered' || state === 'accepted') await does('handoff_accept', { id, start: true })
      if (state === 'blocked' && (status === 'in_progress' || status === 'complete'))
        await does('handoff_heartbeat', { id, blocked: false })
      if (status === 'complete') await does('handoff_submit', { id, metadata: {} })
      if (status === 'failed')
        await does('handoff_fail', { id, code: 'BLOCK_FAILED', message: `${from} said that Testing failed` })
      if (status === 'blocked' && state !== 'blocked')
        await does('handoff_heartbeat', { id, blocked: 'its block names no dependency' })
    }
    if (status !== 'complete' || to === 'None' || (await this.#open(task, { from, to }))) return
    await does('handoff_send', {
      ...{ to, task, home: 'block', title: `After Testing by ${from}: ${task}`, context: '# Done' },
      ...(given && { parent: given.uid }),
    })
  }

  async #open(
    task: string,
    who: { readonly from?: string; readonly to: string },
  ): Promise<Handoff | undefined> {
    const { items } = await this.#command.store.handoffs({ ...who, task, state: OPEN_STATES }, { limit: 1 })
    return items[0]
  }

  /** The handoffs of the task with their content, acts and notices, and the task itself. */
  async #seen({ store }: Side, task: string): Promise<unknown> {
    const { items } = await store.handoffs({ task }, { limit: 50 })
    const handoffs = items.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
    const names = new Map(handoffs.flatMap(({ uid, id }, i) => [[uid, `UID${i}`] as const, [id, `ID${i}`]]))
    const contents = await Promise.all(handoffs.map(({ uid }) => store.content(uid)))
    const roots = [...new Set(handoffs.map(({ root }) => root))]
    const logs = await Promise.all(roots.map((root) => store.entries(root, 0, 500)))
    const agents = AGENTS.map((name) => `${name}${this.#made}`)
    const told = await Promise.all(agents.map((name) => store.notices(name, { limit: 100 })))
    return plain(names, {
      task: (await store.task(task))?.task,
      handoffs: handoffs.map((handoff) => ({ ...handoff, below: handoff.parent, of: handoff.root })),
      contents,
      notices: told.flatMap(({ items }) => items).map(({ to, kind, text }) => ({ to, kind, text })),
      acts: logs
        .flat()
        .map((entry) => recordIn(entry))
        .map(({ act, actor, sub, from, to }) => ({
          ...{ act, by: actor.id, from, to },
          sub: names.get(sub.id) ?? sub.k,
        })),
    })
  }
}

function plain(names: ReadonlyMap<string, string>, value: unknown): unknown {
  if (typeof value === 'string')
    return [...names].reduce((text, [name, short]) => text.replaceAll(name, short), value)
  if (Array.isArray(value)) return value.map((each) => plain(names, each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => each !== undefined && !OWN.test(key))
      .map(([key, each]) => [key, plain(names, each)]),
  )
}
