import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  by,
  describeOnEngines,
  PACKAGE,
  UNDERSTOOD,
  type Workspace,
} from '../../../test/support/program/workspace.ts'

const planner = by('planner')
const codex = by('codex')

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
    const { handoff } = await w.service.sending.send(planner, { ...PACKAGE, to: 'codex', title: 'Work' })

    await assert.rejects(w.service.sending.resend(planner, handoff.uid), {
      code: 'wrong_state',
      message: /^HO-2026-001 has not been accepted yet; give it to another with: baton reassign HO-2026-001/,
    })
  })
})
