import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { seededHandoff, seededTask } from '../../bench/support/seeded.ts'
import { createService, openStore } from '../../src/compose/main.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { loadOperations } from '../../src/operations/index.ts'
import type { Operation } from '../../src/operations/operation.ts'
import type { Service } from '../../src/service/service.ts'
import { uuid7 } from '../../src/service/uuid7.ts'
import { tableRow } from '../../src/storage/rows.ts'
import type { DumpRow } from '../../src/storage/store.ts'
import { WAIT_MS } from '../../src/transports/mcp/tool-call.ts'
import { by, openWorkspace } from '../support/program/workspace.ts'
import { newSqlitePlace } from '../support/store/store-places.ts'
import type { Agent } from './agents.ts'
import { inside } from './inside.ts'

const MOST_BYTES = 4_000
const ITEMS = 10_000

interface Page {
  readonly items: readonly { readonly id: string }[]
  readonly next?: string
}
interface Cut {
  readonly cut: readonly { readonly cursor: string; readonly of: number }[]
}

const sizeOf = async (agent: Agent, tool: string, input: object = {}): Promise<number> => {
  const { isError, content } = await agent.reply(tool, input)
  assert.ok(!isError, content[0]?.text)
  return Buffer.byteLength(content[0]?.text ?? '')
}

/** The ids on every page of the inbox, one after another. */
async function everyPage(agent: Agent, input: object = {}): Promise<string[]> {
  const seen: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page: Page = await agent.call('handoff_inbox', {
      ...input,
      ...(cursor !== undefined && { cursor }),
    })
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.next
    if (cursor === undefined) return seen
  }
}

/** Years of work: a tenth of the handoffs waits for one receiver. */
async function* years(): AsyncIterable<DumpRow> {
  const at = '2026-02-21T14:30:00.000Z'
  for (let i = 0; i < ITEMS; i++)
    yield { table: 'task', row: { ...tableRow('task')(seededTask(uuid7(), i, at)), open_deps: 0, height: 1 } }
  for (let i = 0; i < ITEMS; i++)
    yield { table: 'handoff', row: { ...tableRow('handoff')(seededHandoff(uuid7(), i, at, 1)) } }
}

/** Rows that no log tells of, so the store is not that of the other tests, whose log is checked. */
async function afterYears(t: TestContext): Promise<Service> {
  const { target, remove } = newSqlitePlace()
  const store = await openStore(target)
  t.after(async () => {
    await store.close()
    remove()
  })
  await store.restore(years())
  return createService(store)
}

/** A workspace in which a text of this length was sent to codex. */
async function withText(t: TestContext, context: string) {
  const { service, clock } = await openWorkspace(t)
  const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Read this', context })
  return { service, clock, id: handoff.id, agent: await inside(t, service) }
}

describe('a reply', () => {
  it(`stays under 4 KB with ${ITEMS} items in the store, and its pages hold each item once`, async (t) => {
    const service = await afterYears(t)
    const agent = await inside(t, service, { agent: 'receiver-0', tools: 'all' })

    const small = (op: Operation) => op.effect === 'read' && op.input.safeParse({}).success
    for (const { name } of (await loadOperations()).filter(small)) {
      const { content } = await agent.reply(name)
      assert.ok(Buffer.byteLength(content[0]!.text) <= MOST_BYTES, name)
    }
    const seen = await everyPage(agent)

    assert.equal(seen.length, ITEMS / 10)
    assert.equal(new Set(seen).size, seen.length)
  })

  it('is as long as the caller asks for when it asks', async (t) => {
    const service = await afterYears(t)
    const agent = await inside(t, service, { agent: 'receiver-0' })

    const { items } = await agent.call<Page>('handoff_inbox', { limit: 40 })
    const seen = await everyPage(agent, { limit: 200 })

    assert.equal(items.length, 40)
    assert.ok((await sizeOf(agent, 'handoff_inbox', { limit: 200 })) <= 64_000)
    assert.equal(seen.length, ITEMS / 10)
    assert.equal(new Set(seen).size, seen.length)
  })

  it('holds the beginning of a long text, and by its cursors the whole of it can be read', async (t) => {
    const long = Array.from({ length: 6_000 }, (_, i) => `line ${i} ☃ 🏃 "quoted"`)
      .join('\n')
      .slice(0, 60_000)
    const { agent, id } = await withText(t, long.toWellFormed())

    const whole = await agent.call<Cut & { package: { context: string } }>('handoff_get', { id })
    assert.ok(Buffer.byteLength(JSON.stringify(whole)) <= MOST_BYTES)
    let read = whole.package.context.replace(/…$/, '')
    let cursor: string | undefined = whole.cut.find((each) =>
      each.cursor.startsWith('package/context@'),
    )?.cursor
    assert.equal(cursor, `package/context@${read.length}`)
    while (cursor !== undefined) {
      const part: { text: string; cursor?: string } = await agent.call('handoff_get', { id, cursor })
      assert.ok(Buffer.byteLength(JSON.stringify(part)) <= MOST_BYTES)
      read += part.text
      cursor = part.cursor
    }

    assert.equal(read, long.toWellFormed())
  })

  it('holds the first of many entries, and by its cursors all of them can be read', async (t) => {
    const { service } = await openWorkspace(t)
    const questions = Array.from({ length: 60 }, (_, i) => ({
      question: `Question ${i}? ${'x'.repeat(i * 9)}`,
    }))
    const { handoff } = await service.sending.send(by('planner'), {
      to: 'codex',
      title: 'Many questions',
      open_questions: questions,
    })
    const agent = await inside(t, service)
    const { id } = handoff

    const { cut } = await agent.call<Cut>('handoff_get', { id })
    assert.ok(cut.some((each) => each.cursor.startsWith('package/open_questions@')))
    const read: object[] = []
    let cursor: string | undefined = 'package/open_questions@0'
    while (cursor !== undefined) {
      const part: { items: object[]; cursor?: string } = await agent.call('handoff_get', { id, cursor })
      assert.ok(Buffer.byteLength(JSON.stringify(part)) <= MOST_BYTES)
      read.push(...part.items)
      cursor = part.cursor
    }

    assert.deepEqual(read, questions)
  })

  it('stays small whatever shape the data of a handoff has', async (t) => {
    const deep = (levels: number): object =>
      levels === 0 ? { end: 'x'.repeat(5_000) } : { in: deep(levels - 1) }
    const shapes: Record<string, unknown>[] = [
      { wide: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`key ${i}`, 'y'.repeat(50)])) },
      { deep: deep(25) },
      { lists: Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => 'z'.repeat(20))) },
      { 'a/key@with%signs': 'w'.repeat(9_000) },
    ]
    const { service } = await openWorkspace(t)
    const agent = await inside(t, service)
    for (const data of shapes) {
      const { handoff } = await service.sending.send(by('planner'), { to: 'codex', title: 'Data', data })

      const reply = await agent.call<Cut>('handoff_get', { id: handoff.id })

      assert.ok(Buffer.byteLength(JSON.stringify(reply)) <= MOST_BYTES, Object.keys(data).join())
      const { cursor } = reply.cut[0]!
      assert.ok((await sizeOf(agent, 'handoff_get', { id: handoff.id, cursor })) <= MOST_BYTES)
    }
  })

  it('refuses a cursor that leads nowhere, with the way out', async (t) => {
    const { agent, id } = await withText(t, 'short')

    for (const cursor of [
      'package/none@0',
      'package',
      '@',
      'constructor/name@0',
      'package/context@-1',
      '__proto__@0',
    ]) {
      const { code, text } = await agent.refused('handoff_get', { id, cursor })
      assert.equal(code, 'invalid_input')
      assert.match(text, /leave it out/)
    }
  })

  it('hides no character of what others wrote, and none that steers a terminal gets through', async (t) => {
    const { agent, id } = await withText(
      t,
      'plain\u202e\u200b\u{e0041}\u{e0042}\u001b[31m\u0007\u009b2J text\ttab\nline',
    )

    const { content } = await agent.reply('handoff_get', { id })

    const reply = JSON.parse(content[0]!.text)
    assert.equal(reply.package.context, 'plain text\ttab\nline')
  })
})

interface Accepted extends Partial<Cut> {
  readonly handoff: { readonly state: string; readonly attempts: readonly { error?: { message: string } }[] }
  readonly package: Readonly<Record<string, unknown>>
  readonly untrusted: readonly string[]
  readonly next?: string
}

describe('accepting a handoff', () => {
  const asked = {
    summary: 'The public API needs limits before launch.',
    deliverables: ['Middleware in src/'],
    criteria: ['npm test passes'],
    checks: [{ kind: 'file_exists' as const, path: 'src/limit.ts' }],
    context: 'Only /v1 is public.\u202e',
  }

  it('answers the package, and the failure of the attempt before', async (t) => {
    const { service } = await openWorkspace(t)
    const sent = { to: 'codex', title: 'Limits', retry: { max: 1, delay_s: 0, multiplier: 1 }, ...asked }
    const { handoff } = await service.sending.send(by('planner'), sent)
    await service.receiving.accept(by('codex'), handoff.id)
    await service.receiving.fail(by('codex'), handoff.id, { message: 'The build machine is down' })
    const agent = await inside(t, service)

    const reply = await agent.call<Accepted>('handoff_accept', { id: handoff.id })

    assert.deepEqual(reply.package, { ...asked, context: 'Only /v1 is public.' })
    assert.deepEqual(reply.untrusted, ['handoff', 'package'])
    assert.equal(reply.handoff.attempts[0]?.error?.message, 'The build machine is down')
    assert.equal(reply.next, undefined)
  })

  it('cuts a long package to its first fields and names the tool that shows the rest', async (t) => {
    const { service } = await openWorkspace(t)
    const deliverables = Array.from(
      { length: 100 },
      (_, at) => `Part ${at} of the middleware ${'x'.repeat(80)}`,
    )
    const sent = { to: 'codex', title: 'Limits', ...asked, deliverables, context: 'y'.repeat(9_000) }
    const { handoff } = await service.sending.send(by('planner'), sent)
    const agent = await inside(t, service)

    const reply = await agent.call<Accepted>('handoff_accept', { id: handoff.id })

    assert.ok(Buffer.byteLength(JSON.stringify(reply)) <= MOST_BYTES)
    assert.deepEqual(Object.keys(reply.package), ['summary', 'deliverables', 'criteria', 'checks'])
    assert.equal(reply.package.summary, asked.summary)
    assert.match(String(reply.next), /handoff_get/)
  })
})

type Waited = Record<string, unknown> & { readonly handoff: { readonly id: string; readonly state: string } }

describe('waiting for a handoff', () => {
  const finish = async (service: Service, id: string) => {
    await service.receiving.accept(by('codex'), id)
    await service.receiving.submit(by('codex'), id, { note: 'Done' })
    await service.closing.verify(by('planner'), id, { pass: true })
  }

  it('answers in time for the agent, says how to go on, and goes on by the cursor', async (t) => {
    const { service, id } = await withText(t, 'work')
    const agent = await inside(t, service, { agent: 'planner', waitMs: 30 })

    const early = await agent.call<Waited>('handoff_wait', { id, timeout_s: 100 })
    assert.deepEqual([early.done, early.handoff.id, early.left_s], [false, id, 99.97])
    assert.match(String(early.next), /same id and this cursor/)
    await finish(service, id)
    const late = await agent.call<Waited>('handoff_wait', { id, cursor: early.cursor })

    assert.deepEqual([late.done, late.handoff.state, late.note], [true, 'completed', 'Done'])
  })

  it('is cut short after 45 seconds where nothing else is said', () => {
    assert.equal(WAIT_MS, 45_000)
  })

  it('is over, and not done, when the whole time has passed, however often it was taken up again', async (t) => {
    const { service, id, clock } = await withText(t, 'work')
    const agent = await inside(t, service, { agent: 'planner', waitMs: 30 })
    const { cursor } = await agent.call('handoff_wait', { id, timeout_s: 100 })
    clock.pass(60_000)
    const { cursor: second, left_s } = await agent.call('handoff_wait', { id, cursor })
    assert.ok(Number(left_s) < 41)

    clock.pass(60_000)

    const last = await agent.call<Waited>('handoff_wait', { id, cursor: second })
    assert.deepEqual([last.done, last.left_s, last.cursor], [false, undefined, undefined])
  })

  it('tells of its progress whoever asks to be told', async (t) => {
    const { service, id } = await withText(t, 'work')
    const agent = await inside(t, service, { agent: 'planner', waitMs: 300, progressMs: 10 })
    const told: { progress: number; message?: string | undefined }[] = []

    await agent.client.callTool({ name: 'handoff_wait', arguments: { id } }, {
      onprogress: (progress: { progress: number; message?: string | undefined }) => told.push(progress),
    } as never)

    assert.ok(told.length >= 2, `${told.length} times`)
    assert.ok(told.every(({ progress }, i) => i === 0 || progress > told[i - 1]!.progress))
    assert.match(told[0]!.message ?? '', /^handoff_wait is at work/)
  })
})

describe('a call', () => {
  const work = { to: 'claude', title: 'Add rate limiting' }
  const key = (value: unknown) => ({ _meta: { 'baton/idempotency_key': value } })

  it('with a key in _meta that comes twice is done once, and with another input it is a conflict', async (t) => {
    const { service } = await openWorkspace(t)
    const agent = await inside(t, service)

    const [first, second] = [
      await agent.call<{ handoff: Handoff }>('handoff_send', work, key('k-1')),
      await agent.call<{ handoff: Handoff }>('handoff_send', work, key('k-1')),
    ]
    const other = await agent.reply('handoff_send', { ...work, title: 'Another' }, key('k-1'))

    assert.equal(second.handoff.uid, first.handoff.uid)
    assert.equal(Object(other.structuredContent?.error).code, 'conflict')
    assert.equal((await service.looking.list({}, { limit: 10 })).items.length, 1)
    for (const bad of ['', 'two words', 7, 'x'.repeat(201)]) {
      const { structuredContent } = await agent.reply('handoff_send', work, key(bad))
      assert.equal(Object(structuredContent?.error).code, 'invalid_input')
    }
  })

  it('is refused with the field that is wrong, and a bomb is refused before anything is made of it', async (t) => {
    const { service } = await openWorkspace(t)
    const agent = await inside(t, service)
    const nest = (levels: number): object => (levels === 0 ? {} : { in: nest(levels - 1) })

    const unknown = await agent.refused('handoff_send', { ...work, too: 'claude' })
    const deep = await agent.refused('handoff_send', { ...work, data: nest(200) })
    const wide = await agent.refused('handoff_send', {
      ...work,
      data: Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, i])),
    })

    assert.match(unknown.text, /"too"/)
    assert.deepEqual([unknown.code, deep.code, wide.code], Array(3).fill('invalid_input'))
    assert.deepEqual((await service.looking.list({}, { limit: 10 })).items, [])
  })

  it('[S3-30] that meets a failure of ours says so without telling what is inside, and the server goes on', async (t) => {
    let broken = false
    const { service } = await openWorkspace(t, {
      wrap: (store) =>
        new Proxy(store, {
          get(target, name) {
            const value = Reflect.get(target, name)
            if (broken && name === 'inbox') throw new Error('secret of the store')
            return typeof value === 'function' ? value.bind(target) : value
          },
        }),
    })
    const failures: unknown[] = []
    const agent = await inside(t, service, { onFailure: (error) => failures.push(error) })

    broken = true
    const { code, text } = await agent.refused('handoff_inbox')
    broken = false

    assert.equal(code, 'internal')
    assert.doesNotMatch(text, /secret/)
    assert.equal(failures.length, 1)
    assert.deepEqual((await agent.call('handoff_inbox')).items, [])
  })
})
