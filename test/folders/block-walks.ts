import assert from 'node:assert/strict'
import fc from 'fast-check'
import { recordIn } from '../../src/audit/entry.ts'
import { ANYONE } from '../../src/domain/actor.ts'
import type { Collected } from '../../src/domain/blocks/block.ts'
import { BatonError } from '../../src/domain/errors.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { OPEN_STATES } from '../../src/domain/lifecycle.ts'
import type { OperationName } from '../../src/operations/index.ts'
import { Sender } from '../../src/service/handoffs/sender.ts'
import { summary } from '../support/documents/blocks.ts'
import { disclosed } from '../support/log/log.ts'
import { run } from '../support/program/invoke.ts'
import { by } from '../support/program/workspace.ts'
import { inRounds, type Side, type Sides, type Walked } from './document-sides.ts'

const STATUSES = ['pending', 'in_progress', 'complete', 'failed', 'blocked', 'retry'] as const
const AGENTS = ['ann', 'ben', 'cy'] as const

/** Document 002's rules for a failure, as the walks use them. */
interface Rules {
  readonly retry?: number | undefined
  readonly routed?: boolean | undefined
  readonly told?: boolean | undefined
  readonly escalate_after?: number | undefined
  readonly context?: string | undefined
}

/** What an agent says of its part, and to whom it goes on. */
interface Said {
  readonly by: (typeof AGENTS)[number]
  readonly status: (typeof STATUSES)[number]
  readonly isLast: boolean
  readonly rules?: Rules | undefined
}

const FIRST: Said = { by: 'ann', status: 'complete', isLast: false }
const OWN = /^(?:uid|id|root|rev|parent|session|data|attempts|ack_deadline|lease_until|.+_at|at|not_before)$/
const MOVABLE: readonly string[] = ['offered', 'accepted', 'in_progress', 'blocked']

/** A block as its author writes it, in full. */
interface Block {
  readonly task: string
  readonly from: string
  readonly to: string
  readonly status: Said['status']
  readonly rules: Rules
}

/** Walks of blocks by `collect` against the commands of their authors. */
class BlockWalks {
  readonly #sides: Sides
  #made = 0

  constructor(sides: Sides) {
    this.#sides = sides
  }

  async check({ numRuns, length }: Walked): Promise<void> {
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
    const rules = fc.record({
      retry: maybe(fc.constantFrom(0, 1, 2)),
      routed: fc.boolean(),
      told: fc.boolean(),
      escalate_after: maybe(fc.constantFrom(1, 2)),
      context: maybe(fc.constant('The disk is full')),
    })
    const said = fc.record({
      by: fc.constantFrom('ben' as const, 'ben' as const, 'cy' as const, 'ann' as const),
      status: fc.constantFrom(...STATUSES, 'failed' as const),
      isLast: fc.boolean(),
      rules: maybe(rules),
    })
    const walk = fc.array(said, { minLength: 1, maxLength: length, size: 'max' })
    await fc.assert(
      fc.asyncProperty(walk, (steps) => this.#walk(steps)),
      { numRuns },
    )
  }

  #name(of: string): string {
    return `${of}${this.#made}`
  }

  async #walk(steps: readonly Said[]): Promise<void> {
    this.#made += 1
    const task = `task-${this.#made}`
    let failures = 0
    for (const [i, said] of [FIRST, ...steps].entries()) {
      this.#sides.clock.pass(1_000)
      const from = this.#name(said.by)
      const next = this.#name(AGENTS[(AGENTS.indexOf(said.by) + 1) % AGENTS.length]!)
      const { status, rules = {} } = said
      const block: Block = { task, from, to: said.isLast ? 'None' : next, status, rules }
      const problem = await this.#obey(block)
      const brought = { name: `${task}-${i}.md`, text: this.#text(block), by: this.#name('ci') }
      const { blocks } = (await this.#sides.bring('collect', brought)) as Collected
      assert.deepEqual(
        blocks.map(({ outcome, reason, followed }) => [
          outcome,
          reason,
          followed?.problem && plainIds(followed.problem),
        ]),
        [['recorded', undefined, problem]],
      )
      failures += status === 'failed' && rules.told ? 1 : 0
    }
    assert.deepEqual(await this.#seen(this.#sides.files, task), await this.#seen(this.#sides.command, task))
    // No command tells somebody of another's failure: each block does it once.
    const { items } = await this.#sides.files.store.notices(this.#name('eve'), { limit: 100 })
    assert.deepEqual([items.length, items.every(({ kind }) => kind === 'failed')], [failures, true])
  }

  #text({ rules: { routed, told, ...rules }, ...block }: Block): string {
    const on_failure = {
      ...(JSON.parse(JSON.stringify(rules)) as object),
      ...(routed && { route_to: `@${this.#name('dee')}` }),
      ...(told && { notify: `@${this.#name('eve')}` }),
    }
    return summary({
      ...block,
      ...{ phase: 'Testing', from: `@${block.from}`, workflow: `flow-${this.#made}` },
      to: block.to === 'None' ? block.to : `@${block.to}`,
      ...(Object.keys(on_failure).length > 0 && { on_failure }),
    })
  }

  /** Does by command what the block stands for. Answers why something that follows from it was refused. */
  async #obey(block: Block): Promise<string | undefined> {
    const { task, from, to, status } = block
    const { service } = this.#sides.command
    const does = (op: OperationName, input: object) => run(service, by(from), op, input)
    const given = await this.#open(task, from)
    if (status === 'failed') return this.#fail(block, given)
    if (given && status !== 'pending' && status !== 'retry') {
      const { id, state } = given
      if (state === 'offered' || state === 'accepted') await does('handoff_accept', { id, start: true })
      if (state === 'blocked' && (status === 'in_progress' || status === 'complete'))
        await does('handoff_heartbeat', { id, blocked: false })
      if (status === 'complete') await does('handoff_submit', { id, metadata: {} })
      if (status === 'blocked' && state !== 'blocked')
        await does('handoff_heartbeat', { id, blocked: 'its block names no dependency' })
    }
    if (status !== 'complete' || to === 'None' || (await this.#waits(block, to))) return undefined
    return refusalOf(
      does('handoff_send', {
        ...{ to, task, home: 'block', title: `After Testing by ${from}: ${task}`, context: '# Done' },
        ...(given && { parent: given.uid }),
      }),
    )
  }

  /** A failure, and what its rules ask for: the work again, another agent, and whoever gave it. */
  async #fail(block: Block, given: Handoff | undefined): Promise<string | undefined> {
    const { task, from, rules } = block
    const { service } = this.#sides.command
    const delegator = await this.#delegator(block, given)
    const receivers = [
      ...(rules.routed ? [this.#name('dee')] : []),
      ...(rules.escalate_after === undefined ? [] : [delegator]),
    ]
    const waiting = await Promise.all(receivers.map((to) => this.#waits(block, to)))
    const taken = waiting.includes(true) ? Math.max(rules.retry ?? 0, (rules.escalate_after ?? 1) - 1) : 0
    const retries = Math.max((given?.attempt ?? 1) - 1, taken)
    const isEscalated = rules.escalate_after !== undefined && retries + 1 >= rules.escalate_after
    const isRetried = !isEscalated && retries < (rules.retry ?? 0)
    const title = `Retry ${retries + 1} of ${rules.retry}: Testing by ${from}, ${task}`
    const movable = given && MOVABLE.includes(given.state) ? given : undefined
    if (movable) {
      const { id, state } = movable
      if (state === 'offered' || state === 'accepted')
        await run(service, by(from), 'handoff_accept', { id, start: true })
      if (state === 'blocked' && isRetried)
        await run(service, by(from), 'handoff_heartbeat', { id, blocked: false })
      const message = rules.context ?? `${from} said that Testing failed`
      const renamed = movable.title.startsWith('Retry ') ? { title } : {}
      const retry = isRetried ? [renamed] : []
      await service.receiving.fail(by(from), id, { code: 'BLOCK_FAILED', message }, ...retry)
    }
    const failure = {
      ...{ home: 'block' as const, task, context: '# Done' },
      summary: rules.context ?? `Testing by ${from}, ${task} failed; its block gives no reason.`,
    }
    const parent = given ? { parent: given.uid } : {}
    const again = { ...failure, to: from, title }
    const document = {
      uid: service.deps.newUid(),
      keep: (_: unknown, made: Handoff) => ({ ...made, attempt: retries + 2 }),
    }
    let problem =
      isRetried && !movable
        ? await refusalOf(new Sender(service.deps).sendDocument(by(this.#name('ci')), again, true, document))
        : undefined
    const sends = [
      ...(!isRetried && rules.routed
        ? [{ to: this.#name('dee'), title: `Failed: Testing by ${from}, ${task}` }]
        : []),
      ...(isEscalated
        ? [
            {
              ...{ to: delegator, priority: 'high' },
              title: `Escalated: Testing by ${from}, ${task} failed ${retries === 0 ? 'once' : `${retries + 1} times`}`,
            },
          ]
        : []),
    ]
    for (const send of sends)
      if (!waiting[receivers.indexOf(send.to)])
        problem ??= await refusalOf(
          run(service, by(from), 'handoff_send', { ...failure, ...send, ...parent }),
        )
    return problem
  }

  /** Whoever gave the work, else who began the workflow, else the caller. */
  async #delegator({ task, from }: Block, given: Handoff | undefined): Promise<string> {
    const sender = given?.from ?? (await this.#sides.command.store.latest(task, undefined, from))?.from
    const all = [sender, this.#name('ann'), this.#name('ci'), ANYONE]
    return all.find((name) => name !== undefined && name !== from)!
  }

  /** The open handoff of the task to this agent: what is retried goes before what came meanwhile. */
  async #open(task: string, to: string): Promise<Handoff | undefined> {
    const filter = { to, task, state: OPEN_STATES }
    const { items } = await this.#sides.command.store.handoffs(filter, { limit: 50 })
    return items.toSorted((a, b) => b.attempt - a.attempt)[0]
  }

  /** Whether this author sent it before and it is open. */
  async #waits({ task, from }: Block, to: string): Promise<boolean> {
    return (await this.#open(task, to))?.from === from
  }

  /** The handoffs of the task with their content, acts and notices, and the task itself. */
  async #seen({ store }: Side, task: string): Promise<unknown> {
    const { items } = await store.handoffs({ task }, { limit: 50 })
    const handoffs = items.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
    const names = new Map(handoffs.flatMap(({ uid, id }, i) => [[uid, `UID${i}`] as const, [id, `ID${i}`]]))
    const contents = await Promise.all(handoffs.map(({ uid }) => store.content(uid)))
    const roots = [...new Set(handoffs.map(({ root }) => root))]
    const logs = await Promise.all(roots.map((root) => store.entries(root, 0, 500)))
    const agents = [...AGENTS, 'dee', 'ci'].map((name) => this.#name(name))
    const told = await Promise.all(agents.map((name) => store.notices(name, { limit: 100 })))
    return plain(names, {
      task: (await store.task(task))?.task,
      handoffs: handoffs.map((handoff) => ({ ...handoff, below: handoff.parent, of: handoff.root })),
      contents,
      notices: told.flatMap(({ items }) => items).map(({ to, kind, text }) => ({ to, kind, text })),
      acts: logs
        .flat()
        .map((entry) => ({ ...recordIn(entry), author: disclosed(entry).claimed_author }))
        .map(({ act, actor, author, sub, from, to }) => ({
          ...{ act, by: author ?? actor.id, from, to },
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

/** A refused send leaves a gap in the numbers. */
const plainIds = (text: string): string => text.replaceAll(/HO-\d+-\d+/g, 'HO')

async function refusalOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (!(error instanceof BatonError)) throw error
    return plainIds(error.message)
  }
}

export const checkBlocks = (open: () => Promise<Sides>, walked: Walked): Promise<void> =>
  inRounds(open, walked, (sides, part) => new BlockWalks(sides).check(part))
