import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { openBaton } from '../../src/index.ts'
import { aQueueFolder, type QueueFolder } from './queue.ts'

const BURSTS = 20
const HANDOFFS = 20
const ME = 'react-specialist'

/** Half of the handlers answer and half of them throw, all without a pause. */
async function burst(folder: QueueFolder): Promise<void> {
  const baton = await openBaton({ cwd: folder.root })
  await baton.specialist(ME, { concurrency: 8 }, ({ input }) => {
    if (input === 'throw') throw new Error('no such module')
    return { output: { done: input } }
  })
  const planner = baton.as('planner')
  const inputs = Array.from({ length: HANDOFFS }, (_, i) => (i % 2 === 0 ? 'answer' : 'throw'))
  await Promise.all(
    inputs.map(async (input) => {
      const retry = { max: 0, delay_s: 0, multiplier: 1 }
      const sent = await planner.send({ to: ME, title: input, home: 'queue', input, retry })
      await sent.wait({ timeout_s: 60 }).catch(() => undefined)
    }),
  )
  await baton.close()
}

function accusations(folder: QueueFolder): readonly unknown[] {
  const files = readdirSync(join(folder.root, 'handoffs'), { recursive: true, encoding: 'utf8' })
  const store = new DatabaseSync(join(folder.root, '.baton/baton.db'), { readOnly: true })
  const refused = store.prepare("SELECT act, subject FROM entry WHERE act LIKE 'file.%'").all()
  store.close()
  return [...files.filter((file) => /\.(?:problem|conflict)/.test(file)), ...refused]
}

describe('a burst of handoffs to handlers that answer or throw at once', () => {
  it('[S1-67] leaves no problem, no conflict and no refusal of a file that Baton moved itself', async (t: TestContext) => {
    const folder = await aQueueFolder(t)
    for (let i = 0; i < BURSTS; i++) await burst(folder)
    await folder.sync()

    assert.deepEqual(accusations(folder), [])
    assert.equal(folder.names('completed').length + folder.names('failed').length, BURSTS * HANDOFFS)
  })
})
