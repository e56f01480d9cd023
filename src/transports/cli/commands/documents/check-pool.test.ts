import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { queueDocument } from '../../../../../test/support/documents/documents.ts'
import { folders } from '../../../../../test/support/documents/folders.ts'
import { Interrupted } from '../../shell.ts'
import { checkOnThreads } from './check-pool.ts'

const QUIET = { options: {}, signal: new AbortController().signal, tell: () => undefined }

describe('threads that check files', () => {
  it('answer in the order of the files, and tell how far they are', async (t) => {
    const files = folders(t)
    const targets = Array.from({ length: 70 }, (_, n) => {
      const path = files.file(`${n}.json`, queueDocument(`hoff-${n}`))
      return { file: `${n}.json`, path, isWalked: true }
    })
    const told: number[] = []

    const entries = await checkOnThreads(targets, { ...QUIET, tell: (done) => told.push(done) })

    assert.deepEqual(
      entries.map(({ file, summary }) => [file, summary.id]),
      targets.map(({ file }, n) => [file, `hoff-${n}`]),
    )
    assert.deepEqual([told.length, told.at(-1)], [3, 70])
  })

  it('end when the person does not want to wait', async (t) => {
    const files = folders(t)
    const targets = Array.from({ length: 200 }, (_, n) => ({
      file: `${n}.json`,
      path: files.file(`${n}.json`, queueDocument(`hoff-${n}`)),
      isWalked: true,
    }))
    const stop = new AbortController()

    await assert.rejects(
      checkOnThreads(targets, { ...QUIET, signal: stop.signal, tell: () => stop.abort() }),
      Interrupted,
    )
  })
})
