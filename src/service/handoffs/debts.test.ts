import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  by,
  describeOnEngines,
  PACKAGE,
  person,
  START,
  UNDERSTOOD,
  type Workspace,
} from '../../../test/support/program/workspace.ts'
import { HOUR_MS } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'

const planner = by('planner')
const codex = by('codex')
const WEEK_MS = 7 * 24 * HOUR_MS

const delegate = async ({ service }: Workspace, more = {}) =>
  (
    await service.sending.send(planner, {
      to: 'codex',
      title: 'Check the design',
      type: 'delegation',
      task: 'P1',
      ...more,
    })
  ).handoff

async function complete({ service }: Workspace, { uid }: Handoff, verifier = person('maria')): Promise<void> {
  await service.receiving.accept(codex, uid)
  await service.receiving.submit(codex, uid, { note: 'All good', output: { ok: true } })
  await service.closing.verify(verifier, uid, { pass: true })
}

/** What reached the asker: handoffs in its inbox and notices it has not seen. */
async function received({ service }: Workspace) {
  const { items, notices } = await service.looking.inbox('planner', { limit: 50 })
  return {
    returns: items.filter(({ type }) => type === 'return').map(({ id }) => id),
    notices: notices.map(({ kind, text }) => `${kind}: ${text}`),
  }
}

/** Every way in which a delegation can end, and what the asker must then have, once. */
const ENDS: Readonly<
  Record<string, { end: (w: Workspace, h: Handoff) => Promise<unknown>; returns?: true; notice?: string }>
> = {
  completed: { end: (w, handoff) => complete(w, handoff), returns: true },
  failed: {
    end: async ({ service }, { uid }) => {
      await service.receiving.accept(codex, uid)
      await service.receiving.fail(codex, uid, { message: 'no compiler' })
    },
    notice: 'failed: Handoff HO-2026-001 failed: no compiler',
  },
  'rejected when offered': {
    end: ({ service }, { uid }) =>
      service.receiving.reject(codex, uid, { type: 'other', message: 'not mine' }),
    notice: 'rejected: Handoff rejected: not mine',
  },
  'returned when under way': {
    end: async ({ service }, { uid }) => {
      await service.receiving.accept(codex, uid)
      await service.receiving.reject(codex, uid, { type: 'other', message: 'too large' })
    },
    notice: 'rejected: Handoff rejected: too large',
  },
  expired: {
    end: async ({ service, clock }) => {
      clock.pass(24 * HOUR_MS)
      await service.settle()
    },
    notice: 'expired: Handoff HO-2026-001 expired without acknowledgment',
  },
  'failed by silence': {
    end: async ({ service, clock }, { uid }) => {
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        await service.receiving.accept(codex, uid)
        clock.pass(2 * HOUR_MS)
        await service.settle()
        clock.pass(120_000)
        await service.settle()
      }
    },
    notice: 'failed: Handoff HO-2026-001 failed: codex sent no heartbeat for 7200 seconds',
  },
}

describeOnEngines('a delegation', (open) => {
  it('does not keep its asker from handing in by the texts that its receiver wrote', async (t) => {
    const { service } = await open(t)
    const { sending, receiving } = service
    const { handoff } = await sending.send(by('boss'), { to: 'planner', title: 'Launch', home: 'native' })
    await receiving.accept(planner, handoff.uid)
    const part = await delegate({ service } as Workspace, { parent: handoff.uid })
    await receiving.accept(codex, part.uid)
    await receiving.heartbeat(codex, part.uid, { blocked: 'the log says: \u0000' })
    await receiving.fail(codex, part.uid, { message: 'it cannot be done' })

    assert.equal((await receiving.submit(planner, handoff.uid, { note: 'All good' })).state, 'in_review')
  })

  for (const [name, { end, returns, notice }] of Object.entries(ENDS))
    it(`that is ${name} is answered exactly once`, async (t) => {
      const w = await open(t)
      const delegation = await delegate(w)

      await end(w, delegation)
      await w.service.settle()
      await w.service.settle()

      assert.equal((await w.store.handoff(delegation.uid))?.debt, 'answered')
      assert.deepEqual(await received(w), {
        returns: returns ? ['HO-2026-001-R'] : [],
        notices: notice ? [notice] : [],
      })
    })

  it('that is open owes an answer, and other work owes none', async (t) => {
    const w = await open(t)

    const delegation = await delegate(w)
    const plain = await delegate(w, { type: 'sequential', task: 'P2' })

    assert.deepEqual([delegation.debt, plain.debt], ['open', undefined])
    assert.deepEqual(await received(w), { returns: [], notices: [] })
  })

  it('comes back as a handoff with its result, in the chain of the delegation', async (t) => {
    const w = await open(t)
    const delegation = await delegate(w, { priority: 'high' })

    await complete(w, delegation)

    const { handoff, content } = await w.service.looking.get('HO-2026-001-R')
    assert.deepEqual(
      [handoff.type, handoff.state, handoff.from, handoff.to, handoff.task, handoff.priority],
      ['return', 'offered', 'codex', 'planner', 'P1', 'high'],
    )
    assert.deepEqual(
      [handoff.root, handoff.parent, handoff.in_reply_to, handoff.depth],
      [delegation.uid, delegation.uid, delegation.uid, 1],
    )
    assert.equal(content.package.summary, 'Handoff HO-2026-001 is completed')
    assert.deepEqual(content.package.data, {
      result: { note: 'All good', output: { ok: true }, submitted_at: START },
    })
  })

  it('that its asker verified comes back closed, and nothing waits for the asker', async (t) => {
    const w = await open(t)
    const delegation = await delegate(w)

    await complete(w, delegation, planner)

    const { handoff, content } = await w.service.looking.get('HO-2026-001-R')
    assert.deepEqual(
      [handoff.state, handoff.in_reply_to, handoff.waiting_for, handoff.ended_at],
      ['completed', delegation.uid, undefined, START],
    )
    assert.equal((content.package.data as { result: { note: string } }).result.note, 'All good')
    assert.deepEqual(await received(w), { returns: [], notices: [] })
  })

  it('that failed, was tried again and is then completed comes back as well', async (t) => {
    const w = await open(t)
    const delegation = await delegate(w)
    await ENDS.failed?.end(w, delegation)

    await w.service.receiving.retry(planner, delegation.uid)
    await complete(w, delegation)

    assert.deepEqual(await received(w), {
      returns: ['HO-2026-001-R'],
      notices: ['failed: Handoff HO-2026-001 failed: no compiler'],
    })
  })

  it('that failed and was given to another comes back from the other', async (t) => {
    const w = await open(t)
    const delegation = await delegate(w)
    await ENDS.failed?.end(w, delegation)

    const moved = await w.service.sending.reassign(planner, delegation.uid, 'gemini')
    await w.service.receiving.accept(by('gemini'), delegation.uid)
    await w.service.receiving.submit(by('gemini'), delegation.uid, { note: 'Done' })
    await w.service.closing.verify(planner, delegation.uid, { pass: true })

    assert.equal(moved.debt, 'open')
    assert.equal((await w.store.handoff('HO-2026-001-R'))?.from, 'gemini')
  })

  it('that its sender takes back owes nothing more, and its holder is told', async (t) => {
    const w = await open(t)
    const delegation = await delegate(w)
    await w.service.receiving.accept(codex, delegation.uid)

    const cancelled = await w.service.sending.cancel(planner, delegation.uid)

    assert.equal(cancelled.debt, 'answered')
    assert.deepEqual(await received(w), { returns: [], notices: [] })
    const { notices } = await w.service.looking.inbox('codex', { limit: 5 })
    assert.deepEqual(
      notices.map(({ kind, text }) => `${kind}: ${text}`),
      ['cancelled: Handoff HO-2026-001 was cancelled'],
    )
  })

  it('in the queue of document 001 comes back when its receiver alone completes it', async (t) => {
    const w = await open(t)
    const delegation = await delegate(w, { home: 'queue' })
    await w.service.receiving.accept(codex, delegation.uid)

    await w.service.receiving.submit(codex, delegation.uid, { output: { path: 'a.json' } })

    assert.deepEqual((await received(w)).returns, ['HO-2026-001-R'])
  })

  it('of a delegate that delegates further comes back step by step', async (t) => {
    const w = await open(t)
    const outer = await delegate(w)
    await w.service.receiving.accept(codex, outer.uid)
    const inner = await w.service.sending.send(codex, {
      to: 'gemini',
      title: 'Look closer',
      type: 'delegation',
      task: 'P1',
    })
    await w.service.receiving.accept(by('gemini'), inner.handoff.uid)
    await w.service.receiving.submit(by('gemini'), inner.handoff.uid, { note: 'Fine' })
    await w.service.closing.verify(codex, inner.handoff.uid, { pass: true })
    await w.service.receiving.submit(codex, outer.uid, { note: 'Fine, says gemini' })
    await w.service.closing.verify(planner, outer.uid, { pass: true })

    const back = ['HO-2026-001-R', 'HO-2026-002-R'].map((id) => w.store.handoff(id))

    assert.deepEqual(
      (await Promise.all(back)).map((h) => `${h?.from} → ${h?.to}`),
      ['codex → planner', 'gemini → codex'],
    )
  })
})

describeOnEngines('a return', (open) => {
  it('never expires, whatever its home and however long it waits', async (t) => {
    for (const home of ['native', 'queue', 'package'] as const) {
      const w = await open(t)
      const delegation = await delegate(w, home === 'package' ? PACKAGE : { home })
      await w.service.receiving.accept(codex, delegation.uid, home === 'package' ? UNDERSTOOD : {})
      await w.service.receiving.submit(codex, delegation.uid, { output: { ok: true } })
      if (home === 'native') await w.service.closing.verify(person('maria'), delegation.uid, { pass: true })

      w.clock.pass(52 * WEEK_MS)
      await w.service.settle()
      const waiting = await w.store.handoff('HO-2026-001-R')
      await w.service.receiving.accept(planner, 'HO-2026-001-R')
      w.clock.pass(52 * WEEK_MS)
      await w.service.settle()

      assert.deepEqual([waiting?.state, waiting?.ack_deadline], ['offered', undefined], home)
      assert.equal((await w.store.handoff('HO-2026-001-R'))?.state, 'in_progress', home)
    }
  })

  it('does not begin to expire when its asker asks something about it', async (t) => {
    const w = await open(t)
    await complete(w, await delegate(w))
    await w.service.receiving.ask(planner, 'HO-2026-001-R', 'Also the second file?')
    await w.service.receiving.answer(codex, 'HO-2026-001-R', 'Yes')

    w.clock.pass(52 * WEEK_MS)
    await w.service.settle()

    assert.equal((await w.store.handoff('HO-2026-001-R'))?.state, 'offered')
  })

  it('is closed by its asker alone and owes nothing itself', async (t) => {
    const w = await open(t)
    await complete(w, await delegate(w))
    await w.service.receiving.accept(planner, 'HO-2026-001-R')

    await assert.rejects(w.service.closing.complete(codex, 'HO-2026-001-R'), { code: 'not_allowed' })
    const closed = await w.service.closing.complete(planner, 'HO-2026-001-R')

    assert.deepEqual([closed.state, closed.debt], ['completed', undefined])
    assert.deepEqual(await w.service.looking.inbox('codex', { limit: 5 }), { items: [], notices: [] })
    assert.equal(await w.store.handoff('HO-2026-001-R-R'), undefined)
  })
})
