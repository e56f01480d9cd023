import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { by, openWorkspace } from '../../../../test/support/program/workspace.ts'
import { newToken, openHttp } from '../../../../test/support/servers/http-workspace.ts'
import { BatonError, HandoffFailedException, HandoffTimeoutException } from '../../../domain/errors.ts'
import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import { loadOperation, type OperationName } from '../../../operations/index.ts'
import { invoke } from '../../../operations/operation.ts'
import type { Service } from '../../../service/service.ts'
import { serve } from '../server/serve.ts'
import { createRemote, type Remote } from './remote.ts'

type Answer = { readonly handoff: Handoff }
type Ask = (as: string, name: OperationName, input: Record<string, unknown>, key?: string) => Promise<unknown>

const CANARY = `baton_${'c'.repeat(43)}`

/** Ids and keys in the order in which they are asked for, so that two workspaces answer alike. */
function countingUids(): () => string {
  let made = 0
  return () => `0198f000-0000-7000-8000-${String(++made).padStart(12, '0')}`
}

/** The same call in process: the actor as the token would name it. */
function locally(service: Service): Ask {
  return async (as, name, input, key) => {
    const actor = { name: as, kind: as === 'maria' ? 'human' : 'agent', auth: 'token' } as const
    return invoke(await loadOperation(name), service, { actor, ...(key !== undefined && { key }) }, input)
  }
}

async function remotely(t: TestContext, service: Service): Promise<Ask> {
  const server = await serve({ service, port: 0, signals: false, log: () => undefined })
  t.after(() => server.close())
  const tokens = new Map<string, string>()
  for (const [name, kind] of AGENTS) tokens.set(name, await newToken(service, name, ['*'], kind))
  return (as, name, input, key) =>
    createRemote({ url: server.url, token: tokens.get(as) ?? '' }).call(
      name,
      input,
      key === undefined ? {} : { key },
    )
}

const AGENTS = [
  ['maria', 'human'],
  ['codex', 'agent'],
  ['planner', 'agent'],
] as const

/** Answers and refusals, without what differs by store: hashes name their log, counts hold the tokens' entries. */
async function told(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return JSON.parse(
      JSON.stringify(await ask(), (key, value) => (['hash', 'store', 'entries'].includes(key) ? '' : value)),
    )
  } catch (error) {
    if (!(error instanceof BatonError)) throw error
    const { name, code, message, details, retry } = error
    return { name, code, message, details: JSON.parse(JSON.stringify(details)), retry }
  }
}

// biome-ignore format: read as a table
const CALLS: readonly (readonly [as: string, name: OperationName, input: Record<string, unknown>, key?: string])[] = [
  ['maria',   'handoff_send',      { to: 'codex', title: 'Add rate limiting', deliverables: ['Middleware in src/'], criteria: ['write good code'] }],
  ['maria',   'handoff_send',      { to: 'codex', title: 'again', summary: 'ä ☃ "quoted" \\ and\nlines' }, 'key-1'],
  ['maria',   'handoff_send',      { to: 'codex', title: 'again', summary: 'ä ☃ "quoted" \\ and\nlines' }, 'key-1'],
  ['maria',   'handoff_send',      { to: 'codex', title: 'other' }, 'key-1'],
  ['maria',   'handoff_send',      {}],
  ['maria',   'handoff_send',      { to: 'no spaces here', title: 'x' }],
  ['codex',   'handoff_inbox',     {}],
  ['codex',   'handoff_inbox',     { limit: 1 }],
  ['codex',   'handoff_inbox',     { limit: 0 }],
  ['codex',   'handoff_get',       { id: 'HO-2026-001' }],
  ['codex',   'handoff_get',       { id: 'HO/2026 ä%2F?#' }],
  ['codex',   'handoff_list',      { state: ['offered', 'draft'], to: 'codex', text: 'a&b=c' }],
  ['codex',   'handoff_list',      { state: 'nonsense' }],
  ['maria',   'handoff_accept',    { id: 'HO-2026-001' }],
  ['codex',   'handoff_accept',    { id: 'HO-2026-001', start: true }],
  ['codex',   'handoff_accept',    { id: 'HO-2026-001' }],
  ['codex',   'handoff_heartbeat', { id: 'HO-2026-001', progress: 40 }],
  ['codex',   'handoff_ask',       { id: 'HO-2026-001', question: 'Which endpoints?' }],
  ['maria',   'handoff_answer',    { id: 'HO-2026-001', text: 'Only /v1' }],
  ['codex',   'handoff_submit',    { id: 'HO-2026-001', note: 'Done' }],
  ['codex',   'handoff_submit',    { id: 'HO-2026-001', evidence: [{ deliverable: 'Middleware in src/', evidence: 'src/limit.ts' }] }],
  ['codex',   'handoff_verify',    { id: 'HO-2026-001', pass: true }],
  ['maria',   'handoff_verify',    { id: 'HO-2026-001', pass: true }],
  ['maria',   'handoff_wait',      { id: 'HO-2026-001' }],
  ['codex',   'handoff_reject',    { id: 'HO-2026-002', reason: 'no access' }],
  ['maria',   'handoff_wait',      { id: 'HO-2026-002' }],
  ['planner', 'handoff_claim',     {}],
  ['maria',   'gate_decide',       { id: 'HO-2026-001', choice: 'approve' }],
  ['planner', 'task_create',       { id: 'P0/1:a', title: 'Set up' }],
  ['planner', 'task_get',          { id: 'P0/1:a' }],
  ['planner', 'task_update',       { task_id: 'P0/1:a', status: 'done' }],
  ['planner', 'thought_record',    { task_id: 'P0/1:a', summary: 'done', branch: 'feature/x' }],
  ['planner', 'artifact_put',      { path: 'a.txt', content: 'aGVsbG8=' }],
  ['planner', 'artifact_get',      { uid: 'unknown' }],
  ['planner', 'agent_list',        {}],
  ['planner', 'report_status',     {}],
]

describe('a remote', () => {
  it('gives the same answers and the same errors as the operations in process', async (t) => {
    const here = await openWorkspace(t, { newUid: countingUids() })
    const there = await openWorkspace(t, { newUid: countingUids() })
    // The tokens of both sides, so that ids and entries are counted alike.
    for (const [name, kind] of AGENTS) await newToken(here.service, name, ['*'], kind)
    const local = locally(here.service)
    const remote = await remotely(t, await there.beside())

    for (const [as, name, input, key] of CALLS) {
      const expected = await told(() => local(as, name, input, key))
      const answer = await told(() => remote(as, name, input, key))
      assert.deepEqual(answer, expected, `${as} ${name}`)
    }
  })

  it('throws the classes that the documents name', async (t) => {
    const { request, token, service } = await openHttp(t)
    const remote = inProcess(request, await token('planner'))
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })

    await assert.rejects(
      remote.call('handoff_wait', { id: handoff.id, timeout_s: 0 }),
      HandoffTimeoutException,
    )
    await service.receiving.reject(by('codex'), handoff.uid, { type: 'other', message: 'no access' })
    await assert.rejects(remote.call('handoff_wait', { id: handoff.id }), HandoffFailedException)
  })

  it('waits for longer than the server holds a request, and no longer than it was asked to', async (t) => {
    const { request, token, service, lines } = await openHttp(t, {}, { holdMs: 30 })
    const remote = inProcess(request, await token('planner'))
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })

    await assert.rejects(remote.call('handoff_wait', { id: handoff.id, timeout_s: 1 }), {
      name: 'HandoffTimeoutException',
      message: `Handoff ${handoff.id} timed out after 1s`,
      details: { id: handoff.id, timeout_s: 1 },
    })
    assert.ok(lines.filter((line) => line.includes('handoff_wait')).length >= 3)

    const waiting = remote.call('handoff_wait', { id: handoff.id })
    const before = lines.length
    while (lines.length < before + 2) await new Promise((resolve) => setTimeout(resolve, 5))
    await service.receiving.accept(by('codex'), handoff.uid, {})
    await service.receiving.submit(by('codex'), handoff.uid, { note: 'Done' })
    await service.closing.verify(by('planner'), handoff.uid, { pass: true })
    assert.equal(((await waiting) as Answer).handoff.state, 'completed')
  })

  it('says which of its processes is calling, and learns who the server takes it for', async (t) => {
    const { request, token, service } = await openHttp(t)
    const remote = inProcess(request, await token('codex'), 'laptop-1')
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Add rate limiting' })

    const taken = (await remote.call('handoff_accept', { id: handoff.id })) as Answer

    assert.equal(taken.handoff.instance, 'laptop-1')
    assert.deepEqual(await remote.whoami(), {
      name: 'codex',
      kind: 'agent',
      auth: 'token',
      instance: 'laptop-1',
    })
  })
})

describe('a remote that cannot be reached', () => {
  it('says how to start the server when nothing listens', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => closed.once('listening', resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    const remote = createRemote({ url: `http://127.0.0.1:${port}`, token: CANARY })

    await assert.rejects(remote.call('handoff_inbox', {}), {
      code: 'unavailable',
      message: `Baton at http://127.0.0.1:${port} does not answer; start it with: baton serve, or correct BATON_URL`,
    })
  })

  it('is refused at once when its address or token could give the secret away', () => {
    // biome-ignore format: read as a table
    const wrong: readonly (readonly [url: string, token: string, code: string])[] = [
      ['http://baton.example.com',      CANARY,             'invalid_input'],
      ['http://192.168.1.5:4180',       CANARY,             'invalid_input'],
      ['http://localhost.evil.example', CANARY,             'invalid_input'],
      ['http://0.0.0.0:4180',           CANARY,             'invalid_input'],
      ['https://user:pass@example.com', CANARY,             'invalid_input'],
      ['ftp://example.com',             CANARY,             'invalid_input'],
      ['baton.example.com',             CANARY,             'invalid_input'],
      ['',                              CANARY,             'invalid_input'],
      ['https://baton.example.com',     '',                 'unauthenticated'],
      ['https://baton.example.com',     `${CANARY}\r\nX: y`, 'unauthenticated'],
    ]
    for (const [url, token, code] of wrong)
      assert.throws(
        () => createRemote({ url, token }),
        (error: BatonError) =>
          error.code === code && !JSON.stringify([error.message, error.details]).includes(CANARY),
        url,
      )
    for (const url of [
      'https://baton.example.com',
      'http://localhost:4180',
      'http://127.0.0.1:1',
      'http://[::1]:1',
    ])
      assert.ok(createRemote({ url, token: CANARY }))
  })

  it('never follows a redirect, and takes nothing else for an answer of Baton', async () => {
    const answers: readonly (readonly [status: number, headers: Record<string, string>, body: string])[] = [
      [302, { location: 'https://evil.example/' }, ''],
      [307, { location: 'https://evil.example/' }, '{}'],
      [502, { 'content-type': 'text/html' }, '<h1>Bad gateway</h1>'],
      [200, { 'content-type': 'text/html' }, '<h1>Welcome</h1>'],
      [403, { 'content-type': 'application/json' }, '{"code":"made_up","detail":"x"}'],
      [500, { 'content-type': 'application/json' }, 'null'],
    ]
    for (const [status, headers, body] of answers) {
      const asked: string[] = []
      const remote = createRemote({
        url: 'https://baton.example.com/team',
        token: CANARY,
        fetch: async (url, init) => {
          asked.push(String(url), String(init?.redirect))
          return new Response(body, { status, headers })
        },
      })
      await assert.rejects(remote.call('handoff_inbox', {}), {
        code: 'unavailable',
        details: { url: 'https://baton.example.com', status },
      })
      assert.deepEqual(asked, ['https://baton.example.com/team/v1/inbox', 'manual'])
    }
  })

  it('goes on waiting where the connection was there and broke, though nothing was answered before', async () => {
    const answers = [
      () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'UND_ERR_SOCKET' } })),
      () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })),
      async () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
      async () => Response.json({ done: true, handoff: { id: 'HO-2026-001' } }),
    ]
    const remote = createRemote({
      url: 'https://baton.example.com',
      token: CANARY,
      fetch: () => answers.shift()!(),
    })

    const ended = await remote.call('handoff_wait', { id: 'HO-2026-001', timeout_s: 30 })

    assert.deepEqual(ended, { done: true, handoff: { id: 'HO-2026-001' } })
  })

  it('keeps the token out of every error', async () => {
    const remote = createRemote({
      url: 'https://baton.example.com',
      token: CANARY,
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'CERT_HAS_EXPIRED' } })),
    })

    await assert.rejects(remote.call('handoff_get', { id: 'x' }), (error: BatonError) => {
      assert.equal(
        error.message,
        'Baton at https://baton.example.com cannot be reached (CERT_HAS_EXPIRED); check the network and BATON_URL',
      )
      assert.equal(
        JSON.stringify([error, error.message, error.stack, String(error.cause)]).includes(CANARY),
        false,
      )
      return true
    })
  })

  it('refuses an id that would be a step of the path, and a missing one', async () => {
    const remote = createRemote({
      url: 'https://baton.example.com',
      token: CANARY,
      fetch: () => assert.fail('nothing may be sent'),
    })

    for (const input of [{ id: '..' }, { id: '.' }, { id: '' }, {}])
      await assert.rejects(remote.call('handoff_get', input), { code: 'invalid_input' })
  })
})

function inProcess(
  request: (path: string, init?: RequestInit) => Promise<Response>,
  token: string,
  instance?: string,
): Remote {
  return createRemote({
    url: 'http://localhost:4180',
    token,
    ...(instance !== undefined && { instance }),
    fetch: (url, init) => request(String(url), init as RequestInit),
  })
}
