import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../../test/support/documents/folders.ts'
import { verifyEnvelope } from '../audit/envelope.ts'
import { verifyEd25519 } from '../service/audit/hashes.ts'
import { openAgentKeys } from './agent-keys.ts'

const LOG = 'baton.local/0198f000-0000-7000-8000-000000000000'

describe('keys of agents', () => {
  it('are files of this user alone, one for each agent and log', async (t) => {
    const { home } = folders(t)
    const keys = openAgentKeys({ home })

    const codex = await keys.makeKey(LOG, 'codex')
    const other = await keys.makeKey(LOG, 'gemini')
    const elsewhere = await keys.makeKey(`${LOG}1`, 'codex')

    assert.equal(statSync(codex.file).mode & 0o777, 0o600)
    assert.equal(statSync(dirname(codex.file)).mode & 0o777, 0o700)
    assert.equal(new Set([codex, other, elsewhere].map(({ id }) => id)).size, 3)
    assert.equal((await keys.key(LOG, 'codex'))?.id, codex.id)
    assert.equal(await keys.key(LOG, 'claude'), undefined)
  })

  it('sign what their public part verifies', async (t) => {
    const { home } = folders(t)
    const key = await openAgentKeys({ home }).makeKey(LOG, 'codex')
    const subject = { name: 'P0.1.1', digest: { gitCommit: 'c'.repeat(40) } }

    const envelope = key.attest(subject, { summary: 'Done' })

    const bytes = Buffer.from(key.public, 'base64')
    assert.equal(bytes.length, 32)
    const statement = await verifyEnvelope(envelope, { id: key.id, key: bytes }, verifyEd25519)
    assert.deepEqual([statement?.subject, statement?.predicate], [[subject], { summary: 'Done' }])
    const other = { id: key.id, key: Buffer.alloc(32, 1) }
    assert.equal(await verifyEnvelope(envelope, other, verifyEd25519), undefined)
  })

  it('are made once when many ask at the same time, and replaced only when asked', async (t) => {
    const { home } = folders(t)
    const rings = Array.from({ length: 5 }, () => openAgentKeys({ home }))

    const made = await Promise.all(rings.map((keys) => keys.makeKey(LOG, 'codex')))
    const next = await rings[0]!.makeKey(LOG, 'codex', { replace: true })

    assert.equal(new Set(made.map(({ id }) => id)).size, 1)
    assert.notEqual(next.id, made[0]!.id)
    assert.equal((await rings[1]!.key(LOG, 'codex'))?.id, next.id)
    assert.deepEqual(readdirSync(dirname(next.file)).length, 1)
  })

  it('are refused when others can read them or when they are none', async (t) => {
    const { home } = folders(t)
    const keys = openAgentKeys({ home })
    const { file } = await keys.makeKey(LOG, 'codex')

    chmodSync(file, 0o640)
    await assert.rejects(keys.key(LOG, 'codex'), { code: 'not_allowed', message: /chmod 600/ })
    chmodSync(file, 0o600)
    writeFileSync(file, 'nonsense')
    await assert.rejects(keys.key(LOG, 'codex'), { code: 'store_refused' })
  })

  it('count for nothing when another user put them there', async (t) => {
    const { home } = folders(t)
    await openAgentKeys({ home }).makeKey(LOG, 'codex')

    assert.equal(await openAgentKeys({ home, uid: 4_000_000 }).key(LOG, 'codex'), undefined)
  })
})
