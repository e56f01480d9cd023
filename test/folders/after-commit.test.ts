import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { createService, openStore } from '../../src/compose/main.ts'
import { queueFolder } from '../../src/folders/queue/kind.ts'
import { syncFolders } from '../../src/folders/sync.ts'
import type { Service } from '../../src/service/service.ts'
import { by } from '../support/program/workspace.ts'

it('[S1-109] a file whose step was committed is not refused for what comes after it', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'baton-after-'))
  const store = await openStore({ engine: 'sqlite', path: ':memory:' })
  t.after(async () => {
    await store.close()
    rmSync(root, { recursive: true })
  })
  let end: () => Promise<unknown> = async () => undefined
  const service: Service = createService(store, {
    home: 'queue',
    // The sender gives the work up while the receiver looks for its inputs.
    runChecks: async (checks) => {
      await end()
      return checks.map(({ kind }) => ({ name: kind, ok: false }))
    },
  })
  const folders = [{ kind: queueFolder, path: 'live', accept: [] }]
  const options = { root, dir: join(root, '.baton'), folders, service, host: 'test' }
  mkdirSync(options.dir)
  const artifacts = [{ path: 'docs/spec.md', type: 'spec', role: 'input' as const }]
  const work = { to: 'ben', title: 'Build', alias: 'hnd-1', artifacts }
  const { uid } = (await service.sending.send(by('ann'), work)).handoff
  await syncFolders(options)
  end = () => service.sending.cancel(by('ann'), uid)
  const moved = join(root, 'live/handoffs/in-progress/hnd-1.json')
  renameSync(join(root, 'live/handoffs/pending/hnd-1.json'), moved)
  utimesSync(moved, 1, 1)

  const happened = await syncFolders(options, { complete: true })

  assert.deepEqual(
    happened.filter(({ what }) => what === 'refused').map(({ reason }) => reason),
    [],
  )
  assert.equal((await store.handoff(uid))?.state, 'cancelled')
})
