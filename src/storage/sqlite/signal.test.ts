import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { messageOf, startProgram } from '../../../test/faults/child.ts'
import { newSqlitePlace } from '../../../test/support/store/store-places.ts'
import { offer, until } from '../../../test/support/store/store-units.ts'
import { Signal } from './signal.ts'
import { openSqliteStore } from './sqlite-store.ts'

describe('the signal file', () => {
  it('wakes a process by a commit of another one, when the commit can be read', async (t) => {
    const { path, target, remove } = newSqlitePlace()
    const store = await openSqliteStore({ path })
    const child = startProgram('subscriber.ts', JSON.stringify(target))
    t.after(async () => {
      child.kill('SIGKILL')
      await store.close()
      await remove()
    })
    assert.equal(await messageOf(child), 'ready')

    const heard = messageOf(child)
    await offer(store)

    assert.deepEqual(await heard, { entries: 1 })
  })

  it('is no condition for a commit: where it cannot be touched, nobody fails', async (t) => {
    const { path, folder, remove } = newSqlitePlace()
    t.after(remove)
    mkdirSync(join(folder, 'notify'))
    const store = await openSqliteStore({ path })
    t.after(() => store.close())
    let calls = 0
    const leave = store.subscribe(() => {
      calls += 1
    })

    await offer(store)
    leave()

    assert.ok(calls > 0, 'its own process is told without the file')
  })

  it('wakes those who subscribe again after everybody had left', async (t) => {
    const { folder, remove } = newSqlitePlace()
    const path = join(folder, 'notify')
    const [sender, receiver] = [new Signal(path), new Signal(path)]
    t.after(() => {
      sender.close()
      receiver.close()
      return remove()
    })
    let calls = 0
    receiver.subscribe(() => undefined)()
    receiver.subscribe(() => {
      calls += 1
    })

    await until('the second subscription is woken', () => {
      sender.send()
      return calls > 0
    })
  })

  it('may disappear under a waiting process', async (t) => {
    const { folder, remove } = newSqlitePlace()
    const signal = new Signal(join(folder, 'notify'))
    t.after(() => signal.close())
    signal.subscribe(() => undefined)
    rmSync(join(folder, 'notify'))
    remove()

    signal.send()
  })
})
