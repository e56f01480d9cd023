import assert from 'node:assert/strict'
import { createService, openStore, type StoreTarget } from '../../src/compose/main.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import type { AgentLimits } from '../../src/domain/limits.ts'
import { DEFAULT_POLICY, type Policy } from '../../src/domain/policy.ts'
import type { Call } from '../../src/service/deps.ts'
import type { Service } from '../../src/service/service.ts'
import { checkInvariants } from './check-invariants.ts'
import type { Worker } from './pool.ts'
import type { Reply } from './worker.ts'

export const RACERS = 20

/** Offers of this home expire after so short a time that a trial can wait for it. */
const POLICY: Partial<Policy> = { deadlines: { package: { offeredMs: 1 } } }

/** One store, a service beside the racers, and the racers themselves on connections of their own. */
export class Track {
  readonly service: Service
  readonly #racers: readonly Worker[]
  readonly #limits: Record<string, AgentLimits> = {}
  #trials = 0

  private constructor(service: Service, racers: readonly Worker[]) {
    this.service = service
    this.#racers = racers
  }

  /** Everybody opens the store at once, also where there is none yet. */
  static async open(target: StoreTarget, racers: readonly Worker[]): Promise<Track> {
    const origins = await Promise.all(racers.map((racer) => racer.open(target, POLICY)))
    const store = await openStore(target)
    assert.deepEqual([...new Set(origins)], [store.info.origin], 'all have opened the same store')
    return new Track(createService(store, { policy: { ...DEFAULT_POLICY, ...POLICY } }), racers)
  }

  async close(): Promise<void> {
    await Promise.all(this.#racers.map((racer) => racer.tell({ do: 'close' })))
    await this.service.deps.store.close()
  }

  /** What must hold of the store after all trials. */
  check(): Promise<void> {
    return checkInvariants(this.service.deps.store, { limits: this.#limits })
  }

  /** A limit lets through as many as it says, whichever side it belongs to. */
  async limit(): Promise<void> {
    const { sender, receiver } = this.#names()
    const most = 3 + (this.#trials % 5)
    const isSender = this.#trials % 2 === 0
    const limited = isSender ? sender : receiver
    this.#limits[limited] = isSender ? { outgoing: most } : { incoming: most }
    const limits = isSender ? { max_outgoing: most } : { max_incoming: most }
    await this.service.agents.add(OPS, { name: limited, ...limits })

    const replies = await this.#race((i) => [
      'sending',
      'send',
      by(sender, `i${i}`),
      { to: receiver, title: `by ${i}` },
    ])

    const refused = replies.filter((reply) => !reply.ok)
    assert.equal(replies.length - refused.length, most)
    assertOnly(refused, 'limit_exceeded')
  }

  /** An offer that everybody wants is accepted by one. */
  async accept(): Promise<void> {
    const { sender, receiver } = this.#names()
    const offered = await this.#send(sender, receiver)

    const replies = await this.#race((i) => ['receiving', 'accept', by(receiver, `i${i}`), offered.uid])

    const winners = replies.flatMap((reply) => (reply.ok ? [reply.value as Handoff] : []))
    assert.equal(winners.length, 1)
    assertOnly(replies, 'wrong_state')
    const now = await this.service.deps.store.handoff(offered.uid)
    assert.deepEqual([now?.instance, now?.rev], [winners[0]?.instance, offered.rev + 1])
  }

  /** Each of ten handoffs in a queue is claimed by one of twenty. */
  async claim(): Promise<void> {
    const { sender, receiver } = this.#names()
    const offered = await Promise.all(Array.from({ length: 10 }, () => this.#send(sender, receiver)))

    const replies: Reply[] = []
    // A claim may pass over what another one holds at the moment: whoever got nothing asks again.
    while ((await this.service.deps.store.inbox(receiver, { limit: 99 })).items.some(isOffered))
      replies.push(...(await this.#race((i) => ['receiving', 'claim', by(receiver, `i${i}`)])))

    assertOnly(replies)
    const claimed = replies.flatMap((reply) =>
      reply.ok && reply.value ? [(reply.value as Handoff).uid] : [],
    )
    assert.deepEqual(claimed.sort(), offered.map(({ uid }) => uid).sort())
  }

  /** The same call with the same key has one effect and one answer. */
  async key(): Promise<void> {
    const { sender, receiver } = this.#names()
    const call = { ...by(sender), key: `key-${this.#trials}` }

    const replies = await this.#race(() => ['sending', 'send', call, { to: receiver, title: 'once' }])

    assertOnly(replies)
    const uids = replies.map((reply) => reply.ok && (reply.value as { handoff: Handoff }).handoff.uid)
    assert.equal(new Set(uids).size, 1)
    const { items } = await this.service.deps.store.handoffs({ from: sender }, { limit: 99 })
    assert.deepEqual(
      items.map(({ uid }) => uid),
      [uids[0]],
    )
  }

  /** A handoff that expired is settled once, and its sender told once. */
  async settle(): Promise<void> {
    const { sender, receiver } = this.#names()
    const { uid } = (
      await this.service.sending.send(by(sender), {
        to: receiver,
        title: 'late',
        home: 'package',
        summary: 'Nobody takes this in time',
      })
    ).handoff

    const replies = await this.#race((i) => (i % 2 === 0 ? ['service', 'settle'] : ['looking', 'get', uid]))

    assertOnly(replies)
    assert.equal((await this.service.looking.get(uid)).handoff.state, 'expired')
    const { items } = await this.service.deps.store.notices(sender, { limit: 99 })
    assert.deepEqual(
      items.map(({ kind, about }) => [kind, about]),
      [['expired', uid]],
    )
  }

  /** A task is started by one. */
  async task(): Promise<void> {
    const id = `T${this.#trials}`
    this.#trials += 1
    await this.service.tasks.create(by('chief'), { id, title: 'wanted by all' })

    const replies = await this.#race((i) => ['tasks', 'start', by(`worker-${i}`), id])

    assert.equal(replies.filter(({ ok }) => ok).length, 1)
    assertOnly(replies, 'conflict')
  }

  async #send(from: string, to: string): Promise<Handoff> {
    return (await this.service.sending.send(by(from), { to, title: `of ${from}` })).handoff
  }

  /** Agents that no other trial has used. */
  #names(): { readonly sender: string; readonly receiver: string } {
    this.#trials += 1
    return { sender: `sender-${this.#trials}`, receiver: `receiver-${this.#trials}` }
  }

  /** All wait for the same moment: the messages go out together, to processes that do nothing else. */
  #race(lap: (index: number) => readonly [string, string, ...unknown[]]): Promise<readonly Reply[]> {
    return Promise.all(this.#racers.map((racer, i) => racer.call(...lap(i))))
  }
}

/** Limits are set by people. */
const OPS: Call = { actor: { name: 'ops', kind: 'human', auth: 'os-user' } }

const by = (name: string, instance?: string): Call => ({
  actor: { name, kind: 'agent', auth: 'os-user', ...(instance !== undefined && { instance }) },
})

const isOffered = ({ state }: Handoff): boolean => state === 'offered'

/** Whoever did not win was told why in one of these words, and saw no error of a database. */
function assertOnly(replies: readonly Reply[], ...codes: readonly string[]): void {
  const others = replies.filter((reply) => !reply.ok && !codes.includes(reply.code))
  assert.deepEqual(others, [])
}
