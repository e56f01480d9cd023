import assert from 'node:assert/strict'
import { it } from 'node:test'
import { tablesOf } from '../../../test/support/log/log.ts'
import { describeOnEngines, person, removeAsFirstVersion } from '../../../test/support/program/workspace.ts'
import { HOUR_MS } from '../../domain/handoffs/deadlines.ts'

const maria = person('maria')

describeOnEngines('a token', (open) => {
  it('[T11] stands for its agent, and its secret is kept nowhere', async (t) => {
    const w = await open(t)

    const { token, secret } = await (await w.service.tokens()).create(maria, {
      agent: 'ci',
      scopes: ['handoff:write'],
    })

    assert.match(secret, /^baton_[A-Za-z0-9_-]{43}$/)
    assert.deepEqual(await (await w.service.tokens()).authenticate(secret), token)
    assert.deepEqual([token.agent, token.scopes], ['ci', ['handoff:write']])
    const kept = JSON.stringify([...(await tablesOf(w.store)).values()])
    assert.ok(!kept.includes(secret))
  })

  it('is no other text', async (t) => {
    const w = await open(t)
    const { secret, token } = await (await w.service.tokens()).create(maria, { agent: 'ci', scopes: [] })

    for (const wrong of ['', secret.slice(0, -1), `${secret}x`, secret.slice('baton_'.length), token.hash])
      assert.equal(await (await w.service.tokens()).authenticate(wrong), undefined)
  })

  it('ends when its time has come', async (t) => {
    const w = await open(t)
    const expires_at = '2026-02-21T15:30:00.000Z'
    const { secret } = await (await w.service.tokens()).create(maria, { agent: 'ci', scopes: [], expires_at })

    w.clock.pass(HOUR_MS - 1)
    const before = await (await w.service.tokens()).authenticate(secret)
    w.clock.pass(1)

    assert.equal(before?.agent, 'ci')
    assert.equal(await (await w.service.tokens()).authenticate(secret), undefined)
  })

  it('ends when it is revoked, by its id or an unmistakable part of it', async (t) => {
    const w = await open(t)
    const { token, secret } = await (await w.service.tokens()).create(maria, { agent: 'ci', scopes: [] })
    const other = await (await w.service.tokens()).create(maria, { agent: 'ci', scopes: [] })

    await assert.rejects((await w.service.tokens()).revoke(maria, ''), { code: 'not_found' })
    await (await w.service.tokens()).revoke(maria, token.uid)

    assert.equal(await (await w.service.tokens()).authenticate(secret), undefined)
    assert.equal((await (await w.service.tokens()).authenticate(other.secret))?.uid, other.token.uid)
    assert.deepEqual(
      (await (await w.service.tokens()).list()).map(({ uid, revoked_at }) => [uid, revoked_at]).sort(),
      [
        [token.uid, w.clock.text],
        [other.token.uid, undefined],
      ].sort(),
    )
  })
})

describeOnEngines('a token of a removed agent', (open) => {
  it('is revoked with its sessions and codes, and stays so when the agent is added again', async (t) => {
    const w = await open(t)
    const { agents } = w.service
    const tokens = await w.service.tokens()
    const made = await tokens.create(maria, { agent: 'codex', scopes: ['*'] })
    const session = (await tokens.beginSession(made.secret))!
    const code = await tokens.loginCode(maria, 'codex')
    const other = await tokens.create(maria, { agent: 'gemini', scopes: ['*'] })
    const told = async () => [
      (await tokens.authenticate(made.secret))?.agent,
      (await tokens.authenticate(session.secret))?.agent,
      (await tokens.beginSession(code))?.token.agent,
      (await tokens.authenticate(other.secret))?.agent,
    ]

    await (await w.beside()).agents.remove(maria, 'codex')

    assert.deepEqual(await told(), [undefined, undefined, undefined, 'gemini'])
    await agents.add(maria, { name: 'codex' })
    assert.deepEqual(await told(), [undefined, undefined, undefined, 'gemini'])
    const listed = (await tokens.list()).filter(({ revoked_at }) => revoked_at === undefined)
    assert.deepEqual(
      listed.map(({ uid }) => uid),
      [other.token.uid],
    )
    const anew = await tokens.create(maria, { agent: 'codex', scopes: ['*'] })
    assert.equal((await tokens.authenticate(anew.secret))?.agent, 'codex')
    const acts = (await w.store.changes('0', 100)).entries.map(({ act }) => act)
    assert.equal(acts.filter((act) => act === 'token.revoke').length, 3)
  })

  it('that 0.1.0 removed opens no session, and is revoked when the agent is added again', async (t) => {
    const w = await open(t)
    const { agents } = w.service
    const tokens = await w.service.tokens()
    const { secret } = await tokens.create(maria, { agent: 'codex', scopes: ['*'] })
    await removeAsFirstVersion(w.store, 'codex')

    assert.equal(await tokens.beginSession(secret), undefined)
    await agents.add(maria, { name: 'codex' })

    assert.equal(await tokens.authenticate(secret), undefined)
  })
})

describeOnEngines('a session', (open) => {
  it('ends with its token when that is revoked, and so do sessions that were exchanged from it', async (t) => {
    const w = await open(t)
    const tokens = await w.service.tokens()
    const made = await tokens.create(maria, { agent: 'ci', scopes: ['*'] })
    const other = await tokens.create(maria, { agent: 'ci', scopes: ['*'] })
    const first = (await tokens.beginSession(made.secret))!
    const second = (await tokens.beginSession(first.secret))!
    const apart = (await tokens.beginSession(other.secret))!
    const agents = async () => {
      const each = [first, second, apart].map(({ secret }) => tokens.authenticate(secret))
      return (await Promise.all(each)).map((token) => token?.agent)
    }
    assert.deepEqual(await agents(), ['ci', 'ci', 'ci'])

    await (await (await w.beside()).tokens()).revoke(maria, made.token.uid)

    assert.deepEqual(await agents(), [undefined, undefined, 'ci'])
    assert.equal(await tokens.beginSession(second.secret), undefined)
    const listed = await tokens.list()
    assert.deepEqual(
      [made, first, second, apart].map(
        ({ token }) => listed.find(({ uid }) => uid === token.uid)?.revoked_at !== undefined,
      ),
      [true, true, true, false],
    )
  })

  it('of a login code has no token above it, and ends those that were exchanged from it', async (t) => {
    const w = await open(t)
    const tokens = await w.service.tokens()
    const first = (await tokens.beginSession(await tokens.loginCode(maria, 'maria')))!
    const second = (await tokens.beginSession(first.secret))!
    assert.equal((await tokens.authenticate(second.secret))?.agent, 'maria')

    await tokens.revoke(maria, first.token.uid)

    assert.equal(await tokens.authenticate(second.secret), undefined)
  })

  it('does not outlive its token', async (t) => {
    const w = await open(t)
    const tokens = await w.service.tokens()
    const expires_at = new Date(w.clock.now().getTime() + HOUR_MS).toISOString()
    const made = await tokens.create(maria, { agent: 'ci', scopes: ['*'], expires_at })
    const first = (await tokens.beginSession(made.secret))!
    const second = (await tokens.beginSession(first.secret))!

    w.clock.pass(HOUR_MS - 1)
    const before = await tokens.authenticate(second.secret)
    w.clock.pass(1)

    assert.deepEqual([before?.agent, second.token.expires_at], ['ci', expires_at])
    assert.equal(await tokens.authenticate(second.secret), undefined)
  })

  it('is eight exchanges away from its token at most, so that a look-up stays cheap', async (t) => {
    const w = await open(t)
    const tokens = await w.service.tokens()
    let { secret } = await tokens.create(maria, { agent: 'ci', scopes: ['*'] })
    for (let exchanged = 0; exchanged < 8; exchanged += 1) {
      secret = (await tokens.beginSession(secret))!.secret
      assert.equal((await tokens.authenticate(secret))?.agent, 'ci')
    }

    assert.equal(await tokens.beginSession(secret), undefined)
  })
})
