import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { markdownDocument } from '../../../test/support/documents/documents.ts'
import { SLOW_TEXTS } from '../../../test/support/documents/slow-texts.ts'
import { by, openWorkspace } from '../../../test/support/program/workspace.ts'
import { exportDocument } from './export-document.ts'
import { importText } from './import.ts'
import { JOBS } from './text-jobs.ts'
import { workOn } from './text-work.ts'

const here = by('codex')
const overWire = (agent = 'codex', caller = new AbortController().signal) => ({
  ...by(agent),
  hold: { caller },
})

const handoff = (sentences: number): string =>
  `${markdownDocument()}${'The limiter is agreed. '.repeat(sentences)}\n`
const LONG = handoff(2_000)
const BLOCK = '```yaml\nhandoff:\n  phase: planning\n  from: "@a"\n  to: "@b"\n  status: complete\n```\n\n'

const WORKFLOW = 'name: release\nsteps:\n  - { id: build, agent: codex, gate: { to: maria } }\n'

/** The threads that are started during a test. */
function startedIn(t: TestContext): readonly Worker[] {
  const started: Worker[] = []
  const note = (worker: Worker) => started.push(worker)
  process.on('worker', note)
  t.after(() => process.off('worker', note))
  return started
}

const isEnded = ({ threadId }: Worker): boolean => threadId === -1

describe('work on a text', () => {
  it('[T13] answers the same from a thread, which ends with it', async (t) => {
    const started = startedIn(t)
    const texts = [{ text: BLOCK.repeat(300) }]

    assert.deepEqual(
      await workOn(overWire(), 'check', { text: LONG }, LONG),
      await JOBS.check({ text: LONG }),
    )
    assert.deepEqual(
      await workOn(overWire(), 'convert', { text: LONG, to: 'package' }, LONG),
      await JOBS.convert({ text: LONG, to: 'package' }),
    )
    assert.deepEqual(await workOn(overWire(), 'blocks', texts, { length: 30_000 }), await JOBS.blocks(texts))
    for (const definition of [
      { text: `${WORKFLOW}${'# More.\n'.repeat(3_000)}` },
      { text: WORKFLOW, name: 'other' },
      { text: 'name: [' },
    ])
      assert.deepEqual(
        await workOn(overWire(), 'definition', definition, { length: 30_000 }),
        await JOBS.definition(definition),
      )

    assert.equal(started.length, 6)
    assert.ok(started.every(isEnded))
  })

  it('needs no thread for a short text, nor for a caller that has the process for itself', async (t) => {
    const started = startedIn(t)
    const short = handoff(10)

    await workOn(overWire(), 'check', { text: short }, short)
    await workOn(here, 'check', { text: LONG }, LONG)

    assert.equal(started.length, 0)
  })

  it('is refused in a thread with the words of every other refusal', async () => {
    const input = { text: LONG, to: 'nothing' }
    const refusal = await JOBS.convert(input).catch(({ code, message, details }) => ({
      code,
      message,
      details,
    }))

    await assert.rejects(workOn(overWire(), 'convert', input, LONG), refusal)
  })

  it('[T13] ends at its limit, and the next of the same agent is done', async (t) => {
    const started = startedIn(t)
    const slow = workOn(overWire(), 'check', { text: SLOW_TEXTS.maps! }, { length: 1e6, timeLimitMs: 200 })
    const next = workOn(overWire(), 'check', { text: LONG }, LONG)

    await assert.rejects(slow, { code: 'too_large', message: /split it, or use the command line/ })
    assert.ok(started[0] && isEnded(started[0]))
    assert.equal((await next)[0]?.summary.id, 'handoff-grok-claude-BPRD-2026-0042-20260221')
  })

  it('[T13] is done one at a time for each agent, and others do not wait for it', async (t) => {
    const started = startedIn(t)
    const isHeld = { length: 1e6, timeLimitMs: 60_000 }
    const caller = new AbortController()
    const held = workOn(overWire('one', caller.signal), 'check', { text: SLOW_TEXTS.maps! }, isHeld)
    const next = workOn(overWire('one'), 'check', { text: LONG }, LONG)

    await workOn(overWire('two'), 'check', { text: LONG }, LONG)
    assert.equal(started.length, 2)

    caller.abort()
    await assert.rejects(held, { code: 'too_large' })
    await next
    assert.equal(started.length, 3)
  })

  it('[T13] is refused where a document says more than the server can keep', async () => {
    const text = handoff(1).replace('colour: green', `colour: [${Array(60_000).fill('1').join(',')}]`)

    await assert.rejects(workOn(overWire(), 'pieces', { text }, text), {
      code: 'too_large',
      message: /values/,
    })
  })

  it('takes a long document in over a wire, knows it again and gives it back as it was', async (t) => {
    const { service } = await openWorkspace(t)
    const started = startedIn(t)
    const [first] = await importText(service.deps, overWire(), { text: LONG })
    const [again] = await importText(service.deps, overWire(), { text: `${LONG}More.\n` })

    assert.equal(first?.outcome, 'imported', first?.reason)
    assert.equal(again?.outcome, 'differs')
    assert.equal((await exportDocument(service.deps, overWire(), { id: first.id! })).text, LONG)
    // The document, the other one, the kept one beside it, the export.
    assert.equal(started.length, 4)
  })
})
