import assert from 'node:assert/strict'
import { it } from 'node:test'
import { run } from '../../../test/support/program/invoke.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { HOUR_MS } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'

const architecture = by('architecture')
const security = by('security-check')
const maria = person('maria')

/** Document 004's delegation. */
const delegate = async ({ service }: Workspace, call = architecture, to = 'security-check', more = {}) =>
  (
    await service.sending.send(call, {
      to,
      title: 'Need security validation before finalization',
      type: 'delegation',
      summary: 'API architecture defined, needs security review',
      deliverables: ['Risk report on proposed architecture'],
      constraints: ['Focus on authentication and sensitive data'],
      criteria: ['No unaddressed critical risks'],
      ...more,
    })
  ).handoff

const REPORT = {
  note: '2 risks identified, recommendations provided',
  evidence: [{ deliverable: '*', evidence: 'review-2024-01.md' }],
  artifacts: [{ path: '.project/05-quality/security/review-2024-01.md' }],
  decisions: [
    { id: 'SEC-001', decision: 'JWT with refresh token rotation', rationale: 'Security/UX balance' },
  ],
}

async function finish({ service }: Workspace, { uid }: Handoff, call = security): Promise<void> {
  await service.receiving.accept(call, uid)
  await service.receiving.submit(call, uid, REPORT)
  await service.closing.verify(maria, uid, { pass: true })
}

const inbox = async ({ service }: Workspace, name: string): Promise<readonly Handoff[]> =>
  (await service.looking.inbox(name, { limit: 50 })).items

describeOnEngines('a delegation and its return', (open) => {
  it('[S4-21] brings result, decisions and artifacts into the inbox of whoever asked', async (t) => {
    const w = await open(t)
    const asked = await delegate(w)

    await finish(w, asked)

    const [back] = await inbox(w, 'architecture')
    const { handoff, content } = await w.service.looking.get(back!.uid)
    assert.deepEqual(
      [handoff.type, handoff.from, handoff.to, handoff.in_reply_to],
      ['return', 'security-check', 'architecture', asked.uid],
    )
    assert.deepEqual(content.package.decisions, REPORT.decisions)
    assert.deepEqual(content.package.artifacts, REPORT.artifacts)
    const { result } = content.package.data as { result: typeof REPORT }
    assert.equal(result.note, REPORT.note)
  })

  it('[S4-23] is answered exactly once, however often and from wherever its end is asked for', async (t) => {
    const w = await open(t)
    const asked = await delegate(w)
    await w.service.receiving.accept(security, asked.uid)
    await w.service.receiving.submit(security, asked.uid, REPORT)
    const beside = await w.beside()

    const ends = await Promise.allSettled([
      w.service.closing.verify(maria, asked.uid, { pass: true }),
      beside.closing.verify(maria, asked.uid, { pass: true }),
      beside.closing.complete(maria, asked.uid),
      w.service.closing.verify({ ...maria, key: 'k1' }, asked.uid, { pass: true }),
      beside.receiving.reject(security, asked.uid, { type: 'other', message: 'no' }),
    ])

    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
    const items = await inbox(w, 'architecture')
    const { notices } = await w.service.looking.inbox('architecture', { limit: 50 })
    assert.equal(items.length + notices.length, 1)
  })

  it('unwinds in order where delegates delegate: each return reaches the one that asked for it', async (t) => {
    const w = await open(t)
    const scanner = by('scanner')
    const outer = await delegate(w)
    await w.service.receiving.accept(security, outer.uid)
    const inner = await delegate(w, security, 'scanner', { parent: outer.uid })
    const innermost = await delegate(w, scanner, 'archive', { parent: inner.uid })

    await w.service.receiving.accept(scanner, inner.uid)
    await finish(w, innermost, by('archive'))
    const first = [await inbox(w, 'scanner'), await inbox(w, 'architecture')]
    await w.service.receiving.submit(scanner, inner.uid, REPORT)
    await w.service.closing.verify(maria, inner.uid, { pass: true })
    const second = [await inbox(w, 'security-check'), await inbox(w, 'architecture')]
    await w.service.receiving.submit(security, outer.uid, REPORT)
    await w.service.closing.verify(maria, outer.uid, { pass: true })
    const third = await inbox(w, 'architecture')

    const returns = (items: readonly Handoff[] | undefined) =>
      items?.filter(({ type }) => type === 'return').map(({ in_reply_to }) => in_reply_to)
    assert.deepEqual(first.map(returns), [[innermost.uid], []])
    assert.deepEqual(second.map(returns), [[inner.uid], []])
    assert.deepEqual(returns(third), [outer.uid])
    assert.deepEqual([inner.root, innermost.root, innermost.depth], [outer.uid, outer.uid, 2])
  })

  it('[S4-24] cannot be overtaken: whoever delegated a part hands in after it came back, or cancels it', async (t) => {
    const w = await open(t)
    const outer = await delegate(w)
    await w.service.receiving.accept(security, outer.uid)
    const scanner = by('scanner')
    const inner = await delegate(w, security, 'scanner', { parent: outer.uid })
    const other = await delegate(w, security, 'reader', { parent: outer.uid })
    await w.service.receiving.accept(scanner, inner.uid)
    const hand = () => w.service.receiving.submit(security, outer.uid, REPORT)

    await assert.rejects(hand(), {
      code: 'unmet',
      message: `${outer.id} cannot be submitted yet: scanner has not returned ${inner.id}; wait for it, or cancel it with: baton cancel ${inner.id}; reader has not returned ${other.id}; wait for it, or cancel it with: baton cancel ${other.id}`,
    })
    await w.service.receiving.submit(scanner, inner.uid, REPORT)
    await assert.rejects(hand(), { code: 'unmet' })
    await w.service.closing.verify(security, inner.uid, { pass: true })
    await w.service.sending.cancel(security, other.uid)

    assert.equal((await hand()).state, 'in_review')
  })

  it('[S4-24] leaves the asker waiting: its own work is not done by delegating or by the return', async (t) => {
    const w = await open(t)
    const { handoff: own } = await w.service.sending.send(by('planner'), {
      to: 'architecture',
      title: 'Design the API',
      task: 'P1',
      deliverables: ['Design'],
    })
    await w.service.receiving.accept(architecture, own.uid)
    const asked = await delegate(w, architecture, 'security-check', { parent: own.uid })
    await finish(w, asked)

    const now = await w.store.handoff(own.uid)
    const task = await w.service.tasks.get('P1')

    assert.deepEqual(
      [now?.state, now?.holder, task.row.task.status],
      ['in_progress', 'architecture', 'in_progress'],
    )
    const submitted = await w.service.receiving.submit(architecture, own.uid, {
      evidence: [{ deliverable: 'Design', evidence: 'docs/api.md' }],
    })
    assert.equal(submitted.state, 'in_review')
  })

  it('wakes an asker that waits, in another process', async (t) => {
    const w = await open(t)
    const asked = await delegate(w)
    const beside = await w.beside()
    const waits = beside.wait(asked.uid, { timeout_s: 30 })

    await finish(w, asked)

    assert.equal((await waits).state, 'completed')
  })

  it('[S4-23] is there for an asker that died meanwhile and comes back as another instance', async (t) => {
    const w = await open(t)
    const asked = await delegate(w, by('architecture', { instance: 'one' }))
    await finish(w, asked)
    w.clock.pass(365 * 24 * HOUR_MS)

    const later = await w.beside()
    const back = by('architecture', { instance: 'two' })
    const { items } = await run<{ items: Handoff[] }>(later, back, 'handoff_inbox')
    await later.receiving.accept(back, items[0]!.uid)
    const closed = await later.closing.complete(back, items[0]!.uid)

    assert.deepEqual([items[0]?.type, items.length, closed.state], ['return', 1, 'completed'])
    assert.deepEqual(await inbox(w, 'architecture'), [])
  })

  it('takes what was redacted away from its return as well', async (t) => {
    const w = await open(t)
    const asked = await delegate(w)
    await finish(w, asked)

    for (const field of ['decisions', 'artifacts'])
      await run(w.service, maria, 'audit_redact', { id: asked.id, field, reason: 'leaked-key' })

    for await (const { row } of w.store.dump()) {
      const text = JSON.stringify(row)
      assert.equal(text.includes('refresh token rotation') || text.includes('05-quality'), false)
    }
  })
})
