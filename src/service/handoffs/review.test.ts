import assert from 'node:assert/strict'
import { it } from 'node:test'
import { disclosed } from '../../../test/support/log/log.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { recordIn } from '../../audit/entry.ts'
import type { Check } from '../../domain/handoffs/package.ts'
import { HOMES } from '../../domain/home.ts'

const planner = by('planner')
const codex = by('codex')
const critic = by('critic')
const schema = { type: 'object', required: ['user'], properties: { user: { type: 'string' } } }
const checks: Check[] = [{ kind: 'json_schema', schema }]

async function begun({ service }: Workspace, more: object) {
  const { handoff } = await service.sending.send(planner, { to: 'codex', title: 'Limits', ...more })
  return service.receiving.accept(codex, handoff.uid, { understood: 'Limits' })
}

const says = (words: RegExp) => ({ code: 'invalid_input', message: words })

describeOnEngines('the review of a handoff', (open) => {
  for (const home of ['native', 'queue'] as const)
    it(`none completes ${home} work by the checks of its sender, logged as its sender's`, async (t) => {
      const w = await open(t)
      const deliverables = ['A user']
      const { uid, id } = await begun(w, { home, review: 'none', checks, deliverables })
      const submit = (input: object) => w.service.receiving.submit(codex, uid, input)
      const evidence = [{ deliverable: 'A user', evidence: 'in the output' }]

      await assert.rejects(submit({ output: { user: 1 }, evidence }), {
        code: 'unmet',
        message: `${id} cannot be completed yet: check failed: output matches its JSON Schema (user: must be string)`,
      })
      await assert.rejects(submit({ output: { user: 'Ada' } }), {
        code: 'unmet',
        message: `${id} cannot be completed yet: no evidence for "A user"`,
      })
      assert.equal((await w.store.handoff(uid))?.state, 'in_progress')
      const done = await submit({ output: { user: 'Ada' }, evidence })

      assert.deepEqual([done.state, done.verified_by, done.review], ['completed', 'planner', 'none'])
      const { content, timeline } = await w.service.looking.get(uid)
      const [record, ...others] = content.verifications
      assert.deepEqual(
        [record?.verified_by, record?.note, record?.checks?.[0]?.ok, others.length],
        ['planner', 'Declared by planner when it was sent: review none', true, 0],
      )
      const [handedIn, passed] = timeline.slice(-2)
      assert.ok(handedIn && passed)
      assert.deepEqual(
        [handedIn, passed].map((entry) => [entry.act, recordIn(entry).actor.id]),
        [
          ['handoff.submit', 'codex'],
          ['handoff.verify_pass', 'baton'],
        ],
      )
      assert.match(String((disclosed(passed) as { note: string }).note), /^Declared by planner/)
    })

  it('none is refused without a check that decides, and cannot lose it later', async (t) => {
    const { service } = await open(t)
    const send = (more: object) =>
      service.sending.send(planner, { to: 'codex', title: 'Limits', review: 'none', ...more })
    const evidence: Check[] = [{ kind: 'evidence', deliverable: 'A user' }]

    await assert.rejects(send({}), says(/^review none needs a check that decides; add one to checks/))
    await assert.rejects(send({ checks: evidence }), says(/^review none needs a check that decides/))
    const { handoff } = await send({ checks })
    await assert.rejects(service.sending.amend(planner, handoff.uid, { checks: [] }), says(/needs a check/))
    await service.sending.amend(planner, handoff.uid, { summary: 'The plan was agreed in the standup' })
  })

  for (const home of ['native', 'queue', 'package'] as const)
    it(`by a named agent is its word or a person's alone, in the home ${home}`, async (t) => {
      const w = await open(t)
      const package_ = { summary: 'Add limits to the service', deliverables: ['Middleware'] }
      const { uid } = await begun(w, { home, review: 'critic', type: 'sequential', ...package_ })
      const verify = (who = critic, pass = true) =>
        w.service.closing.verify(who, uid, { pass, ...(!pass && { note: 'too slow' }) })
      const evidence = [{ deliverable: 'Middleware', evidence: 'src/limit.ts' }]
      const submit = () => w.service.receiving.submit(codex, uid, { output: 1, evidence })

      const handedIn = await submit()
      assert.deepEqual([handedIn.state, handedIn.waiting_for], ['in_review', 'critic'])
      assert.equal((await w.service.looking.inbox('critic', { limit: 5 })).items[0]?.uid, uid)
      for (const other of [planner, codex])
        await assert.rejects(verify(other), {
          code: 'not_allowed',
          message: /for its reviewer critic or a p/,
        })
      assert.equal((await verify(critic, false)).state, 'in_progress')
      await submit()
      assert.equal((await verify()).verified_by, 'critic')

      const other = await begun(w, { home, review: 'critic', type: 'sequential', ...package_ })
      await w.service.receiving.submit(codex, other.uid, { output: 1, evidence })
      assert.equal(
        (await w.service.closing.verify(person('maria'), other.uid, { pass: true })).state,
        'completed',
      )
    })

  it('none takes no empty native work, whatever its checks say', async (t) => {
    const w = await open(t, { runChecks: async () => [{ name: 'npm test', ok: true }] })
    const command: Check[] = [{ kind: 'command', command: 'npm test' }]
    const { uid, id } = await begun(w, { review: 'none', checks: command })

    await assert.rejects(w.service.receiving.submit(codex, uid, {}), {
      code: 'unmet',
      message: `${id} cannot be completed yet: nothing was handed in; say what was done in a note, or give an output or an artifact`,
    })
    assert.equal((await w.service.receiving.submit(codex, uid, { note: 'Done' })).state, 'completed')
  })

  it('by the sender holds for queue work too, and its deliverables need evidence', async (t) => {
    const w = await open(t)
    const deliverables = ['Middleware']
    const { uid } = await begun(w, { home: 'queue', review: 'sender', deliverables })

    await assert.rejects(w.service.receiving.submit(codex, uid, { output: 1 }), { code: 'unmet' })
    const evidence = [{ deliverable: 'Middleware', evidence: 'src/limit.ts' }]
    const handedIn = await w.service.receiving.submit(codex, uid, { output: 1, evidence })

    assert.deepEqual([handedIn.state, handedIn.waiting_for], ['in_review', 'planner'])
    assert.equal((await w.service.closing.verify(planner, uid, { pass: true })).state, 'completed')
  })

  it('is refused where it cannot hold', async (t) => {
    const { service } = await open(t, { live: new Set(['queue']) })
    const send = (more: object) =>
      service.sending.send(planner, { to: 'codex', title: 'Limits', review: 'sender', ...more })

    await assert.rejects(send({ review: 'codex' }), says(/^codex cannot review its own work; name another/))
    await assert.rejects(send({ type: 'gate', to: 'human' }), says(/^review is for work; a gate has its own/))
    await assert.rejects(
      send({ home: 'markdown' }),
      says(/^work of the markdown format is reviewed by its ver/),
    )
    await assert.rejects(
      send({ home: 'queue' }),
      says(/^a file of the queue format cannot carry review; leave/),
    )
    const { handoff } = await send({ review: 'critic' })
    await assert.rejects(
      service.sending.reassign(planner, handoff.uid, 'critic'),
      says(/^critic cannot review its own work/),
    )
    assert.equal((await service.looking.get(handoff.uid)).handoff.to, 'codex')
  })

  it('is as it was where the sender says nothing', async (t) => {
    const w = await open(t)
    for (const home of HOMES) {
      const full = { summary: 'Add limits to the service', task: `BPRD-2026-${home.length}` }
      const { handoff } = await w.service.sending.create(planner, { to: 'codex', title: 'x', home, ...full })
      assert.equal('review' in handoff, false)
    }
  })

  it('warns a sender of queue work with deliverables that no evidence is asked for', async (t) => {
    const { service } = await open(t)
    const codes = async (more: object) => {
      const asked = { to: 'codex', title: 'Limits', home: 'queue' as const, deliverables: ['Middleware'] }
      return (await service.sending.send(planner, { ...asked, ...more })).warnings.map(({ code }) => code)
    }
    assert.deepEqual(await codes({}), ['evidence_not_asked'])
    assert.deepEqual(await codes({ review: 'sender' }), [])
    assert.deepEqual(await codes({ home: 'native' }), [])
  })

  it('warns a sender of work for itself that it cannot verify it', async (t) => {
    const { service } = await open(t)
    const told = async (more: object) =>
      (await service.sending.send(planner, { to: 'planner', title: 'Limits', ...more })).warnings

    const [warning, ...others] = await told({})
    assert.deepEqual([warning?.code, others], ['own_work', []])
    assert.match(warning?.message ?? '', /^planner cannot verify its own work; a verifier or another person/)
    for (const more of [{ review: 'critic' }, { home: 'queue' as const }, { to: 'codex' }])
      assert.deepEqual(await told(more), [])
  })
})
