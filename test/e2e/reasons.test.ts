import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { aHandoffFolder } from '../folders/handoffs.ts'
import { aQueueFolder } from '../folders/queue.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, quick, type Where } from '../support/program/command.ts'

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

  it('of an earlier step is not the reason in the file when its sender takes it back without one', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send('BPRD-2026-0042')
    await ask(folder.where, 'handoff', 'reassign', id, 'abacus', '--as', 'grok', '--reason', 'claude is away')

    await ask(folder.where, 'handoff', 'cancel', id, '--as', 'grok')

    const [text] = folder.files().map((file) => folder.read(`_handoffs/${file}`))
    assert.match(text!, /message: cancelled by the sender\n/)
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

const HOOK = ['hook', 'session-start', '--agent', 'codex', '--for', 'claude-code'] as const
const REASON = 'the middleware is empty; fill it'

/** Work of two deliverables that codex handed in and planner gave back. */
async function givenBack(t: TestContext): Promise<Where> {
  const where = { cwd: folders(t).repository('shop') }
  await ask(
    where,
    ...['send', '--as', 'planner', '--to', 'codex', '--title', 'Add rate limiting'],
    ...['--deliverable', 'Middleware', '--deliverable', 'Tests'],
  )
  await ask(where, 'accept', '@', '--as', 'codex')
  await handIn(where)
  await ask(where, 'verify', '001', '--as', 'planner', '--fail', REASON)
  return where
}

const handIn = (where: Where) =>
  ask(
    where,
    ...['submit', '001', '--as', 'codex'],
    ...['--evidence', 'Middleware=src/limit.ts', '--evidence', 'Tests=npm test'],
  )

describe('work that is given back', () => {
  it('shows the reason to whoever works on it, and no tick at what was refused', async (t) => {
    const where = await givenBack(t)

    const { stdout } = await quick(where, 'show', '001', '--as', 'codex')

    assert.match(stdout, new RegExp(`^Given back\\s+by planner: ${REASON}$`, 'm'))
    assert.match(stdout, /^Deliverable\s+✗ Middleware$/m)
    assert.doesNotMatch(stdout, /✓/)
  })

  it('has the reason in the inbox, for people and for programs', async (t) => {
    const where = await givenBack(t)

    const { items } = await ask<{ items: Shown['handoff'][] }>(where, 'inbox', '--as', 'codex')
    const { stdout } = await quick(where, 'inbox', '--as', 'codex')

    assert.deepEqual(
      items.map(({ rejection }) => [rejection?.type, rejection?.message, rejection?.by]),
      [['given_back', REASON, 'planner']],
    )
    assert.match(stdout, new RegExp(`Add rate limiting · given back by planner: ${REASON}`))
  })

  it('has the reason in what a session hears when it starts', async (t) => {
    const where = await givenBack(t)

    const { stdout } = await quick({ ...where, input: '{}' }, ...HOOK)

    assert.ok(stdout.includes(REASON), stdout)
  })

  it('is handed in again without the reason and with its ticks', async (t) => {
    const where = await givenBack(t)

    await handIn(where)

    const [shown, verifier] = [
      await quick(where, 'show', '001', '--as', 'codex'),
      await quick(where, 'inbox', '--as', 'planner'),
    ]
    assert.match(shown.stdout, /^Deliverable\s+✓ Middleware$/m)
    assert.doesNotMatch(verifier.stdout, /given back/)
    await ask(where, 'verify', '001', '--as', 'planner', '--pass')
    const { handoff } = await ask<Shown>(where, 'show', '001')
    assert.equal(handoff.rejection, undefined)
    assert.doesNotMatch((await quick(where, 'show', '001')).stdout, /Given back/)
  })
})

describe('the answer to a question', () => {
  it('comes to the inbox of whoever asked, and to its next session', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await ask(where, 'send', '--as', 'planner', '--to', 'codex', '--title', 'Paint it')
    await ask(where, 'accept', '@', '--as', 'codex')
    await ask(where, 'ask', '001', 'which colour?', '--as', 'codex')

    await ask(where, 'answer', '001', 'the blue one', '--as', 'planner')

    assert.deepEqual(await noticesOf(where, 'codex'), [
      'answered: planner answered about HO-2026-001: the blue one',
    ])
    const { stdout } = await quick({ ...where, input: '{}' }, ...HOOK)
    assert.ok(stdout.includes('the blue one'), stdout)
  })
})
