import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ask, quick, type Where } from '../command.ts'
import { aHandoffFolder } from '../folders/handoffs.ts'
import { aQueueFolder } from '../folders/queue.ts'
import { folders } from '../folders.ts'

interface Shown {
  readonly handoff: { readonly rejection?: { type: string; message: string; by: string } }
}
interface Told {
  readonly notices: readonly { kind: string; text: string }[]
}

const noticesOf = async (where: Where, agent: string): Promise<readonly string[]> =>
  (await ask<Told>(where, 'inbox', '--as', agent)).notices.map(({ kind, text }) => `${kind}: ${text}`)

describe('the reason of a step', () => {
  it('is kept and told to the holder when work is taken back', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await ask(where, 'send', '--as', 'planner', '--to', 'codex', '--title', 'Add rate limiting')
    await ask(where, 'accept', '@', '--as', 'codex')

    await ask(where, 'handoff', 'cancel', '001', '--as', 'planner', '--reason', 'budget cut')

    const { handoff } = await ask<Shown>(where, 'show', '001')
    assert.deepEqual(
      [handoff.rejection?.type, handoff.rejection?.message, handoff.rejection?.by],
      ['cancelled', 'budget cut', 'planner'],
    )
    assert.match((await quick(where, 'show', '001')).stdout, /^Cancelled\s+by planner: budget cut$/m)
    assert.deepEqual(await noticesOf(where, 'codex'), [
      'cancelled: Handoff HO-2026-001 was cancelled: budget cut',
    ])
  })

  it('is kept and told to the old receiver when work goes to another, also before it was accepted', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await ask(where, 'send', '--as', 'planner', '--to', 'codex', '--title', 'Add rate limiting')

    await ask(where, 'handoff', 'reassign', '001', 'gemini', '--as', 'planner', '--reason', 'codex is away')

    assert.match((await quick(where, 'show', '001')).stdout, /^Reassigned\s+by planner: codex is away$/m)
    assert.deepEqual(await noticesOf(where, 'codex'), [
      'reassigned: Handoff HO-2026-001 was given to gemini: codex is away',
    ])
    await ask(where, 'accept', '001', '--as', 'gemini')
    await ask(where, 'handoff', 'reassign', '001', 'codex', '--as', 'planner')
    assert.doesNotMatch((await quick(where, 'show', '001')).stdout, /codex is away/)
  })

  it('is no refusal in a document of work that only went to another', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await ask(
      where,
      ...['send', '--as', 'planner', '--to', 'codex', '--title', 'x', '--task', 'BPRD-2026-0042'],
      ...['--purpose', 'y', '--context', 'z', '--deliverable', 'a', '--criterion', 'b'],
    )
    await ask(where, 'handoff', 'reassign', '001', 'gemini', '--as', 'planner', '--reason', 'codex is away')

    const { code, stdout, stderr } = await quick(where, 'export', '001', '--to', 'markdown')

    assert.equal(code, 0, stderr)
    assert.doesNotMatch(stdout, /codex is away/)
  })

  it('is in the file of document 000 when its sender takes it back, sent or not', async (t) => {
    const folder = await aHandoffFolder(t)
    const [sent, draft] = [await folder.send('BPRD-2026-0042'), await folder.create('BPRD-2026-0043')]

    for (const id of [sent, draft])
      await ask(folder.where, 'handoff', 'cancel', id, '--as', 'grok', '--reason', 'superseded by 0501')

    const files = folder.files().map((file) => folder.read(`_handoffs/${file}`))
    assert.equal(files.length, 2)
    for (const text of files)
      assert.match(text, /rejection_reason:\n {2}type: cancelled\n {2}message: superseded by 0501\n/)
  })

  it('is in the file of document 001 when its sender takes it back', async (t) => {
    const folder = await aQueueFolder(t)
    folder.put('pending', 'hoff-1', folder.request('hoff-1'))
    await folder.sync()

    await ask(
      folder.where,
      ...['handoff', 'cancel', 'hoff-1', '--as', 'frontend-specialist', '--reason', 'superseded by hoff-2'],
    )

    assert.deepEqual(
      (folder.file('failed', 'hoff-1').error as { message: string }).message,
      'Cancelled by its sender: superseded by hoff-2',
    )
  })
})
