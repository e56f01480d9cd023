import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, person } from '../test/support/program/workspace.ts'
import { newToken } from '../test/support/servers/http-workspace.ts'
import { itListens, logged, servers } from '../test/support/servers/listeners.ts'
import * as exported from './client.ts'
import { createClient } from './client.ts'

const LISTENERS = 100

describeOnEngines('the client of a server', (open) => {
  it('calls operations by their names, with the errors that they have in process', async (t) => {
    const { url, service } = await servers(t, open)
    const ana = createClient({ url, token: await newToken(service, 'ana') })
    const codex = createClient({ url, token: await newToken(service, 'codex') })

    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const { handoff } = await ana.handoff_send(
      { to: 'codex', title: 'Limits', summary: 'The API needs limits before the launch' },
      { key: 'k1', trace: { traceparent } },
    )
    const again = await ana.handoff_send(
      { to: 'codex', title: 'Limits', summary: 'The API needs limits before the launch' },
      { key: 'k1' },
    )

    assert.deepEqual([again.handoff.uid, again.handoff.trace], [handoff.uid, { traceparent }])
    assert.equal((await codex.handoff_inbox({})).items[0]?.id, handoff.id)
    await assert.rejects(ana.handoff_accept({ id: handoff.id }), { code: 'not_allowed' })
    assert.equal((await codex.whoami()).name, 'codex')
  })

  itListens(LISTENERS, open)

  it('loses nothing and hears nothing twice when the server is replaced before the first event', async (t) => {
    const { url, service, lines, restart, stop } = await servers(t, open)
    const client = createClient({ url, token: await newToken(service, 'watcher', ['report:read']) })
    const signal = AbortSignal.timeout(15_000)
    const filters = [{}, { act: 'handoff.send' }, { agent: 'codex', kind: 'handoff' }]
    await service.sending.send(by('ana'), { to: 'codex', title: 'before' })
    const hearing = filters.map(async (filter) => {
      const got: (string | undefined)[] = []
      for await (const { title } of client.events({ ...filter, signal })) {
        got.push(title)
        if (got.length === 2) break
      }
      return got
    })
    await logged(lines, '"events"', filters.length)

    await stop()
    await service.sending.send(by('ana'), { to: 'codex', title: 'while away' })
    await restart()
    await service.sending.send(by('ana'), { to: 'codex', title: 'after' })

    for (const got of await Promise.all(hearing)) assert.deepEqual(got, ['while away', 'after'])
  })

  it('takes a field that is undefined for one that is not there', async (t) => {
    const { url, service } = await servers(t, open)
    const client = createClient({ url, token: await newToken(service, 'ana') })
    const nothing = { agent: undefined, handoff: undefined, task: undefined, kind: undefined, act: undefined }
    const { handoff } = await client.handoff_send(
      { to: 'codex', title: 'Limits', summary: undefined },
      { key: undefined, trace: undefined },
    )

    const signal = AbortSignal.timeout(10_000)
    const first = await client.events({ ...nothing, since: '0', signal }).next()
    const fromNow = client.events({ ...nothing, since: undefined, signal }).next()
    const { items } = await client.handoff_list({ state: undefined, to: 'codex', limit: undefined })
    const told = setInterval(() => client.handoff_cancel({ id: handoff.id }).catch(() => undefined), 100)
    t.after(() => clearInterval(told))

    assert.deepEqual([first.done, items.length], [false, 1])
    assert.equal((await fromNow).value?.act, 'handoff.cancel')
  })

  for (const timeout_s of [30, undefined])
    it(`[S1-87] waits through a restart of the server, for ${timeout_s ?? 'as long as the handoff says'}`, async (t) => {
      const { url, service, restart, stop } = await servers(t, open)
      const client = createClient({ url, token: await newToken(service, 'ana') })
      const { handoff } = await client.handoff_send({ to: 'codex', title: 'w', home: 'queue', timeout_s: 30 })
      const waiting = client.handoff_wait({ id: handoff.id, timeout_s })
      const before = client.handoff_wait({ id: handoff.id, timeout_s: 0.2 })
      await assert.rejects(before, { message: `Handoff ${handoff.id} timed out after 0.2s` })

      await stop()
      const begun = client.handoff_wait({ id: handoff.id, timeout_s })
      await service.receiving.accept(by('codex'), handoff.uid)
      await service.receiving.submit(by('codex'), handoff.uid, { output: 1 })
      await restart()

      for (const { handoff: ended, done, output } of [await waiting, await begun])
        assert.deepEqual([ended.state, done, output], ['completed', true, 1])
    })

  it('[S1-91] ends a wait at its deadline where the server has not come back', async (t) => {
    const { url, service, stop } = await servers(t, open)
    const client = createClient({ url, token: await newToken(service, 'ana') })
    const own = { to: 'codex', title: 'w', home: 'queue', timeout_s: 1 } as const
    const { handoff } = await client.handoff_send(own)
    const begun = performance.now()
    const waiting = client.handoff_wait({ id: handoff.id, timeout_s: 1.5 })
    const refused = assert.rejects(waiting, {
      name: 'HandoffTimeoutException',
      message: `Handoff ${handoff.id} timed out after 1.5s`,
      details: { id: handoff.id, timeout_s: 1.5 },
    })
    await stop()

    await refused
    const took = performance.now() - begun
    assert.ok(took >= 1_500 && took < 5_000, `${took} ms`)
  })

  it('throws out of a wait at once what will not pass', async (t) => {
    const { url, service, lines } = await servers(t, open, 200)
    const made = await (await service.tokens()).create(person('maria'), { agent: 'maria', scopes: ['*'] })
    const client = createClient({ url, token: made.secret })
    const { handoff } = await client.handoff_send({ to: 'codex', title: 'w' })
    const waiting = client.handoff_wait({ id: handoff.id, timeout_s: 60 })
    const refused = assert.rejects(waiting, { code: 'unauthenticated' })
    await logged(lines, '"handoff_wait"', 1)

    await (await service.tokens()).revoke(person('maria'), made.token.uid)

    await refused
    await assert.rejects(client.handoff_wait({ id: 'HO-1999-1' }), { code: 'unauthenticated' })
    const nobody = createClient({ url: 'http://127.0.0.1:9', token: made.secret })
    await assert.rejects(nobody.handoff_wait({ id: handoff.id, timeout_s: 60 }), { code: 'unavailable' })
  })

  it('throws the classes that it exports', async (t) => {
    const { url, service } = await servers(t, open)
    const client = createClient({ url, token: await newToken(service, 'ana') })
    const { handoff } = await client.handoff_send({ to: 'codex', title: 'w' })

    await assert.rejects(
      client.handoff_wait({ id: handoff.id, timeout_s: 0 }),
      exported.HandoffTimeoutException,
    )
    await client.handoff_cancel({ id: handoff.id })
    await assert.rejects(client.handoff_wait({ id: handoff.id }), exported.HandoffFailedException)
    assert.ok(new exported.HandoffLimitExceeded('x') instanceof exported.BatonError)
    assert.equal(exported.ERROR_CODES.timed_out.http, 408)
  })

  it('ends calls and waits with the signal of their caller, and with its reason', async (t) => {
    const { url, service, stop } = await servers(t, open)
    const client = createClient({ url, token: await newToken(service, 'ana') })
    const { handoff } = await client.handoff_send({ to: 'codex', title: 'w' })
    const enough = new Error('enough')

    await assert.rejects(client.handoff_inbox({}, { signal: AbortSignal.abort(enough) }), enough)
    const given = new AbortController()
    const waiting = client.handoff_wait({ id: handoff.id, timeout_s: 60 }, { signal: given.signal })
    const refused = assert.rejects(waiting, enough)
    setTimeout(() => given.abort(enough), 100)
    await refused

    const later = new AbortController()
    const away = client.handoff_wait({ id: handoff.id, timeout_s: 60 }, { signal: later.signal })
    const refusedToo = assert.rejects(away, enough)
    await stop()
    setTimeout(() => later.abort(enough), 300)
    await refusedToo
  })

  it('changes only what it has seen where it says the revision', async (t) => {
    const { url, service } = await servers(t, open)
    const client = createClient({ url, token: await newToken(service, 'ana') })
    const { handoff } = await client.handoff_send({ to: 'codex', title: 'w' })
    await service.receiving.accept(by('codex'), handoff.uid)

    const { id, rev } = handoff
    await assert.rejects(client.handoff_cancel({ id }, { rev }), { code: 'conflict' })
    const { handoff: seen } = await client.handoff_get({ id })
    const cancelled = await client.handoff_cancel({ id }, { rev: seen.rev })
    assert.equal(cancelled.handoff.state, 'cancelled')
  })

  it('tells what will not change by itself, and does not try for ever', async (t) => {
    const { url, service } = await servers(t, open)
    const client = createClient({ url, token: await newToken(service, 'narrow', ['handoff:write']) })

    await assert.rejects(client.events({ since: '0' }).next(), { code: 'not_found' })
  })
})
