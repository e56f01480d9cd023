import { execFile } from 'node:child_process'
import { basename, dirname } from 'node:path'
import { BatonError, notFound } from '../domain/errors.ts'
import { once } from '../domain/once.ts'
import { demandCommitish, demandPath } from './names.ts'

export interface GitEnd {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export type GitEnvironment = Readonly<Record<string, string | undefined>>

export interface GitOptions {
  readonly cwd: string
  /** The caller's environment as git may see it; no variable may point at another repository. */
  readonly env: GitEnvironment
  readonly timeLimitMs?: number
  readonly input?: string
  /** The repository's hooks are asked for or run; everywhere else they are off. */
  readonly hooks?: boolean
  /** `latin1` gives every byte as one character, for answers that count bytes. */
  readonly encoding?: 'utf8' | 'latin1'
}

const TIME_LIMIT_MS = 60_000
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024
const NULL_COMMIT = /^0+$/
const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/**
 * A repository may be hostile: its configuration and hooks must not run anything because Baton looked at it. The
 * settings of the machine stay, because pushing needs them.
 */
const SAFE = [
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['log.showSignature', 'false'],
  ['protocol.ext.allow', 'never'],
  ['submodule.recurse', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`])

/** These read or write files of the worktree, which git passes through its filters. */
const FILTERING = /^(?:status|diff (?!--cached)|worktree (?:add|remove)) ?/

const NO_HOOKS = ['-c', 'core.hooksPath=/dev/null']

/** Runs git to its end. This is the only place that starts it: never through a shell, never with a question. */
export function startGit(args: readonly string[], options: GitOptions): Promise<GitEnd> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      ['--no-pager', ...SAFE, ...(options.hooks ? [] : NO_HOOKS), ...args],
      {
        cwd: options.cwd,
        env: { ...options.env, ...OWN_ENVIRONMENT },
        encoding: options.encoding ?? 'utf8',
        maxBuffer: MAX_OUTPUT_BYTES,
        timeout: options.timeLimitMs ?? TIME_LIMIT_MS,
        killSignal: 'SIGKILL',
      },
      (error, stdout, stderr) => {
        if (!error) resolve({ code: 0, stdout, stderr })
        else if (typeof error.code === 'number') resolve({ code: error.code, stdout, stderr })
        else reject(notStarted(error, args, options))
      },
    )
    // Git closes its input when it has read enough: that is not a failure.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
  })
}

/** Beside what the caller hands on: no question, no lock for looking, no pattern in a path, no replaced history. */
const OWN_ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  LC_ALL: 'C',
}

type GitError = Error & { killed?: boolean; code?: unknown }

function notStarted(error: GitError, args: readonly string[], { timeLimitMs = TIME_LIMIT_MS }: GitOptions) {
  const command = args.find((arg) => !arg.startsWith('-')) ?? ''
  const late = `git ${command} took longer than ${timeLimitMs / 1_000} s and was ended; try it by hand`
  if (error.killed) return new BatonError('timed_out', late, { command }, error)
  const none = `git could not be started (${error.code}); install git 2.36 or newer and try again`
  return new BatonError('unavailable', none, { command }, error)
}

/** The branch that work is merged into. */
export interface Base {
  readonly name: string
  readonly commit: string
}

export interface ChangedPath {
  readonly path: string
  readonly deleted: boolean
}

/** A checkout that is there, and the questions that Baton asks of it. */
export class Repository {
  /** The top of the checkout that the caller stands in. */
  readonly root: string
  /** The main worktree, which all linked ones share. */
  readonly main: string
  readonly #env: GitEnvironment

  constructor(root: string, main: string, env: GitEnvironment) {
    this.root = root
    this.main = main
    this.#env = env
  }

  /** The same repository, seen from another of its worktrees. */
  at(root: string): Repository {
    return new Repository(root, this.main, this.#env)
  }

  async ask(args: readonly string[], options: Partial<GitOptions> = {}): Promise<GitEnd> {
    const env = FILTERING.test(args.join(' ')) ? await this.#unfiltered() : this.#env
    return startGit(args, { cwd: this.root, env, ...options })
  }

  /** A filter of the repository's own configuration would run: it is off, unless the machine has one of its name. */
  readonly #unfiltered = once(async (): Promise<GitEnvironment> => {
    const args = ['config', '--show-scope', '--null', '--get-regexp', '^filter\\.']
    const { stdout } = await startGit(args, { cwd: this.root, env: this.#env })
    const off = new Set<string>()
    const ofMachine = new Map<string, string>()
    const parts = stdout.split('\0')
    for (let i = 0; i + 1 < parts.length; i += 2) {
      const [name = '', ...value] = parts[i + 1]!.split('\n')
      if (/^(?:local|worktree)$/.test(parts[i]!)) off.add(name)
      else ofMachine.set(name, value.join('\n'))
    }
    const env = { ...this.#env }
    let count = Number(env.GIT_CONFIG_COUNT ?? 0)
    for (const name of off) {
      env[`GIT_CONFIG_KEY_${count}`] = name
      env[`GIT_CONFIG_VALUE_${count}`] = ofMachine.get(name) ?? ''
      count += 1
    }
    return { ...env, GIT_CONFIG_COUNT: String(count) }
  })

  /** The output of git; throws when git exits with an error. */
  async run(args: readonly string[], options: Partial<GitOptions> = {}): Promise<string> {
    const { code, stdout, stderr } = await this.ask(args, options)
    if (code === 0) return stdout
    const words = args.slice(0, 2).filter((arg) => !arg.startsWith('-'))
    const command = words.join(' ')
    throw new BatonError('wrong_state', `git ${command} refused: ${lastLine(stderr)}`, {
      command,
      exit: code,
    })
  }

  /** The answer of git without the end of its line; undefined when git exits with an error. */
  async line(args: readonly string[]): Promise<string | undefined> {
    const { code, stdout } = await this.ask(args)
    return code === 0 ? stdout.trim() : undefined
  }

  /** The answer of git where NUL ends every field. */
  async fields(args: readonly string[]): Promise<readonly string[]> {
    return (await this.run(args)).split('\0').filter(Boolean)
  }

  /** The same where every path has a field before it. */
  async paths(args: readonly string[]): Promise<readonly { readonly path: string; readonly head: string }[]> {
    const fields = await this.fields(args)
    return fields.flatMap((path, i) => (i % 2 === 0 ? [] : [{ path, head: fields[i - 1]! }]))
  }

  /** The commits of a range, the newest first. */
  log(format: string, range: string, ...options: readonly string[]): Promise<readonly string[]> {
    return this.fields(['log', '-z', `--format=${format}`, ...options, '--end-of-options', range])
  }

  /** The texts of these blobs that are there, by their hashes. */
  async blobs(hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const input = hashes.map((hash) => `${hash}\n`).join('')
    const args = ['cat-file', '--batch=%(objectname) %(objectsize)']
    const bytes = await this.run(args, { input, encoding: 'latin1' })
    const found = new Map<string, string>()
    for (let at = 0; at < bytes.length; ) {
      const start = bytes.indexOf('\n', at) + 1
      const [hash = '', size] = bytes.slice(at, start - 1).split(' ')
      at = start
      if (size === 'missing') continue
      at += Number(size) + 1
      found.set(hash, Buffer.from(bytes.slice(start, at - 1), 'latin1').toString('utf8'))
    }
    return found
  }

  /** The commit that a branch, a hash or HEAD means here; undefined when not found. */
  async commit(name: string): Promise<string | undefined> {
    const asked = demandCommitish(name, 'the commit')
    return this.line(['rev-parse', '--verify', '--quiet', '--end-of-options', `${asked}^{commit}`])
  }

  /** The commit of a branch by its whole name, so that a tag of the same name is not meant. */
  async branch(name: string): Promise<{ readonly ref: string; readonly commit: string } | undefined> {
    const remotes = (await this.remotes()).map((remote) => `remotes/${remote}`)
    for (const place of ['heads', ...remotes]) {
      const ref = `refs/${place}/${name}`
      const commit = await this.line(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])
      if (commit !== undefined) return { ref, commit }
    }
    return undefined
  }

  async remotes(): Promise<readonly string[]> {
    const names = (await this.run(['remote'])).split('\n').filter((name) => /^[A-Za-z0-9][\w.-]*$/.test(name))
    return names.sort((a, b) => Number(b === 'origin') - Number(a === 'origin'))
  }

  /** The branch that is checked out; undefined for a detached HEAD. */
  currentBranch(): Promise<string | undefined> {
    return this.line(['symbolic-ref', '--quiet', '--short', 'HEAD'])
  }

  /** A hash that an agent wrote may be anything; only one that is whole is shown to git. */
  async isAncestor(commit: string, of: string): Promise<boolean> {
    if (!HASH.test(commit)) return false
    return (await this.ask(['merge-base', '--is-ancestor', commit, of])).code === 0
  }

  async mergeBase(a: string, b: string): Promise<string | undefined> {
    return (await this.line(['merge-base', a, b]))?.split('\n')[0]
  }

  /** Paths that differ between two commits; a renamed file counts as two. */
  async changed(from: string, to: string): Promise<readonly ChangedPath[]> {
    const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-status', from, to]
    return (await this.paths(args)).map(({ path, head }) => ({ path, deleted: head.startsWith('D') }))
  }

  /** Every file of a commit. */
  async files(commit: string): Promise<ReadonlySet<string>> {
    return new Set(await this.fields(['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit]))
  }

  /** A file as it stands in a commit; undefined where it is not. */
  async fileAt(commit: string, path: string): Promise<string | undefined> {
    const { code, stdout } = await this.ask(['cat-file', 'blob', `${commit}:${demandPath(path)}`])
    return code === 0 ? stdout : undefined
  }

  /** Paths with uncommitted changes, and untracked files. */
  async uncommitted(): Promise<readonly string[]> {
    const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all']
    return (await this.fields(args)).map((line) => line.slice(3))
  }

  async message(commit: string): Promise<string> {
    return this.run(['log', '-1', '--format=%B', '--end-of-options', commit])
  }

  /** The branch that work is merged into: the one named, else main, else what the remote calls its head, else master. */
  async base(named?: string): Promise<Base | undefined> {
    if (named !== undefined) {
      const found = await this.branch(demandCommitish(named, '--base'))
      return found && { name: named, commit: found.commit }
    }
    for (const name of ['main', await this.#remoteHead(), 'master']) {
      const found = name === undefined ? undefined : await this.branch(name)
      if (found) return { name: name!, commit: found.commit }
    }
    return undefined
  }

  async #remoteHead(): Promise<string | undefined> {
    const [remote] = await this.remotes()
    if (remote === undefined) return undefined
    const head = await this.line(['symbolic-ref', '--quiet', `refs/remotes/${remote}/HEAD`])
    return head?.slice(`refs/remotes/${remote}/`.length)
  }
}

/** The repository of a folder; undefined outside of one. */
export async function openRepository(cwd: string, env: GitEnvironment): Promise<Repository | undefined> {
  const args = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir']
  const { code, stdout, stderr } = await startGit(args, { cwd, env })
  if (code !== 0) {
    if (/not a git repository/.test(stderr)) return undefined
    throw new BatonError('wrong_state', `git cannot use ${cwd}: ${lastLine(stderr)}`, { cwd })
  }
  const [root = '', common = ''] = stdout.split('\n')
  return new Repository(root, basename(common) === '.git' ? dirname(common) : root, env)
}

/** For what cannot be done without a repository. */
export const noRepository = (cwd: string, command: string): BatonError =>
  notFound(
    `${cwd} is not in a git repository, and ${command} needs one; go to the project, or run: git init`,
    { cwd },
  )

export const isNoCommit = (hash: string): boolean => NULL_COMMIT.test(hash)

/** The line of git's that says what is wrong; the ones before it are advice. */
export function lastLine(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'))
  const fatal = lines.find((line) => /^(?:fatal|error): /.test(line))
  return (fatal ?? lines.at(-1) ?? 'it did not say why').replace(/^(?:fatal|error): /, '').slice(0, 300)
}
