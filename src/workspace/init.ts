import { existsSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '../config/config.ts'
import { loadConfig } from '../config/file.ts'
import { LIVE_PATHS, startConfig } from '../config/template.ts'
import { BatonError } from '../domain/errors.ts'
import { HOMES, type Home } from '../domain/home.ts'
import { replaceFile } from '../setup/replace-file.ts'
import { makeFolder, placeWorkspace, type Workspace } from './workspace.ts'

export interface InitOptions {
  readonly cwd: string
  readonly environment: Environment
  readonly dialect?: string | undefined
}

/** A file that is `new` or needs an `update` has its content here; one that `exists` is left alone. */
export interface InitFile {
  readonly path: string
  readonly state: 'new' | 'update' | 'exists'
  readonly content?: string
}

export interface InitPlan {
  readonly workspace: Workspace
  readonly files: readonly InitFile[]
  /** Folders that are made, relative to the workspace. */
  readonly folders: readonly string[]
  /** The live folder whose folders hold nothing yet: whatever comes into it comes after Baton. */
  readonly empty?: string | undefined
  /** Whether there is anything to write. */
  readonly changes: boolean
  /** Requested steps that have to be done by hand. */
  readonly notes: readonly string[]
}

/** The files that `baton init` would write, and those that exist. Refuses as `init` does; writes nothing. */
export async function planInit({ cwd, environment, dialect }: InitOptions): Promise<InitPlan> {
  const home = readDialect(dialect)
  const workspace = await placeWorkspace(cwd, environment, { explicit: true })
  const { configJsonSchema, SCHEMA_MARK } = await import('../config/schema.ts')
  const { configFile, dir, root } = workspace
  const files: readonly InitFile[] = [
    await planned(join(dir, '.gitignore'), '*\n'),
    await planned(join(dir, 'config.schema.json'), configJsonSchema(), SCHEMA_MARK),
    configFile === undefined
      ? await planned(join(root, 'baton.yaml'), startConfig(home ?? 'native'))
      : { path: configFile, state: 'exists' },
    ...((home && (await STARTS[home]?.files(root))) ?? []),
  ]
  const isMissing = configFile !== undefined && home !== undefined && !(await hasHome(configFile, home))
  const lines = `dialect: ${home}${(home && STARTS[home]?.note) ?? ''}`
  const notes = isMissing ? [`${configFile} exists and was not changed; for this format write: ${lines}`] : []
  const folders = (home && STARTS[home]?.folders) ?? []
  const changes =
    files.some(({ state }) => state !== 'exists') || folders.some((folder) => !existsSync(join(root, folder)))
  const empty =
    home !== undefined && notes.length === 0 && folders.every((folder) => holdsNothing(root, folder))
  return { workspace, files, folders, changes, notes, empty: empty ? LIVE_PATHS[home] : undefined }
}

/** Files that others have put beside the handoffs do not count. */
const holdsNothing = (root: string, folder: string): boolean =>
  !HANDOFFS.test(folder) ||
  !existsSync(join(root, folder)) ||
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).every(
    (entry) => entry.isDirectory() || entry.name.startsWith('.'),
  )
const HANDOFFS = /handoffs|sessions/

/** A file that cannot be read is told of where it is used. */
async function hasHome(configFile: string, home: Home): Promise<boolean> {
  const config = await loadConfig(configFile).catch(() => undefined)
  if ((config?.dialect ?? 'native') !== home) return false
  return STARTS[home]?.note === undefined || (config?.folders ?? []).some(({ dialect }) => dialect === home)
}

/** Keeps Baton's notes in a live folder out of git. */
async function ignored(root: string, folder: string): Promise<InitFile> {
  const { IGNORED } = await import('../folders/sync.ts')
  return planned(join(root, folder, '.gitignore'), IGNORED)
}

interface Start {
  readonly folders: readonly string[]
  readonly files: (root: string) => Promise<readonly InitFile[]>
  /** The lines that an existing configuration needs beside the dialect. */
  readonly note?: string
}

/** The folders and files that a format needs from the start. */
const STARTS: Readonly<Partial<Record<Home, Start>>> = {
  markdown: {
    folders: ['_handoffs/active', '_handoffs/archived'],
    async files(root) {
      const { printIndex } = await import('../dialects/markdown/index-file.ts')
      const index = printIndex([], { now: new Date().toISOString() })
      return [await ignored(root, '_handoffs'), await planned(join(root, '_handoffs', '_index.yaml'), index)]
    },
    note: ', and for its files: folders: [{dialect: markdown, path: _handoffs}]',
  },
  queue: {
    folders: [
      ...['pending', 'in-progress', 'completed', 'failed'].map((name) => `handoffs/${name}`),
      ...['artifacts', 'context'],
    ],
    // Document 001's context files are there from the start, for others to fill.
    async files(root) {
      const empty = (name: string, content: string) => planned(join(root, 'context', name), content)
      return [
        await ignored(root, 'handoffs'),
        await empty('project-context.json', '{}\n'),
        await empty('tech-stack.json', '{}\n'),
        await empty('phase-status.json', '{\n  "phases": {}\n}\n'),
      ]
    },
  },
  package: {
    folders: ['.project/07-audit/sessions', 'state'],
    files: async (root) => [await ignored(root, '.project/07-audit')],
  },
}

/** Writes what the plan says and answers what was done; a file that has appeared since is left alone. */
export async function applyInit(plan: InitPlan): Promise<readonly InitFile[]> {
  if (!plan.changes) return plan.files
  const { dir, root } = plan.workspace
  await makeFolder(dir)
  if (plan.folders.length > 0) {
    const { Tree } = await import('../folders/files/tree.ts')
    for (const folder of plan.folders) new Tree(root).make(folder)
  }
  if (plan.empty !== undefined) {
    const { noteMade } = await import('../folders/kept-state.ts')
    await noteMade(dir, plan.empty)
  }
  const done: InitFile[] = []
  for (const file of plan.files) done.push(await apply(file, file.path.startsWith(dir) ? 0o600 : undefined))
  return done
}

function readDialect(text: string | undefined): Home | undefined {
  const home = HOMES.find((each) => each === text)
  if (text === undefined || home !== undefined) return home
  const message = `there is no dialect ${text}; write ${HOMES.join(', ')}`
  throw new BatonError('invalid_input', message, { dialect: text })
}

/** A file that carries our mark is ours to bring up to date; any other is left as it is. */
async function planned(path: string, content: string, mark?: string): Promise<InitFile> {
  const present = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw cannotWrite(path, error)
  })
  if (present === undefined) return { path, state: 'new', content }
  const isStale = mark !== undefined && present !== content && present.includes(mark)
  return isStale ? { path, state: 'update', content } : { path, state: 'exists' }
}

async function apply(file: InitFile, mode: number | undefined): Promise<InitFile> {
  const { path, state, content } = file
  if (state === 'exists' || content === undefined) return file
  try {
    if (state === 'new') await writeFile(path, content, { flag: 'wx', mode })
    else replaceFile(path, content, { mode })
    return file
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(path, error)
    // The folder was made with its .gitignore; anything else of another content is someone else's.
    return (await readFile(path, 'utf8')) === content ? file : { path, state: 'exists' }
  }
}

function cannotWrite(path: string, error: unknown): BatonError {
  const { code } = error as NodeJS.ErrnoException
  const message = `${path} cannot be written (${code}); check its permissions`
  return new BatonError('not_allowed', message, { path }, error)
}
