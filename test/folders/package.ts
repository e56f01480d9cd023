import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import type { Happened } from '../../src/folders/work.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, type Where } from '../support/program/command.ts'

export interface StateFile {
  readonly handoffs: readonly {
    readonly id: string
    readonly timestamp: string
    readonly from: string
    readonly to: string
    readonly status: string
  }[]
  readonly [key: string]: unknown
}

export interface PackageFolder {
  readonly where: Where
  readonly root: string
  sync(): Promise<readonly Happened[]>
  /** A delegation of the architect to security-check; its id. */
  send(...more: readonly string[]): Promise<string>
  read(path: string): string
  write(path: string, text: string): void
  edit(path: string, from: string | RegExp, to: string): void
  has(path: string): boolean
  state(): StateFile
  statusOf(id: string): string | undefined
  yaml(path: string): { readonly handoff: Record<string, never>; readonly [key: string]: unknown }
  show(id: string): Promise<{ state: string; holder?: string }>
}

const PACKAGE = [
  ...['--title', 'Check the login', '--summary', 'The login module is written and needs a review'],
  ...['--deliverable', 'Risk list', '--criterion', 'No unaddressed critical risks'],
]

export const today = (): string => new Date().toISOString().slice(0, 10)
export const archived = (id: string, session = today()): string =>
  `.project/07-audit/sessions/${session}/handoffs/${id}.yaml`

/** One step, whose handoffs lie in the folder. */
export const WORKFLOW = `name: f
home: package
steps:
  - id: spec
    agent: writer
    summary: Write down what the product must do
`

/** A project whose packages live in `.project/`, as `baton init --dialect package` makes it. */
export async function aPackageFolder(
  t: { after(clean: () => void): void },
  config: (text: string) => string = (text) => text,
): Promise<PackageFolder> {
  const root = folders(t).repository('project')
  await ask({ cwd: root }, 'init', '--dialect', 'package')
  const yaml = join(root, 'baton.yaml')
  writeFileSync(yaml, config(readFileSync(yaml, 'utf8')))
  const folder = packageFolderAt(root)
  await folder.sync()
  return folder
}

export function packageFolderAt(root: string): PackageFolder {
  const where = { cwd: root }
  const folder: PackageFolder = {
    where,
    root,
    sync: async () => (await ask<{ happened: Happened[] }>(where, 'folders', 'sync')).happened,
    send: async (...more) => {
      const who = ['--as', 'architect', '--to', 'security-check']
      return (await ask<{ handoff: { id: string } }>(where, 'send', ...who, ...PACKAGE, ...more)).handoff.id
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    edit(path, from, to) {
      const text = folder.read(path)
      if (text.replace(from, to) === text) throw new Error(`${from} is not in ${text}`)
      folder.write(path, text.replace(from, to))
    },
    has: (path) => existsSync(join(root, path)),
    state: () => JSON.parse(folder.read('state/current.json')),
    statusOf: (id) => folder.state().handoffs.find((each) => each.id === id)?.status,
    yaml: (path) => parse(folder.read(path)),
    show: async (id) => (await ask<{ handoff: never }>(where, 'show', id)).handoff,
  }
  return folder
}
