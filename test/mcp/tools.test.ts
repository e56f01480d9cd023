import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { loadOperations } from '../../src/operations/index.ts'
import { listTools, parseToolset } from '../../src/transports/mcp/tools.ts'
import { openWorkspace } from '../support/program/workspace.ts'
import { inside } from './inside.ts'
import { SEVEN } from './stories.ts'

const encoder = new Tiktoken(o200k)
const tools = (sets: string) => listTools(parseToolset(sets))
const tokensOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length

/** What an agent pays at the start of every session. */
const MOST_DEFAULT = 3_000
const MOST_ALL = 9_000

describe('the list of tools', () => {
  it(`takes at most ${MOST_DEFAULT} tokens by default`, async () => {
    const list = await tools('default')

    assert.equal(list.length, 16)
    const tokens = tokensOf({ tools: list })
    assert.ok(tokens <= MOST_DEFAULT, `${tokens} tokens`)
  })

  it(`takes at most ${MOST_ALL} tokens with every operation in it`, async () => {
    const list = await tools('all')

    assert.deepEqual(
      list.map(({ name }) => name).sort(),
      (await loadOperations()).map(({ name }) => name as string).sort(),
    )
    const tokens = tokensOf({ tools: list })
    assert.ok(tokens <= MOST_ALL, `${tokens} tokens for ${list.length} tools`)
  })

  it('leads to the package, and speaks of no document by its number', async () => {
    const text = JSON.stringify(await tools('all'))

    assert.match(text, /"handoff_inbox","description":"[^"]*handoff_get/)
    assert.match(text, /"handoff_accept","description":"[^"]*The reply has the package/)
    assert.doesNotMatch(text, /documents? 00\d/i)
  })

  it('[S3-08] holds the seven tools of document 003 in the sets default and proof', async () => {
    const names = (await tools('default,proof')).map(({ name }) => name)

    for (const name of SEVEN) assert.ok(names.includes(name), name)
  })

  it('[S3-09][S3-16] shows the fields of document 003 under their names and kinds', async () => {
    const list = await tools('default')
    const fieldsOf = (name: string) => {
      const properties = list.find((tool) => tool.name === name)?.inputSchema.properties ?? {}
      return Object.fromEntries(Object.entries(properties).map(([field, each]) => [field, Object(each).type]))
    }

    assert.deepEqual(fieldsOf('task_update'), {
      task_id: 'string',
      status: 'string',
      progress: 'number',
      notes: 'string',
    })
    assert.deepEqual(fieldsOf('thought_record'), {
      task_id: 'string',
      branch: 'string',
      commit_sha: 'string',
      tests_run: 'array',
      summary: 'string',
      blockers: 'array',
      files_changed: 'array',
      related_thought_records: 'array',
      notes: 'string',
      on_behalf_of: 'string',
      status: 'string',
    })
  })

  it('tells of each tool what an agent needs to choose it, to fill it and to know what it does', async () => {
    const operations = new Map((await loadOperations()).map((op) => [op.name as string, op]))
    for (const { name, description, inputSchema, annotations } of await tools('all')) {
      const op = operations.get(name)!
      assert.ok(description && description.length >= 20, name)
      assert.equal(inputSchema.type, 'object')
      const fields = Object.keys(inputSchema.properties ?? {}).filter((field) => field !== 'cursor')
      assert.deepEqual(
        fields.sort(),
        Object.keys(op.input.shape)
          .filter((field) => field !== 'cursor')
          .sort(),
      )
      // Clients assume what is not said: a tool changes, destroys and reaches into an open world.
      const { readOnlyHint = false, destructiveHint = true, openWorldHint = true } = annotations ?? {}
      const reads = op.effect === 'read'
      assert.deepEqual(
        { readOnlyHint, openWorldHint, destructiveHint: reads ? false : destructiveHint },
        { readOnlyHint: reads, openWorldHint: false, destructiveHint: !reads && op.peopleOnly === true },
        name,
      )
    }
  })

  it('asks for the same fields as the operation does', async () => {
    const operations = await loadOperations()
    for (const { name, inputSchema } of await tools('all')) {
      const { input } = operations.find((op) => op.name === name)!
      const needed = Object.keys(input.shape).filter(
        (field) => !input.shape[field]!.safeParse(undefined).success,
      )
      assert.deepEqual([...(inputSchema.required ?? [])].sort(), needed.sort(), name)
    }
  })

  it('is chosen by names of sets and of tools, and a wrong name is pointed at', async () => {
    assert.deepEqual((await tools('handoff_inbox, handoff_cancel')).map(({ name }) => name).sort(), [
      'handoff_cancel',
      'handoff_inbox',
    ])
    assert.equal((await tools('proof')).length, 4)
    assert.throws(() => parseToolset('default,handof_inbox'), {
      code: 'invalid_input',
      message: /did you mean handoff_inbox\?/,
    })
    assert.throws(() => parseToolset(' , '), { code: 'invalid_input' })
  })

  it('takes the id of a task as id and as task_id, whichever of them a tool shows', async (t) => {
    const { service } = await openWorkspace(t)
    const agent = await inside(t, service, { tools: 'all' })
    await agent.call('task_create', { task_id: 'P1', title: 'Set up' })

    for (const name of ['task_get', 'task_start', 'task_brief', 'task_log', 'task_update', 'thought_list'])
      for (const field of ['id', 'task_id'])
        await agent.call(name, { [field]: 'P1', ...(name === 'task_update' && { progress: 50 }) })
  })

  it('is all that can be called: another tool is unknown, and the server goes on', async (t) => {
    const { service } = await openWorkspace(t)
    const agent = await inside(t, service)

    await assert.rejects(
      agent.reply('handoff_cancel', { id: 'HO-2026-001' }),
      /Unknown tool: "handoff_cancel"/,
    )
    await assert.rejects(agent.reply('constructor'), /Unknown tool/)

    assert.deepEqual((await agent.call('handoff_inbox')).items, [])
  })
})
