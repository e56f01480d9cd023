import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, START, type Workspace } from '../../../test/support/program/workspace.ts'
import { HOUR_MS } from '../../domain/handoffs/deadlines.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import {
  MARKDOWN_STATUSES,
  MARKDOWN_TRANSITIONS,
  markdownStatus,
} from '../../domain/handoffs/markdown-status.ts'

const MINUTE_MS = 60_000
const grok = by('grok')
const claude = by('claude')
const perplexity = by('perplexity')

/** The sample of document 000. */
const SAMPLE = {
  to: 'claude',
  title: 'Implement API Rate Limiting',
  task: 'BPRD-2026-0042',
  deliverables: ['Implemented rate limiting middleware', 'Test coverage >90%', 'Documentation updated'],
}
const EVIDENCE = SAMPLE.deliverables.map((deliverable) => ({ deliverable, evidence: `see ${deliverable}` }))

const create = async ({ service }: Workspace) => (await service.sending.create(grok, SAMPLE)).handoff
const finalise = ({ service }: Workspace, { uid }: Handoff) => service.sending.sendDraft(grok, uid)
const acknowledge = ({ service }: Workspace, { uid }: Handoff) =>
  service.receiving.accept(claude, uid, { notes: 'Will start tomorrow' })
const decline = ({ service }: Workspace, { uid }: Handoff) =>
  service.receiving.reject(claude, uid, { type: 'other', message: 'no time' })
const verify = ({ service }: Workspace, { uid }: Handoff) =>
  service.closing.verify(perplexity, uid, { pass: true })
const expire = async ({ service, clock }: Workspace) => {
  clock.pass(4 * HOUR_MS)
  await service.settle()
}

/** A handoff in each status of the document, reached as the document says. */
const REACH: Readonly<Record<(typeof MARKDOWN_STATUSES)[number], (w: Workspace) => Promise<Handoff>>> = {
  Created: create,
  Active: async (w) => (await finalise(w, await create(w))).handoff,
  Acknowledged: async (w) => acknowledge(w, await REACH.Active(w)),
  Complete: async (w) => {
    const handoff = await REACH.Acknowledged(w)
    await w.service.receiving.submit(claude, handoff.uid, { evidence: EVIDENCE })
    return verify(w, handoff)
  },
  Expired: async (w) => {
    const handoff = await REACH.Active(w)
    await expire(w)
    return now(w, handoff)
  },
  Rejected: async (w) => decline(w, await REACH.Active(w)),
}

/** Everything that could lead to a status of the document, by whoever may do it. */
const TOWARDS: Readonly<
  Record<(typeof MARKDOWN_STATUSES)[number], ((w: Workspace, h: Handoff) => Promise<unknown>)[]>
> = {
  Created: [],
  Active: [
    finalise,
    (w, h) => w.service.sending.reassign(grok, h.uid, 'abacus'),
    (w, h) => w.service.receiving.retry(grok, h.uid),
    (w, h) => w.service.receiving.answer(grok, h.uid, 'yes'),
  ],
  Acknowledged: [acknowledge, (w, h) => w.service.receiving.accept(claude, h.uid, { start: true })],
  Complete: [verify, (w, h) => w.service.closing.complete(perplexity, h.uid)],
  Expired: [expire],
  Rejected: [decline, (w, h) => w.service.receiving.fail(claude, h.uid, { message: 'broken' })],
}

async function now({ store }: Workspace, { uid }: Handoff): Promise<Handoff> {
  const found = await store.handoff(uid)
  assert.ok(found)
  return found
}

describeOnEngines('a handoff of document 000', (openBare) => {
  const open: typeof openBare = (t, options) => openBare(t, { home: 'markdown', ...options })

  it('[S0-23] becomes Active when its sender finalises it', async (t) => {
    const w = await open(t)
    const created = await create(w)

    const { handoff } = await finalise(w, created)

    assert.deepEqual([created, handoff].map(markdownStatus), ['Created', 'Active'])
  })

  it('[S0-24] [S0-33] expires one hour after it was created when nobody finalises it', async (t) => {
    const w = await open(t)
    const created = await create(w)

    w.clock.pass(HOUR_MS - 1)
    await w.service.settle()
    const before = await now(w, created)
    w.clock.pass(1)
    await w.service.settle()

    assert.equal(markdownStatus(before), 'Created')
    assert.equal(markdownStatus(await now(w, created)), 'Expired')
  })

  it('[S0-39] says from the start when it will expire', async (t) => {
    const created = await create(await open(t))

    assert.equal(created.created_at, START)
    assert.equal(created.ack_deadline, '2026-02-21T15:30:00.000Z')
  })

  it('[S0-25] [S0-75] becomes Acknowledged when its recipient confirms, with time, name and notes', async (t) => {
    const w = await open(t)
    const active = await REACH.Active(w)
    w.clock.pass(MINUTE_MS)

    const handoff = await acknowledge(w, active)

    assert.equal(markdownStatus(handoff), 'Acknowledged')
    assert.equal(handoff.state, 'accepted')
    assert.equal(handoff.accepted_at, '2026-02-21T14:31:00.000Z')
    assert.equal(handoff.accepted_by, 'claude')
    assert.equal(handoff.ack_notes, 'Will start tomorrow')
  })

  it('[S0-76] is acknowledged by nobody but its recipient', async (t) => {
    const w = await open(t)
    const active = await REACH.Active(w)

    for (const stranger of ['gemini', 'grok', 'perplexity'])
      await assert.rejects(w.service.receiving.accept(by(stranger), active.uid), { code: 'not_allowed' })
    const handoff = await acknowledge(w, active)

    assert.equal(handoff.accepted_by, handoff.to)
  })

  it('[S0-26] [S0-34] [S0-38] expires four hours after it was finalised, not after it was created', async (t) => {
    const w = await open(t)
    const created = await create(w)
    w.clock.pass(5 * MINUTE_MS)
    const { handoff } = await finalise(w, created)
    w.clock.pass(4 * HOUR_MS - 1)
    await w.service.settle()
    const before = await now(w, created)
    w.clock.pass(1)
    await w.service.settle()

    assert.equal(handoff.ack_deadline, '2026-02-21T18:35:00.000Z')
    assert.equal(markdownStatus(before), 'Active')
    assert.equal(markdownStatus(await now(w, created)), 'Expired')
  })

  it('[S0-27] becomes Rejected when its recipient declines', async (t) => {
    assert.equal(markdownStatus(await REACH.Rejected(await open(t))), 'Rejected')
  })

  it('[S0-28] [S0-83] becomes Complete when the work is done and verified, and says when', async (t) => {
    const w = await open(t)

    const handoff = await REACH.Complete(w)

    assert.equal(markdownStatus(handoff), 'Complete')
    assert.equal(handoff.verified_by, 'perplexity')
    assert.equal(handoff.ended_at, START)
  })

  it('[S0-29] becomes Rejected when its recipient returns the work', async (t) => {
    const w = await open(t)

    const handoff = await decline(w, await REACH.Acknowledged(w))

    assert.equal(markdownStatus(handoff), 'Rejected')
    assert.deepEqual(handoff.rejection, { type: 'other', message: 'no time', by: 'claude', at: START })
  })

  for (const from of MARKDOWN_STATUSES)
    it(`[S0-30] [S0-31] goes from ${from} to ${MARKDOWN_TRANSITIONS[from].join(', ') || 'nowhere'} and changes nothing else`, async (t) => {
      const w = await open(t)
      for (const to of MARKDOWN_STATUSES)
        for (const attempt of TOWARDS[to]) {
          const before = await REACH[from](w)
          const refusal = await attempt(w, before).then(
            () => undefined,
            (error: { code?: string }) => error.code ?? error,
          )
          const after = await now(w, before)

          if (refusal !== undefined) assert.deepEqual(after, before, `${from} towards ${to}: ${refusal}`)
          if (markdownStatus(after) !== from)
            assert.ok(MARKDOWN_TRANSITIONS[from].includes(markdownStatus(after)), `${from} became ${to}`)
          // Free for the next: document 000 allows one open handoff of a task between two.
          await w.service.sending.cancel(grok, before.uid).catch(() => undefined)
        }
    })

  it('[S0-30] cannot be Complete before it is Acknowledged', async (t) => {
    const w = await open(t)
    const active = await REACH.Active(w)

    await assert.rejects(verify(w, active), { code: 'wrong_state' })
  })

  it('[S0-32] may follow a Rejected one, which stays as it is', async (t) => {
    const w = await open(t)
    const rejected = await REACH.Rejected(w)

    const { handoff } = await w.service.sending.send(grok, { ...SAMPLE, supersedes: rejected.id })

    assert.notEqual(handoff.id, rejected.id)
    assert.equal(handoff.supersedes, rejected.uid)
    const next = { rev: rejected.rev + 1, superseded_by: handoff.id }
    assert.deepEqual(await now(w, rejected), { ...rejected, ...next })
  })

  it('[S0-35] never expires once it is Acknowledged, though its time is past', async (t) => {
    const w = await open(t)
    const handoff = await REACH.Acknowledged(w)

    w.clock.pass(365 * 24 * HOUR_MS)
    await w.service.settle()

    assert.deepEqual(await now(w, handoff), handoff)
    assert.equal(handoff.ack_deadline, '2026-02-21T18:30:00.000Z')
  })

  it('[S0-40] expires with all others that are due in one pass', async (t) => {
    const w = await open(t, {
      policy: { agents: { grok: { limits: { outgoing: 1_000 } }, claude: { limits: { incoming: 1_000 } } } },
    })
    await Promise.all(
      Array.from({ length: 250 }, (_, i) =>
        w.service.sending.send(grok, { to: 'claude', title: `Number ${i}` }),
      ),
    )
    w.clock.pass(4 * HOUR_MS)

    const settled = await w.service.settle()

    assert.equal(settled, 250)
    assert.deepEqual((await w.store.counts()).handoffs, { expired: 250 })
  })

  it('[S0-40] is expired by a late acknowledgment that no sweep came before', async (t) => {
    const w = await open(t)
    const active = await REACH.Active(w)
    w.clock.pass(4 * HOUR_MS)

    await assert.rejects(acknowledge(w, active), { code: 'wrong_state' })

    assert.equal((await now(w, active)).state, 'expired')
  })

  it('[S0-41] lets only the recipient acknowledge, decline or return and only the sender finalise', async (t) => {
    const w = await open(t)
    const created = await create(w)
    const refused = { code: 'not_allowed' }

    for (const stranger of ['claude', 'gemini', 'perplexity'])
      await assert.rejects(w.service.sending.sendDraft(by(stranger), created.uid), refused)
    await finalise(w, created)
    for (const stranger of ['grok', 'gemini', 'perplexity']) {
      await assert.rejects(w.service.receiving.accept(by(stranger), created.uid), refused)
      await assert.rejects(
        w.service.receiving.reject(by(stranger), created.uid, { type: 'other', message: 'no' }),
        refused,
      )
    }
    await acknowledge(w, created)
    for (const stranger of ['grok', 'gemini', 'perplexity'])
      await assert.rejects(
        w.service.receiving.reject(by(stranger), created.uid, { type: 'other', message: 'no' }),
        refused,
      )
  })

  it('[S0-42] says with every step when it was changed, never earlier than it was created', async (t) => {
    const w = await open(t)
    const created = await create(w)
    const times = [created.updated_at]

    for (const step of [finalise, acknowledge, decline]) {
      w.clock.pass(MINUTE_MS)
      await step(w, created)
      times.push((await now(w, created)).updated_at)
    }

    assert.deepEqual(times, [
      '2026-02-21T14:30:00.000Z',
      '2026-02-21T14:31:00.000Z',
      '2026-02-21T14:32:00.000Z',
      '2026-02-21T14:33:00.000Z',
    ])
  })

  it('[S0-21] is refused while the same task between the same two is open, and allowed afterwards', async (t) => {
    const w = await open(t)
    const first = await create(w)

    await assert.rejects(create(w), { code: 'conflict', details: { before: first.id } })
    await w.service.sending.cancel(grok, first.uid)
    const second = await create(w)

    assert.equal(second.state, 'draft')
  })

  it('[S0-21] is made once when two processes make it six times at the same moment', async (t) => {
    const w = await open(t)
    const services = [w.service, await w.beside()]

    const made = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) => (services[i % 2] ?? w.service).sending.create(grok, SAMPLE)),
    )

    const refused = made.filter((each) => each.status === 'rejected')
    assert.deepEqual(
      refused.map(({ reason }) => reason.code),
      Array(5).fill('conflict'),
    )
    assert.deepEqual((await w.store.counts()).handoffs, { draft: 1 })
  })
})
