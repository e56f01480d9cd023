import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, type Workspace } from '../../../test/support/program/workspace.ts'
import { HOUR_MS } from '../../domain/handoffs/deadlines.ts'

const planner = by('planner')
const codex = by('codex')

const send = async ({ service }: Workspace, title: string, more = {}) =>
  (await service.sending.send(planner, { to: 'codex', title, ...more })).handoff
const inboxOf = async ({ service }: Workspace, agent: string) =>
  (await service.looking.inbox(agent, { limit: 50 })).items.map(({ title }) => title)

describeOnEngines('an inbox', (open) => {
  it('holds what waits for the agent, by priority and then age', async (t) => {
    const w = await open(t)
    for (const [title, priority] of [
      ['first', 'normal'],
      ['second', 'low'],
      ['third', 'critical'],
      ['fourth', 'normal'],
      ['fifth', 'high'],
    ])
      await send(w, String(title), { priority })

    assert.deepEqual(await inboxOf(w, 'codex'), ['third', 'fifth', 'first', 'fourth', 'second'])
    assert.deepEqual(await inboxOf(w, 'planner'), [])
  })

  it('shows a handoff to whoever has the next move', async (t) => {
    const w = await open(t)
    const draft = (await w.service.sending.create(planner, { to: 'codex', title: 'Work' })).handoff
    const { uid } = draft
    const seen: string[] = []
    const look = async () => {
      for (const agent of ['planner', 'codex'])
        for (const title of await inboxOf(w, agent)) seen.push(`${agent} ${title}`)
    }

    await look()
    await w.service.sending.sendDraft(planner, uid)
    await look()
    await w.service.receiving.accept(codex, uid)
    await look()
    await w.service.receiving.ask(codex, uid, 'Which?')
    await look()
    await w.service.receiving.answer(planner, uid, 'This')
    await look()
    await w.service.receiving.submit(codex, uid, { note: 'Done' })
    await look()
    await w.service.closing.verify(planner, uid, { pass: true })
    await look()

    assert.deepEqual(seen, [
      'planner Work',
      'codex Work',
      'codex Work',
      'planner Work',
      'codex Work',
      'planner Work',
    ])
  })

  it('comes in pages that leave nothing out and show nothing twice', async (t) => {
    const w = await open(t)
    for (let i = 0; i < 7; i += 1) await send(w, `number ${i}`, { priority: i % 2 ? 'high' : 'low' })
    const seen: string[] = []

    let cursor: string | undefined
    do {
      const page = await w.service.looking.inbox('codex', { limit: 3, ...(cursor && { cursor }) })
      seen.push(...page.items.map(({ title }) => title))
      cursor = page.next
    } while (cursor !== undefined)

    assert.deepEqual(seen, await inboxOf(w, 'codex'))
    assert.equal(seen.length, 7)
  })

  it('does not show what has expired meanwhile', async (t) => {
    const w = await open(t)
    await send(w, 'old')
    w.clock.pass(24 * HOUR_MS)
    await send(w, 'new')

    assert.deepEqual(await inboxOf(w, 'codex'), ['new'])
  })

  it('tells the sender of an expired offer, also where nobody did anything since', async (t) => {
    const w = await open(t)
    await send(w, 'old')
    w.clock.pass(24 * HOUR_MS)

    const { notices } = await w.service.looking.inbox('planner', { limit: 5 })

    assert.deepEqual(
      notices.map(({ kind }) => kind),
      ['expired'],
    )
  })
})

describeOnEngines('a notice', (open) => {
  const rejected = async (w: Workspace) => {
    const { uid } = await send(w, 'Work')
    await w.service.receiving.reject(codex, uid, { type: 'other', message: 'no' })
    const [notice] = (await w.service.looking.inbox('planner', { limit: 5 })).notices
    assert.ok(notice)
    return notice
  }

  it('is shown until it was seen', async (t) => {
    const w = await open(t)
    const notice = await rejected(w)

    const again = await w.service.looking.inbox('planner', { limit: 5 })
    const seen = await w.service.looking.acknowledge(planner, notice.uid)
    const after = await w.service.looking.inbox('planner', { limit: 5 })

    assert.deepEqual(again.notices, [notice])
    assert.deepEqual(seen, { ...notice, seen_at: w.clock.text })
    assert.deepEqual(after.notices, [])
  })

  it('may be seen twice, and is marked once', async (t) => {
    const w = await open(t)
    const { uid } = await rejected(w)
    const first = await w.service.looking.acknowledge(planner, uid)
    w.clock.pass(1_000)

    const second = await w.service.looking.acknowledge(planner, uid)

    assert.deepEqual(second, first)
  })

  it('is seen by nobody but whom it is for', async (t) => {
    const w = await open(t)
    const { uid } = await rejected(w)

    await assert.rejects(w.service.looking.acknowledge(codex, uid), { code: 'not_allowed' })
    await assert.rejects(w.service.looking.acknowledge(planner, 'nothing'), { code: 'not_found' })
  })

  it('tells the sender in the words of document 000 that its handoff was rejected', async (t) => {
    const { text, kind } = await rejected(await open(t))

    assert.deepEqual([kind, text], ['rejected', 'Handoff rejected: no'])
  })

  it('[S0-106] [S0-107] goes to the chief too when a skill is missing, and only then', async (t) => {
    const w = await open(t)
    for (const type of ['skill_gap', 'other']) {
      const { uid } = await send(w, 'Work')
      await w.service.receiving.reject(codex, uid, { type, message: 'I know no Rust' })
    }

    const { notices } = await w.service.looking.inbox('grok', { limit: 5 })

    assert.deepEqual(
      notices.map(({ kind, text, about_id }) => `${kind} ${about_id}: ${text}`),
      ['escalated HO-2026-001: Skill gap: I know no Rust'],
    )
  })

  it('[S0-100] [S0-108] tells of an expiry once, however often it is looked for', async (t) => {
    const w = await open(t)
    await send(w, 'Work')
    w.clock.pass(24 * HOUR_MS)
    const beside = await w.beside()

    await Promise.all([w.service.settle(), beside.settle(), w.service.settle()])
    await beside.settle()

    const { notices } = await w.service.looking.inbox('planner', { limit: 5 })
    assert.deepEqual(
      notices.map(({ text }) => text),
      ['Handoff HO-2026-001 expired without acknowledgment'],
    )
  })
})

describeOnEngines('looking', (open) => {
  it('finds a handoff by its id and by its uid, with all that belongs to it', async (t) => {
    const w = await open(t)
    const { uid, id } = await send(w, 'Work', { summary: 'The API needs limits before launch' })
    await w.service.receiving.accept(codex, uid)

    const [byId, byUid] = await Promise.all([w.service.looking.get(id), w.service.looking.get(uid)])

    assert.deepEqual(byId, byUid)
    assert.equal(byId.content.package.summary, 'The API needs limits before launch')
    assert.deepEqual(
      byId.timeline.map(({ act }) => act),
      ['handoff.send', 'handoff.accept'],
    )
    await assert.rejects(w.service.looking.get('HO-1999-001'), {
      code: 'not_found',
      message: 'there is no handoff HO-1999-001; see what is there with: baton list',
    })
  })

  it('lists by state, agents, task and type, newest first', async (t) => {
    const w = await open(t)
    const first = await send(w, 'Add limits', { task: 'P1' })
    await send(w, 'Add tests', { task: 'P2' })
    await w.service.sending.send(codex, { to: 'human', title: 'Ship?', type: 'gate' })
    await w.service.receiving.accept(codex, first.uid)
    const titles = async (filter: Parameters<typeof w.service.looking.list>[0]) =>
      (await w.service.looking.list(filter, { limit: 10 })).items.map(({ title }) => title)

    assert.deepEqual(await titles({}), ['Ship?', 'Add tests', 'Add limits'])
    assert.deepEqual(await titles({ state: ['in_progress'] }), ['Add limits'])
    assert.deepEqual(await titles({ state: ['in_progress', 'offered'] }), ['Add tests', 'Add limits'])
    assert.deepEqual(await titles({ from: 'codex' }), ['Ship?'])
    assert.deepEqual(await titles({ to: 'codex', task: 'P2' }), ['Add tests'])
    assert.deepEqual(await titles({ type: 'gate' }), ['Ship?'])
  })

  it('counts what there is', async (t) => {
    const w = await open(t)
    const { uid } = await send(w, 'Work', { task: 'P1' })
    await w.service.receiving.accept(codex, uid)
    await send(w, 'More')

    const { handoffs, tasks, agents } = await w.service.looking.counts()

    assert.deepEqual(handoffs, { in_progress: 1, offered: 1 })
    assert.deepEqual(tasks, { in_progress: 1 })
    assert.deepEqual(agents, {
      codex: { outgoing: 0, incoming: 2 },
      planner: { outgoing: 2, incoming: 0 },
    })
  })
})
