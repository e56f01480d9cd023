import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, START, type Workspace } from '../../../test/support/program/workspace.ts'

const planner = by('planner')
const send = ({ service }: Workspace, more = {}) =>
  service.sending.send(planner, { to: 'codex', title: 'Work', ...more })

describeOnEngines('sending', (open) => {
  it('makes an offer with all that was said, in one step of its log', async (t) => {
    const w = await open(t)
    const travels = {
      summary: 'The API needs limits before launch',
      decisions: [{ decision: 'Token bucket', rationale: 'Bursts are allowed' }],
      artifacts: [{ path: 'docs/plan.md', type: 'doc' }],
      deliverables: ['Middleware in src/'],
      criteria: ['npm test passes'],
      input: { nested: [1, null, 'ä ☃'] },
    }

    const { handoff } = await send(w, { ...travels, priority: 'high', timeout_s: 600, task: 'P1' })

    const { content, timeline } = await w.service.looking.get(handoff.uid)
    assert.deepEqual(content, { package: travels, thread: [], verifications: [] })
    assert.deepEqual(
      timeline.map(({ act }) => act),
      ['handoff.send'],
    )
    const { uid, root, sent_seq, task_seq, ...rest } = handoff
    assert.equal(root, uid)
    assert.deepEqual([sent_seq, task_seq], [0, -1])
    assert.deepEqual(rest, {
      id: 'HO-2026-001',
      rev: 1,
      home: 'native',
      type: 'sequential',
      state: 'offered',
      from: 'planner',
      to: 'codex',
      title: 'Work',
      task: 'P1',
      priority: 'high',
      depth: 0,
      created_at: START,
      updated_at: START,
      sent_at: START,
      ack_deadline: '2026-02-22T14:30:00.000Z',
      timeout_s: 600,
      attempt: 1,
      attempts: [],
      deliverables: 1,
      waiting_for: 'codex',
    })
  })

  it('numbers handoffs without ever giving a number twice, from many processes at once', async (t) => {
    const w = await open(t)
    const services = [w.service, await w.beside(), await w.beside()]

    const sent = await Promise.all(
      Array.from({ length: 30 }, (_, i) => send({ ...w, service: services[i % 3] ?? w.service })),
    )

    const ids = sent.map(({ handoff }) => handoff.id)
    assert.equal(new Set(ids).size, 30)
    for (const id of ids) assert.match(id, /^HO-2026-\d{3}$/)
  })

  it('takes a name of its own and refuses it the second time, without harm to others', async (t) => {
    const w = await open(t)
    await send(w, { alias: 'hoff-001-1705147200000' })

    const results = await Promise.allSettled([
      send(w, { title: 'One' }),
      send(w, { alias: 'hoff-001-1705147200000' }),
      send(w, { title: 'Two' }),
    ])

    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    await assert.rejects(send(w, { alias: 'hoff-001-1705147200000' }), { code: 'conflict' })
  })

  it('makes the task of a handoff where nobody has made it yet, and uses it where somebody has', async (t) => {
    const w = await open(t)
    await w.service.tasks.create(by('maria'), { id: 'P1', title: 'The real title' })

    await send(w, { task: 'P1' })
    await send(w, { task: 'P2' })

    const titles = await Promise.all(
      ['P1', 'P2'].map(async (id) => (await w.service.tasks.get(id)).row.task.title),
    )
    assert.deepEqual(titles, ['The real title', 'Work'])
  })

  it('warns of what a receiver would stumble over, and sends all the same', async (t) => {
    const w = await open(t)

    const { warnings, handoff } = await send(w, {
      summary: "It's done",
      criteria: ['Write good code', 'npm test passes'],
      constraints: ['Do it quickly'],
    })

    assert.equal(handoff.state, 'offered')
    assert.deepEqual(warnings, [
      {
        code: 'vacuous_summary',
        message: '"It\'s done" tells the receiver nothing; say what was done and what is needed',
      },
      {
        code: 'not_measurable',
        message:
          'criterion "Write good code" is not measurable ("good"); name a number, a tool or a test that decides it',
      },
      {
        code: 'not_measurable',
        message: "Constraint 'quickly' not measurable; name a number, a tool or a test that decides it",
      },
    ])
  })

  it('keeps a draft from everybody but its sender until it is sent', async (t) => {
    const w = await open(t)
    const { handoff } = await w.service.sending.create(planner, { to: 'codex', title: 'Work' })

    await assert.rejects(w.service.receiving.accept(by('codex'), handoff.uid), { code: 'wrong_state' })
    const { items } = await w.service.looking.inbox('codex', { limit: 5 })
    const { handoff: sent } = await w.service.sending.sendDraft(planner, handoff.id)

    assert.deepEqual([items, handoff.state, sent.state, sent.rev], [[], 'draft', 'offered', 2])
    await assert.rejects(w.service.sending.sendDraft(planner, handoff.id), {
      code: 'wrong_state',
      message: 'HO-2026-001 is not a draft any more, so it cannot be sent',
    })
  })

  it('is taken back by the sender alone, and then by nobody else', async (t) => {
    const w = await open(t)
    const { handoff } = await send(w)

    await assert.rejects(w.service.sending.cancel(by('codex'), handoff.uid), {
      code: 'not_allowed',
      message: 'codex may not cancel HO-2026-001; that is for its sender planner',
    })
    const cancelled = await w.service.sending.cancel(planner, handoff.uid, 'no longer needed')

    assert.deepEqual(
      [cancelled.state, cancelled.waiting_for, cancelled.ended_at],
      ['cancelled', undefined, START],
    )
    await assert.rejects(w.service.receiving.accept(by('codex'), handoff.uid), { code: 'wrong_state' })
  })
})
