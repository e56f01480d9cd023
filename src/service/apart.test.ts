import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { askApart } from './apart.ts'

const moduleOf = (text: string): URL => new URL(`data:text/javascript,${encodeURIComponent(text)}`)

describe('a thread that is asked for an answer', () => {
  it('answers with what it was given', async () => {
    const echo = moduleOf(`
      import { parentPort, workerData } from 'node:worker_threads'
      parentPort.postMessage(workerData.n + 1)`)

    assert.equal(await askApart(echo, { n: 1 }, 10_000), 2)
  })

  it('[T13] waits for its turn while four others run, and is not begun for a caller that has left', async (t) => {
    let begun = 0
    const note = () => {
      begun += 1
    }
    process.on('worker', note)
    t.after(() => process.off('worker', note))
    const endless = moduleOf('setInterval(() => {}, 1_000)')
    const answers = moduleOf(`(await import('node:worker_threads')).parentPort.postMessage('done')`)
    const leaving = new AbortController()
    const held = Array.from({ length: 4 }, () => askApart(endless, {}, 60_000, leaving.signal))
    const left = Array.from({ length: 20 }, () => askApart(answers, {}, 60_000, leaving.signal))
    const next = Array.from({ length: 6 }, () => askApart(answers, {}, 60_000))
    await pause(20)
    const before = begun
    leaving.abort()

    assert.deepEqual(await Promise.all([...held, ...left]), Array(24).fill(undefined))
    assert.deepEqual(await Promise.all(next), Array(6).fill('done'))
    assert.deepEqual([before, begun], [4, 10])
  })

  it('[T13] ends alone when it takes too much memory, also in large pieces', async () => {
    // Each piece is larger than the allowance that V8 gives a thread at its limit.
    const greedy = moduleOf(`
      const kept = []
      const sleeping = new Int32Array(new SharedArrayBuffer(4))
      for (;;) {
        kept.push(new Array(5_000_000).fill(kept.length))
        Atomics.wait(sleeping, 0, 0, 20)
      }`)

    assert.equal(await askApart(greedy, {}, 60_000), undefined)
  })
})
