import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { SLOW_TEXTS } from '../../../../test/support/documents/slow-texts.ts'
import { openWorkspace } from '../../../../test/support/program/workspace.ts'
import { newToken, post } from '../../../../test/support/servers/http-workspace.ts'
import { createLog } from './log.ts'
import { serve } from './serve.ts'

describe('a server that is given a text which takes seconds to read', () => {
  for (const [name, text] of Object.entries(SLOW_TEXTS).slice(0, 3))
    it(`[T13] answers others meanwhile: ${name}`, async (t) => {
      const workspace = await openWorkspace(t)
      const secret = await newToken(workspace.service, 'codex', ['document:read'])
      const log = createLog({ write: () => true })
      const server = await serve({ service: await workspace.beside(), port: 0, signals: false, log })
      t.after(() => server.close())

      const caller = new AbortController()
      const thread = once(process, 'worker').then(() => 'thread')
      const asked = { ...post(secret, { text }), signal: caller.signal }
      let isAnswered = false
      const answer = fetch(`${server.url}/v1/documents/check`, asked).then(({ status }) => {
        isAnswered = true
        return `answered ${status}`
      })

      assert.equal(await Promise.race([thread, answer]), 'thread')
      for (let i = 0; i < 5; i++) assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
      assert.equal(isAnswered, false)
      caller.abort()
      await assert.rejects(answer)
    })
})
