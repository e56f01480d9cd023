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

const planner = by('planner')
const codex = by('codex')
/** A person at a terminal, and one that nobody has seen. */
const maria: Call = { actor: { name: 'maria', kind: 'human', auth: 'tty' } }
const unseen = person('maria')

const rejected = async ({ service }: Workspace) => {
  const { handoff } = await service.sending.send(planner, {
    ...PACKAGE,
    to: 'codex',
    title: 'Add limits',
    priority: 'high',
    timeout_s: 600,
  })
  return service.receiving.reject(codex, handoff.uid, { type: 'other', message: 'no access' })
}

describeOnEngines('an ended handoff', (open) => {
  it('[S0-31] [S0-32] is sent again with the same package and stays as it ended', async (t) => {
    const w = await open(t)
    const old = await rejected(w)

    const { handoff } = await w.service.sending.resend(planner, old.uid, 'gemini')

    const [before, after] = [await w.service.looking.get(old.uid), await w.service.looking.get(handoff.uid)]
    assert.deepEqual(after.content.package, before.content.package)
    const { from, to, title, priority, timeout_s, state, supersedes } = after.handoff
    assert.deepEqual(
      { from, to, title, priority, timeout_s, state, supersedes },
      {
        from: 'planner',
        to: 'gemini',
        title: 'Add limits',
        priority: 'high',
        timeout_s: 600,
        state: 'offered',
        supersedes: old.uid,
      },
    )
    const { superseded_by, state: end, ended_at, rejection } = before.handoff
    assert.deepEqual(
      { superseded_by, end, ended_at, rejection },
      { superseded_by: handoff.id, end: 'rejected', ended_at: old.ended_at, rejection: old.rejection },
    )
    assert.deepEqual(
      before.timeline.map(({ act }) => act),
      ['handoff.send', 'handoff.reject', 'handoff.supersede'],
    )
  })

  it('is sent again where it was passed by mistake, and stays completed', async (t) => {
    const w = await open(t)
    const { sending, receiving, closing, looking } = w.service
    const { uid } = (await sending.send(planner, { to: 'codex', title: 'Add limits' })).handoff
    await receiving.accept(codex, uid)
    await receiving.submit(codex, uid, { note: 'done' })
    await closing.verify(planner, uid, { pass: true })

    const { handoff } = await sending.resend(planner, uid)

    const { state, superseded_by } = (await looking.get(uid)).handoff
    assert.deepEqual([state, superseded_by, handoff.state], ['completed', handoff.id, 'offered'])
  })

  it('is sent again once, also when the call is repeated with its key', async (t) => {
    const w = await open(t)
    const { uid, id } = await rejected(w)
    const keyed = by('planner', { key: 'again' })

    const first = await w.service.sending.resend(keyed, uid)
    const repeated = await w.service.sending.resend(keyed, uid)

    assert.equal(repeated.handoff.uid, first.handoff.uid)
    await assert.rejects(w.service.sending.resend(planner, uid), {
      code: 'wrong_state',
      message: `${id} was sent again as ${first.handoff.id}; see: baton show ${first.handoff.id}`,
    })
  })

  it('does not come back by retry when it was sent again', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(planner, {
      ...PACKAGE,
      to: 'codex',
      title: 'Work',
      retry: { max: 0, delay_s: 1, multiplier: 1 },
    })
    await w.service.receiving.accept(codex, handoff.uid, UNDERSTOOD)
    await w.service.receiving.fail(codex, handoff.uid, { message: 'no disk' })
    await w.service.sending.resend(planner, handoff.uid)

    await assert.rejects(w.service.receiving.retry(planner, handoff.uid), {
      code: 'wrong_state',
      message: /was sent again as HO-2026-002/,
    })
  })

  it('is the only kind that can be sent again', async (t) => {
    const w = await open(t)
    const { sending, receiving } = w.service
    const { handoff } = await sending.send(planner, { to: 'codex', title: 'Work' })
    const refused = (uid: string, message: RegExp) =>
      assert.rejects(sending.resend(planner, uid), { code: 'wrong_state', message })

    await refused(
      handoff.uid,
      /^HO-2026-001 has not been accepted yet; give it to another with: baton reassign HO-2026-001/,
    )
    await receiving.accept(codex, handoff.uid)
    await receiving.submit(codex, handoff.uid, { note: 'done' })
    await refused(handoff.uid, /^HO-2026-001 is in review; end it with: baton cancel HO-2026-001$/)
    const draft = await sending.create(planner, { to: 'codex', title: 'More' })
    await refused(draft.handoff.uid, /^HO-2026-002 is still a draft; send it with: baton send HO-2026-002$/)
  })
})

describeOnEngines('stuck work of others', (open) => {
  const sent = async ({ service }: Workspace) =>
    (await service.sending.send(planner, { ...PACKAGE, to: 'codex', title: 'Work' })).handoff

  it('is cancelled, given to another or sent again by a person, and its sender is told', async (t) => {
    const w = await open(t)
    const { sending, looking } = w.service
    const { uid, id } = await sent(w)

    await sending.reassign(maria, uid, 'gemini')
    await sending.cancel(maria, uid, 'nobody is there')
    const { handoff: again } = await sending.resend(maria, uid)

    const { timeline } = await looking.get(uid)
    assert.deepEqual(
      timeline.map(({ act }) => act),
      ['handoff.send', 'handoff.override_reassign', 'handoff.override_cancel', 'handoff.supersede'],
    )
    assert.deepEqual([again.from, again.to, again.state], ['maria', 'gemini', 'offered'])
    const { notices } = await looking.inbox('planner', { limit: 5 })
    assert.deepEqual(notices.map(({ text }) => text).sort(), [
      `maria cancelled ${id}`,
      `maria reassigned ${id} to gemini`,
    ])
  })

  it('stays where it is for an agent, and for a person whom nobody has seen', async (t) => {
    const w = await open(t)
    const { sending } = w.service
    const { uid } = await sent(w)
    const ended = await rejected(w)

    for (const caller of [by('mallory'), codex, unseen]) {
      await assert.rejects(sending.cancel(caller, uid), { code: 'not_allowed' })
      await assert.rejects(sending.reassign(caller, uid, 'mallory'), { code: 'not_allowed' })
      await assert.rejects(sending.resend(caller, ended.uid), { code: 'not_allowed' })
    }
  })

  it('is not accepted, handed in or answered in the name of another, by a person either', async (t) => {
    const w = await open(t)
    const { receiving, sending } = w.service
    const { uid } = await sent(w)

    await assert.rejects(receiving.accept(maria, uid, UNDERSTOOD), { code: 'not_allowed' })
    await assert.rejects(sending.amend(maria, uid, { summary: 'Other work' }), { code: 'not_allowed' })
    await receiving.accept(codex, uid, UNDERSTOOD)
    await assert.rejects(receiving.submit(maria, uid, { note: 'done' }), { code: 'not_allowed' })
    await receiving.ask(codex, uid, 'Which?')
    await assert.rejects(receiving.answer(maria, uid, 'This'), { code: 'not_allowed' })
  })
})
