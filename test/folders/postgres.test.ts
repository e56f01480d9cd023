import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { ask } from '../support/program/command.ts'
import { newDatabase } from '../support/store/store-places.ts'
import { acknowledged, active, aHandoffFolder } from './handoffs.ts'

it('a live folder follows a store on PostgreSQL; what is known of the files stays on this machine', async (t) => {
  const store = await newDatabase()
  const folder = await aHandoffFolder(t, (text) => text, { BATON_STORE: store })
  const id = await folder.send('BPRD-2026-0042')

  folder.edit(id, ...acknowledged('claude'))
  await folder.sync()
  assert.equal(await folder.state(id), 'accepted')
  await ask(folder.where, 'reject', id, '--as', 'claude', '--reason', 'no')

  assert.equal(folder.has(active(id)), false)
  assert.deepEqual(folder.files().length, 1)
  assert.deepEqual([folder.has('.baton/folders.db'), folder.has(join('.baton', 'baton.db'))], [true, false])
})
