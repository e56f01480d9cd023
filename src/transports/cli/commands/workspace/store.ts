import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { grantsFor, openStore, toStoreTarget } from '../../../../compose/main.ts'
import type { Context } from '../../../../compose/open.ts'
import { BatonError, storeRefused } from '../../../../domain/errors.ts'
import type { Store } from '../../../../service/service.ts'
import { adoptStore } from '../../../../workspace/workspace.ts'
import type { Command } from '../../command.ts'
import { flag, isOn, textOf } from '../../input/args.ts'
import { withProgress } from '../../screen/progress.ts'
import type { SessionOptions, Shell } from '../../shell.ts'
import { count } from '../../views/words.ts'

const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

const info: Command = {
  name: 'store info',
  summary: 'Shows the path, engine and schema of the store.',
  examples: ['baton store info', 'baton store info --json'],
  async run(shell) {
    const store = await openLocal(shell, false)
    const { engine, location, workspace, origin, schema, readOnly, moved } = store.info
    const bytes = engine === 'sqlite' ? statSync(location, { throwIfNoEntry: false })?.size : undefined
    const { entries } = await store.counts()
    const answer = { engine, location, workspace, origin, schema, read_only: readOnly, moved, entries, bytes }
    shell.answer(answer, () =>
      shell.screen.fields([
        ['Engine', NAMES[engine]],
        ['Where', location],
        ['Workspace', workspace],
        ['Log', `${origin}, ${count(entries, 'entry', 'entries')}`],
        ['Schema', String(schema)],
        ...(bytes === undefined ? [] : ([['Size', size(bytes)]] as const)),
      ]),
    )
  },
}

const backup: Command = {
  name: 'store backup',
  summary: 'Writes everything into one new file and reads it back. Others may go on working meanwhile.',
  words: ['file'],
  examples: ['baton store backup ../baton-backup.jsonl.gz'],
  async run(shell, { words }) {
    const file = resolve(shell.io.cwd, words[0]!)
    const store = await openLocal(shell, false)
    const tools = await import('../../../../archive/store-backup.ts')
    const { rows, bytes } = await atWork(shell, (work) => tools.backup(store, file, work))
    shell.answer(
      { file, rows, bytes },
      () => `${shell.screen.tick} ${count(rows, 'row')}, ${size(bytes)}, read back: ${file}`,
    )
  },
}

const restore: Command = {
  name: 'store restore',
  summary: 'Takes a backup into a new, empty store, reads it back and verifies the log.',
  words: ['file'],
  examples: [
    'baton store restore ../baton-backup.jsonl.gz',
    'baton store restore backup.jsonl.gz --store other.db',
  ],
  async run(shell, { words }) {
    const file = resolve(shell.io.cwd, words[0]!)
    const tools = await import('../../../../archive/store-backup.ts')
    const { store, rows, chains } = await atWork(shell, (work) =>
      tools.restore(file, () => openLocal(shell, true), work),
    )
    const context = await shell.openLocal({ write: true })
    keepOurs(shell, context, store)
    // A person who takes an older state up again knows that what came after it is gone.
    if (shell.io.isTerminal && shell.io.env.codingAgent === undefined) {
      await (await context.service.audit()).forget()
      await (await import('../audit/anchor.ts')).forgetAnchors(shell, context)
    }
    shell.answer({ location: store.info.location, rows, chains }, () => restored(shell, rows, chains, store))
  },
}

const move: Command = {
  name: 'store move',
  summary:
    'Moves everything into another, empty store, compares every field and verifies the log. The source takes no more writes.',
  flags: [
    flag('to <address>', 'A file or postgres://…', { required: true }),
    flag('workspace <name>', 'Name of the workspace in a PostgreSQL store (default)'),
  ],
  examples: [
    'baton store move --to postgres://baton@db.example.com/baton',
    'baton store move --to ../moved.db',
  ],
  async run(shell, args) {
    const source = await openLocal(shell, false)
    const target = toStoreTarget(textOf(args, 'to')!, textOf(args, 'workspace'))
    const placed =
      target.engine === 'sqlite' ? { ...target, path: resolve(shell.io.cwd, target.path) } : target
    const store = await openStore(placed)
    try {
      const tools = await import('../../../../archive/store-backup.ts')
      const { rows, chains } = await atWork(shell, (work) => tools.copyStore(source, store, work))
      const { origin, location: retired } = source.info
      keepOurs(shell, await shell.openLocal({ write: false }), { info: { ...store.info, origin } })
      const next =
        'name the new store as store in baton.yaml and run baton trust, or set BATON_STORE; then restart baton serve and baton mcp'
      shell.answer({ location: store.info.location, rows, chains, retired, next }, () =>
        [
          restored(shell, rows, chains, store),
          `${shell.screen.tick} ${retired} takes no more writes and can still be read`,
          `Next: ${next}`,
        ].join('\n'),
      )
    } finally {
      await store.close()
    }
  },
}

const upgrade: Command = {
  name: 'store upgrade',
  summary:
    'Upgrades the store to the schema of this version. Some upgrades shut out older versions and need a yes.',
  flags: [flag('yes', 'Do it; you have a copy of the store', { also: ['y', 'backup-made'] })],
  examples: ['baton store upgrade'],
  async run(shell, args) {
    const how = { upgrade: isOn(args, 'yes'), existing: true }
    const store = await openLocal(shell, true, how).catch((error: unknown) => {
      if (!(error instanceof BatonError) || error.details.wanted === undefined) throw error
      throw storeRefused(
        `the store goes from schema ${error.details.schema} to ${error.details.wanted}, and older programs cannot use it then. Copy the file or the database first, then run: baton store upgrade --yes`,
        error.details,
        error,
      )
    })
    const { schema, location } = store.info
    shell.answer(
      { location, schema },
      () => `${shell.screen.tick} ${location} has schema ${schema}, which is current`,
    )
  },
}

const grants: Command = {
  name: 'store grants',
  summary:
    'Prints the SQL that gives a PostgreSQL role what Baton needs and no right to change the log. The owner runs it.',
  words: ['role'],
  examples: ['baton store grants baton_app | psql postgres://owner@db.example.com/baton'],
  async run(shell, { words }) {
    const sql = await grantsFor(words[0]!)
    shell.answer({ sql }, () => sql)
  },
}

async function openLocal(
  shell: Shell,
  write: boolean,
  how: Pick<SessionOptions, 'upgrade' | 'existing'> = {},
): Promise<Store> {
  const { service } = await shell.openLocal({ write, ...how })
  return service.deps.store
}

/** A copy of a store that is ours is ours too, unless a coding agent made it. */
function keepOurs({ io: { env } }: Shell, { isOurs }: Context, { info }: Pick<Store, 'info'>): void {
  if (isOurs && env.codingAgent === undefined) adoptStore(env, info)
}

interface StoreWork {
  readonly tell: (what: string, done: number, of?: number) => void
  readonly signal: AbortSignal
}

const atWork = <T>(shell: Shell, work: (options: StoreWork) => Promise<T>): Promise<T> =>
  withProgress(shell, (tell) =>
    work({
      tell: (what, done, of) => tell(of === undefined ? `${what}: ${done}` : `${what}: ${done} of ${of}`),
      signal: shell.io.lasting(),
    }),
  )

type Chains = Readonly<Record<'streams' | 'entries', number>>

function restored({ screen: { tick } }: Shell, rows: number, chains: Chains, store: Store): string {
  return [
    `${tick} ${count(rows, 'row')} in ${store.info.location}, every field compared`,
    `${tick} ${count(chains.streams, 'chain')} with ${count(chains.entries, 'entry', 'entries')} verified`,
  ].join('\n')
}

const size = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1_000))} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`

export const STORE_COMMANDS = { info, backup, restore, move, upgrade, grants }
