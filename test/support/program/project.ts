import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { folders, git } from '../documents/folders.ts'
import { ask, type Where } from './command.ts'

const PROMPTS = 'docs/guides/implementation/task-prompts'

/** The task-prompts file of two tasks, with these items ticked or not. */
export const promptsPage = (tick: ' ' | 'x' = ' '): string => `# P0.1 Infrastructure

## P0.1.1 — Package setup

Needs docs/reference/extractions/task-pipeline-algorithm.md.

### Ready-to-paste prompt

\`\`\`
Set up the package.
\`\`\`

### Verification checklist

- [${tick}] npm test passes
- [${tick}] no lint errors

## P0.1.2 — Linter

\`\`\`
Set up the linter.
\`\`\`

- [${tick}] eslint passes
`

const INDEX = `| ID | Title | Depends on | Critical |
|---|---|---|---|
| P0.1.1 | Package setup | — | yes |
| P0.1.2 | Linter | P0.1.1 | |
`

/** Notes that it ran, and fails where a file says so. */
const CHECK = 'printf "$1 " >> ran.txt\ntest ! -e "fail-$1"\n'
/** The same in a shell alone, which starts twenty times as fast as npm does. */
const CONFIG = 'checks:\n  commands: ["sh check.sh test", "sh check.sh lint"]\n'

export interface ProjectOptions {
  /** Without a baton.yaml, so that `npm test` and `npm run lint` are run. */
  readonly npm?: boolean
}

export interface Project {
  readonly where: Where
  readonly root: string
  /** The bare repository that it pushes to. */
  readonly remote: string
  git(...args: readonly string[]): string
  /** Git in the worktree of an agent's task. */
  at(worktree: string): {
    readonly where: Where
    git(...args: readonly string[]): string
    write(name: string, text: string): void
  }
  write(name: string, text: string): void
}

/** A repository as document 003 has it: main, a remote, two tasks with their prompts, and quick tests. */
export async function aProject(
  t: { after(clean: () => void): void },
  { npm = false }: ProjectOptions = {},
): Promise<Project> {
  const place = folders(t)
  const root = place.folder('shop')
  const remote = place.folder('remote.git')
  const project = at(root)
  git(remote, 'init', '--quiet', '--bare', '.')
  project.git('init', '--quiet', '--initial-branch', 'main', '.')
  for (const [name, value] of [
    ['user.name', 'Test'],
    ['user.email', 'test@example.com'],
  ] as const)
    project.git('config', name, value)
  project.write(`${PROMPTS}/p0.1-infrastructure.md`, promptsPage())
  project.write(`${PROMPTS}/index.md`, INDEX)
  project.write('.gitignore', 'ran.txt\n')
  project.write('check.sh', CHECK)
  project.write(
    'package.json',
    JSON.stringify({ name: 'shop', scripts: { test: 'sh check.sh test', lint: 'sh check.sh lint' } }),
  )
  if (!npm) project.write('baton.yaml', CONFIG)
  project.git('add', '--all')
  project.git('commit', '--quiet', '--message', 'start')
  project.git('remote', 'add', 'origin', remote)
  project.git('push', '--quiet', 'origin', 'main')
  await ask(project.where, 'task', 'import', `${PROMPTS}/index.md`)
  return { ...project, root, remote, at: (worktree) => at(join(root, '.worktrees', worktree)) }
}

function at(root: string) {
  return {
    where: { cwd: root, env: { BATON_TRUST: createHash('sha256').update(CONFIG).digest('hex') } },
    git: (...args: readonly string[]) => git(root, ...args),
    write(name: string, text: string) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), text)
    },
  }
}

export const SUMMARY = 'Set up the package. Tests and lint pass. Nothing else was touched.'

/** Work on P0.1.1 by claude that is ready to be finished: committed, checklist ticked. */
export async function worked(project: Project) {
  await ask(project.where, 'task', 'start', 'P0.1.1', '--as', 'claude')
  const work = project.at('claude/p0-1-1-package-setup')
  work.write(`${PROMPTS}/p0.1-infrastructure.md`, promptsPage('x'))
  work.write('src/index.js', 'export {}\n')
  work.git('add', '--all')
  work.git('commit', '--quiet', '--message', `task: P0.1.1 — Package setup\n\n${SUMMARY}`)
  return work
}

/** The same, finished: recorded, done and pushed. */
export async function finished(project: Project) {
  const work = await worked(project)
  await ask(work.where, 'task', 'finish', 'P0.1.1', '--as', 'claude')
  return work
}
