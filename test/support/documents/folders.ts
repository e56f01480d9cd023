import { execFileSync } from 'node:child_process'
import { lchownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Environment, readEnvironment } from '../../../src/config/config.ts'

/** A folder of its own for one test. It is the user's home too, so that nothing above it is looked at. */
export interface Folders {
  readonly home: string
  readonly environment: Environment
  path(...parts: readonly string[]): string
  /** Makes a folder and answers its path. */
  folder(...parts: readonly string[]): string
  file(name: string, content: string): string
  /** A git repository with one commit. */
  repository(name: string): string
  /** A linked worktree of a repository. */
  worktree(repository: string, name: string): string
}

export function folders(t: { after(clean: () => void): void }, env: NodeJS.ProcessEnv = {}): Folders {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-test-')))
  t.after(() => {
    try {
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    } catch {
      // A process that a later hook ends may still write there. That hook must run.
    }
  })
  const path = (...parts: readonly string[]) => join(home, ...parts)
  const folder = (...parts: readonly string[]) => {
    mkdirSync(path(...parts), { recursive: true })
    return path(...parts)
  }
  return {
    home,
    environment: readEnvironment({ BATON_HOME: home, ...env }),
    path,
    folder,
    file(name, content) {
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), content)
      return path(name)
    },
    repository(name) {
      git(folder(name), 'init', '--quiet', '.')
      git(path(name), 'commit', '--quiet', '--allow-empty', '--message', 'start')
      return path(name)
    },
    worktree(repository, name) {
      git(repository, 'worktree', 'add', '--quiet', '-b', name.replaceAll('/', '-'), path(name))
      return path(name)
    },
  }
}

/**
 * Makes these paths another user's in the eyes of the caller, whose environment is answered: the system's
 * administrator can give them away, everyone else has to be someone else.
 */
export function asOfAnother(environment: Environment, ...paths: readonly string[]): Environment {
  if (environment.uid !== 0) return { ...environment, uid: (environment.uid ?? 0) + 1 }
  for (const path of paths) lchownSync(path, 65_534, 65_534)
  return environment
}

/** Runs git as if nobody had ever configured it. */
export function git(cwd: string, ...args: readonly string[]): string {
  const names = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  return execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...Object.fromEntries(names), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  })
}
