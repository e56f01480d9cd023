import { copyFileSync, cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folders } from '../documents/folders.ts'
import { type Answer, quick, type Where } from './command.ts'

/** The words of a command line, as a shell takes them apart. */
export const shellWords = (line: string): string[] =>
  [...line.matchAll(/(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+/g)].map(([word]) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'|\\(.)/g,
      (_, double, single, escaped) => double ?? single ?? escaped,
    ),
  )

/** Everything happens once. Handoffs are numbered in this order, and their titles say how they ended. */
// biome-ignore format: read as a table
const HISTORY = `
  agent add maria --kind human
  agent add full --max-outgoing 0
  agent add gone
  agent remove gone
  create --to codex --title Draft
  send --to codex --title Offered
  send --to codex --title Working --deliverable Docs --criterion "3 pages"
  accept 3 --as codex
  send --to codex --title Asked
  accept 4 --as codex
  ask 4 "Which one?" --as codex
  send --to codex --title Review
  accept 5 --as codex
  submit 5 --note Done --as codex
  send --to codex --title Done
  accept 6 --as codex
  submit 6 --note Done --as codex
  verify 6 --pass
  send --to codex --title Rejected
  reject 7 --as codex --reason "no access"
  send --to codex --title Failed
  accept 8 --as codex
  handoff fail 8 --as codex --message "no disk"
  send --to codex --title Cancelled
  handoff cancel 9
  send --to human --type gate --title "Release?" --as codex
  send --to codex --title Again --retry '{"max":2,"delay_s":3600,"multiplier":1}'
  accept 11 --as codex
  handoff fail 11 --as codex --message "no network"
  task create T1 --title First
  task create T2 --title Second
  task start T2 --no-worktree --as codex
  task create T3 --title Third --depends-on T1
  task create T4 --title Fourth
  task start T4 --no-worktree --as codex
  task complete T4 --as codex --branch feature/t4 --commit-sha 0123456789abcdef0123456789abcdef01234567 --summary "Wrote it. The tests pass. Nothing else changed."
  audit session-start --as codex
  workflow init feature
  workflow start feature --as lead
  token create --agent codex --scope handoff:write
`.trim().split('\n')

export interface Office {
  /** The repository with the workspace. */
  readonly where: Where
  /** A folder without a workspace, from which the store can be named. */
  readonly elsewhere: Where
  readonly store: string
  /** Puts the store back to what it was at first. */
  restore(): void
}

/** A workspace in which everything has happened once. */
export async function office(t: { after(clean: () => void): void }): Promise<Office> {
  const place = folders(t)
  const where = { cwd: place.repository('shop') }
  for (const line of HISTORY) await typed(where, line)
  const store = join(where.cwd, '.baton/baton.db')
  copyFileSync(store, place.path('kept.db'))
  return {
    where,
    elsewhere: { cwd: place.folder('elsewhere') },
    store,
    restore() {
      for (const end of ['-wal', '-shm']) rmSync(`${store}${end}`, { force: true })
      copyFileSync(place.path('kept.db'), store)
    },
  }
}

/** Types a line that must succeed. */
export async function typed(where: Where, line: string): Promise<Answer> {
  const answer = await quick(where, ...shellWords(line))
  if (answer.code !== 0) throw new Error(`baton ${line}\n${answer.stderr}`)
  return answer
}

/** Repositories in which a new user may find themselves, each with what was typed there before. */
// biome-ignore format: read as a table
const PLACES: Readonly<Record<string, readonly string[]>> = {
  markdown: ['init --dialect markdown'],
  queue:    ['init --dialect queue', 'send --to codex --title Offered'],
  package:  ['init --dialect package', 'send --to codex --title Offered --summary "The API has no limits. Add them before launch." --deliverable Docs'],
  waiting:  ['send --to codex --title Offered'],
  typo:     [],
  broken:   [],
  damaged:  ['send --to codex --title Offered'],
  bare:     [],
}

const FILES: Readonly<Record<string, readonly [name: string, content: string]>> = {
  waiting: ['baton.yaml', 'checks:\n  commands: ["npm test"]\n'],
  typo: ['baton.yaml', 'agents:\n  codex: { limts: { incoming: 3 } }\n'],
  broken: ['baton.yaml', 'agents: [codex\n'],
  damaged: ['.baton/baton.db', 'rubbish '.repeat(900)],
}

/** Gives copies of these folders, each under a name of its own: `nowhere` is no repository, `nested` is one inside of one. */
export async function otherPlaces(t: {
  after(clean: () => void): void
}): Promise<(name: string, copy: string) => Where> {
  const place = folders(t)
  for (const [name, lines] of Object.entries(PLACES)) {
    const where = { cwd: place.repository(`kept/${name}`) }
    for (const line of lines) await typed(where, line)
    const [file, content] = FILES[name] ?? []
    if (file !== undefined) writeFileSync(join(where.cwd, file), content!)
  }
  place.folder('kept/nowhere')
  place.repository('kept/waiting/vendor')
  return (name, copy) => {
    const [folder, below] = name === 'nested' ? ['waiting', 'vendor'] : [name, '']
    // Git's objects cannot be written over but by an administrator.
    rmSync(place.path(copy, folder), { recursive: true, force: true })
    cpSync(place.path('kept', folder), place.path(copy, folder), { recursive: true })
    return { cwd: place.path(copy, folder, below) }
  }
}
