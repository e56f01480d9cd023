import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createService, openStore } from '../../src/compose/main.ts'
import { Pool } from '../faults/pool.ts'
import { by, PACKAGE, person } from '../support/program/workspace.ts'
import { newPostgresPlace, newSqlitePlace } from '../support/store/store-places.ts'

const OFFSETS = ['-2h', '-61m', '-6m', '+0', '+6m', '+61m', '+5h', '+25h']
const FOR_MS = 60_000
const LEASE_S = 30

describe('eight processes with clocks of their own on one store', () => {
  const pool = new Pool()
  after(() => pool.close())

  for (const [engine, newPlace] of [
    ['sqlite', newSqlitePlace],
    ['postgres', newPostgresPlace],
  ] as const)
    it(`end no lease, offer or gate of others early, and keep none for ever: ${engine}`, async (t) => {
      const { target, remove } = newPlace()
      const store = await openStore(target)
      t.after(async () => {
        await store.close()
        await remove()
      })
      const { sending, receiving } = createService(store)
      const send = async (to: string, title: string, more = {}) =>
        (await sending.send(by('asker'), { to, title, ...more })).handoff.uid
      await sending.send(person('maria'), { to: 'keeper', title: 'Makes maria known' })
      const begun = performance.now()
      const [held, silent, offered, gate] = [
        await send('keeper', 'Held for an hour', { timeout_s: 3_600 }),
        await send('sleeper', 'Held by a silent worker', { timeout_s: LEASE_S }),
        await send('nobody', 'Offered for a day', PACKAGE),
        await send('maria', 'Decide', { type: 'gate', silence: { policy: 'expire', after_s: 3_600 } }),
      ]
      await receiving.accept(by('keeper'), held)
      await receiving.accept(by('sleeper'), silent)

      const workers = await Promise.all(
        OFFSETS.map((offset) => pool.start({ LD_PRELOAD: fakeTime(), FAKETIME: offset })),
      )
      await Promise.all(workers.map((worker) => worker.open(target)))
      const lives = Promise.all(
        workers.map((worker) => worker.tell({ do: 'live', name: worker.name, forMs: FOR_MS })),
      )
      const stateOf = async (uid: string) => (await store.handoff(uid))?.state
      for (const before = LEASE_S * 1_000 - 2_000; performance.now() - begun < before; await pause(200))
        assert.equal(await stateOf(silent), 'in_progress')
      await pause(5_000)
      assert.notEqual(await stateOf(silent), 'in_progress')

      for (const life of await lives) assert.ok(life.ok, JSON.stringify(life))
      const states = await Promise.all([held, offered, gate].map(stateOf))
      assert.deepEqual(states, ['in_progress', 'offered', 'needs_input'])
    })
})

/** The library that gives a process a clock of its own. */
function fakeTime(): string {
  const listed = spawnSync('dpkg', ['-L', 'libfaketime'], { encoding: 'utf8' }).stdout ?? ''
  const library = listed.split('\n').find((file) => file.endsWith('/libfaketimeMT.so.1'))
  assert.ok(library, 'libfaketime is missing; install it with: sh scripts/long-tools.sh')
  return library
}
