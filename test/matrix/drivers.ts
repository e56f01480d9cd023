import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { BatonError } from '../../src/domain/errors.ts'
import { openBaton } from '../../src/index.ts'
import { loadOperation, loadOperations, type OperationName } from '../../src/operations/index.ts'
import { typedAs } from '../../src/transports/cli/catalog.ts'
import { flagsOf } from '../../src/transports/cli/input/flags.ts'
import { createHttpApp } from '../../src/transports/http/server/app.ts'
import { allowedHosts } from '../../src/transports/http/server/guards.ts'
import { createLog } from '../../src/transports/http/server/log.ts'
import { inside } from '../mcp/inside.ts'
import { disclosed } from '../support/log/log.ts'
import { quick } from '../support/program/command.ts'
import { newToken, post, refusalOf } from '../support/servers/http-workspace.ts'
import type { Cell, Rule, Surface } from './table.ts'
import type { World } from './world.ts'

/** What a surface said. Files and documents carry no code. */
export interface Refusal {
  readonly code?: string
  readonly sentence: string
}

/** Breaks the rule; undefined where nobody refused it. */
export type Go = () => Promise<Refusal | undefined>
/** Everything that a surface needs before the step, which must not count as part of it. */
type Driver = (t: TestContext, world: World, rule: Rule, cell: Cell) => Promise<Go>

/** The session that asks; the one of an MCP client has a name of its own. */
const SESSION = 'second'

const byCommand: Driver = async (_t, { where: at }, { asked: { as, op, input } }) => {
  const where = { ...at, env: { ...at.env, BATON_INSTANCE: SESSION } }
  const args = [...typedAs(op).split(' '), ...(await argumentsOf(op, input)), '--as', as, '--json']
  return async () => {
    const { code, stderr } = await quick(where, ...args)
    if (code === 0) return undefined
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!)
    return { code: error.code, sentence: await named(op, error.message) }
  }
}

/** A sentence about an option as the other surfaces say it of the field. */
async function named(name: OperationName, sentence: string): Promise<string> {
  const flags = flagsOf(await loadOperation(name))
  return sentence.replace(/^--?([\w-]+)/, (typed, option) => {
    return flags.find((flag) => flag.name === option && flag.part === undefined)?.field ?? typed
  })
}

/** The words and options that a person types for this input. */
async function argumentsOf(name: OperationName, input: object): Promise<readonly string[]> {
  const op = await loadOperation(name)
  const flags = flagsOf(op)
  const typed = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
  return Object.entries(input).flatMap(([field, value]): readonly string[] => {
    const flag = flags.find((each) => each.field === field && each.part === undefined)
    assert.ok(flag, `${name} has no option for ${field}`)
    if (flag.isWord) return [typed(value)]
    if (typeof value === 'boolean') return [`--${value ? '' : 'no-'}${flag.name}`]
    const all = Array.isArray(value) ? value : [value]
    return all.flatMap((each) => [`--${flag.name}`, typed(each)])
  })
}

const byTool: Driver = async (t, { service }, { asked: { as, op, input } }) => {
  const agent = await inside(t, service, { agent: as, tools: 'all' })
  return async () => {
    const { isError, content, structuredContent } = await agent.reply(op, input)
    if (!isError) return undefined
    const { code } = (structuredContent?.error ?? {}) as { code?: string }
    return { ...(code !== undefined && { code }), sentence: content[0]?.text ?? '' }
  }
}

const byRequest: Driver = async (_t, { service }, { asked: { as, op, input } }) => {
  const token = await newToken(service, as)
  const { http } = await loadOperation(op)
  const app = createHttpApp({
    service,
    operations: await loadOperations(),
    hosts: allowedHosts('127.0.0.1', 4180),
    log: createLog({ write: () => undefined }),
  })
  const named = Object.entries(input)
  const path = http.path.replaceAll(/\{(\w+)\}/g, (_, field) =>
    encodeURIComponent(String(Reflect.get(input, field))),
  )
  const body = Object.fromEntries(named.filter(([field]) => !http.path.includes(`{${field}}`)))
  const init = post(token, body)
  const headers = {
    ...(init.headers as Record<string, string>),
    host: 'localhost:4180',
    'baton-instance': SESSION,
  }
  return async () => {
    const response = await app.fetch(new Request(`http://localhost:4180${path}`, { ...init, headers }))
    if (response.ok) return undefined
    const { code, problem } = await refusalOf(response)
    return { code, sentence: problem.detail }
  }
}

const byProgram: Driver = async (t, { root }, { asked: { as, op, input } }) => {
  const baton = await openBaton({ cwd: root })
  t.after(() => baton.close())
  return async () => {
    try {
      await baton.as(as, { instance: SESSION }).call(op, input as never)
      return undefined
    } catch (error) {
      assert.ok(error instanceof BatonError, String(error))
      return { code: error.code, sentence: error.message }
    }
  }
}

/** Writes a real file and makes one pass. The sentence stands in the page beside the file and in the log. */
const byFile: Driver = async (_t, world, _rule, cell) => {
  if (!('by' in cell) || !cell.by) throw new Error('this cell names no file')
  await cell.by(world)
  return async () => {
    const happened = await world.sync()
    const refusals = happened.filter(({ what }) => what === 'refused')
    const [first] = refusals
    if (!first) return undefined
    assert.equal(refusals.length, 1, JSON.stringify(refusals))
    const pages = readdirSync(world.root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.problem'),
    )
    assert.equal(pages.length, 1, `pages: ${pages}`)
    const [, said] = /^Reason: (.*)$/m.exec(world.read(pages[0]!)) ?? []
    assert.equal(said, first.reason)
    const notices = await noticesIn(world)
    assert.ok(
      notices.some((text) => text.endsWith(`was refused: ${said}`)),
      `no notice says it: ${notices}`,
    )
    const { entries } = await world.service.deps.store.changes('0', 1_000)
    const logged = disclosed(entries.findLast(({ act }) => act === 'file.refused') ?? {})
    assert.equal(logged.reason, said)
    return { sentence: first.reason ?? '', ...(logged.code !== undefined && { code: String(logged.code) }) }
  }
}

async function noticesIn({ service }: World): Promise<readonly string[]> {
  const { store } = service.deps
  const all = await Promise.all((await store.agents()).map(({ name }) => store.notices(name, { limit: 100 })))
  return all.flatMap(({ items }) => items.filter(({ kind }) => kind === 'refused').map(({ text }) => text))
}

/** The caller of imports and collections: nobody that a document names. */
export const CALLER = 'importer'

/** What became of one document. */
interface Said {
  readonly reason?: string
  readonly code?: string
}

const byImport: Driver = async (_t, world, _rule, cell) => {
  const text = await documentOf(cell, world)
  return async () => {
    const { items } = await world.does<{ items: readonly (Said & { outcome: string })[] }>(
      CALLER,
      'document_import',
      { text },
    )
    const [item] = items
    assert.equal(items.length, 1, JSON.stringify(items))
    if (item?.outcome === 'imported' || item?.outcome === 'unchanged') return undefined
    return { sentence: item?.reason ?? '', ...(item?.code !== undefined && { code: item.code }) }
  }
}

/** A block is kept as history. The step that would follow from it is refused. */
interface Collected extends Said {
  readonly followed?: { readonly problem?: string }
}

const byCollect: Driver = async (_t, world, _rule, cell) => {
  const text = await documentOf(cell, world)
  return async () => {
    const { blocks } = await world.does<{ blocks: readonly Collected[] }>(CALLER, 'document_collect', {
      documents: [{ text }],
    })
    const [block] = blocks
    assert.equal(blocks.length, 1, JSON.stringify(blocks))
    const sentence = block?.reason ?? block?.followed?.problem
    return sentence === undefined
      ? undefined
      : { sentence, ...(block?.code !== undefined && { code: block.code }) }
  }
}

const byTasks: Driver = async (_t, world, _rule, cell) => {
  world.write('tasks.csv', await documentOf(cell, world))
  return async () => {
    const args = ['task', 'import', 'tasks.csv', '--as', CALLER, '--json']
    const { code, stdout, stderr } = await quick(world.where, ...args)
    if (code !== 0) {
      const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!)
      return { code: error.code, sentence: error.message }
    }
    const [item] = (JSON.parse(stdout) as { items: readonly { reason?: string }[] }).items
    return item?.reason === undefined ? undefined : { sentence: item.reason }
  }
}

async function documentOf(cell: Cell, world: World): Promise<string> {
  if (!('by' in cell) || !cell.by) throw new Error('this cell names no document')
  return cell.by(world)
}

export const DRIVERS: Readonly<Record<Surface, Driver>> = {
  'command line': byCommand,
  MCP: byTool,
  HTTP: byRequest,
  TypeScript: byProgram,
  'file: markdown': byFile,
  'file: queue': byFile,
  'file: package': byFile,
  'import: markdown': byImport,
  'import: queue': byImport,
  'import: block': byImport,
  'import: writeback': byImport,
  'import: package': byImport,
  collect: byCollect,
  'task import': byTasks,
}
