import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { by, ENGINES } from '../../../../test/support/program/workspace.ts'
import { get, openHttp, post, refusalOf } from '../../../../test/support/servers/http-workspace.ts'
import { BatonError } from '../../../domain/errors.ts'
import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import { present } from '../../../domain/present.ts'
import { loadOperations } from '../../../operations/index.ts'
import type { Store } from '../../../service/service.ts'

type Waited = { readonly handoff: Handoff; readonly done: boolean }

/** Every address that the outside can call and what a token needs for it: a change here is a change for others. */
// biome-ignore format: read as a table
const ROUTES: Readonly<Record<string, readonly [route: string, scope: string]>> = {
  agent_list:        ['GET /v1/agents',                    'agent:read'],
  agent_add:         ['POST /v1/agents',                   'agent:write'],
  agent_remove:      ['POST /v1/agents/{name}/remove',     'agent:write'],
  task_create:       ['POST /v1/tasks',                    'task:write'],
  task_list:         ['GET /v1/tasks',                     'task:read'],
  task_get:          ['GET /v1/tasks/{id}',                'task:read'],
  task_update:       ['POST /v1/tasks/{task_id}',          'task:write'],
  task_next_actions: ['GET /v1/next-actions',              'task:read'],
  task_plan:         ['GET /v1/task-plan',                 'task:read'],
  task_start:        ['POST /v1/tasks/{id}/start',         'task:write'],
  task_reopen:       ['POST /v1/tasks/{id}/reopen',        'task:write'],
  task_log:          ['GET /v1/tasks/{id}/log',            'task:read'],
  task_brief:        ['GET /v1/tasks/{id}/brief',          'task:read'],
  task_complete:     ['POST /v1/tasks/{task_id}/complete', 'task:write'],
  task_escalate:     ['POST /v1/tasks/{task_id}/escalate', 'handoff:write'],
  thought_attest:    ['POST /v1/records/{uid}/attest',     'task:write'],
  thought_list:      ['GET /v1/records',                   'task:read'],
  thought_record:    ['POST /v1/tasks/{task_id}/records',  'task:write'],
  handoff_create:    ['POST /v1/handoffs/drafts',          'handoff:write'],
  handoff_send:      ['POST /v1/handoffs',                 'handoff:write'],
  handoff_inbox:     ['GET /v1/inbox',                     'handoff:read'],
  handoff_get:       ['GET /v1/handoffs/{id}',             'handoff:read'],
  handoff_list:      ['GET /v1/handoffs',                  'handoff:read'],
  handoff_accept:    ['POST /v1/handoffs/{id}/accept',     'handoff:write'],
  handoff_reject:    ['POST /v1/handoffs/{id}/reject',     'handoff:write'],
  handoff_claim:     ['POST /v1/claims',                   'handoff:write'],
  handoff_heartbeat: ['POST /v1/handoffs/{id}/heartbeat',  'handoff:write'],
  handoff_ask:       ['POST /v1/handoffs/{id}/ask',        'handoff:write'],
  handoff_answer:    ['POST /v1/handoffs/{id}/answer',     'handoff:write'],
  handoff_amend:     ['POST /v1/handoffs/{id}/amend',      'handoff:write'],
  handoff_submit:    ['POST /v1/handoffs/{id}/submit',     'handoff:write'],
  handoff_verify:    ['POST /v1/handoffs/{id}/verify',     'handoff:write'],
  handoff_waive:     ['POST /v1/handoffs/{id}/waive',      'handoff:write, people only'],
  handoff_complete:  ['POST /v1/handoffs/{id}/complete',   'handoff:write'],
  handoff_release:   ['POST /v1/handoffs/{id}/release',    'handoff:write'],
  handoff_fail:      ['POST /v1/handoffs/{id}/fail',       'handoff:write'],
  handoff_retry:     ['POST /v1/handoffs/{id}/retry',      'handoff:write'],
  handoff_comment:   ['POST /v1/handoffs/{id}/comment',    'handoff:write'],
  handoff_resend:    ['POST /v1/handoffs/{id}/resend',     'handoff:write'],
  handoff_reassign:  ['POST /v1/handoffs/{id}/reassign',   'handoff:write'],
  handoff_cancel:    ['POST /v1/handoffs/{id}/cancel',     'handoff:write'],
  handoff_wait:      ['GET /v1/handoffs/{id}/wait',        'handoff:read'],
  handoff_running:      ['GET /v1/running',        'handoff:read'],
  gate_decide:       ['POST /v1/gates/{id}/decide',        'gate:write, people only'],
  document_check:    ['POST /v1/documents/check',          'document:read'],
  document_convert:  ['POST /v1/documents/convert',        'document:read'],
  document_import:   ['POST /v1/documents/import',         'document:write'],
  document_export:   ['POST /v1/documents/export',         'document:read'],
  audit_session_start: ['POST /v1/audit/sessions',           'audit:write'],
  audit_sessions:    ['GET /v1/audit/sessions',            'audit:read'],
  audit_verify_chain: ['GET /v1/audit/verify-chain',        'audit:read'],
  merkle_finalize:   ['POST /v1/audit/finalize',           'audit:write'],
  merkle_root:       ['GET /v1/audit/root',                'audit:read'],
  audit_proof:       ['GET /v1/audit/proofs/{id}',         'audit:read'],
  audit_checkpoint:  ['POST /v1/audit/checkpoints',        'audit:write'],
  audit_log:         ['GET /v1/audit/log',                 'audit:read'],
  audit_key:         ['GET /v1/audit/key',                 'audit:read'],
  audit_redact:      ['POST /v1/audit/redactions',         'audit:write, people only'],
  artifact_put:      ['POST /v1/artifacts',                'artifact:write'],
  artifact_get:      ['GET /v1/artifacts/{uid}',           'artifact:read'],
  notice_ack:        ['POST /v1/notices/{uid}/ack',        'notice:write'],
  report_status:     ['GET /v1/status',                    'report:read'],
  document_collect:  ['POST /v1/documents/collect',       'document:write'],
  report_flow:       ['GET /v1/reports/flow',             'report:read'],
  report_history:    ['GET /v1/reports/history',          'report:read'],
  report_metrics:    ['GET /v1/reports/metrics',          'report:read'],
  report_progress:   ['GET /v1/reports/progress',         'report:read'],
  workflow_start:    ['POST /v1/workflows',               'workflow:write'],
  workflow_list:     ['GET /v1/workflows',                'workflow:read'],
  workflow_status:   ['GET /v1/workflows/{id}',           'workflow:read'],
  workflow_resume:   ['POST /v1/workflows/{id}/resume',   'workflow:write'],
  workflow_cancel:   ['POST /v1/workflows/{id}/cancel',   'workflow:write'],
  workflow_check:    ['POST /v1/workflows/check',         'workflow:read'],
  workflow_picture:  ['POST /v1/workflows/picture',       'workflow:read'],
}

const operations = await loadOperations()

/** A store that fails in this one call, as a broken disk would. */
const failing =
  (name: keyof Store, error: unknown) =>
  (store: Store): Store =>
    new Proxy(store, {
      get: (target, key) => {
        if (key === name) return () => Promise.reject(error)
        const value = Reflect.get(target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })

describe('the routes', () => {
  it('are these, each with the scope it needs', () => {
    const found = operations.map((op) => [
      op.name,
      [`${op.http.method} ${op.http.path}`, `${op.scope}${op.peopleOnly ? ', people only' : ''}`],
    ])

    assert.deepEqual(Object.fromEntries(found), ROUTES)
  })

  it('lead to one operation each, also where a field of one path could be a word of another', async (t) => {
    const { request, token, lines } = await openHttp(t)
    const secret = await token('maria', ['*'], 'human')

    for (const op of operations) {
      lines.length = 0
      const path = op.http.path.replaceAll(/\{\w+\}/g, 'x')
      await request(
        ...(op.http.method === 'GET'
          ? ([`${path}?zzz=1`, get(secret)] as const)
          : ([path, post(secret, { zzz: 1 })] as const)),
      )
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).operation),
        [op.name],
      )
    }
  })

  it('answer an unknown address and a wrong method as a problem, with or without a token', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')
    const unknown: readonly (readonly [string, RequestInit])[] = [
      ['/v1', {}],
      ['/v1/', get(secret)],
      ['/v1/handoffs/', get(secret)],
      ['/v2/handoffs', get(secret)],
      ['/index.html', {}],
      ['/%2e%2e/etc/passwd', {}],
      ['/v1/handoffs/x/accept/y', post(secret, {})],
    ]

    for (const [path, init] of unknown) {
      const { status, code } = await refusalOf(await request(path, init))
      assert.deepEqual([path, status, code], [path, 404, 'not_found'])
    }
  })

  it('answers 405 with the methods that an address takes where another one is used', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')
    const other: readonly (readonly [string, RequestInit, string])[] = [
      ['/v1/inbox', post(secret, {}), 'GET'],
      ['/v1/claims', get(secret), 'POST'],
      ['/v1/handoffs/x', { method: 'DELETE', headers: get(secret).headers! }, 'GET'],
      ['/v1/handoffs', { method: 'OPTIONS' }, 'GET, POST'],
      ['/healthz', { method: 'PUT' }, 'GET'],
    ]

    for (const [path, init, allow] of other) {
      const response = await request(path, init)
      const { status, code, problem } = await refusalOf(response)
      assert.deepEqual([path, status, problem.status, code], [path, 405, 405, 'not_found'])
      assert.equal(response.headers.get('allow'), allow)
      assert.equal(problem.detail, `there is no ${init.method ?? 'GET'} at this address; use ${allow}`)
    }
  })
})

describe('errors', () => {
  it('show as a problem document with code, details and whether to try again', async (t) => {
    const { request, token, service } = await openHttp(t)
    const secret = await token('codex')
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })

    const answer = await request(`/v1/handoffs/${handoff.id}/submit`, post(secret, {}))

    assert.equal(answer.status, 409)
    const { detail, ...problem } = (await answer.json()) as Record<string, unknown>
    assert.equal(typeof detail, 'string')
    assert.deepEqual(
      { ...problem, details: '' },
      {
        type: 'urn:baton:error:wrong_state',
        title: 'Not possible in this state',
        status: 409,
        code: 'wrong_state',
        details: '',
        retry: false,
      },
    )
  })

  it('say nothing of an unexpected failure, and the log says all of it but secrets', async (t) => {
    const error = new Error(
      'cannot read postgres://baton:hunter2@db.example/baton for baton_0123456789abcdef',
    )
    const { request, token, lines } = await openHttp(t, { wrap: failing('counts', error) })

    const answer = await request('/v1/status', get(await token('codex')))

    assert.equal(answer.status, 500)
    assert.deepEqual(await answer.json(), {
      type: 'urn:baton:error:internal',
      title: 'Internal error',
      status: 500,
      detail: 'something broke inside Baton',
      code: 'internal',
      details: {},
      retry: false,
    })
    const told = lines.join('')
    assert.match(
      told,
      /"level":"error","event":"failure","operation":"report_status".*cannot read postgres:\/\//,
    )
    assert.doesNotMatch(told, /hunter2|0123456789abcdef/)
  })

  it('tell when to come back while the store is away', async (t) => {
    const { BatonError } = await import('../../../domain/errors.ts')
    const away = new BatonError('unavailable', 'the store is away')
    const { request, token } = await openHttp(t, { wrap: failing('counts', away) })

    const answer = await request('/v1/status', get(await token('codex')))

    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1'])
    assert.equal((await refusalOf(answer)).problem.retry, true)
  })
})

describe('health', () => {
  it('is alive and ready without a token', async (t) => {
    const { request } = await openHttp(t)

    assert.deepEqual(await (await request('/healthz')).json(), { status: 'ok' })
    assert.deepEqual(await (await request('/readyz')).json(), { status: 'ready' })
  })

  it('is alive and not ready when the store does not answer', async (t) => {
    const { request, lines } = await openHttp(t, { wrap: failing('ping', new Error('gone')) })

    assert.equal((await request('/healthz')).status, 200)
    const { status, problem } = await refusalOf(await request('/readyz'))
    assert.deepEqual([status, problem.code, problem.retry], [503, 'unavailable', true])
    assert.equal(lines.length, 1)
  })
})

describe('waiting', () => {
  it('is answered when the handoff is completed', async (t) => {
    const { request, token, service } = await openHttp(t)
    const secret = await token('planner')
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })

    const waiting = request(`/v1/handoffs/${handoff.id}/wait`, get(secret))
    await service.receiving.accept(by('codex'), handoff.uid, {})
    await service.receiving.submit(by('codex'), handoff.uid, { note: 'Done' })
    await service.closing.verify(by('planner'), handoff.uid, { pass: true })

    const answer = await waiting
    assert.equal(answer.status, 200)
    assert.equal(((await answer.json()) as Waited).handoff.state, 'completed')
  })

  it('is held for a limited time, and then says that it is not done and how much time is left', async (t) => {
    const { request, token, service } = await openHttp(t, {}, { holdMs: 20 })
    const secret = await token('planner')
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })

    for (const [query, left_s] of [
      ['', 299.98],
      ['?timeout_s=600', 599.98],
      ['?timeout_s=0', undefined],
    ] as const) {
      const response = await request(`/v1/handoffs/${handoff.id}/wait${query}`, get(secret))
      const { done, handoff: seen, ...rest } = (await response.json()) as Waited
      assert.deepEqual([response.status, done, seen.state], [200, false, 'offered'])
      assert.deepEqual(rest, { ...present({ left_s }), untrusted: ['handoff'] })
    }
  })

  it('is given to one token a thousand times at once, and not once more until one has ended', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('ana')
    const { handoff } = await http.service.sending.send(by('ana'), { to: 'codex', title: 'Waited for' })
    const leaving = new AbortController()
    const wait = (signal?: AbortSignal) =>
      http.request(`/v1/handoffs/${handoff.id}/wait`, { ...get(token), ...(signal && { signal }) })
    const waits = Array.from({ length: 1_000 }, () => wait(leaving.signal))
    const refusal = await refusalOf(await wait())
    leaving.abort()
    await Promise.allSettled(waits)

    const answer = await http.request(`/v1/handoffs/${handoff.id}`, get(token))

    assert.deepEqual([refusal.status, refusal.code], [429, 'limit_exceeded'])
    assert.equal(answer.status, 200)
  })

  it('ends when the caller goes away and when the server stops', async (t) => {
    const stopping = new AbortController()
    const { request, token, service } = await openHttp(t, {}, { stopping: stopping.signal })
    const secret = await token('planner')
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })
    const gone = new AbortController()
    const left = request(`/v1/handoffs/${handoff.id}/wait`, { ...get(secret), signal: gone.signal })
    const stays = request(`/v1/handoffs/${handoff.id}/wait`, get(secret))

    gone.abort()
    assert.equal((await refusalOf(await left)).code, 'unavailable')
    stopping.abort()
    assert.deepEqual((await refusalOf(await stays)).problem.detail, 'the server is stopping; ask again')
    assert.equal(
      (await refusalOf(await request(`/v1/handoffs/${handoff.id}/wait`, get(secret)))).code,
      'unavailable',
    )
  })
})

describe('what a refusal tells of the store', () => {
  for (const engine of ENGINES)
    it(`an id with a NUL is not found, on ${engine}`, async (t) => {
      const http = await openHttp(t, { engine })
      const token = await http.token('ana')

      for (const path of ['handoffs/a%00b', 'handoffs/a%00b/wait', 'artifacts/a%00b'])
        assert.deepEqual((await http.request(`/v1/${path}`, get(token))).status, 404, path)
      assert.equal((await http.request('/v1/handoffs?text=a%00b', get(token))).status, 200)
    })

  it('is never where it is: that stands in the log of the server', async (t) => {
    let error: Error | undefined
    const wrap = (store: Store): Store =>
      new Proxy(store, {
        get(target, name) {
          const value = Reflect.get(target, name)
          if (name === 'handoff' && error) return () => Promise.reject(error)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    const http = await openHttp(t, { wrap })
    const token = await http.token('ana')
    const at = 'db.internal:5432/baton_prod'
    const facts = { store: 'postgres', location: at, sqlstate: '57P01' }
    // biome-ignore format: read as a table
    const cases = [
      [new BatonError('unavailable', `PostgreSQL at ${at} cannot be reached (connect ECONNREFUSED 10.0.0.7:5432)`, facts), 'the store is not available for now; repeat the call'],
      [new BatonError('store_refused', '/srv/shop/.baton/baton.db is damaged', { store: 'sqlite', file: '/srv/shop/.baton/baton.db' }), 'the store cannot be used; the log of the server says why'],
      [new BatonError('timed_out', `PostgreSQL at ${at}: canceling statement; look for waiting locks`, facts), 'PostgreSQL: canceling statement; look for waiting locks'],
    ] as const
    for (const [failure, detail] of cases) {
      error = failure
      const response = await http.request('/v1/handoffs/HO-2026-001', get(token))
      const text = await response.text()
      assert.equal(JSON.parse(text).detail, detail)
      assert.doesNotMatch(text, /internal:|10\.0\.0|baton_prod|\/srv/)
      if (failure.code !== 'timed_out') assert.ok(http.lines.some((line) => line.includes(failure.message)))
    }
  })
})
