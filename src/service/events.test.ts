import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines } from '../../test/support/program/workspace.ts'
import { createService } from '../compose/main.ts'
import type { Store } from '../storage/store.ts'
import type { Event } from './events.ts'

const EACH = 150
const LISTENERS = 20

describeOnEngines('a stream of events', (open) => {
  // Under load one read for each entry and listener fell half a minute behind.
  it('reads the log and its subjects once for all listeners, page by page', async (t) => {
    const { service, store } = await open(t)
    const { reads, watched } = counted(store)
    const events = await createService(watched, { now: service.deps.now }).events()
    const writing = Array.from({ length: EACH }, async (_, i) => {
      await service.tasks.create(by('planner'), { id: `T${i}`, title: `task ${i}` })
      await service.sending.send(by('planner'), { to: 'codex', title: `handoff ${i}` })
    })
    await Promise.all(writing)
    const stop = new AbortController()
    const heard = Array.from({ length: LISTENERS }, async () => {
      const titles: string[] = []
      for await (const { title } of events.follow({ since: '0', signal: stop.signal })) {
        if (title !== undefined) titles.push(title)
        if (titles.length === 2 * EACH) break
      }
      return titles
    })
    const [first, ...others] = await Promise.all(heard)
    stop.abort()

    assert.equal(new Set(first).size, 2 * EACH)
    for (const other of others) assert.deepEqual(other, first)
    assert.ok(reads() < 30, `${reads()} reads for ${2 * EACH} entries and ${LISTENERS} listeners`)
  })

  it('reads no handoff again that this process wrote, and nothing for one more listener', async (t) => {
    const { service, store } = await open(t)
    const { asked, watched } = counted(store)
    const own = createService(watched, { now: service.deps.now })
    const events = await own.events()
    const stop = new AbortController()
    t.after(() => stop.abort())
    const follow = async (): Promise<AsyncGenerator<Event>> => {
      const ready = Promise.withResolvers<void>()
      const following = events.follow({ signal: stop.signal, onReady: ready.resolve })
      const first = following.next()
      await ready.promise
      return (async function* () {
        yield (await first).value as Event
        yield* following
      })()
    }
    const following = await follow()
    const before = asked.filter((call) => call.startsWith('changes')).length
    await follow()
    assert.equal(asked.filter((call) => call.startsWith('changes')).length, before)
    const { handoff } = await own.sending.send(by('planner'), { to: 'codex', title: 'Mine' })
    asked.length = 0
    for await (const { title } of following) if (title === handoff.title) break

    assert.ok(!asked.includes(`handoff ${handoff.uid}`), asked.join())
  })

  it('gives a new listener the next event at once, while another is far behind', async (t) => {
    const { service } = await open(t)
    for (let i = 0; i < 30; i++) await service.tasks.create(by('planner'), { id: `T${i}`, title: 'Work' })
    const events = await service.events()
    const stop = new AbortController()
    t.after(() => stop.abort())
    const slow = events.follow({ since: '0', signal: stop.signal })
    await slow.next()
    const ready = Promise.withResolvers<void>()
    const next = events.follow({ signal: stop.signal, onReady: ready.resolve }).next()
    await ready.promise
    const begun = performance.now()

    await service.tasks.create(by('planner'), { id: 'new', title: 'New' })

    assert.equal((await next).value?.title, 'New')
    assert.ok(performance.now() - begun < 900, 'it did not wait for the look after a second')
  })
})

/** The store, and how often it was asked, where all who ask in one turn of the event loop count once. */
function counted(store: Store): {
  readonly reads: () => number
  readonly asked: string[]
  readonly watched: Store
} {
  let reads = 0
  const asked: string[] = []
  const now = new Set<PropertyKey>()
  const watched = new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]) => {
        asked.push(`${String(name)} ${args[0]}`)
        if (['changes', 'handoff', 'task'].includes(String(name)) && !now.has(name)) {
          reads += 1
          now.add(name)
          setImmediate(() => now.delete(name))
        }
        return value.apply(target, args)
      }
    },
  })
  return { reads: () => reads, asked, watched }
}
