import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { by, ENGINES, person, removeAsFirstVersion } from '../../../../test/support/program/workspace.ts'
import { bearer, get, openHttp, post, refusalOf } from '../../../../test/support/servers/http-workspace.ts'
import { loadOperations } from '../../../operations/index.ts'
import type { Operation } from '../../../operations/operation.ts'

const operations = await loadOperations()
const scopes = [...new Set(operations.map((op) => op.scope))].sort()

/** A call of the operation that gets as far as its input and is refused there. */
function callOf(
  op: Operation,
  secret?: string,
  extra: Record<string, string> = { zzz: '1' },
): [string, RequestInit] {
  const path = op.http.path.replaceAll(/\{\w+\}/g, 'x')
  const headers = secret === undefined ? {} : bearer(secret)
  if (op.http.method === 'GET') return [`${path}?${new URLSearchParams(extra)}`, { headers }]
  return [
    path,
    {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(extra),
    },
  ]
}

/** What a token with one scope may expect of an operation: the rule again, in other words than the code's. */
function expected(op: Operation, scope: string): number {
  const [noun, right] = op.scope.split(':')
  const reads = noun === 'gate' || noun === 'notice' ? 'handoff' : noun
  if (scope === '*' || scope === op.scope || (right === 'read' && scope === `${noun}:write`)) return 400
  return scope === `${reads}:read` || scope === `${reads}:write` ? 403 : 404
}

describe('tokens', () => {
  it('are needed for every operation', async (t) => {
    const { request, token, service, clock, beside } = await openHttp(t)
    const { secret: expired } = await (await service.tokens()).create(person('maria'), {
      agent: 'codex',
      scopes: ['*'],
      expires_at: new Date(clock.now().getTime() + 1_000).toISOString(),
    })
    clock.pass(1_000)
    const { secret: revoked, token: row } = await (await service.tokens()).create(person('maria'), {
      agent: 'codex',
      scopes: ['*'],
    })
    await (await (await beside()).tokens()).revoke(person('maria'), row.uid)
    const foreign = await (await openHttp(t)).token('codex')
    const good = await token('codex')
    const headers = [
      undefined,
      `Bearer ${expired}`,
      `Bearer ${revoked}`,
      `Bearer ${foreign}`,
      `Bearer ${good}x`,
      `Bearer ${good.toUpperCase()}`,
      `Bearer ${good.slice('baton_'.length)}`,
      `Bearer baton_`,
      'Bearer',
      `Bearer ${good}, Bearer ${good}`,
      `Basic ${Buffer.from(`codex:${good}`).toString('base64')}`,
      good,
    ]

    for (const op of operations)
      for (const authorization of headers) {
        const [path, init] = callOf(op)
        const answer = await request(path, {
          ...init,
          headers: { ...init.headers, ...(authorization !== undefined && { authorization }) },
        })
        const { status, code, problem } = await refusalOf(answer)
        assert.deepEqual([op.name, status, code], [op.name, 401, 'unauthenticated'])
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="baton"')
        assert.equal(JSON.stringify(problem).includes(good), false)
      }
  })

  it('give the same answer whether they are unknown, expired or revoked', async (t) => {
    const { request, service, clock } = await openHttp(t)
    const make = async (expires_at?: string) =>
      (await service.tokens()).create(person('maria'), { agent: 'codex', scopes: ['*'], expires_at })
    const expired = await make(clock.text)
    const revoked = await make()
    await (await service.tokens()).revoke(person('maria'), revoked.token.uid)

    const answers = []
    for (const secret of [expired.secret, revoked.secret, `baton_${'x'.repeat(43)}`])
      answers.push(await (await request('/v1/inbox', get(secret))).text())

    assert.equal(new Set(answers).size, 1)
  })

  it('end at once for whoever has used them, through this connection or another', async (t) => {
    const { request, service, beside } = await openHttp(t)
    const other = await beside()
    for (const tokens of [await service.tokens(), await other.tokens()]) {
      const { secret, token: row } = await tokens.create(person('maria'), { agent: 'codex', scopes: ['*'] })
      assert.equal((await request('/v1/inbox', get(secret))).status, 200)

      await tokens.revoke(person('maria'), row.uid)

      assert.equal((await request('/v1/inbox', get(secret))).status, 401)
    }
  })

  for (const engine of ENGINES)
    it(`of a removed agent or person get 401 at once and when it is back, on ${engine}`, async (t) => {
      const { request, service, store, beside, token } = await openHttp(t, { engine })
      const other = await beside()
      const secrets = [await token('omar', ['*'], 'human'), await token('codex')]
      const statuses = () =>
        Promise.all(secrets.map(async (secret) => (await request('/v1/whoami', get(secret))).status))
      assert.deepEqual(await statuses(), [200, 200])

      await other.agents.remove(person('maria'), 'omar')
      await removeAsFirstVersion(store, 'codex')

      assert.deepEqual(await statuses(), [401, 401])
      const begun = await request('/v1/session', post('', { code: secrets[1] }))
      assert.equal(begun.status, 401)
      for (const name of ['omar', 'codex']) await service.agents.add(person('maria'), { name })
      assert.deepEqual(await statuses(), [401, 401])
    })

  it('tell their holder who it is, whatever their scopes, and nobody else', async (t) => {
    const { request, token } = await openHttp(t)
    const answer = await request('/v1/whoami', get(await token('maria', [], 'human')))

    assert.deepEqual(await answer.json(), {
      actor: { name: 'maria', kind: 'human', auth: 'token' },
      scopes: [],
    })
    assert.equal((await refusalOf(await request('/v1/whoami'))).code, 'unauthenticated')
    assert.equal((await refusalOf(await request('/v1/whoami', get('baton_x')))).code, 'unauthenticated')
  })

  it('are read with the scheme in any case', async (t) => {
    const { request, token } = await openHttp(t)

    const answer = await request('/v1/inbox', {
      headers: { authorization: `bearer ${await token('codex')}` },
    })

    assert.equal(answer.status, 200)
  })
})

describe('scopes', () => {
  it('open exactly what a token was made for', async (t) => {
    const { request, token } = await openHttp(t)
    const codes: Record<number, string> = { 400: 'invalid_input', 403: 'not_allowed', 404: 'not_found' }

    for (const scope of ['*', ...scopes, 'gate:read', 'handoff', 'handoff:*', 'HANDOFF:WRITE', ':read', '']) {
      const secret = await token('maria', [scope], 'human')
      for (const op of operations) {
        const { status, code } = await refusalOf(await request(...callOf(op, secret)))
        const wanted = expected(op, scope)
        assert.deepEqual([scope, op.name, status, code], [scope, op.name, wanted, codes[wanted]])
      }
    }
  })

  it('are missing from a token without any, which finds nothing', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex', [])

    for (const op of operations)
      assert.deepEqual(
        [op.name, (await refusalOf(await request(...callOf(op, secret)))).code],
        [op.name, 'not_found'],
      )
  })

  it('answer the same for an id that is there and one that is not, when reading is not allowed', async (t) => {
    const { request, token, service } = await openHttp(t)
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })
    const secret = await token('stranger', ['task:write'])

    const texts = []
    for (const id of [handoff.id, handoff.uid, 'HO-2026-999'])
      texts.push(await (await request(`/v1/handoffs/${id}`, get(secret))).text())

    assert.equal(new Set(texts).size, 1)
    assert.equal(texts[0]?.includes('HO-2026'), false)
  })

  it('name what is missing to whoever may read', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex', ['handoff:read'])

    const { problem } = await refusalOf(
      await request('/v1/handoffs', post(secret, { to: 'maria', title: 'x' })),
    )

    assert.match(problem.detail, /the token of codex has no scope handoff:write/)
    assert.deepEqual(problem.details, { operation: 'handoff_send', scope: 'handoff:write' })
  })

  for (const op of operations.filter(({ peopleOnly }) => peopleOnly))
    it(`do not let anything but a person do ${op.name}`, async (t) => {
      const { request, token } = await openHttp(t)

      for (const kind of ['agent', 'orchestrator', 'specialist', 'pool'] as const) {
        const { status, problem } = await refusalOf(
          await request(...callOf(op, await token(`some-${kind}`, ['*'], kind))),
        )
        assert.equal(status, 403)
        assert.match(problem.detail, /only a person/)
      }
      assert.equal((await request(...callOf(op, await token('maria', ['*'], 'human')))).status, 400)
    })
})

describe('a person who was removed', () => {
  it('who was removed decides nothing with a token that is left', async (t) => {
    const { request, token, service } = await openHttp(t)
    const secret = await token('omar', ['*'], 'human')
    const op = operations.find(({ name }) => name === 'gate_decide')!
    assert.equal((await request(...callOf(op, secret))).status, 400)

    await service.agents.remove(person('maria'), 'omar')

    assert.equal((await request(...callOf(op, secret))).status, 401)
  })
})

describe('the actor', () => {
  it('cannot be named in the body or query of any operation', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')
    await token('maria', ['*'], 'human')

    // A record may say for whom it is written; the operation judges who may, and logs who did.
    const says = ({ input }: (typeof operations)[number]) => Object.hasOwn(input.shape, 'on_behalf_of')
    assert.deepEqual(
      operations
        .filter(says)
        .map(({ name }) => name)
        .sort(),
      ['task_complete', 'task_escalate', 'thought_record'],
    )
    for (const op of operations.filter(({ peopleOnly }) => !peopleOnly))
      for (const field of ['actor', 'as', 'on_behalf_of', 'auth', 'instance', 'key']) {
        if (field === 'on_behalf_of' && says(op)) continue
        const { status, problem } = await refusalOf(
          await request(...callOf(op, secret, { [field]: 'maria' })),
        )
        assert.deepEqual([op.name, field, status], [op.name, field, 400])
        assert.match(problem.detail, new RegExp(field))
      }
  })

  it('is the one of the token, whatever headers claim', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')
    const claims = { 'baton-agent': 'maria', 'x-forwarded-user': 'maria', 'x-actor': 'maria', from: 'maria' }

    const sent = await request(
      '/v1/handoffs',
      post(secret, { to: 'gemini', title: 'Add rate limiting' }, claims),
    )
    const { handoff } = (await sent.json()) as { handoff: { id: string; from: string } }
    const shown = await request(`/v1/handoffs/${handoff.id}`, get(secret))
    const { timeline } = (await shown.json()) as { timeline: { by: string; auth: string }[] }

    assert.equal(handoff.from, 'codex')
    assert.deepEqual(
      timeline.map((event) => [event.by, event.auth]),
      [['codex', 'token']],
    )
  })

  it('cannot take, finish or judge the work of another', async (t) => {
    const { request, token, service } = await openHttp(t)
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })
    const secret = await token('mallory')
    const attempts: readonly [string, object][] = [
      ['accept', {}],
      ['reject', { reason: 'no' }],
      ['ask', { question: 'why?' }],
      ['submit', {}],
      ['verify', { pass: true }],
      ['complete', {}],
      ['fail', { message: 'no' }],
      ['heartbeat', {}],
      ['amend', { summary: 'changed' }],
      ['reassign', { to: 'mallory' }],
      ['cancel', {}],
    ]

    for (const [verb, body] of attempts) {
      const { code } = await refusalOf(
        await request(`/v1/handoffs/${handoff.id}/${verb}`, post(secret, body)),
      )
      assert.ok(['not_allowed', 'wrong_state'].includes(code), `${verb}: ${code}`)
    }
    assert.deepEqual((await service.looking.get(handoff.uid)).handoff, handoff)
  })

  it('may say which of its processes is calling', async (t) => {
    const { request, token, service } = await openHttp(t)
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })
    const secret = await token('codex')

    const taken = await request(
      `/v1/handoffs/${handoff.id}/accept`,
      post(secret, {}, { 'baton-instance': 'laptop:4711' }),
    )

    const { holder, instance } = ((await taken.json()) as { handoff: typeof handoff }).handoff
    assert.deepEqual([holder, instance], ['codex', 'laptop:4711'])
    for (const wrong of ['', ' ', 'a b', '-x', 'x'.repeat(101), 'a#b', 'a/b'])
      assert.equal(
        (await refusalOf(await request('/v1/inbox', get(secret, { 'baton-instance': wrong })))).status,
        400,
      )
  })
})

describe('Idempotency-Key', () => {
  it('makes a repeated call harmless and refuses the same key for other input', async (t) => {
    const { request, token, service } = await openHttp(t)
    const secret = await token('codex')
    const send = (title: string) =>
      request('/v1/handoffs', post(secret, { to: 'gemini', title }, { 'idempotency-key': 'k-1' }))

    const first = (await (await send('Add rate limiting')).json()) as { handoff: object }
    const second = (await (await send('Add rate limiting')).json()) as { handoff: object }
    const third = await refusalOf(await send('Something else'))

    assert.deepEqual(second.handoff, first.handoff)
    assert.deepEqual([third.status, third.code], [409, 'conflict'])
    assert.equal((await service.looking.list({}, { limit: 10 })).items.length, 1)
  })

  it('is refused when it is not one word of visible characters', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')

    for (const key of ['', 'two words', 'x'.repeat(201), 'ä'])
      assert.equal(
        (await refusalOf(await request('/v1/claims', post(secret, {}, { 'idempotency-key': key })))).code,
        'invalid_input',
      )
  })
})
