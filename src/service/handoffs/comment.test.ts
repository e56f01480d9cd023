import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  by,
  describeOnEngines,
  PACKAGE,
  person,
  UNDERSTOOD,
} from '../../../test/support/program/workspace.ts'
import { redact } from '../redaction/redact.ts'

const planner = by('planner')
const codex = by('codex')

describeOnEngines('a comment', (open) => {
  it('stands in the thread, tells the others and moves nothing, also after the end', async (t) => {
    const w = await open(t)
    const { sending, receiving, closing, looking } = w.service
    const { handoff } = await sending.send(planner, { ...PACKAGE, to: 'codex', title: 'Work' })
    const { uid } = handoff
    const begun = await receiving.accept(codex, uid, UNDERSTOOD)

    const said = await closing.comment(planner, uid, 'The server is back')
    await closing.comment(person('maria'), uid, 'Good')
    const ended = await receiving.reject(codex, uid, { type: 'other', message: 'no access' })
    w.clock.pass(60_000)
    const late = await closing.comment(codex, uid, 'Sorry')

    assert.deepEqual([said.state, said.waiting_for, said.rev], ['in_progress', 'codex', begun.rev + 1])
    assert.deepEqual([late.state, late.ended_at], ['rejected', ended.ended_at])
    const { content } = await looking.get(uid)
    assert.deepEqual(
      content.thread.map(({ kind, by: who, text }) => [kind, who, text]),
      [
        ['comment', 'planner', 'The server is back'],
        ['comment', 'maria', 'Good'],
        ['comment', 'codex', 'Sorry'],
      ],
    )
    const told = async (name: string) =>
      (await looking.inbox(name, { limit: 9 })).notices
        .filter(({ kind }) => kind === 'commented')
        .map(({ text }) => text)
        .sort()
    assert.deepEqual(await told('codex'), [
      'maria on HO-2026-001: Good',
      'planner on HO-2026-001: The server is back',
    ])
    assert.deepEqual(await told('planner'), ['codex on HO-2026-001: Sorry', 'maria on HO-2026-001: Good'])
  })

  it('is for those who have to do with the work, and for people', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(planner, { ...PACKAGE, to: 'codex', title: 'Work' })

    await assert.rejects(w.service.closing.comment(by('mallory'), handoff.uid, 'Look here'), {
      code: 'not_allowed',
      message: 'mallory may not comment on HO-2026-001; it is between planner and codex',
    })
  })

  it('is redacted as other texts are', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.send(planner, { ...PACKAGE, to: 'codex', title: 'Work' })
    await w.service.closing.comment(planner, handoff.uid, 'hunter2')

    await redact(w.service.deps, person('maria'), { id: handoff.uid, field: 'remark', reason: 'leaked' })

    const { content } = await w.service.looking.get(handoff.uid)
    assert.doesNotMatch(JSON.stringify(content), /hunter2/)
  })
})
