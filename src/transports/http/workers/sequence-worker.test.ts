import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { newKeys, writeEntries } from '../../../../test/support/log/audit.ts'
import {
  describeOnEngines,
  openWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from '../../../../test/support/program/workspace.ts'
import { until } from '../../../../test/support/store/store-units.ts'
import { createService } from '../../../compose/main.ts'
import { createLog } from '../server/log.ts'
import { besideCalls, startSequenceWorker } from './sequence-worker.ts'

async function sequencing(t: TestContext, options: WorkspaceOptions, dirtyMs: number) {
  const w = await openWorkspace(t, options)
  const lines: string[] = []
  const stop = startSequenceWorker(w.service, createLog({ write: (line) => lines.push(line) }), {
    everyMs: 5,
    dirtyMs,
  })
  t.after(stop)
  return { w, lines, stop }
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
    for (let i = 0; i < 5; i++) await (await w.service.audit()).unsigned()
    assert.equal(await newest(w), undefined)

    await writeEntries(w, 1, 'U')

    await until('the head was signed', async () => (await newest(w)) !== undefined)
  })

  it('without the key puts the log in order and leaves the signing to who has it', async (t) => {
    const { w, lines } = await sequencing(t, {}, 0)
    await writeEntries(w, 3)

    await until('the tree has grown', async () => (await w.store.tree()).size === 3)

    assert.equal(await newest(w), undefined)
    assert.equal(lines.length, 1)
    assert.match(
      lines[0]!,
      /"warn","event":"this server cannot sign the log","reason":"this process keeps no keys/,
    )
  })

  it('raises an alarm once when too much is unsigned, and names the machine that has the key', async (t) => {
    const { w, lines, stop: stopSigning } = await sequencing(t, newKeys(t), 0)
    await until('the first head was signed', async () => {
      await writeEntries(w, 1, `first-${lines.length}-${Math.random()}`.replaceAll('.', '-'))
      return (await newest(w)) !== undefined
    })
    const elsewhere: string[] = []
    const other = createService(w.store, {
      ...newKeys(t),
      now: () => new Date(w.clock.now().getTime() + 61_000),
    })
    const stop = startSequenceWorker(other, createLog({ write: (line) => elsewhere.push(line) }), {
      everyMs: 5,
    })
    t.after(stop)
    await until('it has looked', () => elsewhere.length > 0)
    await stopSigning()
    await writeEntries(w, 600, 'U')

    await until('it was told', () => elsewhere.length > 1)

    assert.match(
      elsewhere[0]!,
      /cannot sign the log","reason":"the key of this log is in .*\.pem on \S+, not in /,
    )
    assert.match(
      elsewhere[1]!,
      /"error","event":"entries of the log are unsigned","entries":\d+,"seconds":61/,
    )
    assert.deepEqual([elsewhere.length, lines], [2, []])
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

// Two hosts, one key: the other one grew the tree, and the one with the key saw nothing left to do.
describeOnEngines('a server with the key', (open) => {
  it('signs what another server has taken into the tree', async (t) => {
    const w = await open(t, newKeys(t))
    const audit = await w.service.audit()
    await writeEntries(w, 3)
    await audit.checkpoint()
    await writeEntries(w, 300, 'U')
    await audit.sequence()
    const before = await audit.unsigned()

    const stop = startSequenceWorker(w.service, createLog({ write: () => undefined }), { everyMs: 5 })
    t.after(stop)

    await until('the head was signed', async () => (await newest(w)) === 304)
    assert.deepEqual(
      [before, await audit.unsigned()],
      [
        { entries: 300, seconds: 0 },
        { entries: 0, seconds: 0 },
      ],
    )
  })
})

describeOnEngines('a tree that catches up', (open) => {
  it('rests between its steps for most of the time, so that calls go on', async (t) => {
    const w = await open(t)
    await writeEntries(w, 900)
    const rest = besideCalls(createLog({ write: () => undefined }), new AbortController().signal)
    let rested = 0
    let steps = 0
    const begun = performance.now()
    await (await w.service.audit()).sequence(async (left) => {
      const since = performance.now()
      const goesOn = await rest(left)
      rested += performance.now() - since
      steps += 1
      return goesOn
    })
    const worked = performance.now() - begun - rested

    assert.ok(steps >= 4, String(steps))
    assert.ok(rested > 3 * worked, `${rested} ms of rest for ${worked} ms of work in ${steps} steps`)
  })
})
