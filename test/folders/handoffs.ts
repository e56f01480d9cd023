import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Happened } from '../../src/folders/work.ts'
import { folders, git } from '../support/documents/folders.ts'
import { ask, trusted, type Where } from '../support/program/command.ts'

export interface HandoffFolder {
  readonly where: Where
  readonly root: string
  /** A draft of grok for claude; its id. */
  create(task: string, ...more: readonly string[]): Promise<string>
  /** The same, sent. */
  send(task: string, ...more: readonly string[]): Promise<string>
  sync(): Promise<readonly Happened[]>
  read(path: string): string
  write(path: string, text: string): void
  /** Replaces texts of an open handoff's file, as a script would. */
  edit(id: string, ...changes: readonly (readonly [from: string, to: string])[]): void
  has(path: string): boolean
  /** All files below `_handoffs` but the index and what keeps notes out of git. */
  files(): string[]
  state(id: string): Promise<string>
  notices(agent: string): Promise<readonly { kind: string; text: string }[]>
  git(...args: readonly string[]): string
}

export const active = (id: string): string => `_handoffs/active/${id}.md`

const PACKAGE = [
  ...[
    '--title',
    'Implement API Rate Limiting',
    '--purpose',
    'The API needs limits',
    '--context',
    'Launch is near',
  ],
  ...['--deliverable', 'Middleware', '--deliverable', 'Documentation', '--criterion', 'npm test passes'],
  ...['--meeting', 'meetings/2026-02-21.md', '--skill', 'skills/api'],
]

/** A repository whose handoffs live in `_handoffs/`, as `baton init --dialect markdown` makes it. */
export async function aHandoffFolder(
  t: { after(clean: () => void): void },
  config: (text: string) => string = (text) => text,
  env: Readonly<Record<string, string>> = {},
): Promise<HandoffFolder> {
  const place = folders(t)
  const root = place.repository('project')
  const where = { cwd: root }
  await ask(where, 'init', '--dialect', 'markdown')
  writeFileSync(join(root, 'baton.yaml'), config(readFileSync(join(root, 'baton.yaml'), 'utf8')))
  return handoffFolderAt(root, env)
}

/** The same, where a person trusted that files may verify. */
export async function aVerifyingFolder(t: { after(clean: () => void): void }): Promise<HandoffFolder> {
  const path = '    path: _handoffs'
  const folder = await aHandoffFolder(t, (text) => text.replace(path, `${path}\n    accept: [verification]`))
  trusted(folder.where)
  return folder
}

export function handoffFolderAt(root: string, env: Readonly<Record<string, string>> = {}): HandoffFolder {
  const where = { cwd: root, env }
  const made = async (verb: string, task: string, more: readonly string[]) => {
    const who = more.includes('--as') ? [] : ['--as', 'grok']
    const to = more.includes('--to') ? [] : ['--to', 'claude']
    const args = [verb, ...who, ...to, '--task', task, ...PACKAGE, ...more]
    return (await ask<{ handoff: { id: string } }>(where, ...args)).handoff.id
  }
  const folder: HandoffFolder = {
    where,
    root,
    create: (task, ...more) => made('create', task, more),
    send: (task, ...more) => made('send', task, more),
    sync: async () => (await ask<{ happened: Happened[] }>(where, 'folders', 'sync')).happened,
    read: (path) => readFileSync(join(root, path), 'utf8'),
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    edit(id, ...changes) {
      let text = folder.read(active(id))
      for (const [from, to] of changes) {
        assert.ok(text.includes(from), `${from} is not in ${text}`)
        text = text.replace(from, to)
      }
      folder.write(active(id), text)
    },
    has: (path) => existsSync(join(root, path)),
    files: () =>
      readdirSync(join(root, '_handoffs'), { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + '/_handoffs/'.length))
        .filter((path) => path !== '_index.yaml' && path !== '.gitignore')
        .sort(),
    state: async (id) => (await ask<{ handoff: { state: string } }>(where, 'show', id)).handoff.state,
    notices: async (agent) =>
      (await ask<{ notices: { kind: string; text: string }[] }>(where, 'inbox', '--as', agent)).notices,
    git: (...args) => git(root, ...args),
  }
  return folder
}

export const whats = (happened: readonly Happened[]): string[] => happened.map(({ what }) => what)

export const acknowledged = (by: string) =>
  [
    ['status: Active', 'status: Acknowledged'],
    ['acknowledged_by: null', `acknowledged_by: ${by}`],
  ] as const
