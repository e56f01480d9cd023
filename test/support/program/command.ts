import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { readEnvironment } from '../../../src/config/config.ts'
import { main } from '../../../src/transports/cli/main.ts'

export const BATON = resolve(import.meta.dirname, '../../../bin/baton.js')
const TERMINAL = resolve(import.meta.dirname, 'terminal.py')
/** Far more than a command takes, also on a busy machine. */
const PATIENCE_S = 60

export interface Answer {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Where {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly uid?: number
}

/** Variables of this machine that every command gets: tests hold in any language and time zone. */
const KEPT = /^(?:PATH|LANG|LC_\w+|TZ|TMPDIR|GIT_CONFIG_NOSYSTEM)$/

/** Nothing else of this machine: neither a coding agent nor CI shows through. */
export function cleanEnv({ cwd, env }: Where): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name))
  return { ...(Object.fromEntries(kept) as Record<string, string>), HOME: dirname(cwd), ...env }
}

/** The real command, in a process of its own. */
export function baton(where: Where, ...args: readonly string[]): Promise<Answer> {
  const child = spawn(process.execPath, [BATON, ...args], {
    cwd: where.cwd,
    env: cleanEnv(where),
    timeout: PATIENCE_S * 1_000,
    ...(where.uid !== undefined && { uid: where.uid, gid: where.uid }),
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(where.input ?? '')
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', (code) => done({ code, stdout, stderr }))
  })
}

/** The command's own function in this process: the same answers, without the time that a process takes to start. */
export async function quick(where: Where, ...args: readonly string[]): Promise<Answer> {
  let stdout = ''
  let stderr = ''
  const code = await main(args, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    stdin: Readable.from([where.input ?? '']),
    isTerminal: false,
    columns: 80,
    env: readEnvironment(cleanEnv(where)),
    cwd: where.cwd,
    lasting: () => new AbortController().signal,
    isInterrupted: false,
  })
  return { code, stdout, stderr }
}

/** The answer of a call that must succeed, as JSON. */
export async function ask<T = Record<string, unknown>>(where: Where, ...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await quick(where, ...args, '--json')
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

/** The refusal of a call that must not succeed, with the exit code. */
export async function refusal(where: Where, ...args: readonly string[]) {
  const { code, stdout, stderr } = await quick(where, ...args, '--json')
  assert.equal(stdout, '')
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!)
  return {
    exit: code,
    ...(error as { code: string; message: string; details: Record<string, unknown>; retry: boolean }),
  }
}

/** The checks of doctor that found something. A terminal of a test leaves a caller in doubt. */
export async function doctorFinds(where: Where): Promise<string[]> {
  const { checks } = JSON.parse((await quick(where, 'doctor', '--json')).stdout) as {
    checks: readonly { readonly name: string; readonly ok: boolean }[]
  }
  return checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

export interface Typing {
  readonly columns?: number
  /** Texts to wait for, each with what is typed when it shows. */
  readonly steps?: readonly (readonly [seen: string, typed: string])[]
  /** How long a shell has been at the terminal before the command. */
  readonly terminalSeconds?: number
}

/** The real command on a terminal. `shown` is the plain text of the screen, `raw` what was sent to it. */
export function onTerminal(where: Where, args: readonly string[], typing: Typing = {}) {
  const shell = ['/bin/sh', '-c', `sleep ${typing.terminalSeconds}; "$0" "$@"; exit $?`]
  const job = {
    argv: [...(typing.terminalSeconds ? shell : []), process.execPath, BATON, ...args],
    cwd: where.cwd,
    env: { TERM: 'xterm-256color', ...cleanEnv(where) },
    columns: typing.columns ?? 80,
    rows: 24,
    steps: typing.steps ?? [],
    seconds: PATIENCE_S,
  }
  const { stdout, stderr } = spawnSync('python3', [TERMINAL, JSON.stringify(job)], { encoding: 'utf8' })
  assert.equal(stderr, '')
  const { code, shown, left } = JSON.parse(stdout) as { code: number; shown: string; left: unknown[] }
  assert.deepEqual(left, [], `never showed: ${JSON.stringify(left)}\n${shown}`)
  return { code, raw: shown, shown: stripVTControlCharacters(shown).replaceAll(/\r+\n/g, '\n') }
}

/** A person reads the `baton.yaml` on a terminal and trusts it, after a store that others have made. */
export const trusted = (where: Where, isStoreOfOthers = false): void => {
  const steps = [
    ...(isStoreOfOthers ? [['Make this store yours', 'y\n'] as const] : []),
    ['Let this take effect?', 'y\n'] as const,
  ]
  const { code, shown } = onTerminal(where, ['trust'], { steps })
  assert.equal(code, 0, shown)
}

export const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')
