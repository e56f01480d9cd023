import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'

const TERMINAL = resolve(import.meta.dirname, '../support/program/terminal.py')

export interface Job {
  readonly script: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Texts to wait for, each with what is typed when it shows. */
  readonly steps?: readonly (readonly [seen: string, typed: string])[]
}

/** Runs a script of bash on a terminal of its own that answers yes to every question. */
export async function onShell({ script, cwd, env, steps = [] }: Job) {
  const job = {
    argv: ['/bin/bash', script],
    cwd,
    env: { TERM: 'xterm-256color', ...env },
    columns: 120,
    rows: 40,
    steps,
    always: ['[y/n]', '[Y/n]', '[y/N]'].map((question) => [question, 'y\n']),
    seconds: 60,
  }
  const child = spawn('python3', [TERMINAL, JSON.stringify(job)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const { code, shown } = JSON.parse(await text(child.stdout)) as { code: number; shown: string }
  return { code, shown: stripVTControlCharacters(shown).replaceAll(/\r+\n/g, '\n') }
}

/** A command `baton` that runs this program. */
export const commandIn = (program: string): string =>
  `#!/bin/sh\nexec "${process.execPath}" "${join(program, 'bin/baton.js')}" "$@"\n`
