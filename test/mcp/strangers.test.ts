import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { loadOperations } from '../../src/operations/index.ts'
import { serve } from '../../src/transports/http/server/serve.ts'
import { recordOf } from '../support/program/invoke.ts'
import { by, openWorkspace, person } from '../support/program/workspace.ts'
import { newToken } from '../support/servers/http-workspace.ts'
import { type Agent, overHttp } from './agents.ts'
import {
  ANYBODY,
  type Ids,
  KINDS,
  type Kind,
  NAMELESS,
  NAMING,
  type Naming,
  oneOfEach,
  type Stranger,
  WRONG,
} from './strangers.ts'

const operations = await loadOperations()
const isPeopleOnly = (name: string): boolean => operations.some((op) => op.name === name && op.peopleOnly)

/** What no tool may say of another workspace. */
const SECRET = 'SECRET-OF-ELSEWHERE'
const UNKNOWN = '01900000-0000-7000-8000-00000000dead'
const MALFORMED = ['', "../x' OR '1'='1", 'a\u0000b', 'x'.repeat(5_000), 7]

/** A server over a workspace on the shared database, which agents reach over the wire. */
async function started(t: TestContext) {
  const { service, store, beside } = await openWorkspace(t, { engine: 'postgres' })
  // The server closes the store that it was given.
  const running = await serve({ service: await beside(), port: 0, signals: false, log: () => undefined })
  t.after(() => running.close())
  const url = `${running.url}/mcp?tools=all`
  const connect = async (name: string, kind: 'agent' | 'human' = 'agent', ...scopes: string[]) =>
    overHttp(t, url, await newToken(service, name, scopes.length > 0 ? scopes : ['*'], kind))
  return { service, store, connect, url }
}

describe('the table of strangers', () => {
  it('has a place for every tool there is, by what it names and by who may not call it', async (t) => {
    const { connect } = await started(t)
    const tools = [...(await (await connect('codex')).tools())].sort()
    const flat = (lists: readonly (readonly [string, ...string[]])[]) =>
      lists.flatMap(([, ...names]) => names)

    assert.deepEqual([...Object.keys(NAMING), ...flat(NAMELESS)].sort(), tools)
    assert.deepEqual([...Object.keys(WRONG), ...flat(ANYBODY)].sort(), tools)
    assert.deepEqual(tools, operations.map(({ name }) => name).sort())
  })

  it('calls only those tools anybody’s to read that change nothing', () => {
    const [[, ...reading] = []] = ANYBODY

    assert.deepEqual(
      operations
        .filter(({ name, effect }) => reading.includes(name) !== (effect === 'read'))
        .map(({ name }) => name),
      [],
    )
  })
})

describe('every tool, over the wire', () => {
  it('finds nothing of another workspace on the same database, and says no more of it than of what is nowhere', async (t) => {
    const there = await started(t)
    const here = await started(t)
    const own = await oneOfEach(here.service, 'P0.1.1', 'Here')
    // Both count from one: the second of everything has names that only the other workspace knows.
    await oneOfEach(there.service, 'P9.9.8', SECRET)
    const foreign = await oneOfEach(there.service, 'P9.9.9', SECRET)
    const callers = {
      agent: await here.connect('codex'),
      person: await here.connect('maria', 'human'),
    }
    const before = await newest(here)

    const wrong = await Promise.all(
      Object.entries(NAMING).flatMap(([tool, namings]) =>
        namings.map((naming) =>
          judged(isPeopleOnly(tool) ? callers.person : callers.agent, tool, naming, own, foreign),
        ),
      ),
    )

    assert.deepEqual(wrong.flat(), [])
    assert.deepEqual(await newest(here), before)
    await assert.rejects(
      overHttp(t, here.url, await newToken(there.service, 'codex')),
      /401|unknown, expired/,
    )
  })

  it('refuses whoever it is not for as not_allowed, and changes nothing', async (t) => {
    const here = await started(t)
    await here.service.agents.add(person('maria'), { name: 'maria', kind: 'human' })
    const names: readonly Stranger[] = ['mallory', 'planner', 'codex', 'maria-the-agent']
    const agents = new Map<string, Agent>()
    for (const name of names) agents.set(name, await here.connect(name))
    const wrong: string[] = []

    for (const [tool, cases] of Object.entries(WRONG))
      for (const { stage, who, input, code: wanted = 'not_allowed' } of cases) {
        const id = await stage(here.service)
        const before = await newest(here)
        for (const name of who) {
          const { isError, structuredContent, content } = await agents.get(name)!.reply(tool, input(id))
          const code = isError ? Object(structuredContent?.error).code : outcomeOf(structuredContent)
          if (code !== wanted)
            wrong.push(
              `${tool} ${JSON.stringify(input(id)).slice(0, 120)} by ${name}: ${code} ${content[0]?.text.slice(0, 200)}`,
            )
        }
        if ((await newest(here)) !== before) wrong.push(`${tool} of ${id} left something in the log`)
      }

    assert.deepEqual(wrong, [])
  })

  it('lets who handed a task over write to it when it was taken, and a pm', async (t) => {
    const here = await started(t)
    await here.service.tasks.create(by('planner'), { id: 'P0.1.1', title: 'Task' })
    const work = { to: 'codex', title: 'Work', task: 'P0.1.1' }
    const { handoff } = await here.service.sending.send(by('planner'), work)
    await here.service.receiving.accept(by('codex'), handoff.id)
    const [planner, pm] = [await here.connect('planner'), await here.connect('pm')]
    await here.service.agents.add(person('maria'), { name: 'pm', roles: ['pm'] })

    await planner.call('task_update', { task_id: 'P0.1.1', notes: 'Looked at it.' })
    await planner.call('thought_record', recordOf('P0.1.1'))
    await pm.call('thought_record', recordOf('P0.1.1', { on_behalf_of: 'codex' }))

    assert.equal((await planner.call('task_update', { task_id: 'P0.1.1', status: 'done' })).status, 'done')
  })

  it('is not there for a token that may not read its noun, and is refused to one that may only read', async (t) => {
    const here = await started(t)
    const blind = await here.connect('blind', 'agent', 'nothing:read')
    const reader = await here.connect(
      'reader',
      'agent',
      ...new Set(operations.map(({ scope }) => scope.replace(/:write$/, ':read'))),
    )
    const wrong: string[] = []

    for (const { name, effect } of operations) {
      const { code } = await blind.refused(name)
      if (code !== 'not_found') wrong.push(`${name} without a scope: ${code}`)
      if (effect === 'read') continue
      const refused = await reader.refused(name)
      if (refused.code !== 'not_allowed') wrong.push(`${name} with scopes to read: ${refused.code}`)
    }

    assert.deepEqual(wrong, [])
  })
})

const newest = async ({ store }: Awaited<ReturnType<typeof started>>): Promise<number> =>
  (await store.tree()).newest

const outcomeOf = (reply: unknown): string => Object(Object(reply).items?.[0]).outcome ?? 'done'

/** What a tool says that should not to ids of elsewhere, of another kind, of nothing and to no ids at all. */
async function judged(agent: Agent, tool: string, naming: Naming, own: Ids, foreign: Ids): Promise<string[]> {
  const others = KINDS.filter((kind) => !naming.kinds.includes(kind)).map((kind) => own[kind][0]!)
  const wrong: string[] = []
  const said = async (id: unknown): Promise<{ code: string; text: string }> => {
    const { isError, content, structuredContent } = await agent.reply(tool, naming.input(id))
    const text = content.map((each) => each.text).join('\n')
    const code = isError ? String(Object(structuredContent?.error).code) : 'done'
    if (text.includes(SECRET)) wrong.push(`${tool} ${id} tells of another workspace: ${text.slice(0, 200)}`)
    return { code, text }
  }
  const complain = (id: unknown, code: string, text: string) =>
    wrong.push(`${tool} ${JSON.stringify(naming.input(id)).slice(0, 150)}: ${code} ${text.slice(0, 200)}`)

  const nowhere = await said(UNKNOWN)
  const wanted = naming.narrows ? 'done' : (naming.code ?? 'not_found')
  if (nowhere.code !== wanted) complain(UNKNOWN, nowhere.code, nowhere.text)
  for (const id of [...naming.kinds.flatMap((kind: Kind) => foreign[kind]), ...others]) {
    const { code, text } = await said(id)
    if (code !== wanted && !(others.includes(id) && code === 'invalid_input')) complain(id, code, text)
    if (isUid(id) && text.replaceAll(id, '') !== nowhere.text.replaceAll(UNKNOWN, ''))
      wrong.push(`${tool} ${id} says something else of it than of what is nowhere: ${text.slice(0, 200)}`)
  }
  for (const id of MALFORMED) {
    const { code, text } = await said(id)
    const isRefused = code === 'invalid_input' || code === 'not_found'
    if (!isRefused && !(naming.narrows && code === 'done')) complain(id, code, text)
  }
  return wrong
}

const isUid = (id: string): boolean => /^[0-9a-f]{8}-/.test(id)
