import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { createService, openStore } from '../../../src/compose/main.ts'
import type { Service } from '../../../src/service/service.ts'
import { lateWaits } from '../../../src/service/wait.ts'
import { messageOf, startProgram } from '../../faults/child.ts'
import type { Finish } from '../../faults/finisher.ts'
import { newPostgresPlace, newSqlitePlace } from './store-places.ts'

const PLACES = { sqlite: newSqlitePlace, postgres: newPostgresPlace }
const by = (name: string) => ({ actor: { name, kind: 'agent', auth: 'os-user' } }) as const

/** One handoff: who finishes it and when, and when somebody begins to wait for it. */
const plan = fc.record({
  isBeside: fc.boolean(),
  afterMs: fc.integer({ min: 0, max: 25 }),
  waitMs: fc.integer({ min: 0, max: 25 }),
})

/** Who waits for a process that stood still this long may look again first: that says nothing about signals. */
const STOOD_STILL_MS = 300

/** Waits begin while the work is finished here and in another process, in any order; each store is new to waiting. */
export function describeWaiting(runs: number, waits: number): void {
  describe('a wait', () => {
    for (const [engine, newPlace] of Object.entries(PLACES))
      it(`is ended by a signal, whenever it begins: ${engine}, ${runs * waits} waits`, async (t) => {
        const { target, remove } = newPlace()
        const child = startProgram('finisher.ts', JSON.stringify(target))
        t.after(async () => {
          child.kill()
          await remove()
        })
        assert.equal(await messageOf(child), 'ready')
        const delay = monitorEventLoopDelay({ resolution: 10 })
        delay.enable()
        t.after(() => delay.disable())

        await fc.assert(
          fc.asyncProperty(fc.array(plan, { minLength: waits, maxLength: waits }), async (plans) => {
            const service = createService(await openStore(target))
            const before = lateWaits()
            delay.reset()
            try {
              await Promise.all(
                plans.map(async ({ isBeside, afterMs, waitMs }) => {
                  const given = { to: 'codex', title: 'Work', home: 'queue' } as const
                  const { uid } = (await service.sending.send(by('planner'), given)).handoff
                  const finish: Finish = { uid, afterMs }
                  const finished = isBeside ? void child.send(finish) : finishHere(service, finish)
                  await pause(waitMs)
                  assert.equal((await service.wait(uid, { timeout_s: 60 })).state, 'completed')
                  await finished
                }),
              )
            } finally {
              await service.deps.store.close()
            }
            child.send('longest pause')
            const pauseMs = Math.max(delay.max / 1e6, Number(await messageOf(child)))
            if (pauseMs < STOOD_STILL_MS)
              assert.equal(lateWaits() - before, 0, 'a wait was ended by looking again')
            else t.diagnostic(`a process stood still for ${Math.round(pauseMs)} ms`)
          }),
          { numRuns: runs, endOnFailure: true },
        )
      })
  })
}

async function finishHere(service: Service, { uid, afterMs }: Finish): Promise<void> {
  await pause(afterMs)
  await service.receiving.accept(by('codex'), uid)
  await service.receiving.submit(by('codex'), uid, { output: { done: true } })
}
