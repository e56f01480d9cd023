import assert from 'node:assert/strict'
import { it } from 'node:test'
import { tablesOf } from '../../test/log.ts'
import { describeOnEngines, person } from '../../test/workspace.ts'
import { HOUR_MS } from '../domain/deadlines.ts'

const maria = person('maria')

describeOnEngines('a token', (open) => {
  it('stands for its agent, and its secret is kept nowhere', async (t) => {
    const w = await open(t)

    const { token, secret } = await w.service.tokens.create(maria, { agent: 'ci', scopes: ['handoff:write'] })

    assert.match(secret, /^baton_[A-Za-z0-9_-]{43}$/)
    assert.deepEqual(await w.service.tokens.authenticate(secret), token)
    assert.deepEqual([token.agent, token.scopes], ['ci', ['handoff:write']])
    const kept = JSON.stringify([...(await tablesOf(w.store)).values()])
    assert.ok(!kept.includes(secret))
  })

  it('is no other text', async (t) => {
    const w = await open(t)
    const { secret, token } = await w.service.tokens.create(maria, { agent: 'ci', scopes: [] })

    for (const wrong of ['', secret.slice(0, -1), `${secret}x`, secret.slice('baton_'.length), token.hash])
      assert.equal(await w.service.tokens.authenticate(wrong), undefined)
  })

  it('ends when its time has come', async (t) => {
    const w = await open(t)
    const expires_at = '2026-02-21T15:30:00.000Z'
    const { secret } = await w.service.tokens.create(maria, { agent: 'ci', scopes: [], expires_at })

    w.clock.pass(HOUR_MS - 1)
    const before = await w.service.tokens.authenticate(secret)
    w.clock.pass(1)

    assert.equal(before?.agent, 'ci')
    assert.equal(await w.service.tokens.authenticate(secret), undefined)
  })

  it('ends when it is revoked, by its id or an unmistakable part of it', async (t) => {
    const w = await open(t)
    const { token, secret } = await w.service.tokens.create(maria, { agent: 'ci', scopes: [] })
    const other = await w.service.tokens.create(maria, { agent: 'ci', scopes: [] })

    await assert.rejects(w.service.tokens.revoke(maria, ''), { code: 'not_found' })
    await w.service.tokens.revoke(maria, token.uid)

    assert.equal(await w.service.tokens.authenticate(secret), undefined)
    assert.equal((await w.service.tokens.authenticate(other.secret))?.uid, other.token.uid)
    assert.deepEqual(
      (await w.service.tokens.list()).map(({ uid, revoked_at }) => [uid, revoked_at]).sort(),
      [
        [token.uid, w.clock.text],
        [other.token.uid, undefined],
      ].sort(),
    )
  })
})
