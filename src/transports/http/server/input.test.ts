import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { by } from '../../../../test/support/program/workspace.ts'
import { bearer, get, openHttp, post, refusalOf } from '../../../../test/support/servers/http-workspace.ts'
import { visible } from '../../../domain/texts/visible.ts'
import { loadOperations } from '../../../operations/index.ts'
import { parseJson } from '../../shared/json-limits.ts'

const nested = (levels: number): string => `${'{"data":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
const listed = (values: number): string => JSON.stringify({ zzz: Array(values).fill(1) })
const keyed = (keys: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${n}`, 1])))

describe('the query of a GET', () => {
  it('gives a list for a repeated key, a text for a single one and numbers where they are meant', async (t) => {
    const { request, token, service } = await openHttp(t)
    const secret = await token('codex')
    await service.sending.send(by('planner'), { to: 'codex', title: 'one' })
    await service.sending.create(by('planner'), { to: 'codex', title: 'two' })
    const titles = async (query: string) =>
      (
        (await (await request(`/v1/handoffs?${query}`, get(secret))).json()) as { items: { title: string }[] }
      ).items.map(({ title }) => title)

    assert.deepEqual(await titles('state=offered'), ['one'])
    assert.deepEqual((await titles('state=offered&state=draft')).sort(), ['one', 'two'])
    assert.equal((await titles('limit=1')).length, 1)
    assert.deepEqual(await titles('text=t%77o'), ['two'])
  })

  it('can say every field that a GET operation has', async () => {
    const words =
      '1 4000 7d markdown codex HO-2026-001 offered todo task Testing running delegation true'.split(' ')
    for (const op of (await loadOperations()).filter(({ http }) => http.method === 'GET'))
      for (const [name, field] of Object.entries(op.input.shape)) {
        const schema = field as { safeParse(value: unknown): { success: boolean } }
        assert.ok(
          words.some((word) => schema.safeParse(word).success),
          `${op.name} has a field ${name} that no query can hold`,
        )
      }
  })

  it('is the only place: a body is refused, and so is a query beside the body of a POST', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')

    const withBody = await refusalOf(await request('/v1/inbox', get(secret, { 'content-length': '2' })))
    const withQuery = await refusalOf(await request('/v1/claims?actor=maria', post(secret, {})))

    assert.deepEqual([withBody.status, withBody.code], [400, 'invalid_input'])
    assert.deepEqual([withQuery.status, withQuery.code], [400, 'invalid_input'])
    assert.match(withQuery.problem.detail, /^actor:/)
  })
})

describe('an amendment', () => {
  it('cannot change who has the last word', async (t) => {
    const { request, token, service } = await openHttp(t)
    const secret = await token('planner')
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'one' })

    const { status, code, problem } = await refusalOf(
      await request(`/v1/handoffs/${handoff.id}/amend`, post(secret, { title: 'two', review: 'none' })),
    )

    assert.deepEqual([status, code], [400, 'invalid_input'])
    assert.match(problem.detail, /review/)
    assert.equal((await service.looking.get(handoff.id)).handoff.title, 'one')
  })
})

describe('a path', () => {
  it('brings any id to the operation as it was written', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')
    const id = fc
      .string({ minLength: 1, maxLength: 60, unit: 'grapheme' })
      // What cannot be seen is left out of refusals, wherever it came from.
      .filter((text) => !/^\.{1,2}$/.test(text) && visible(text) === text)

    await fc.assert(
      fc.asyncProperty(id, async (text) => {
        const { code, problem } = await refusalOf(
          await request(`/v1/handoffs/${encodeURIComponent(text)}`, get(secret)),
        )
        assert.deepEqual([code, problem.details], ['not_found', { id: text }])
      }),
      { numRuns: 200 },
    )
  })

  it('decides against a body that names another id', async (t) => {
    const { request, token, service } = await openHttp(t)
    const secret = await token('codex')
    const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'one' })
    const accept = (body: object) => request(`/v1/handoffs/${handoff.id}/accept`, post(secret, body))

    assert.equal((await refusalOf(await accept({ id: 'HO-2026-999' }))).code, 'invalid_input')
    assert.equal((await accept({ id: handoff.id })).status, 200)
  })
})

describe('the body of a POST', () => {
  const wrong: readonly (readonly [
    name: string,
    init: { body?: string | Uint8Array<ArrayBuffer>; type?: string; encoding?: string },
  ])[] = [
    ['a form', { body: 'to=codex', type: 'application/x-www-form-urlencoded' }],
    ['plain text, which a web page may send without asking', { body: '{}', type: 'text/plain' }],
    ['no type at all', { body: new Uint8Array([123, 125]) }],
    ['a type that only begins like JSON', { body: '{}', type: 'application/jsonp' }],
    ['another character set', { body: '{}', type: 'application/json; charset=utf-16' }],
    ['a packed body', { body: '{}', type: 'application/json', encoding: 'gzip' }],
    ['broken JSON', { body: '{"to": "codex"', type: 'application/json' }],
    ['JSON with a tail', { body: '{} {}', type: 'application/json' }],
    ['only blanks', { body: '  ', type: 'application/json' }],
    ['bytes that are no UTF-8', { body: new Uint8Array([0x22, 0xff, 0x22]), type: 'application/json' }],
    ['a list, as a batch of calls would be', { body: '[]', type: 'application/json' }],
    ['nothing, spelt out', { body: 'null', type: 'application/json' }],
    ['a text', { body: '"codex"', type: 'application/json' }],
  ]
  it('is refused as a form, as text, as a list and in every other wrong shape', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')

    for (const [name, { body, type, encoding }] of wrong) {
      const headers = {
        ...bearer(secret),
        ...(type !== undefined && { 'content-type': type }),
        ...(encoding !== undefined && { 'content-encoding': encoding }),
      }
      const { status, code } = await refusalOf(
        await request('/v1/claims', { method: 'POST', headers, ...(body !== undefined && { body }) }),
      )
      assert.deepEqual([name, status, code], [name, 400, 'invalid_input'])
    }
  })

  it('may be left out, and may name its character set', async (t) => {
    const { request, token } = await openHttp(t)
    const headers = bearer(await token('codex'))
    const json = { ...headers, 'content-type': 'application/json; charset=utf-8' }

    assert.equal((await request('/v1/claims', { method: 'POST', headers })).status, 200)
    assert.equal((await request('/v1/claims', { method: 'POST', headers: json, body: '{}' })).status, 200)
    assert.equal((await request('/v1/claims', { method: 'POST', headers: json, body: '' })).status, 200)
  })

  it('does not come back in the refusal when it is broken', async (t) => {
    const { request, token } = await openHttp(t)

    const answer = await request('/v1/claims', post(await token('codex'), '{"password": hunter2'))

    assert.equal((await answer.text()).includes('hunter2'), false)
  })

  it('may be fourteen megabytes for a file and one for anything else', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')
    const content = Buffer.alloc(10 * 1024 * 1024, 'baton').toString('base64')
    const large = { to: 'gemini', title: 'x', context: 'x'.repeat(1024 * 1024) }

    const stored = await request('/v1/artifacts', post(secret, { path: 'big.bin', content }))
    const refused = await refusalOf(await request('/v1/handoffs', post(secret, large)))
    const announced = await refusalOf(
      await request('/v1/artifacts', post(secret, {}, { 'content-length': '14680065' })),
    )

    assert.equal(((await stored.json()) as { size: number }).size, 10 * 1024 * 1024)
    assert.deepEqual([refused.status, refused.code], [413, 'too_large'])
    assert.deepEqual(refused.problem.details, { limit_bytes: 1024 * 1024 })
    assert.deepEqual([announced.status, announced.code], [413, 'too_large'])
  })

  it('[T13] is refused beyond 32 levels, 1,000 keys or 50,000 values', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')
    const detailOf = async (body: string) =>
      (await refusalOf(await request('/v1/handoffs', post(secret, body)))).problem.detail

    assert.doesNotMatch(await detailOf(nested(32)), /levels/)
    assert.match(await detailOf(nested(33)), /deeper than 32 levels/)
    assert.match(await detailOf('['.repeat(500_000)), /deeper than 32 levels/)
    assert.doesNotMatch(await detailOf(keyed(1_000)), /1000 keys/)
    assert.match(await detailOf(keyed(1_001)), /more than 1000 keys/)
    assert.doesNotMatch(await detailOf(listed(50_000)), /50000 values/)
    assert.match(await detailOf(listed(50_001)), /more than 50000 values/)
  })

  it('has a small refusal, also when it is wrong in thousands of places or has huge names', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')
    const bodies = [
      { to: 'gemini', title: 'x', decisions: Array(20_000).fill(1) },
      Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`${'k'.repeat(1_000)}${n}`, 1])),
    ]

    for (const body of bodies) {
      const answer = await request('/v1/handoffs', post(secret, body))
      assert.equal(answer.status, 400)
      assert.ok((await answer.text()).length < 15_000)
    }
  })

  it('[T14] cannot reach the prototype of anything', async (t) => {
    const { request, token } = await openHttp(t)
    const secret = await token('codex')
    const bodies = [
      '{"__proto__":{"polluted":1},"to":"gemini","title":"x"}',
      '{"constructor":{"prototype":{"polluted":1}},"to":"gemini","title":"x"}',
      '{"to":"gemini","title":"x","data":{"__proto__":{"polluted":1}}}',
    ]

    for (const body of bodies) await request('/v1/handoffs', post(secret, body))
    await request('/v1/handoffs?__proto__=1&constructor=2', get(secret))

    assert.equal(({} as Record<string, unknown>).polluted, undefined)
    assert.deepEqual(Object.keys(Object.prototype), [])
  })
})

describe('parseJson', () => {
  it('reads what JSON.parse reads while it is small, and refuses what that refuses', () => {
    const broken = fc.string({ maxLength: 40 })
    fc.assert(
      fc.property(fc.oneof(fc.json({ maxDepth: 20 }), broken), (text) => {
        fc.pre((text.match(/:/g) ?? []).length <= 1_000 && (text.match(/[[{]/g) ?? []).length <= 32)
        let plain: unknown
        try {
          plain = JSON.parse(text)
        } catch {
          assert.throws(() => parseJson(text), { code: 'invalid_input' })
          return
        }
        assert.deepEqual(parseJson(text), plain)
      }),
    )
  })

  it('does not count what stands inside a text', () => {
    const bomb = '[{:'.repeat(2_000)
    const text = JSON.stringify({ quoted: `"${bomb}"`, escaped: `\\"${bomb}\\`, [`a:"${bomb}`]: '\\' })

    assert.deepEqual(parseJson(text), JSON.parse(text))
  })

  it('takes a time that grows with the length and no faster', () => {
    for (const bomb of ['\\'.repeat(4_000_000), '"\\'.repeat(2_000_000), '\\"'.repeat(2_000_000)]) {
      const started = process.cpuUsage()
      assert.throws(() => parseJson(`"${bomb}`))
      assert.ok(process.cpuUsage(started).user < 1_000_000)
    }
  })
})

describe('the words of a refusal', () => {
  const VALUES = /^state is one of draft, offered, .*completed/
  // biome-ignore format: read as a table
  const cases: readonly (readonly [path: string, words: RegExp])[] = [
    ['/v1/handoffs?state=bogus',               VALUES],
    ['/v1/handoffs?state=draft&state=bogus',   /^state\.1 is one of draft, /],
    ['/v1/tasks?status=bogus',                 /^status is one of todo, /],
    ['/v1/handoffs?limit=abc',                 /^limit takes a number$/],
    ['/v1/handoffs/HO-2026-001/wait?timeout_s=soon', /^timeout_s takes a number$/],
  ]
  for (const [path, words] of cases)
    it(`name what may be given: ${path}`, async (t) => {
      const http = await openHttp(t)
      const { status, problem } = await refusalOf(await http.request(path, get(await http.token('ana'))))

      assert.equal(status, 400)
      assert.match(problem.detail, words)
    })

  it('say in megabytes what an artifact may hold', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('ana')
    for (const bytes of [11_000_000, 12 * 1024 * 1024]) {
      const body = { path: 'a.bin', content: Buffer.alloc(bytes).toString('base64') }
      const answer = await http.request('/v1/artifacts', post(token, body))
      assert.match((await refusalOf(answer)).problem.detail, /at most 10 MB|larger than 14 MB/)
    }
  })

  it('[S0-59] refuse a title of spaces like an empty one', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('ana')
    for (const title of ['', '   ', '\n\t', '\u00a0']) {
      const sent = await http.request('/v1/handoffs', post(token, { to: 'codex', title }))
      const made = await http.request('/v1/tasks', post(token, { id: 'T-1', title }))
      assert.deepEqual([sent.status, made.status], [400, 400], JSON.stringify(title))
    }
  })

  it('refuse a number that is too large to be one, wherever it stands', async (t) => {
    const http = await openHttp(t)
    const token = await http.token('ana')
    for (const number of ['1e400', '-1E+999', `1${'0'.repeat(400)}`]) {
      const body = `{"to":"codex","title":"x","input":{"a":[1,{"b":${number}}]}}`
      const answer = await http.request('/v1/handoffs', post(token, body))
      assert.equal(
        (await refusalOf(answer)).problem.detail,
        'the body holds a number that is too large; write it as a text',
      )
    }
    const fine = '{"to":"codex","title":"1e400","input":{"a":1e300,"b":"1e400"}}'
    assert.equal((await http.request('/v1/handoffs', post(token, fine))).status, 200)
  })
})
