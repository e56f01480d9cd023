import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines } from '../../../../test/support/program/workspace.ts'
import { until } from '../../../../test/support/store/store-units.ts'
import { createLog } from '../server/log.ts'
import { settlingLag, startSettlementWorker } from './settlement-worker.ts'

describeOnEngines('deadlines that nobody settles', (open) => {
  it('raise an alarm once when they are a minute late', async (t) => {
    let isBroken = true
    const w = await open(t, {
      wrap: (store) =>
        new Proxy(store, {
          get(target, name) {
            if (name === 'settle' && isBroken)
              return () => Promise.reject(new Error('the settling is broken'))
            const value = Reflect.get(target, name)
            return typeof value === 'function' ? value.bind(target) : value
          },
        }),
    })
    await w.service.sending.send(by('ana'), { to: 'codex', title: 'x', summary: 'It stands here' })
    const lines: string[] = []
    t.after(startSettlementWorker(w.service, createLog({ write: (line) => lines.push(line) }), 2))
    await until('the failure was told', () => lines.length > 0)
    assert.deepEqual(await settlingLag(w.service), { count: 0, seconds: 0 })

    w.clock.pass(24 * 3_600_000 + 61_000)
    await until('the alarm was raised', () => lines.length > 1)
    assert.deepEqual(await settlingLag(w.service), { count: 1, seconds: 61 })
    isBroken = false
    await until('it was settled', async () => (await settlingLag(w.service)).count === 0)

    assert.match(lines[0]!, /"error","event":"settling failed"/)
    assert.match(lines[1]!, /"error","event":"deadlines are settled late","handoffs":1,"seconds":61/)
    assert.equal(lines.filter((line) => line.includes('"error"')).length, 2)
  })
})
