import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { askApart } from './apart.ts'

const moduleOf = (text: string): URL => new URL(`data:text/javascript,${encodeURIComponent(text)}`)

describe('a thread that is asked for an answer', () => {
  it('answers with what it was given', async () => {
    const echo = moduleOf(`
      import { parentPort, workerData } from 'node:worker_threads'
      parentPort.postMessage(workerData.n + 1)`)

    assert.equal(await askApart(echo, { n: 1 }, 10_000), 2)
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
