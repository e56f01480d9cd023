import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ask, quick, refusal } from '../support/program/command.ts'
import { aPackageFolder, archived, type PackageFolder, WORKFLOW } from './package.ts'

const foreign = (from: string, summary: string): string => `handoff:
  id: HO-002
  from: { agent: ${from} }
  to: { agent: reviewer }
  context:
    summary: ${summary}
  expectations:
    deliverable: A list of risks
`

const clean = async (folder: PackageFolder): Promise<readonly [number | null, string]> => {
  const { code, stdout } = await quick(folder.where, 'folders', 'doctor')
  return [code, stdout]
}

describe('the same number in two sessions of document 004', () => {
  it('[S4-78] of two runs is no duplicate, and the number alone is refused with both', async (t) => {
    const folder = await aPackageFolder(t)
    folder.write('workflows/f.yaml', WORKFLOW)
    await ask(folder.where, 'workflow', 'start', 'f', '--as', 'o')
    const one = await ask<{ handoff: { id: string } }>(folder.where, 'show', 'HO-001')
    await ask(folder.where, 'workflow', 'start', 'f', '--as', 'o')

    const [code, found] = await clean(folder)
    const several = await refusal(folder.where, 'show', 'HO-001')

    assert.equal(one.handoff.id, 'f-1.spec')
    assert.ok(folder.has(archived('HO-001', 'f-1')) && folder.has(archived('HO-001', 'f-2')))
    assert.equal(code, 0, found)
    assert.match(several.message, /HO-001 is in 2 sessions/)
    const candidates = several.details.candidates as { id: string }[]
    assert.deepEqual(candidates.map(({ id }) => id).sort(), ['f-1.spec', 'f-2.spec'])
  })

  it('[S4-78] [S4-05] of two files without a time is two handoffs, and the number alone is refused with both', async (t) => {
    const folder = await aPackageFolder(t)
    folder.write(
      archived('HO-002', 's-3'),
      foreign('architect', 'The login module needs a review of its risks'),
    )
    folder.write(
      archived('HO-002', 's-4'),
      foreign('planner', 'The billing module needs another pair of eyes'),
    )
    await folder.sync()

    const { items } = await ask<{ items: { id: string; uid: string; from: string }[] }>(
      folder.where,
      ...['handoff', 'list'],
    )
    const several = await refusal(folder.where, 'show', 'HO-002')
    const candidates = several.details.candidates as { id: string }[]
    const shown = await Promise.all(
      candidates.map(({ id }) => ask<{ handoff: { from: string } }>(folder.where, 'show', id)),
    )
    const [code, found] = await clean(folder)

    assert.deepEqual(items.map(({ from }) => from).sort(), ['architect', 'planner'])
    assert.deepEqual(shown.map(({ handoff }) => handoff.from).sort(), ['architect', 'planner'])
    for (const as of ['architect', 'planner'])
      assert.ok(await ask(folder.where, 'show', '@', '--as', as), 'the only one of a sender is found by @')
    assert.equal(code, 0, found)
    assert.deepEqual(await folder.sync(), [])
  })
})
