import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hookEnvironment } from '../../src/config/config.ts'
import { runPreCommit } from '../../src/git/pre-commit.ts'
import { folders, git } from '../support/documents/folders.ts'
import { BATON, cleanEnv } from '../support/program/command.ts'

const REAL = `exec '${process.execPath}' '${BATON}' "$@"`
/** Only notes that it was asked: it starts a hundred times as fast. */
export const NOTES = 'echo "$@" >> asked.txt; test ! -e refuse'

export const ID = 'handoff-grok-claude-BPRD-2026-0042-20260221'

export interface Said {
  readonly id?: string
  readonly status?: string
  readonly more?: string
}

/** A handoff of version 2 that says what a guard of places looks at. */
export const handoffText = ({ id = ID, status = 'Active', more = '' }: Said = {}): string => `---
handoff_id: ${id}
from_agent: grok
to_agent: claude
related_task: BPRD-2026-0042
status: ${status}
created_at: 2026-02-21T14:30:00Z
${more}---

# Handoff: Rate limits
`

/** A repository with one commit, files that can be staged, and commits that run its hooks. */
export function aRepository(t: { after(clean: () => void): void }, program = REAL) {
  const place = folders(t)
  const root = place.repository('shop')
  const bin = place.folder('bin')
  writeFileSync(join(bin, 'baton'), `#!/bin/sh\n${program}\n`)
  chmodSync(join(bin, 'baton'), 0o755)
  const env = {
    ...cleanEnv({ cwd: root }),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    PATH: `${bin}:${process.env.PATH}`,
  }
  const write = (name: string, text: string, at = root): void => {
    mkdirSync(dirname(join(at, name)), { recursive: true })
    writeFileSync(join(at, name), text)
  }
  return {
    ...place,
    root,
    env,
    write,
    git: (...args: readonly string[]) => git(root, ...args),
    stage(name: string, text: string) {
      write(name, text)
      git(root, 'add', '--', name)
    },
    check: (options: { strict?: boolean; at?: string } = {}) =>
      runPreCommit(options.at ?? root, { env: hookEnvironment(env), strict: options.strict ?? false }),
    /** As a person commits, with the hooks that are there. */
    commit(args: readonly string[] = [], at = root, more: Readonly<Record<string, string>> = {}) {
      const name = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
      const { status, stdout, stderr } = spawnSync('git', [...name, 'commit', '-q', '-m', 'x', ...args], {
        cwd: at,
        env: { ...env, ...more },
        encoding: 'utf8',
      })
      return { code: status, text: stdout + stderr }
    },
  }
}

export type Repo = ReturnType<typeof aRepository>
