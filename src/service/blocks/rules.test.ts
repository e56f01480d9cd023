import assert from 'node:assert/strict'
import { it } from 'node:test'
import { collect, historyOf, seenBy, summary } from '../../../test/support/documents/blocks.ts'
import { disclosed } from '../../../test/support/log/log.ts'
import { run } from '../../../test/support/program/invoke.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { recordIn } from '../../audit/entry.ts'
import type { Followed } from '../../domain/blocks/block.ts'

const FAILED = {
  status: 'failed',
  task: 'task-12',
  on_failure: { retry: 0, route_to: '@fixer', escalate_after: 1, context: 'Registration fails' },
}

async function followed(
  { service }: Workspace,
  name: string,
  facts: object,
  above?: string,
): Promise<Followed> {
  return (await collect(service, { [name]: summary(facts, above) })).blocks[0]?.followed ?? {}
}

const limited = ({ service }: Workspace, name: string) =>
  run(service, person('maria'), 'agent_add', { name, max_incoming: 0 })

describeOnEngines('what follows from a block', (open) => {
  it('is logged as done by the caller, with the author that the block claims beside', async (t) => {
    const w = await open(t)
    await followed(w, '0.md', { from: '@scout', to: '@tester', task: 'task-1' })

    const { moved } = await followed(w, '1.md', { to: '@docs', task: 'task-1' })

    assert.equal(moved?.state, 'completed')
    const { entries } = await w.store.changes('0', 100)
    const told = entries
      .filter((entry) => /^(?:handoff|task)\./.test(entry.act))
      .map((entry) => [
        entry.act,
        recordIn(entry).actor.id,
        recordIn(entry).auth,
        disclosed(entry).claimed_author,
      ])
    assert.deepEqual(told, [
      ['task.create', 'ci', 'os-user', 'scout'],
      ['handoff.send', 'ci', 'os-user', 'scout'],
      ['handoff.accept', 'ci', 'os-user', 'tester'],
      ['task.in_progress', 'ci', 'os-user', 'tester'],
      ['handoff.submit', 'ci', 'os-user', 'tester'],
      ['handoff.send', 'ci', 'os-user', 'tester'],
    ])
  })

  it('is logged as done by its author alone where the author collects its own block', async (t) => {
    const w = await open(t)
    await collect(w.service, { '1.md': summary({ to: '@docs' }) }, {}, by('tester'))

    const { entries } = await w.store.changes('0', 100)
    const sent = entries.find(({ act }) => act === 'handoff.send')

    assert.equal(recordIn(sent!).actor.id, 'tester')
    assert.equal(disclosed(sent!).claimed_author, undefined)
  })

  it('[S0-51] [S2-59] [S2-61] is held to limits one by one: the escalation is sent where the route is full', async (t) => {
    const w = await open(t)
    await limited(w, 'fixer')

    const { routed, escalated, problem } = await followed(w, '1.md', FAILED)

    assert.deepEqual([routed, escalated?.to], [undefined, 'ci'])
    assert.match(problem ?? '', /fixer has 0 active incoming handoffs \(max: 0\)/)
    assert.deepEqual((await seenBy(w.service, 'fixer')).handoffs, [])
  })

  it('[S2-61] is held to routes: nobody is escalated to whom the author may not hand', async (t) => {
    const w = await open(t, { policy: { routes: [{ from: 'tester', to: ['fixer'] }] } })

    const { routed, escalated, problem } = await followed(w, '1.md', FAILED)

    assert.deepEqual([routed?.to, escalated], ['fixer', undefined])
    assert.match(problem ?? '', /tester may not hand to ci/)
  })

  it('[S4-61] is held up by a gate: the block is kept, the work stays and nobody gets it', async (t) => {
    const w = await open(t)
    const first = await followed(w, '0.md', { from: '@scout', to: '@tester', task: 'task-1' })
    await followed(w, '1.md', { task: 'task-1', status: 'in_progress' })
    const gate = { to: 'human', title: 'Ship?', type: 'gate', gate: { name: 'ship' }, parent: first.next?.id }
    await run(w.service, by('tester'), 'handoff_send', gate)

    const { moved, next, problem } = await followed(w, '2.md', { to: '@docs', task: 'task-1' })

    assert.deepEqual([moved, next], [undefined, undefined])
    assert.match(problem ?? '', /the gate "?ship"? .* waits for human/)
    assert.equal((await w.store.handoff(first.next!.id))?.state, 'in_progress')
    assert.equal((await historyOf(w.service)).length, 3)
  })

  it('hands no secret on that stands in the summary around the block', async (t) => {
    const w = await open(t)
    // Put together here, so that no file of ours holds what looks like a key.
    const token = `AKIA${'QWERTZ7UIOP2ASDF'}`

    const { next, problem } = await followed(w, '1.md', { to: '@docs' }, `Use ${token} to log in.`)

    assert.equal(next, undefined)
    assert.match(problem ?? '', /holds what looks like/)
    assert.ok(!problem?.includes(token))
  })
})
