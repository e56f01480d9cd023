import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { StorePlace } from '../../src/storage/store.contract.ts'
import { newDatabase, newPostgresPlace, newSqlitePlace } from '../support/store/store-places.ts'
import { crash } from './crashes.ts'
import type { Lived } from './life.ts'
import { Pool, type Worker } from './pool.ts'
import { RACERS, Track } from './races.ts'

/** Where the processes of a suite meet: nothing is there yet, so that all of them make it at once. */
const NEW_PLACES = {
  sqlite: async (): Promise<StorePlace> => newSqlitePlace(),
  postgres: async (): Promise<StorePlace> => newPostgresPlace(await newDatabase()),
}

export type Engine = keyof typeof NEW_PLACES

/** Kills processes in the middle of full lifecycles, so many times on each engine. */
export function describeCrashes(engines: readonly Engine[], cycles: number): void {
  describe('processes that are killed in the middle of their work', () => {
    const pool = new Pool()
    after(() => pool.close())

    for (const engine of engines)
      it(`lose nothing that was answered and leave nothing by halves: ${engine}, ${cycles} times`, async (t) => {
        const { target, remove } = await NEW_PLACES[engine]()
        t.after(remove)
        const seed = Date.now() % 1_000_000

        const { answers, repeated } = await crash(pool, target, cycles, seed)

        t.diagnostic(`seed ${seed}: ${answers} answers kept, ${repeated} calls asked again`)
      })
  })
}

/** Lets twenty processes race for the same things on each engine, so many times for the two that matter most. */
export function describeProcessRaces(trials: number): void {
  describe('twenty processes on one store', () => {
    const pool = new Pool()
    let racers: readonly Worker[]
    before(async () => {
      racers = await pool.startMany(RACERS)
    })
    after(() => pool.close())

    for (const engine of ['sqlite', 'postgres'] as const)
      describe(engine, () => describeTrack(engine, trials, () => racers))

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
}

function describeTrack(engine: Engine, trials: number, racers: () => readonly Worker[]): void {
  let place: StorePlace
  let track: Track
  before(async () => {
    place = await NEW_PLACES[engine]()
    track = await Track.open(place.target, racers())
  })
  after(async () => {
    await track.close()
    await place.remove()
  })

  const few = Math.ceil(trials / 4)
  for (const [title, trial, times] of [
    [`never exceed a limit, ${trials} times`, 'limit', trials],
    [`accept each handoff exactly once, ${trials} times`, 'accept', trials],
    [`claim each handoff of a queue exactly once, ${few} times`, 'claim', few],
    [`act once for one key, ${few} times`, 'key', few],
    [`settle what is due exactly once, ${few} times`, 'settle', few],
    [`start a task exactly once, ${few} times`, 'task', few],
  ] as const)
    it(title, async () => {
      for (let i = 0; i < times; i++) await track[trial]()
    })

  it('leave a store in which everything holds', () => track.check())
}
