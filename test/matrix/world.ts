import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { liveFolders } from '../../src/compose/live-folders.ts'
import { type Context, openContext } from '../../src/compose/open.ts'
import { readEnvironment } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/file.ts'
import type { Home } from '../../src/domain/home.ts'
import { syncFolders } from '../../src/folders/sync.ts'
import type { Happened } from '../../src/folders/work.ts'
import type { OperationName } from '../../src/operations/index.ts'
import type { Call } from '../../src/service/deps.ts'
import { trust } from '../../src/workspace/trust.ts'
import { findWorkspace } from '../../src/workspace/workspace.ts'
import { folders } from '../support/documents/folders.ts'
import { cleanEnv, type Where } from '../support/program/command.ts'
import { run } from '../support/program/invoke.ts'
import { by, type Engine, person } from '../support/program/workspace.ts'
import { sharedPostgres } from '../support/store/store-places.ts'

export type LiveHome = 'markdown' | 'queue' | 'package'

/** One workspace in which a rule is broken. */
export interface World extends Pick<Context, 'service'> {
  readonly home: Home
  readonly where: Where
  readonly root: string
  /** Calls an operation that must succeed, as an agent or a person. */
  does<T = Record<string, unknown>>(who: string | Call, op: OperationName, input?: object): Promise<T>
  /** One pass over the live folder. */
  sync(): Promise<readonly Happened[]>
  has(path: string): boolean
  read(path: string): string
  write(path: string, text: string): void
  /** Replaces a text that must be in the file. */
  edit(path: string, ...changes: readonly (readonly [from: string | RegExp, to: string])[]): void
  move(from: string, to: string): void
}

export interface WorldOptions {
  readonly engine: Engine
  readonly home: Home
  /** The workspace has a live folder of this home. */
  readonly isLive: boolean
  /** Lines of `baton.yaml`. */
  readonly settings?: string
}

let made = 0

/** A workspace of its own in the database that all test files share. */
function inPostgres(): string {
  made += 1
  return `store: ${sharedPostgres()}\nworkspace: matrix-${process.pid}-${made}\n`
}

/** Agents that every world knows, so that each refusal reaches its author. */
const AGENTS = ['planner', 'codex', 'mallory', 'builder', 'perplexity', 'importer']

const FOLDER: Readonly<Record<LiveHome, string>> = { markdown: '_handoffs', queue: '.', package: '.' }

/** Anything that ends later than the world is needed. */
export interface Ending {
  after(end: () => unknown): void
}

/** A project with a store of its own, and with the live folder of its home where one is asked for. */
export async function openWorld(t: Ending, options: WorldOptions): Promise<World> {
  const { home, isLive, engine, settings = '' } = options
  const root = folders(t).folder('project')
  mkdirSync(join(root, '.baton'), { mode: 0o700 })
  const folder = isLive ? `folders:\n  - dialect: ${home}\n    path: ${FOLDER[home as LiveHome]}\n` : ''
  const accept = isLive ? '    accept: [verification, gate]\n' : ''
  const config = `dialect: ${home}\n${folder}${accept}${settings}${engine === 'postgres' ? inPostgres() : ''}`
  writeFileSync(join(root, 'baton.yaml'), config)
  const where: Where = { cwd: root }
  const environment = readEnvironment(cleanEnv(where))
  const workspace = await findWorkspace(root, environment)
  // A program that embeds Baton has the home of this process.
  for (const each of [environment, readEnvironment()])
    trust(workspace!, await parseConfig(config, 'baton.yaml'), each)
  const opening = { cwd: root, environment, as: 'planner', isTerminal: false, write: true }
  const context = await openContext(opening)
  t.after(() => context.close())
  const live = liveFolders(context)
  const at = (path: string): string => join(root, path)
  const world: World = {
    service: context.service,
    home,
    where,
    root,
    does: (who, op, input = {}) => run(context.service, typeof who === 'string' ? by(who) : who, op, input),
    sync: async () => (live ? syncFolders(live) : []),
    has: (path) => existsSync(at(path)),
    read: (path) => readFileSync(at(path), 'utf8'),
    write(path, text) {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text)
    },
    edit(path, ...changes) {
      let text = world.read(path)
      for (const [from, to] of changes) {
        const next = text.replace(from, to)
        if (next === text) throw new Error(`${from} is not in ${path}:\n${text}`)
        text = next
      }
      world.write(path, text)
    },
    move: (from, to) => renameSync(at(from), at(to)),
  }
  for (const name of AGENTS) await context.service.agents.add(person('maria'), { name, kind: 'agent' })
  await context.service.agents.add(person('maria'), { name: 'maria', kind: 'human' })
  await world.sync()
  return world
}

/** Everything that the store holds but the log, the notices, and the blocks that are kept as history. */
export async function rowsOf({ service }: World) {
  const { store } = service.deps
  const handoffs = (await store.handoffs({}, { limit: 200 })).items
  const tasks = (await store.tasks({}, { limit: 200 })).items
  return {
    handoffs,
    contents: await Promise.all(handoffs.map(({ uid }) => store.content(uid))),
    artifacts: await Promise.all(handoffs.map(({ uid }) => store.artifacts(uid))),
    tasks,
    records: await store.latestRecords(200),
    agents: await store.agents(),
    counts: { ...(await store.counts()), entries: 0 },
  }
}

/** The log from the beginning: acts with their subject. */
export async function actsOf({ service }: World): Promise<readonly string[]> {
  const { entries } = await service.deps.store.changes('0', 1_000)
  return entries.map(({ act }) => act)
}
