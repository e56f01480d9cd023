import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../../../../../test/support/documents/folders.ts'
import { ask, refusal, type Where } from '../../../../../test/support/program/command.ts'
import { createService, openStore } from '../../../../compose/main.ts'
import { loadOperations } from '../../../../operations/index.ts'
import { SCOPES } from './token.ts'

describe('the scopes of tokens', () => {
  it('are all that operations need, and no others', async () => {
    const needed = new Set((await loadOperations()).map(({ scope }) => scope))

    assert.deepEqual(SCOPES, ['*', ...[...needed].sort()])
  })

  it('that would open nothing are refused, with the one that was meant', async (t) => {
    const where: Where = { cwd: folders(t).repository('shop') }

    for (const scope of ['report:write', 'gate:read', 'handoffs:write', 'login', 'HANDOFF:READ'])
      assert.equal(
        (await refusal(where, 'token', 'create', '--agent', 'ci', '--scope', scope)).code,
        'invalid_input',
      )
  })
})

describe('token list', () => {
  it('leaves out codes with which somebody has logged in, and keeps one that is still good', async (t) => {
    const where: Where = { cwd: folders(t).repository('shop') }
    await ask(where, 'token', 'create', '--agent', 'ci', '--scope', 'handoff:write')
    const used = await ask<{ url: string }>(where, 'login', '--url', 'http://127.0.0.1:4180')
    await ask(where, 'login', '--url', 'http://127.0.0.1:4180')
    const store = await openStore({ engine: 'sqlite', path: join(where.cwd, '.baton/baton.db') })
    const session = await (await createService(store).tokens()).beginSession(used.url.split('#login=')[1]!)
    await store.close()

    const { items } = await ask<{ items: { scopes: string[]; revoked_at?: string }[] }>(
      where,
      'token',
      'list',
    )

    assert.ok(session)
    assert.deepEqual(items.map(({ scopes }) => scopes.join()).toSorted(), ['*', 'handoff:write', 'login'])
    assert.ok(items.every(({ revoked_at }) => revoked_at === undefined))
    assert.equal(JSON.stringify(items).includes('hash'), false)
  })
})

describe('token revoke', () => {
  it('ends the sessions of the token, and token list says so', async (t) => {
    const where: Where = { cwd: folders(t).repository('shop') }
    const made = await ask<{ token: { uid: string }; secret: string }>(
      where,
      ...['token', 'create', '--agent', 'ci', '--scope', 'handoff:write'],
    )
    const store = await openStore({ engine: 'sqlite', path: join(where.cwd, '.baton/baton.db') })
    t.after(() => store.close())
    const tokens = await createService(store).tokens()
    const session = (await tokens.beginSession(made.secret))!

    await ask(where, 'token', 'revoke', made.token.uid)

    assert.equal(await tokens.authenticate(session.secret), undefined)
    const { items } = await ask<{ items: Record<string, unknown>[] }>(where, 'token', 'list')
    assert.ok(items.length === 2 && items.every(({ revoked_at }) => revoked_at !== undefined))
    assert.ok(items.every((item) => !('parent' in item) && !('hash' in item)))
    assert.equal((await refusal(where, 'token', 'revoke', session.token.uid)).code, 'not_found')
  })
})
