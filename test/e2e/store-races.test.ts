import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { StorePlace } from '../../src/storage/store.contract.ts'
import type { Lived } from '../faults/life.ts'
import { Pool, type Worker } from '../faults/pool.ts'
import { RACERS, Track } from '../faults/races.ts'
import { newDatabase, newPostgresPlace, newSqlitePlace } from '../store-places.ts'

const TRIALS = 20

describe('twenty processes on one store', () => {
  const pool = new Pool()
  let racers: readonly Worker[]
  before(async () => {
    racers = await pool.startMany(RACERS)
  })
  after(() => pool.close())

  for (const [engine, newPlace] of [
    ['sqlite', async () => newSqlitePlace()],
    ['postgres', async () => newPostgresPlace(await newDatabase())],
  ] as const)
    describe(engine, () => {
      let place: StorePlace
      let track: Track
      before(async () => {
        place = await newPlace()
        track = await Track.open(place.target, racers)
      })
      after(async () => {
        await track.close()
        await place.remove()
      })

      for (const [title, trial, times] of [
        [`never exceed a limit, ${TRIALS} times`, 'limit', TRIALS],
        [`accept each handoff exactly once, ${TRIALS} times`, 'accept', TRIALS],
        ['claim each handoff of a queue exactly once', 'claim', 3],
        ['act once for one key', 'key', 5],
        ['settle what is due exactly once', 'settle', 5],
        ['start a task exactly once', 'task', 5],
      ] as const)
        it(title, async () => {
          for (let i = 0; i < times; i++) await track[trial]()
        })

      it('leave a store in which everything holds', () => track.check())
    })

  it('all make progress where they write to one file at the same time', async (t) => {
    const { target, remove } = newSqlitePlace()
    t.after(remove)
    const eight = racers.slice(0, 8)
    await Promise.all(eight.map((worker) => worker.open(target)))

    const lives = await Promise.all(
      eight.map((worker) => worker.tell({ do: 'live', name: worker.name, forMs: 1_500 })),
    )

    const steps = lives.map((life) => {
      assert.ok(life.ok, JSON.stringify(life))
      return (life.value as Lived).steps
    })
    t.diagnostic(`calls of each: ${steps.join(' ')}`)
    assert.ok(Math.min(...steps) >= 1, `somebody starved: ${steps}`)
  })
})
