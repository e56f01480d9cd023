import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { markdownFolder } from '../../src/folders/markdown/kind.ts'
import { syncFolders } from '../../src/folders/sync.ts'
import type { Store } from '../../src/service/service.ts'
import type { Unit } from '../../src/storage/store.ts'
import { folders } from '../support/documents/folders.ts'
import { by, openWorkspace } from '../support/program/workspace.ts'
import { foreign } from './foreign.ts'

describe('the steps of a file', () => {
  it('are not taken on a handoff that moved since they were planned: the file is looked at again', async (t) => {
    let moves: (() => Promise<unknown>) | undefined
    const moving = (store: Store): Store =>
      new Proxy(store, {
        get(target, name) {
          const value = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          if (name !== 'transact') return value.bind(target)
          return async (unit: Unit<unknown>) => {
            if (unit.reads.handoffs?.length) await moves?.()
            return target.transact(unit)
          }
        },
      })
    const w = await openWorkspace(t, { wrap: moving })
    const root = folders(t).folder('project')
    const dir = join(root, '.baton')
    mkdirSync(join(root, '_handoffs/active'), { recursive: true })
    mkdirSync(dir)
    const live = [{ kind: markdownFolder, path: '_handoffs', accept: [] }]
    const sync = () => syncFolders({ root, dir, folders: live, service: w.service, host: 'here' })
    const { id, text } = foreign()
    const file = join(root, '_handoffs/active', `${id}.md`)
    writeFileSync(file, text)
    await sync()
    await w.service.receiving.accept(by('claude'), id)
    await sync()
    const returned = readFileSync(file, 'utf8')
      .replace('status: Acknowledged', 'status: Rejected')
      .replace(/\n---\n\n/, '\nrejection_reason: No access\n---\n\n')
    writeFileSync(file, returned)
    const beside = await w.beside()

    moves = () => beside.receiving.heartbeat(by('claude'), id, { progress: 10 })
    const happened = await sync()
    const between = await w.store.handoff(id)
    moves = undefined
    await sync()

    const left = 'it changes all the time; the next pass looks again'
    assert.ok(happened.every(({ what, reason }) => what === 'left' && reason === left))
    assert.equal(between?.state, 'accepted')
    assert.equal((await w.store.handoff(id))?.state, 'rejected')
  })
})
