import assert from 'node:assert/strict'
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { jsonOf, messageOf, startProgram } from '../../../test/faults/child.ts'
import { onSmallDisk } from '../../../test/faults/small-disk.ts'
import { newSqlitePlace } from '../../../test/support/store/store-places.ts'
import { offer } from '../../../test/support/store/store-units.ts'
import { BatonError } from '../../domain/errors.ts'
import { openSqliteStore } from './sqlite-store.ts'

describe('a store that another program has locked', () => {
  it('is refused with a typed error when the wait is over, and used again when the lock is gone', async (t) => {
    const { path, store } = await newStore(t, 60)
    const release = await lock(t, path)

    const refusal = await offer(store).catch((error: unknown) => error)
    assert.ok(refusal instanceof BatonError)
    assert.equal(refusal.code, 'unavailable')
    assert.equal(refusal.retry, true)
    assert.match(
      refusal.message,
      /another program holds the lock on .*baton\.db; try again, or find it with: lsof /,
    )
    await release()

    const handoff = await offer(store)
    assert.deepEqual(await store.handoff(handoff.uid), handoff)
    assert.equal((await store.counts()).entries, 1)
  })

  it('is waited for while there is time', async (t) => {
    const { path, store } = await newStore(t, 30_000)
    const release = await lock(t, path)
    let answered = false
    const call = offer(store).then((handoff) => {
      answered = true
      return handoff
    })
    // Long enough to have tried, and tried again.
    for (let i = 0; i < 5; i++) await turn()

    assert.equal(answered, false)
    await release()

    const handoff = await call
    assert.deepEqual(await store.handoff(handoff.uid), handoff)
  })

  it('can be opened and read meanwhile', async (t) => {
    const { path, store } = await newStore(t, 60)
    const handoff = await offer(store)
    const release = await lock(t, path)

    const beside = await openSqliteStore({ path, lockWaitMs: 60 })
    t.after(() => beside.close())
    assert.deepEqual(await beside.handoff(handoff.uid), handoff)
    assert.deepEqual(await store.handoff(handoff.uid), handoff)
    await release()
  })

  it('lets close end what was asked for, with the same typed error', async (t) => {
    const { path, store } = await newStore(t, 60)
    await lock(t, path)

    const call = offer(store)
    const [closed, refused] = await Promise.allSettled([store.close(), call])

    assert.equal(closed.status, 'fulfilled')
    assert.equal(refused.status === 'rejected' && refused.reason.code, 'unavailable')
  })
})

describe('a full disk', () => {
  it('refuses what does not fit, keeps all that was answered, and goes on when there is room', async (t) => {
    const place = newSqlitePlace()
    t.after(place.remove)
    const { command, args, hasRoom } = onSmallDisk(place.folder, 4, 'fill-disk.ts')

    const told = (await jsonOf(command, args)) as Filled

    assert.ok(told.filled > 5, `${told.filled} handoffs fitted`)
    assert.deepEqual([told.refusal.code, told.refusal.retry], ['unavailable', true])
    assert.deepEqual([told.lost, told.halves, told.batch[1]], [0, 0, 'unavailable'])
    if (hasRoom) {
      assert.match(told.refusal.message, /is full; nothing was written, make room/)
      assert.deepEqual([...told.batch, ...told.afterwards], ['kept', 'unavailable', 'kept', 'kept', 'kept'])
    }
  })
})

describe('a file or folder that may not be written', () => {
  it('is read, and a write is refused with the way out', async (t) => {
    const place = await prepared(t)
    chmodSync(place.path, 0o444)

    const told = await unprivileged(place.path)

    assert.deepEqual(told.opened, true)
    assert.equal(told.written?.code, 'unavailable')
    assert.match(
      told.written?.message ?? '',
      /cannot be written; check the permissions of the file and its folder/,
    )
    assert.deepEqual(told.handoffs, { offered: 1 })
  })

  it('is refused with a typed error when the folder is closed', async (t) => {
    const place = await prepared(t)
    chmodSync(place.path, 0o666)
    chmodSync(place.folder, 0o555)

    for (const mode of ['write', 'read']) {
      const told = await unprivileged(place.path, mode)
      const code = told.opened === true ? told.written?.code : told.opened.code
      assert.ok(code === 'unavailable' || code === 'store_refused', JSON.stringify(told))
    }
  })

  it('is no place for a new store, and nothing is left there', async (t) => {
    const place = newSqlitePlace()
    t.after(place.remove)
    chmodSync(place.folder, 0o555)

    for (const path of [place.path, join(place.folder, 'deep', 'er', 'baton.db')]) {
      const told = await unprivileged(path)
      assert.equal(told.opened !== true && told.opened.code, 'store_refused', JSON.stringify(told))
      assert.equal(existsSync(path), false)
    }
  })
})

async function newStore(t: TestContext, lockWaitMs: number) {
  const { path, remove } = newSqlitePlace()
  const store = await openSqliteStore({ path, lockWaitMs })
  t.after(async () => {
    await store.close()
    await remove()
  })
  return { path, store }
}

/** Takes the write lock in another process; answers how to give it back. */
async function lock(t: TestContext, path: string): Promise<() => Promise<void>> {
  const child = startProgram('lock-holder.ts', path)
  t.after(() => child.kill('SIGKILL'))
  assert.equal(await messageOf(child), 'locked')
  return async () => {
    child.send('release')
    assert.equal(await messageOf(child), 'released')
  }
}

/** A store with one handoff, in a folder that everybody may enter and write to. */
async function prepared(t: TestContext) {
  const place = newSqlitePlace()
  t.after(() => {
    chmodSync(place.folder, 0o755)
    return place.remove()
  })
  chmodSync(place.folder, 0o777)
  const store = await openSqliteStore({ path: place.path })
  await offer(store)
  await store.close()
  return place
}

interface Filled {
  readonly filled: number
  readonly refusal: { readonly code: string; readonly retry: boolean; readonly message: string }
  readonly batch: readonly string[]
  readonly afterwards: readonly string[]
  readonly lost: number
  readonly halves: number
}

interface Told {
  readonly opened: true | { readonly code: string; readonly message: string }
  readonly written?: { readonly code: string; readonly message: string }
  readonly handoffs?: unknown
}

async function unprivileged(path: string, mode = 'write'): Promise<Told> {
  const program = join(import.meta.dirname, '../../../test/faults/unprivileged.ts')
  return (await jsonOf(process.execPath, [program, path, mode])) as Told
}
