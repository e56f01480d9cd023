import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newKeys, recordOf } from '../../../../test/support/log/audit.ts'
import { get, openHttp, post, refusalOf } from '../../../../test/support/servers/http-workspace.ts'

describe('the log over HTTP', () => {
  it('[S3-31] [S3-95] seals a session for one caller and gives its root to another', async (t) => {
    const w = await openHttp(t, newKeys(t))
    const [codex, gemini] = [await w.token('codex'), await w.token('gemini', ['audit:read'])]
    const said = async (response: Response) => {
      const answer = (await response.json()) as Record<string, unknown>
      assert.ok(response.ok, JSON.stringify(answer))
      return answer
    }
    await said(await w.request('/v1/tasks', post(codex, { id: 'P1', title: 'Work' })))
    const session = await said(await w.request('/v1/audit/sessions', post(codex, {})))
    await said(await w.request('/v1/tasks/P1/start', post(codex, {})))
    await said(await w.request('/v1/tasks/P1/complete', post(codex, recordOf('P1'))))

    const chain = await said(await w.request('/v1/audit/verify-chain', get(gemini)))
    const sealed = await said(await w.request('/v1/audit/finalize', post(codex, {})))
    const root = await said(await w.request(`/v1/audit/root?session=${session.id}`, get(gemini)))

    assert.deepEqual([chain.ok, chain.session], [true, session.id])
    assert.deepEqual(root, sealed)
    const proof = await said(await w.request('/v1/audit/proofs/P1', get(gemini)))
    assert.ok((proof.entries as unknown[]).length >= 3)
  })

  it('[S3-108] says which step is missing, and lets a reader seal nothing', async (t) => {
    const w = await openHttp(t, newKeys(t))
    const reader = await w.token('gemini', ['audit:read'])

    const early = await refusalOf(await w.request('/v1/audit/root', get(reader)))
    const refused = await w.request('/v1/audit/finalize', post(reader, {}))

    assert.equal(early.code, 'wrong_state')
    assert.ok([403, 404].includes(refused.status), String(refused.status))
  })
})
