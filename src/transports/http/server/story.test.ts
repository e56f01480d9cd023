import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnEngines } from '../../../../test/support/program/workspace.ts'
import { newToken } from '../../../../test/support/servers/http-workspace.ts'
import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import { createRemote, type Remote } from '../client/remote.ts'
import { createLog } from './log.ts'
import { serve } from './serve.ts'

/** The calls of the story, with the answers that it looks at. */
function agent(remote: Remote) {
  const move =
    (name: Parameters<Remote['call']>[0]) =>
    async (id: string, more: object = {}) =>
      ((await remote.call(name, { id, ...more })) as { handoff: Handoff }).handoff
  return {
    send: async (input: Record<string, unknown>) =>
      (await remote.call('handoff_send', input, { key: 'first' })) as {
        handoff: Handoff
        warnings: { code: string }[]
      },
    inbox: async () =>
      ((await remote.call('handoff_inbox', {})) as { items: Handoff[] }).items.map(({ id }) => id),
    show: async (id: string) =>
      (await remote.call('handoff_get', { id })) as { timeline: { act: string; by: string; auth: string }[] },
    accept: move('handoff_accept'),
    submit: move('handoff_submit'),
    verify: move('handoff_verify'),
    wait: move('handoff_wait'),
  }
}

describeOnEngines('a first handoff over HTTP', (open) => {
  it('is sent, taken, handed in, verified and shown with two tokens', async (t) => {
    const { service, beside } = await open(t)
    const lines: string[] = []
    const log = createLog({ write: (line) => lines.push(line) })
    const server = await serve({ service: await beside(), port: 0, signals: false, log })
    t.after(() => server.close())
    const secrets = {
      maria: await newToken(service, 'maria', ['handoff:write'], 'human'),
      codex: await newToken(service, 'codex', ['handoff:write']),
    }
    const maria = agent(createRemote({ url: server.url, token: secrets.maria }))
    const codex = agent(createRemote({ url: server.url, token: secrets.codex }))
    const work = {
      to: 'codex',
      title: 'Add rate limiting',
      summary: 'API needs limits before launch; plan agreed in standup',
      deliverables: ['Middleware in src/'],
      criteria: ['npm test passes', 'write good code'],
    }

    const { handoff, warnings } = await maria.send(work)
    assert.deepEqual([handoff.state, handoff.from, warnings.length], ['offered', 'maria', 1])
    assert.equal((await maria.send(work)).handoff.id, handoff.id)
    assert.deepEqual(await codex.inbox(), [handoff.id])
    const done = maria.wait(handoff.id, { timeout_s: 30 })

    assert.equal((await codex.accept(handoff.id)).state, 'in_progress')
    await assert.rejects(codex.submit(handoff.id), { code: 'unmet' })
    const evidence = [{ deliverable: 'Middleware in src/', evidence: 'src/limit.ts' }]
    assert.equal((await codex.submit(handoff.id, { evidence, note: '12 tests' })).state, 'in_review')
    await assert.rejects(codex.verify(handoff.id, { pass: true }), { code: 'not_allowed' })
    assert.deepEqual(await maria.inbox(), [handoff.id])
    assert.equal((await maria.verify(handoff.id, { pass: true })).state, 'completed')
    assert.equal((await done).state, 'completed')

    const { timeline } = await maria.show(handoff.id)
    assert.deepEqual(
      [...new Set(timeline.map(({ by, auth }) => `${by} ${auth}`))],
      ['maria token', 'codex token'],
    )
    assert.deepEqual([await maria.inbox(), await codex.inbox()], [[], []])
    for (const secret of Object.values(secrets)) assert.equal(lines.join('').includes(secret), false)
  })
})
