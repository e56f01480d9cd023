import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask } from '../support/program/command.ts'
import { foreign } from './foreign.ts'
import { active, handoffFolderAt } from './handoffs.ts'
import { archived, packageFolderAt } from './package.ts'

const VACUOUS = `handoff:
  from: {agent: specification, step: 2}
  to: {agent: architecture, reason: "Next step"}
  context:
    summary: "It's done"
`

describe('a file that lies in a live folder at the first pass', () => {
  it('[S4-29] is judged by the rules of sending where baton init made the folder', async (t) => {
    const root = folders(t).repository('project')
    await ask({ cwd: root }, 'init', '--dialect', 'package')
    const folder = packageFolderAt(root)
    folder.write(archived('HO-001', 'S1'), VACUOUS)

    const happened = await folder.sync()

    assert.deepEqual(
      happened.filter(({ what }) => what !== 'written').map(({ what }) => what),
      ['refused'],
    )
    assert.match(folder.read(`${archived('HO-001', 'S1')}.problem`), /summary/)
    assert.deepEqual((await ask<{ items: unknown[] }>(folder.where, 'handoff', 'list')).items, [])
  })

  it('is adopted where it was there before baton init', async (t) => {
    const root = folders(t).repository('project')
    const folder = packageFolderAt(root)
    folder.write(archived('HO-001', 'S1'), VACUOUS)
    await ask({ cwd: root }, 'init', '--dialect', 'package')

    await folder.sync()

    assert.equal((await folder.show('HO-001')).state, 'offered')
  })

  it('[S0-34] is sent with the whole time to be accepted, and refused where it was begun elsewhere', async (t) => {
    const root = folders(t).repository('project')
    await ask({ cwd: root }, 'init', '--dialect', 'markdown')
    const folder = handoffFolderAt(root)
    const { id, text } = foreign({ status: 'Active' })
    folder.write(active(id), text.replace(/^expires_at: .*$/m, 'expires_at: 2024-01-15T18:00:00Z'))
    const begun = foreign({ status: 'Acknowledged', task: 'BPRD-2026-0077' })
    folder.write(active(begun.id), begun.text)

    await folder.sync()
    await folder.sync()

    assert.equal(await folder.state(id), 'offered')
    assert.ok(Date.parse(/^expires_at: "?([^"\n]*)/m.exec(folder.read(active(id)))?.[1] ?? '') > Date.now())
    assert.ok(folder.has(`${active(begun.id)}.problem`))
  })
})
