import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { lstat, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Environment, formatsIn } from '../config/config.ts'
import type { Format } from '../dialects/relative.ts'
import { BatonError } from '../domain/errors.ts'
import { orElse } from '../domain/once.ts'
import type { Checkout } from '../git/checkout.ts'
import { findWorkspace, hasBatonFolder, lookAround, type Workspace, workspaceAt } from './find.ts'

export { findWorkspace, type Workspace, workspaceAround } from './find.ts'

/** The team's own formats, where a workspace around this folder names any. */
export async function formatsAround(cwd: string, environment: Environment): Promise<readonly Format[]> {
  const { configFile } = (await findWorkspace(cwd, environment)) ?? {}
  if (configFile === undefined) return []
  const { loadConfig } = await import('../config/file.ts')
  return formatsIn(await loadConfig(configFile))
}

/** A word that this user's home keeps about a store: `ours` of one that was made or adopted here. */
export function storeNote({ home, uid }: Environment, about: string): string | undefined {
  const [word, ...rest] = linesIn(noteFile(home, about), uid)
  return rest.join('\n') === about ? word : undefined
}

/** A home may be shared by mistake: what another user wrote there counts for nothing, and may not even be readable. */
export const linesIn = (note: string, uid?: number): readonly string[] =>
  orElse(
    () => ((uid ?? statSync(note).uid) === statSync(note).uid ? readFileSync(note, 'utf8').split('\n') : []),
    [],
  )

/** A home that cannot be written knows no store; that stops no command. */
export function noteStore({ home }: Pick<Environment, 'home'>, about: string, word: string): void {
  const file = noteFile(home, about)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${word}\n${about}`, { mode: 0o600 })
  } catch {}
}

/** Remembers a store as this user's own. Only its maker or a person may decide this. */
export const adoptStore = (environment: Environment, store: { location: string; origin: string }): void =>
  noteStore(environment, `${store.location} ${store.origin}`, 'ours')

/** The stores of which this user's home keeps one of these words, `ours` of its own. Opens none. */
export function knownStores({ home, uid }: Environment, ...words: readonly string[]): readonly string[] {
  const folder = join(home, '.baton', 'stores')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.flatMap((name) => {
    const [word, about = ''] = linesIn(join(folder, name), uid)
    return words.includes(word!) ? [about.slice(0, about.lastIndexOf(' '))] : []
  })
}

/** The head of a log that this user has seen under a signature, as size and root; empty where a person forgot it. */
export const seenHead = (environment: Environment, origin: string): string | undefined =>
  storeNote(environment, `seen of ${origin}`)

/** The second and third line of a checkpoint are its size and its root. */
export const headOf = (note: string): string => note.split('\n').slice(1, 3).join(' ')

export const noteSeen = (home: string, origin: string, note: string): void =>
  noteStore({ home }, `seen of ${origin}`, headOf(note))

/** Up to which entry a person has looked at callers in doubt. */
export const lookedAt = (environment: Environment, origin: string): string | undefined =>
  storeNote(environment, `looked at ${origin}`)

export const noteLook = (environment: Environment, origin: string, end: string): void =>
  noteStore(environment, `looked at ${origin}`, end)

const noteFile = (home: string, about: string): string =>
  join(home, '.baton', 'stores', encodeURIComponent(about).slice(-200))

export interface CreateOptions {
  /** Someone asked for the workspace by name (`baton init`), so it may be made in CI, by an agent or without git. */
  readonly explicit?: boolean
}

/** The workspace of this folder; makes its `.baton` where that is allowed. Twenty at once make one. */
export async function createWorkspace(
  cwd: string,
  environment: Environment,
  options: CreateOptions = {},
): Promise<Workspace> {
  const workspace = await placeWorkspace(cwd, environment, options)
  return (await makeFolder(workspace.dir)) ? { ...workspace, created: true } : workspace
}

/** The workspace that `createWorkspace` would make; refuses as that does, and makes nothing. */
export async function placeWorkspace(
  cwd: string,
  environment: Environment,
  options: CreateOptions = {},
): Promise<Workspace> {
  const found = await findWorkspace(cwd, environment)
  if (found && (found.found === 'environment' || hasBatonFolder(found.root))) return found
  const here = realpathSync(cwd)
  const { checkout } = lookAround(here, environment)
  if (checkout?.linked) throw inLinkedWorktree(checkout)
  const root = found?.root ?? checkout?.root ?? here
  await refuseForeign(root, environment)
  if (!options.explicit) refuseUnasked(root, checkout !== undefined || found !== undefined, environment)
  return found ?? workspaceAt(root, 'folder')
}

export const isWritable = (path: string): boolean =>
  orElse(() => accessSync(path, constants.W_OK) === undefined, false)

/** Makes the folder and what keeps it out of git; answers whether it was this call that made it. */
export async function makeFolder(dir: string): Promise<boolean> {
  const made = await mkdir(dir, { mode: 0o700 }).then(
    () => true,
    async (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST' && (await lstat(dir)).isDirectory()) return false
      throw cannotMake(dir, error)
    },
  )
  await writeFile(join(dir, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch((error) => {
    // A folder that cannot be written is still good for reading.
    if (error.code !== 'EEXIST' && (made || isWritable(dir))) throw cannotMake(dir, error)
  })
  return made
}

function inLinkedWorktree({ root, main }: Checkout): BatonError {
  const wayOut =
    main === undefined
      ? 'set BATON_WORKSPACE to a folder outside the worktrees'
      : `run baton init in ${main}, which all its worktrees share`
  const message = `${root} is a linked worktree, where no workspace is made; ${wayOut}`
  return new BatonError('not_allowed', message, { root, main })
}

async function refuseForeign(root: string, { uid }: Environment): Promise<void> {
  for (const path of [root, join(root, '.git')]) {
    const stats = await lstat(path).catch(() => undefined)
    if (stats === undefined || uid === undefined || stats.uid === uid) continue
    const why = `${path} belongs to another user of this machine, so no workspace is made there`
    const how = `Run baton init in a folder of your own, or set BATON_WORKSPACE=${root} to use this one`
    throw new BatonError('not_allowed', `${why}. ${how}`, { path })
  }
}

function refuseUnasked(root: string, isProject: boolean, environment: Environment): void {
  const { ci, codingAgent } = environment
  const fix = `run baton init in ${root}`
  const no = (reason: string, why: string, variable?: string): never => {
    throw new BatonError('not_allowed', `there is no workspace, and ${why}`, { root, reason, variable })
  }
  const kept = `Set BATON_STORE or BATON_WORKSPACE to one that stays, or ${fix}`
  if (ci) no('ci', `CI does not create one, because it would be lost with the job. ${kept}`)
  if (codingAgent !== undefined)
    no('agent', `a coding agent (${codingAgent}) does not create one; ask a person to ${fix}`, codingAgent)
  const here = 'if the workspace belongs here, run: baton init'
  if (!isProject) no('no_git', `${root} is not in a git repository; ${here}`)
}

function cannotMake(dir: string, error: NodeJS.ErrnoException): BatonError {
  const reason = error.code === 'EEXIST' ? 'something else of that name is in the way' : error.code
  const how = 'check the folder above it, or set BATON_WORKSPACE to a folder you may write'
  return new BatonError('not_allowed', `${dir} cannot be made (${reason}); ${how}`, { path: dir }, error)
}
