import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anAgent } from '../../../test/support/store/builders.ts'
import {
  AT,
  entryOf,
  freshHandoff,
  freshTask,
  nextUid,
  offer,
  put,
  run,
  take,
} from '../../../test/support/store/store-units.ts'
import { verifyChain } from '../../audit/chain.ts'
import { BatonError } from '../../domain/errors.ts'
import type { NewRoom, Room } from '../store.contract.ts'
import type { Store } from '../store.ts'
import { leafHash } from '../working-set.ts'
import { claim, offerWithin, once } from './batches.contract.ts'

const RACERS = 20

/** Twenty connections at once: what one process could get right by luck, they do not. */
export function describeRaces(newRoom: NewRoom): void {
  describe('twenty connections at once', () => {
    it('win an acceptance exactly once', async (t) => {
      const racers = await openAll(newRoom(t))
      for (let trial = 0; trial < 5; trial++) {
        const { uid } = await offer(racers[0]!)

        const winners = await race(racers, (store, i) =>
          run(store, { handoffs: [uid] }, (view) => take(view, uid, `worker-${i}`)),
        )

        assert.equal(winners.filter((won) => won !== undefined).length, 1)
        assert.equal((await racers[0]!.handoff(uid))?.rev, 2)
      }
    })

    it('claim each handoff exactly once, however many want it', async (t) => {
      const racers = await openAll(newRoom(t))
      const offered = await Promise.all(Array.from({ length: 30 }, () => offer(racers[0]!)))

      const claimed = await race(racers, async (store, i) => {
        const mine: string[] = []
        for (;;) {
          const uid = await claim(store, `worker-${i}`)
          if (uid === undefined) return mine
          mine.push(uid)
        }
      })

      assert.deepEqual(claimed.flat().sort(), offered.map(({ uid }) => uid).sort())
    })

    it('find work for a claim although another one held it and left it as it was', async (t) => {
      const [reader, worker] = await openAll(newRoom(t))
      for (let trial = 0; trial < 20; trial++) {
        const { uid } = await offer(worker!)
        const looks = Array.from({ length: 3 }, () => run(reader!, { handoffs: [uid] }, () => undefined))

        const [claimed] = await Promise.all([claim(worker!, 'worker'), ...looks])

        assert.equal(claimed, uid)
      }
    })

    it('never exceed a limit that is counted under its lock', async (t) => {
      const racers = await openAll(newRoom(t))
      await run(racers[0]!, { agents: ['planner'] }, (view) => view.putAgent(anAgent('planner')))
      for (let trial = 1; trial <= 5; trial++) {
        const outcomes = await Promise.allSettled(racers.map((store) => offerWithin(store, trial * 3)))

        const refused = outcomes.filter((o) => o.status === 'rejected')
        assert.equal((await racers[0]!.counts()).agents.planner?.outgoing, trial * 3)
        assert.equal(refused.length, RACERS - 3)
        assert.ok(refused.every(({ reason }) => reason.code === 'limit_exceeded'))
      }
    })

    it('[T6] append to one chain without a gap or a fork', async (t) => {
      const racers = await openAll(newRoom(t))
      const stream = nextUid()

      await race(racers, async (store) => {
        for (let i = 0; i < 5; i++)
          await run(store, { streams: [stream] }, (view) => view.append(entryOf(stream)))
      })

      const entries = await racers[0]!.entries(stream, 0, 1_000)
      const verdict = verifyChain(
        entries.map(({ body }) => ({ entry: body })),
        leafHash,
      )
      assert.ok(verdict.ok)
      assert.equal(verdict.count, RACERS * 5)
      const head = await run(racers[1]!, { streams: [stream] }, (view) => view.stream(stream))
      assert.deepEqual([head?.seq, head?.head], [verdict.head.seq, verdict.head.hash])
    })

    it('are never given the same number', async (t) => {
      const racers = await openAll(newRoom(t))

      const taken = await race(racers, async (store) => {
        const mine: number[] = []
        for (let i = 0; i < 5; i++)
          mine.push(...(await run(store, { numbers: 2 }, (view) => [view.number(), view.number()])))
        return mine
      })

      assert.equal(new Set(taken.flat()).size, RACERS * 10)
    })

    it('act once for one idempotency key', async (t) => {
      const racers = await openAll(newRoom(t))
      for (const key of ['a', 'b', 'c']) {
        const before = (await racers[0]!.counts()).handoffs.offered ?? 0

        const seen = await race(racers, (store) => once(store, key))

        assert.equal(seen.filter((idem) => idem === undefined).length, 1)
        assert.equal((await racers[0]!.counts()).handoffs.offered, before + 1)
      }
    })

    it('do not block each other for ever, in whatever order they name their keys', async (t) => {
      const racers = await openAll(newRoom(t))
      const names = ['planner', 'codex', 'claude']
      await run(racers[0]!, { agents: names }, (view) => {
        for (const name of names) view.putAgent(anAgent(name))
      })
      const handoffs = await Promise.all(names.map((from) => offer(racers[0]!, { from, task: `T-${from}` })))
      await run(racers[0]!, { tasks: names.map((name) => `T-${name}`) }, (view) => {
        for (const name of names) view.putTask(freshTask(`T-${name}`), { depends_on: [], open_deps: 0 })
      })

      await race(racers, async (store, i) => {
        for (let round = 0; round < 4; round++) {
          const turned = [...names.slice((i + round) % 3), ...names.slice(0, (i + round) % 3)]
          const order = i % 2 === 0 ? turned : turned.reverse()
          const uids = order.map((name) => handoffs[names.indexOf(name)]!.uid)
          await run(store, { counted: order, handoffs: uids, tasks: order.map((n) => `T-${n}`) }, (view) => {
            for (const uid of uids) {
              const handoff = view.handoff(uid)!
              view.putHandoff({ ...handoff, rev: handoff.rev + 1 })
              view.append(entryOf(uid, { rev: handoff.rev + 1 }))
            }
          })
        }
      })

      for (const { uid } of handoffs) assert.equal((await racers[0]!.handoff(uid))?.rev, 1 + RACERS * 4)
    })

    it('add one agent or one task between them', async (t) => {
      const racers = await openAll(newRoom(t))

      const made = await race(racers, (store) =>
        run(store, { agents: ['codex'], tasks: ['T1'] }, (view) => {
          const isNew = { agent: !view.agent('codex'), task: !view.task('T1') }
          if (isNew.agent) view.putAgent(anAgent('codex'))
          if (isNew.task) view.putTask(freshTask('T1'), { depends_on: [], open_deps: 0 })
          return isNew
        }).catch((error: BatonError) => {
          // Two that both saw nothing: the id is the one that they chose, so the second is told that it is taken.
          assert.equal(error.code, 'conflict')
          return { agent: false, task: false }
        }),
      )

      assert.equal(made.filter(({ agent }) => agent).length, 1)
      assert.equal(made.filter(({ task }) => task).length, 1)
      assert.equal((await racers[0]!.agents()).length, 1)
    })

    it('change one agent one after the other, and lose no change', async (t) => {
      const racers = await openAll(newRoom(t))
      await run(racers[0]!, { agents: ['codex'] }, (view) => view.putAgent(anAgent('codex', { rev: 0 })))

      await race(racers, (store) =>
        run(store, { agents: ['codex'] }, (view) => {
          const agent = view.agent('codex')!
          view.putAgent({ ...agent, rev: agent.rev + 1 })
        }),
      )

      assert.deepEqual(
        (await racers[0]!.agents()).map(({ rev }) => rev),
        [RACERS],
      )
    })

    it('count every dependency that is done at the same moment', async (t) => {
      const racers = await openAll(newRoom(t))
      const bases = racers.map((_, i) => freshTask(`B${i}`))
      await run(racers[0]!, {}, (view) => {
        for (const base of bases) view.putTask(base, { depends_on: [], open_deps: 0 })
        view.putTask(freshTask('END'), { depends_on: bases.map(({ uid }) => uid), open_deps: RACERS })
      })

      await race(racers, (store, i) =>
        run(store, { tasks: [`B${i}`] }, (view) => {
          view.putTask({ ...bases[i]!, status: 'done' })
          view.shiftDependents(bases[i]!.uid, -1)
        }),
      )

      assert.equal((await racers[0]!.task('END'))?.open_deps, 0)
    })

    it('keep every handoff that was answered, and only those', async (t) => {
      const racers = await openAll(newRoom(t))

      const kept = await race(racers, async (store, i) => {
        const mine: string[] = []
        for (let n = 0; n < 5; n++) {
          const handoff = freshHandoff()
          const call = run(store, { streams: [handoff.root] }, (view) => {
            put(view, handoff)
            if ((i + n) % 4 === 0) throw new BatonError('wrong_state', 'no')
          })
          await call.then(
            () => mine.push(handoff.uid),
            () => undefined,
          )
        }
        return mine
      })

      const found = await racers[0]!.handoffs({}, { limit: 1_000 })
      assert.deepEqual(found.items.map(({ uid }) => uid).sort(), kept.flat().sort())
      assert.equal((await racers[0]!.counts()).entries, kept.flat().length)
      assert.equal(
        found.items.every(({ updated_at }) => updated_at === AT),
        true,
      )
    })
  })
}

const openAll = (room: Room): Promise<readonly Store[]> =>
  Promise.all(Array.from({ length: RACERS }, () => room.open()))

const race = <T>(
  racers: readonly Store[],
  lap: (store: Store, index: number) => Promise<T>,
): Promise<readonly T[]> => Promise.all(racers.map(lap))
