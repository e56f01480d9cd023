import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  by,
  describeOnEngines,
  PACKAGE,
  person,
  UNDERSTOOD,
  type Workspace,
} from '../../../test/support/program/workspace.ts'
import type { Call } from '../deps.ts'
import { redact } from '../redaction/redact.ts'

const planner = by('planner')
const codex = by('codex')
const EVIDENCE = (...names: string[]) => ({
  evidence: names.map((deliverable) => ({ deliverable, evidence: 'src/limit.ts' })),
})

async function begun({ service }: Workspace) {
  const { handoff } = await service.sending.send(planner, {
    ...PACKAGE,
    home: 'native',
    to: 'codex',
    title: 'Add limits',
    deliverables: ['Middleware'],
    criteria: ['npm test passes'],
  })
  return service.receiving.accept(codex, handoff.uid, UNDERSTOOD)
}

describeOnEngines('an edit of work in progress', (open) => {
  it('tells the receiver, keeps its state and its lease, and shows the difference once', async (t) => {
    const w = await open(t)
    const { sending, receiving, looking } = w.service
    const { uid, lease_until } = await begun(w)
    w.clock.pass(1_000)
    await sending.amend(planner, uid, { criteria: ['npm test passes', 'p95 under 200 ms'] })
    w.clock.pass(1_000)
    const edited = await sending.amend(planner, uid, {
      title: 'Add rate limits',
      deliverables: ['Middleware', 'Manual'],
    })

    assert.deepEqual([edited.state, edited.holder, edited.lease_until], ['in_progress', 'codex', lease_until])
    const { notices } = await looking.inbox('codex', { limit: 9 })
    assert.deepEqual(notices.map(({ kind, text }) => [kind, text]).toSorted(), [
      ['edited', 'planner edited HO-2026-001 (criteria); see: baton show HO-2026-001'],
      ['edited', 'planner edited HO-2026-001 (title, deliverables); see: baton show HO-2026-001'],
    ])
    const key = { ...codex, key: 'hand-in' }
    await assert.rejects(receiving.submit(key, uid, EVIDENCE('Middleware')), {
      code: 'conflict',
      message:
        'planner edited HO-2026-001 after you accepted it. Look at the difference, then submit again: - title: Add limits; + title: Add rate limits; + deliverables: Manual; + criteria: p95 under 200 ms',
    })
    await assert.rejects(receiving.submit(codex, uid, EVIDENCE('Middleware')), {
      code: 'unmet',
      message: 'HO-2026-001 cannot be submitted yet: no evidence for "Manual"',
    })
    // The key of the refused call was not spent.
    const done = await receiving.submit({ ...codex, key: 'hand-in' }, uid, EVIDENCE('Middleware', 'Manual'))
    assert.equal(done.state, 'in_review')
    const { timeline } = await looking.get(uid)
    assert.deepEqual(
      timeline.map(({ act }) => act),
      [
        'handoff.send',
        'handoff.accept',
        'handoff.amend',
        'handoff.amend',
        'handoff.edit_seen',
        'handoff.submit',
      ],
    )
  })

  it('that was taken back asks for nothing, and an edit after a refusal is shown again', async (t) => {
    const w = await open(t)
    const { sending, receiving } = w.service
    const { uid } = await begun(w)
    await sending.amend(planner, uid, { criteria: ['p95 under 200 ms'] })
    await assert.rejects(receiving.submit(codex, uid, EVIDENCE('Middleware')), { code: 'conflict' })
    w.clock.pass(1_000)
    await sending.amend(planner, uid, { criteria: ['p95 under 100 ms'] })
    await assert.rejects(receiving.submit(codex, uid, EVIDENCE('Middleware')), {
      message: /- criteria: p95 under 200 ms; \+ criteria: p95 under 100 ms$/,
    })
    w.clock.pass(1_000)
    await sending.amend(planner, uid, { title: 'Another' })
    await sending.amend(planner, uid, { title: 'Add limits' })

    assert.equal((await receiving.submit(codex, uid, EVIDENCE('Middleware'))).state, 'in_review')
  })

  it('is not shown to a receiver that accepted the work after it', async (t) => {
    const w = await open(t)
    const { sending, receiving } = w.service
    const { uid } = await begun(w)
    await sending.amend(planner, uid, { criteria: ['p95 under 200 ms'] })
    w.clock.pass(1_000)
    await sending.reassign(planner, uid, 'gemini')
    const gemini = by('gemini')
    await receiving.accept(gemini, uid, UNDERSTOOD)

    assert.equal((await receiving.submit(gemini, uid, EVIDENCE('Middleware'))).state, 'in_review')
  })

  it('holds up the receiver that closes its own work, and the return of a delegation', async (t) => {
    const w = await open(t)
    const { sending, receiving, closing } = w.service
    const send = async (more: object) => {
      const { handoff } = await sending.send(planner, { ...PACKAGE, to: 'codex', title: 'Work', ...more })
      await receiving.accept(codex, handoff.uid, UNDERSTOOD)
      await sending.amend(planner, handoff.uid, { criteria: ['p95 under 200 ms'] })
      return handoff
    }
    const own = await send({ home: 'queue' })
    await assert.rejects(receiving.submit(codex, own.uid, { output: { ok: true } }), { code: 'conflict' })
    assert.equal((await receiving.submit(codex, own.uid, { output: { ok: true } })).state, 'completed')

    const read = await send({ home: 'package' })
    await assert.rejects(closing.complete(codex, read.uid), { code: 'conflict' })
    assert.equal((await closing.complete(codex, read.uid)).state, 'completed')

    const asked = await send({ type: 'delegation', home: 'package' })
    const answer = {
      ...PACKAGE,
      to: 'planner',
      title: 'Done',
      type: 'return' as const,
      in_reply_to: asked.uid,
    }
    await assert.rejects(sending.send(codex, answer), { code: 'conflict' })
    assert.equal((await sending.send(codex, answer)).handoff.state, 'offered')
  })

  it('is for its sender alone, and not for a file, which does not say who wrote it', async (t) => {
    const w = await open(t)
    const { uid } = await begun(w)
    const change = { criteria: [] }
    await assert.rejects(w.service.sending.amend(codex, uid, change), { code: 'not_allowed' })
    const file: Call = { actor: { name: 'planner', kind: 'agent', auth: 'file' } }
    await assert.rejects(w.service.sending.amend(file, uid, change), {
      code: 'wrong_state',
      message:
        'HO-2026-001 is in progress, and a file does not say who edits it; its sender uses: baton edit HO-2026-001',
    })
  })

  it('leaves no text behind that is redacted, also not the one from before', async (t) => {
    const w = await open(t)
    const { sending, looking, deps } = w.service
    const { uid } = await begun(w)
    await sending.amend(planner, uid, { criteria: ['key sk-live-4f9a2c81d0 is rotated'] })
    w.clock.pass(1_000)
    await sending.amend(planner, uid, { criteria: ['the key is rotated'] })
    await redact(deps, person('maria'), { id: uid, field: 'criteria', reason: 'leaked' })

    const { content } = await looking.get(uid)
    assert.doesNotMatch(JSON.stringify(content), /sk-live|npm test passes/)
  })
})
