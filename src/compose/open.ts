import { existsSync, lstatSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Config, type Environment, formatsIn, readSecret } from '../config/config.ts'
import type { Settings } from '../config/file.ts'
import type { Actor } from '../domain/agent.ts'
import { invalidInput, notAllowed, notFound } from '../domain/errors.ts'
import { once } from '../domain/once.ts'
import { DEFAULT_POLICY, kindOf } from '../domain/policy.ts'
import { present } from '../domain/present.ts'
import { indexAbove } from '../git/checkout.ts'
import type { Service } from '../service/service.ts'
import { type CallerOptions, known, resolveActor } from '../workspace/identity.ts'
import {
  adoptStore,
  createWorkspace,
  findWorkspace,
  headOf,
  isWritable,
  noteStore,
  seenHead,
  storeNote,
  type Workspace,
  workspaceAround,
} from '../workspace/workspace.ts'
import { checkRunner, createService, openStore, type StoreTarget, toStoreTarget } from './main.ts'

/** Everything a command needs to act in a workspace. */
export interface Context {
  readonly service: Service
  readonly actor: Actor
  /** How the caller was found out. */
  readonly why: string
  readonly workspace?: Workspace
  readonly config?: Config
  /** For the person at the terminal: what was left out or is not as usual. */
  readonly warnings: readonly string[]
  /** This call made the workspace. */
  readonly created: boolean
  /** The store was made or adopted by this user: what it says about tokens and keys is believed. */
  readonly isOurs: boolean
  close(): Promise<void>
}

export interface OpenContextOptions extends CallerOptions {
  readonly cwd: string
  /** The command writes, so it may make the workspace. */
  readonly write: boolean
  /** The value of `--store`. */
  readonly store?: string | undefined
  readonly readOnly?: boolean | undefined
  /** May run steps of the schema that older programs cannot live beside (`baton store upgrade`). */
  readonly upgrade?: boolean | undefined
  /** The command is for what a store already holds, so it makes none. */
  readonly existing?: boolean | undefined
  /** Somebody asked for the workspace by name (`baton serve`), so it may be made in CI and without git. */
  readonly explicit?: boolean | undefined
  /** The workspace of this name at `store`, as trusted settings name it: the folder here and its settings do not count. */
  readonly named?: string | undefined
}

/** A server has many of these open, and each has connections of its own. */
const NAMED_STORE = { limits: { writers: 1, readers: 2, slowReaders: 1 } }

/**
 * Finds or makes the workspace, believes its `baton.yaml` as far as it is trusted, opens the store and says who
 * is calling. A workspace without a `baton.yaml` costs neither the YAML reader nor the schema of the settings.
 */
export async function openContext(options: OpenContextOptions): Promise<Context> {
  const { cwd, environment, as, isTerminal } = options
  // A refused caller leaves nothing behind: the name is resolved before any file is made.
  const { actor, why } = resolveActor({ as, environment, isTerminal })
  const found = options.named === undefined ? await findWorkspace(cwd, environment) : undefined
  const read = await readAt(found)
  const first = await settingsOf(found, environment, read)
  const { target, workspace } = await targetOf(options, found, first.config)
  const warnings: string[] = []
  if (target.readOnly && !options.readOnly)
    warnings.push(`${locationOf(target)} is not writable for you; it was opened read-only`)

  const around = workspace?.created ? workspaceAround(cwd, environment) : undefined
  if (around !== undefined)
    warnings.push(`${around} has a workspace too; to use that one, set BATON_WORKSPACE=${around}`)

  const server = first.config?.server
  const set = server && (await import('../config/server.ts')).storeSettings(server)
  const own = await openOwn({ ...target, ...(options.named === undefined ? set : NAMED_STORE) }, environment)
  const { store: opened, warnings: met } = own
  const isOurs = own.isOurs || options.named !== undefined
  try {
    const { settings, origin, moved } = opened.info
    if (moved !== undefined) {
      const away = (await import('../storage/moved.ts')).movedAway(opened.info)
      if (options.write && !options.existing) throw away
      warnings.push(away.message)
    }
    // The log of a store that was copied goes on elsewhere under the same name.
    const seen = isOurs && moved === undefined && seenHead(environment, origin)
    if (seen) {
      const [kept] = await opened.checkpoints({ before: Number.parseInt(seen, 10) + 1, limit: 1 })
      const isSeen = headOf(kept?.note ?? '') === seen
      const other = isSeen ? undefined : await (await import('./own-store.ts')).otherThanSeen(opened, seen)
      if (other && options.write) throw other
      if (other) warnings.push(other.message)
    }
    const { config, warnings: told } =
      settings === undefined ? first : await settingsOf(found, environment, read, settings)
    warnings.push(...told, ...met)
    if (first.keep !== undefined && settings === undefined && options.write && !opened.info.readOnly)
      await opened.keepSettings(first.keep)
    // Sessions are tokens too.
    const store = isOurs ? opened : Object.assign(opened, { token: async () => undefined })
    const policy = config ? (await import('../config/policy.ts')).toPolicy(config) : DEFAULT_POLICY
    const agents = actor.kind === 'human' ? [] : await store.agents()
    const row = agents.find(({ name }) => name === actor.name)
    const queued = config?.folders?.some(({ dialect }) => dialect === 'queue')
      ? (await import('./live-folders.ts')).queueDeps(config, workspace, () => service)
      : {}
    const service: Service = createService(store, {
      policy,
      home: config?.dialect ?? 'native',
      ...present({ formats: config && formatsIn(config) }),
      ...present({ live: config?.folders && new Set(config.folders.map(({ dialect }) => dialect)) }),
      ...queued,
      ...(workspace &&
        config?.folders?.length && {
          eraseFiles: async (erasing) =>
            (await import('./live-folders.ts')).eraseFiles({ config, workspace, service }, erasing),
        }),
      ...(workspace && {
        news: async (news) => {
          if (!existsSync(join(workspace.dir, 'news'))) return
          const { addNews } = await import('../workspace/news.ts')
          for (const each of news) addNews(workspace.dir, each)
        },
        runChecks: checkRunner(workspace.checkout, config?.checks?.commands ?? []),
        project: once(async () => (await import('./project.ts')).projectAt(workspace.checkout)),
      }),
      // Only a trusted `baton.yaml` gets here with channels; what sends is loaded by the first message.
      ...(config?.notify?.length && {
        notify: (await import('../notify/index.ts')).createNotifying(config.notify, readSecret),
      }),
      // Few calls sign or compare the log, so keys are looked for by the first that does.
      ...(isOurs && {
        keys: async () => (await import('../workspace/log-keys.ts')).openLogKeys(environment),
        agentKeys: async () => (await import('../workspace/agent-keys.ts')).openAgentKeys(environment),
      }),
    })
    return {
      service,
      actor: known(actor, (name) => kindOf(policy, name, row)),
      why,
      ...present({ workspace, config }),
      warnings,
      created: workspace?.created ?? false,
      isOurs,
      close: () => store.close(),
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Opens a store and says whether this user made or adopted it. A known one costs two small files of the home. */
async function openOwn(target: StoreTarget, environment: Environment) {
  const path = target.engine === 'sqlite' ? target.path : ':memory:'
  const index = existsSync(path) ? indexAbove(dirname(path)) : undefined
  if (index && storeNote(environment, `${index.file} ${path}`) !== index.stamp) {
    await (await import('./own-store.ts')).refuseTracked(path, index.file)
    noteStore(environment, `${index.file} ${path}`, index.stamp)
  }
  let made: string | undefined
  const store = await openStore({
    ...target,
    onMake: (origin, location) => {
      made = origin
      adoptStore(environment, { origin, location })
    },
  })
  const { origin, location } = store.info
  if (
    location === ':memory:' ||
    made === origin ||
    storeNote(environment, `${location} ${origin}`) === 'ours'
  )
    return { store, isOurs: true, warnings: [] }
  const { meet } = await import('./own-store.ts')
  return { store, ...(await meet(environment, store.info)) }
}

/**
 * The settings in force, from a `baton.yaml` that was read once: the bytes that were checked are the bytes that are
 * trusted and used. `stored` is the trusted version that the store keeps.
 */
async function settingsOf(
  workspace: Workspace | undefined,
  environment: Environment,
  read: Settings | undefined,
  stored?: string,
): Promise<{ readonly config?: Config; readonly keep?: string; readonly warnings: readonly string[] }> {
  const isPlain = !read || (await import('../config/guarded-settings.ts')).needsNoTrust(read.config)
  if (isPlain && stored === undefined && !existsSync(join(environment.home, '.baton', 'trust')))
    return { ...present({ config: read?.config }), warnings: [] }
  const { trustState } = await import('../workspace/trust.ts')
  const { config, waiting, keep } = await trustState(workspace, read, environment, stored)
  const known = present({ config: read || Object.keys(config).length > 0 ? config : undefined, keep })
  if (waiting.length === 0) return { ...known, warnings: [] }
  const instead = waiting.includes('store') && !config.store ? `; this call uses ${workspace?.database}` : ''
  const warning = read
    ? `${workspace?.configFile} sets ${waiting.join(' and ')}, which takes effect only after: baton trust${instead}`
    : `there is no baton.yaml, and ${waiting.join(' and ')} stay as they were trusted until: baton trust`
  return { ...known, warnings: [warning] }
}

/** The settings of a folder whose work is done at a server: what this user's home trusts. */
export async function settingsAround(cwd: string, environment: Environment) {
  const found = await findWorkspace(cwd, environment)
  const read = await readAt(found)
  return { ...(await settingsOf(found, environment, read)), root: found?.root ?? cwd }
}

const readAt = async (found: Workspace | undefined): Promise<Settings | undefined> =>
  found?.configFile === undefined
    ? undefined
    : (await import('../config/file.ts')).readSettings(found.configFile)

/** `--store`, else `BATON_STORE`, else the trusted `store` of `baton.yaml`, else the file under `.baton`. */
async function targetOf(
  options: OpenContextOptions,
  found: Workspace | undefined,
  config: Config | undefined,
): Promise<{ readonly target: StoreTarget; readonly workspace?: Workspace }> {
  const { cwd, environment } = options
  const given = options.store ?? environment.store
  const address = given ?? config?.store
  if (address === undefined) {
    const workspace = await workspaceFor(options, found)
    refuseLink(workspace.database)
    return { target: withAccess({ engine: 'sqlite', path: workspace.database }, options), workspace }
  }
  const target = toStoreTarget(address, options.named ?? config?.workspace)
  const base = given === undefined && found?.configFile !== undefined ? dirname(found.configFile) : cwd
  const placed =
    target.engine === 'sqlite' && target.path !== ':memory:'
      ? { ...target, path: resolve(base, target.path) }
      : target
  if (!mayMake(options)) demandThere(placed, options)
  if (placed.engine === 'sqlite' && statSync(placed.path, { throwIfNoEntry: false })?.isDirectory())
    throw invalidInput(
      `${placed.path} is a folder, and a store is a file; name the file, for example ${join(address, '.baton/baton.db')}`,
      { file: placed.path },
    )
  return { target: withAccess(placed, options), ...present({ workspace: found }) }
}

const mayMake = ({ write, readOnly, existing }: OpenContextOptions): boolean =>
  write && !readOnly && !existing

/** A reader would take a mistyped path for an empty store. The path in baton.yaml is there to stay. */
function demandThere(target: StoreTarget, { store, environment }: OpenContextOptions): void {
  if (target.engine !== 'sqlite' || target.path === ':memory:') return
  if (store === undefined && environment.store === undefined) return
  // Unlike existsSync it says so where the folder may not be entered.
  if (statSync(target.path, { throwIfNoEntry: false })) return
  const named = store !== undefined ? '--store' : 'BATON_STORE'
  throw notFound(
    `there is no store at ${target.path}, which ${named} names; correct the path, or send a first handoff to make it`,
    { file: target.path },
  )
}

async function workspaceFor(options: OpenContextOptions, found: Workspace | undefined): Promise<Workspace> {
  const { cwd, environment } = options
  if (found && lstatSync(found.dir, { throwIfNoEntry: false })?.isDirectory()) return found
  if (mayMake(options)) return createWorkspace(cwd, environment, { explicit: options.explicit ?? false })
  const around = workspaceAround(cwd, environment)
  const what = found
    ? `${found.root} has no .baton folder yet;`
    : around !== undefined
      ? `there is no workspace in this repository; to use that of ${around}, set BATON_WORKSPACE=${around}, or`
      : `there is no workspace in ${cwd} or above it;`
  throw notFound(`${what} make one with: baton init`, { cwd, root: found?.root })
}

/** A store that came with a clone could be a link to any file of this user's. */
function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw notAllowed(
      `${path} is a symbolic link, which Baton does not follow; name the real file with --store or BATON_STORE`,
      { path },
    )
}

/** A command that only reads can live with a file that it may not write, or that lies in such a folder. */
function withAccess(target: StoreTarget, { write, readOnly, upgrade }: OpenContextOptions): StoreTarget {
  if (readOnly) return { ...target, readOnly }
  if (upgrade) return { ...target, upgrade }
  if (write || target.engine !== 'sqlite' || !existsSync(target.path)) return target
  return [target.path, dirname(target.path)].every(isWritable) ? target : { ...target, readOnly: true }
}

/** The live folders of an open workspace. What keeps them is loaded only where the settings list one. */
export async function foldersOf(context: Context) {
  if (!context.config?.folders?.length) return undefined
  return (await import('./live-folders.ts')).liveFolders(context)
}

const locationOf = (target: StoreTarget): string => (target.engine === 'sqlite' ? target.path : 'the store')
