import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { folders, git } from '../support/documents/folders.ts'
import { type Answer, ask, quick, type Where } from '../support/program/command.ts'
import type { Engine } from '../support/program/workspace.ts'
import { aDatabase } from './database.ts'

/** What a coding agent's process has around it. */
export const AGENT_ENV = { CLAUDECODE: '1', BATON_AGENT: 'codex' }

/** A workspace in which codex has asked maria for a gate, has handed in work, and is not meant to do more. */
export interface World {
  readonly engine: Engine
  readonly root: string
  readonly home: string
  readonly person: Where
  /** A gate of codex that waits for maria; it holds up `work`. */
  readonly gate: string
  /** Work of planner that codex has handed in and planner has to verify. */
  readonly own: string
  /** Work that codex has accepted and that the gate holds up. */
  readonly work: string
  /** Work of planner that waits for gemini. */
  readonly other: string
  readonly tokens: Readonly<Record<'codex' | 'reader' | 'revoked' | 'removed', string>>
  readonly store: string
  /** Runs the command as codex does; answers all that it said. */
  cli(...args: readonly string[]): Promise<string>
  /** The same with more in its environment; an empty value takes a variable away. */
  with(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string>
  /** The path of a file of the workspace. */
  at(path: string): string
  read(path: string): string
  write(path: string, text: string): void
  edit(path: string, from: string | RegExp, to: string): void
  git(...args: readonly string[]): string
  sql(...statements: readonly string[]): Promise<void>
  /** Every row but those that tell only of the calls themselves, and the acts of the log. */
  state(): Promise<{ readonly rows: string; readonly acts: readonly string[]; readonly ran: boolean }>
  doctor(): Promise<Answer>
  /** Puts home, repository and store back to what they were. */
  restore(): Promise<void>
}

const said = ({ code, stdout, stderr }: Answer): string => `exit ${code}\n${stdout}${stderr}`
const SUMMARY = ['--summary', 'The design is done and has to be looked at']

/** Rows that a refusal may write as well. */
const BESIDE = new Set(['entry', 'stream', 'idem', 'meta', 'notice', 'counter', 'word'])
const isBeside = (name: string): boolean => BESIDE.has(name) || /^search(?:_|$)/.test(name)

export async function aWorld(
  t: { after(clean: () => unknown): void },
  engine: Engine = 'sqlite',
): Promise<World> {
  const place = folders(t)
  const root = place.repository('home/shop')
  const home = dirname(root)
  const store = join(root, '.baton/baton.db')
  const database = await aDatabase(engine, store)
  const person: Where = { cwd: root, env: database.env }
  const run = async (line: string, ...more: readonly string[]) =>
    ask<{ handoff: { id: string }; secret: string; token: { uid: string } }>(
      person,
      ...line.split(' '),
      ...more,
    )
  const sent = async (line: string, ...more: readonly string[]) =>
    (await run(line, '--title', 'Some work', ...SUMMARY, ...more)).handoff.id

  await run('init --dialect package')
  await run('folders sync')
  await run('agent add maria --kind human')
  for (const name of ['codex', 'gemini', 'planner', 'gone']) await run(`agent add ${name}`)
  const own = await sent('send --as planner --to codex --home native', '--deliverable', 'Docs')
  await run(`accept ${own} --as codex`)
  await run(`submit ${own} --as codex`, '--evidence', 'Docs=trust me')
  const work = await sent('send --as planner --to codex --home native')
  await run(`accept ${work} --as codex`)
  const gate = await sent(`send --as codex --to maria --gate design --parent ${work}`)
  const other = await sent('send --as planner --to gemini --home native')
  const secretOf = async (agent: string, scope: string) => run(`token create --agent ${agent} --scope`, scope)
  const revoked = await secretOf('codex', '*')
  const removed = await secretOf('gone', '*')
  const tokens = {
    codex: (await secretOf('codex', '*')).secret,
    reader: (await secretOf('codex', 'handoff:read')).secret,
    revoked: revoked.secret,
    removed: removed.secret,
  }
  await run(`token revoke ${revoked.token.uid}`)
  await run('agent remove gone')
  await run('audit checkpoint')

  const kept = place.path('kept')
  cpSync(home, kept, { recursive: true })
  await database.keep()
  const at = (path: string) => join(root, path)
  const world: World = {
    ...{ engine, root, home, person, gate, own, work, other, tokens, store, at },
    cli: (...args) => world.with({}, ...args),
    with: async (env, ...args) => {
      const all = Object.entries({ ...database.env, ...AGENT_ENV, ...env }).filter(
        ([, value]) => value !== '',
      )
      return said(await quick({ cwd: root, env: Object.fromEntries(all) }, ...args))
    },
    read: (path) => readFileSync(at(path), 'utf8'),
    write: (path, text) => writeFileSync(at(path), text),
    edit(path, from, to) {
      const text = world.read(path)
      if (text.replace(from, to) === text) throw new Error(`${from} is not in ${path}`)
      world.write(path, text.replace(from, to))
    },
    git: (...args) => git(root, ...args),
    async sql(...statements) {
      for (const statement of statements) await database.run(statement)
    },
    async state() {
      const rows = []
      for (const name of await database.tables())
        if (!isBeside(name)) rows.push([name, await database.run(`SELECT * FROM ${name} ORDER BY 1, 2`)])
      const acts = await database.run('SELECT act FROM entry ORDER BY id')
      return {
        rows: JSON.stringify(rows),
        acts: acts.map(({ act }) => String(act)),
        ran: existsSync(join(home, 'ran')),
      }
    },
    doctor: () => quick(person, 'doctor'),
    async restore() {
      rmSync(home, { recursive: true, force: true })
      cpSync(kept, home, { recursive: true })
      await database.restore()
    },
  }
  return world
}
