import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { newKeys, writeEntries } from '../../../../test/support/log/audit.ts'
import {
  openWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from '../../../../test/support/program/workspace.ts'
import { until } from '../../../../test/support/store/store-units.ts'
import { createLog } from '../server/log.ts'
import { startSequenceWorker } from './sequence-worker.ts'

async function sequencing(t: TestContext, options: WorkspaceOptions, dirtyMs: number) {
  const w = await openWorkspace(t, options)
  const lines: string[] = []
  const stop = startSequenceWorker(w.service, createLog({ write: (line) => lines.push(line) }), {
    everyMs: 5,
    dirtyMs,
  })
  t.after(stop)
  return { w, lines }
}

const newest = async ({ store }: Workspace) => (await store.checkpoints({ limit: 1 }))[0]?.size

describe('a running server', () => {
  it('signs the log when it has grown for so long', async (t) => {
    const { w, lines } = await sequencing(t, newKeys(t), 20)
    await writeEntries(w, 3)

    await until('the head was signed', async () => (await newest(w)) === 4)
    await writeEntries(w, 1, 'U')
    await until('the next head was signed', async () => (await newest(w)) === 5)

    assert.deepEqual(lines, [])
  })

  it('signs 256 entries at once, however young they are', async (t) => {
    const { w } = await sequencing(t, newKeys(t), 3_600_000)
    await writeEntries(w, 255)
    for (let i = 0; i < 5; i++) await (await w.service.audit()).behind()
    assert.equal(await newest(w), undefined)

    await writeEntries(w, 1, 'U')

    await until('the head was signed', async () => (await newest(w)) !== undefined)
  })

  it('without the key puts the log in order and leaves the signing to who has it', async (t) => {
    const { w, lines } = await sequencing(t, {}, 0)
    await writeEntries(w, 3)

    await until('the tree has grown', async () => (await w.store.tree()).size === 3)

    assert.equal(await newest(w), undefined)
    assert.deepEqual(lines, [])
  })

  it('tells once that the log was changed, and signs nothing', async (t) => {
    const isBroken = { now: false }
    const { w, lines } = await sequencing(
      t,
      {
        ...newKeys(t),
        wrap: (store) =>
          new Proxy(store, {
            get(target, name) {
              const value = Reflect.get(target, name)
              if (name !== 'changes' || !isBroken.now)
                return typeof value === 'function' ? value.bind(target) : value
              return async (...args: Parameters<typeof store.changes>) => {
                const page = await target.changes(...args)
                return { ...page, entries: page.entries.map((entry) => ({ ...entry, hash: 'AAAA' })) }
              }
            },
          }),
      },
      0,
    )
    isBroken.now = true
    await writeEntries(w, 2)

    await until('it was told', () => lines.length > 0)
    await writeEntries(w, 1, 'U')

    assert.equal(lines.length, 1)
    assert.match(lines[0]!, /is not as it was written/)
    assert.equal(await newest(w), undefined)
  })
})
