import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { orElse } from '../../../src/domain/once.ts'
import { folders, git } from '../documents/folders.ts'
import { ask, BATON, baton, trusted, type Where } from './command.ts'

/** A repository with runners that a person trusts, on a machine of its own. Each program is a script of Node. */
export function runnersIn(
  t: TestContext,
  settings: Readonly<Record<string, RunnerSettings>>,
  { env = {}, isStoreOfOthers = false, more = {} }: MachineOptions = {},
) {
  const place = folders(t)
  const root = place.repository('shop')
  const where: Where = { cwd: root, env }
  const listed = Object.entries(settings).map(([agent, { script, args = [], ...rest }]) => {
    const file = place.file(`programs/${agent}.mjs`, `${PRELUDE}\n${script}\n`)
    return [agent, { command: [process.execPath, file, ...args], ...rest }]
  })
  place.file('shop/baton.yaml', JSON.stringify({ ...more, runners: Object.fromEntries(listed) }))
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'settings')
  trusted(where, isStoreOfOthers)
  return {
    place,
    root,
    where,
    send: async (to: string, ...more: readonly string[]) =>
      (
        await ask<{ handoff: Shown }>(
          where,
          'send',
          '--as',
          'planner',
          '--to',
          to,
          '--title',
          'Limit it',
          '--summary',
          'Requests of one caller are limited to a hundred a minute.',
          ...more,
        )
      ).handoff,
    show: (id: string) => ask<{ handoff: Shown; result?: Result }>(where, 'show', id),
    pass: (id: string) => ask(where, 'verify', id, '--pass', '--as', 'planner'),
    once: () => baton(where, 'run', '--once'),
    written: (name: string): string => readFileSync(place.path(name), 'utf8'),
  }
}

interface MachineOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly isStoreOfOthers?: boolean
  /** Settings beside the runners. */
  readonly more?: object
}

export interface RunnerSettings {
  readonly script: string
  readonly args?: readonly string[]
  readonly [setting: string]: unknown
}

export interface Shown {
  readonly id: string
  readonly uid: string
  readonly state: string
  readonly attempt: number
  readonly lease_until?: string
  readonly attempts: readonly { readonly holder: string; readonly usage?: Readonly<Record<string, number>> }[]
  readonly error?: { readonly code: string; readonly message: string }
}

interface Result {
  readonly note?: string
  readonly output?: unknown
  readonly evidence?: readonly { readonly deliverable: string; readonly evidence: string }[]
}

/** For every script: its brief, the folder of the test, and git and Baton as a program calls them. */
const PRELUDE = `
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
const brief = readFileSync(0, 'utf8')
const home = process.env.HOME
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const baton = (...args) => execFileSync(process.execPath, [${JSON.stringify(BATON)}, ...args], { encoding: 'utf8' })
const commit = (file, text) => {
  writeFileSync(file, text)
  execFileSync('git', ['add', file])
  execFileSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', file])
}
`

/** Waits as long as a busy machine may take. */
export async function until(holds: () => boolean | Promise<boolean>, tries = 2_400): Promise<void> {
  for (let i = 0; i < tries && !(await holds()); i++) await sleep(50)
  assert.ok(await holds())
}

/** The processes that belong to programs of this workspace: each has it in its environment. */
export const programsAt = (root: string): readonly number[] =>
  processesWhere((folder) => {
    const variables = readFileSync(join(folder, 'environ'), 'latin1').split('\0')
    return (
      variables.includes(`BATON_WORKSPACE=${root}`) &&
      variables.some((each) => each.startsWith('BATON_INSTANCE='))
    )
  })

/** The guards of the runners that were started in this folder. */
export const guardsAt = (root: string): readonly number[] =>
  processesWhere(
    (folder) =>
      readlinkSync(join(folder, 'cwd')) === root &&
      readFileSync(join(folder, 'cmdline'), 'latin1').split('\0').includes('__guard'),
  )

const processesWhere = (holds: (folder: string) => boolean): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && orElse(() => holds(join('/proc', name)), false))
    .map(Number)
