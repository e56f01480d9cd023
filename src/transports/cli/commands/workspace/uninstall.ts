import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { settingsAround } from '../../../../compose/open.ts'
import { codeCache } from '../../../../config/config.ts'
import { BatonError, notFound, wrongState } from '../../../../domain/errors.ts'
import { present } from '../../../../domain/present.ts'
import { ANCHOR_REF } from '../../../../git/anchor.ts'
import { WORKTREES } from '../../../../git/names.ts'
import { runningServer } from '../../../../workspace/server-note.ts'
import { trustFile } from '../../../../workspace/trust.ts'
import { findWorkspace, linesIn, type Workspace } from '../../../../workspace/workspace.ts'
import type { Command } from '../../command.ts'
import { withoutPassword } from '../../hint.ts'
import { CONSENT, flag, isConsented, isOn } from '../../input/args.ts'
import type { Shell } from '../../shell.ts'
import { repositoryHere } from '../task/repository.ts'
import { allRemovals } from './setup.ts'

/** Names that Baton makes in its folder; others are left alone. */
const IN_PROJECT =
  /^(?:\.gitignore|(?:baton\.db|folders\.(?:db|lock))(?:-(?:wal|shm|journal|clock)|\.\d+\.[0-9a-f]+\.new)?|notify|(?:setup|server|config\.schema)\.json|news|hooks|replaced)$/
const AT_HOME = /^(?:keys|trust|trust-log|seats|stores|hooks|news|setup\.json)$/

/** Shows everything first. Documents of people stay unless asked for. */
export const uninstall: Command = {
  name: 'uninstall',
  summary: 'Shows and removes what Baton made in this project, or with --user in your home folder.',
  flags: [
    ...CONSENT,
    flag('files', 'Also baton.yaml, and files of handoffs that nobody changed since'),
    flag('user', 'Keys, trust and settings in your home folder, which your projects share'),
  ],
  examples: ['baton uninstall', 'baton uninstall --yes', 'baton uninstall --user --yes'],
  async run(shell, args) {
    const { io, screen } = shell
    const [isUser, isDone] = [isOn(args, 'user'), isConsented(args)]
    const workspace = isUser ? undefined : await findWorkspace(io.cwd, io.env)
    if (!isUser && !workspace) throw notFound('there is no workspace here; for your home folder add --user')
    if (isDone && io.env.codingAgent !== undefined)
      throw new BatonError('not_allowed', 'only a person uninstalls Baton, and a coding agent called')
    const server = workspace && runningServer(workspace.dir, io.env.uid)
    if (server) throw wrongState(`a server of this workspace runs at ${server.url}; stop it first`)
    const home = join(io.env.home, '.baton')
    const dir = workspace?.dir ?? home
    const inside = entriesAt(dir)
    const isOurs = (name: string) => (isUser ? AT_HOME : IN_PROJECT).test(name)
    const documents = workspace ? await documentsOf(workspace) : []
    const removed = [
      ...inside.filter(isOurs).map((name) => join(dir, name)),
      ...(workspace ? notesOf(shell, workspace, home) : []),
      ...(isOn(args, 'files') ? documents : []),
    ]
    const kept = [
      ...inside.filter((name) => !isOurs(name)).map((name) => join(dir, name)),
      ...(isOn(args, 'files') ? [] : documents),
      ...(workspace ? [join(workspace.root, WORKTREES)].filter((path) => existsSync(path)) : []),
    ]
    const elsewhere = isUser ? undefined : await storeElsewhere(shell)
    let plan = await allRemovals(shell, isUser)
    const changed = plan.edits.map(({ path }) => path)
    // A file that several programs share is taken apart once for each.
    while (isDone && plan.edits.length > 0) {
      await plan.apply()
      plan = await allRemovals(shell, isUser)
    }
    if (isDone) for (const path of removed) rmSync(path, { recursive: true, force: true })
    const isFolder = lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()
    if (isDone && isFolder && entriesAt(dir).length === 0) rmdirSync(dir)
    shell.answer({ removed, changed, kept, ...present({ store: elsewhere }), done: isDone }, () => {
      const told = (paths: readonly string[], sign: string, what: string) =>
        paths.map((path) => {
          const near = relative(io.cwd, path)
          return `${sign} ${near.startsWith('..') ? path : near}  ${screen.dim(what)}`
        })
      const sign = isDone ? screen.tick : '-'
      const lines = [
        ...told(changed, sign, 'without the lines of baton setup'),
        ...told(removed, sign, isDone ? 'removed' : 'to remove'),
        ...told(kept, ' ', 'stays'),
      ]
      return lines.join('\n') || `${screen.tick} nothing of Baton is here`
    })
    if (!isDone && changed.length + removed.length > 0)
      shell.say(
        shell.hint(`nothing was removed; do it with: baton uninstall ${isUser ? '--user ' : ''}--yes`),
      )
    if (elsewhere !== undefined)
      shell.warn(
        `the handoffs and the log stay in ${elsewhere}, which others may use; see docs/how-to/uninstall.md for how its owner removes them`,
      )
    if (workspace && (await (await repositoryHere(shell))?.commit(ANCHOR_REF)))
      shell.say(`checkpoints stay in git; remove them with: git update-ref -d ${ANCHOR_REF}`)
    if (isUser && existsSync(codeCache()))
      shell.say(`compiled code of Baton stays in ${codeCache()}; delete the folder with the program`)
    if (!isUser && entriesAt(home).length > 0)
      shell.say(`keys and trust of your workspaces are in ${home}; see: baton uninstall --user`)
    return 0
  },
}

const entriesAt = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** The store that is not a file of the workspace, as its owner may be told. */
async function storeElsewhere({ io: { cwd, env } }: Shell): Promise<string | undefined> {
  const { config } = await settingsAround(cwd, env)
  const address = env.store ?? config?.store
  if (address === undefined) return undefined
  return address.includes('://')
    ? `${withoutPassword(address)} (workspace ${config?.workspace ?? 'default'})`
    : address
}

/** Notes of the home about this workspace alone. Keys stay: they prove logs that were exported. */
function notesOf({ io: { env } }: Shell, workspace: Workspace, home: string): readonly string[] {
  const stores = join(home, 'stores')
  const own = entriesAt(stores).filter((name) =>
    linesIn(join(stores, name))[1]?.startsWith(`${workspace.database} `),
  )
  return [trustFile(workspace, env), ...own.map((name) => join(stores, name))].filter((at) => existsSync(at))
}

/** Files that people own too: the settings, and handoffs in live folders that are as Baton knows them. */
async function documentsOf({ dir, root, configFile }: Workspace): Promise<readonly string[]> {
  const database = join(dir, 'folders.db')
  const settings = configFile === undefined ? [] : [configFile]
  if (!existsSync(database)) return settings
  const { DatabaseSync } = await import('node:sqlite')
  const state = new DatabaseSync(database, { readOnly: true })
  try {
    const rows = state.prepare('SELECT folder, path, sha256 FROM file').all() as Record<string, string>[]
    const files = rows.map(({ folder = '', path = '', sha256 }) => ({
      path: join(root, folder, path),
      sha256,
    }))
    const isSame = ({ path, sha256 }: (typeof files)[number]) =>
      existsSync(path) && createHash('sha256').update(readFileSync(path)).digest('hex') === sha256
    return [...settings, ...files.filter(isSame).map(({ path }) => path)]
  } finally {
    state.close()
  }
}
