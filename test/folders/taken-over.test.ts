import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { ask, quick } from '../support/program/command.ts'
import { foreign } from './foreign.ts'
import { acknowledged, active, aHandoffFolder, type HandoffFolder } from './handoffs.ts'
import { aPackageFolder, archived } from './package.ts'

interface Imported {
  readonly items: readonly { readonly outcome: string; readonly reason?: string }[]
}

/** A file of work that was begun elsewhere, put into the folder after its first pass. */
async function begunElsewhere(folder: HandoffFolder, ...changes: readonly (readonly [string, string])[]) {
  const { id, text } = foreign({ status: 'Active' })
  await folder.sync()
  folder.write(active(id), text)
  folder.edit(id, ...changes)
  const [refused] = await folder.sync()
  return { id, reason: refused?.reason ?? '' }
}

const AT = [['acknowledged_at: null', 'acknowledged_at: 2026-02-21T15:00:00Z']] as const

const index = (folder: HandoffFolder) =>
  parse(folder.read('_handoffs/_index.yaml')).active_handoffs.map((each: { id: string }) => each.id)

const drift = async (folder: Pick<HandoffFolder, 'where'>) =>
  (await ask<{ findings: { code: string }[] }>(folder.where, 'folders', 'doctor')).findings

describe('a file of a live folder that is taken over with baton import', () => {
  it('[S0-20] [S0-90] [S0-93] is the file of its handoff from then on, to the archive', async (t) => {
    const folder = await aHandoffFolder(t)
    const { id, reason } = await begunElsewhere(folder, ...acknowledged('claude'), ...AT)

    await ask(folder.where, 'import', `_handoffs/active/${id}.md`)
    const [files, listed, found] = [folder.files(), index(folder), await drift(folder)]
    await ask(folder.where, 'submit', id, '--as', 'claude', '--evidence', 'Middleware=PR 1')
    await ask(folder.where, 'verify', id, '--as', 'perplexity', '--pass')

    assert.match(reason, /use: baton import/)
    assert.deepEqual([files, listed, found], [[`active/${id}.md`], [id], []])
    const month = new Date().toISOString().slice(0, 7).replace('-', '/')
    assert.deepEqual(folder.files(), [`archived/${month}/${id}.md`])
    assert.match(folder.read(`_handoffs/archived/${month}/${id}.md`), /^ticket: JIRA-7 # ours$/m)
    assert.deepEqual([index(folder), await drift(folder)], [[], []])
  })

  it('[S0-20] goes to the archive at once where it says that it has ended', async (t) => {
    const folder = await aHandoffFolder(t)
    const { id } = await begunElsewhere(
      folder,
      ['status: Active', 'status: Complete'],
      ['acknowledged_by: null', 'acknowledged_by: claude'],
      ['completed_at: null', 'completed_at: 2026-03-01T10:00:00Z'],
      ['completion_verified_by: null', 'completion_verified_by: perplexity'],
    )

    await ask(folder.where, 'import', `_handoffs/active/${id}.md`)

    assert.deepEqual(folder.files(), [`archived/2026/03/${id}.md`])
    assert.deepEqual([index(folder), await drift(folder)], [[], []])
  })

  it('[S0-61] is refused with the fix where nobody acknowledged it, and nothing is made of it', async (t) => {
    const folder = await aHandoffFolder(t)
    const { id, reason } = await begunElsewhere(folder, ['status: Active', 'status: Acknowledged'])

    const { code, stdout } = await quick(folder.where, 'import', `_handoffs/active/${id}.md`, '--json')

    const fix =
      /acknowledged_by and acknowledged_at are empty; write acknowledged_by: claude and .*, or status: Active/
    assert.match(reason, fix)
    const [item] = (JSON.parse(stdout) as Imported).items
    assert.deepEqual([code, item?.outcome], [8, 'refused'])
    assert.match(item?.reason ?? '', fix)
    assert.deepEqual(folder.files(), [`active/${id}.md`, `active/${id}.md.problem`])
  })

  it('[S4-77] is the file of its package in the session in which it lies', async (t) => {
    const folder = await aPackageFolder(t)
    const id = await folder.send()
    const text = folder.read(archived(id)).replace(/\n {2}x_baton:\n(?: {4}.*\n)*/, '\n')
    const path = archived('HO-900', 'elsewhere')
    folder.write(path, text.replaceAll(id, 'HO-900').replace(/status: .*/, 'status: acknowledged'))
    const [refused] = await folder.sync()

    await ask(folder.where, 'import', path)

    assert.match(refused?.reason ?? '', /use: baton import/)
    assert.match(folder.read(path), /x_baton:/)
    assert.equal(folder.has(`${path}.problem`), false)
    assert.deepEqual(await drift(folder), [])
  })
})
