import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { folders, git } from '../support/documents/folders.ts'

/** A version 1 handoff with its keys in the front matter, as document 000 maps them. */
export interface V1 {
  readonly from?: string
  readonly to?: string
  readonly task?: string
  readonly status?: string
  readonly created?: string
  readonly updated?: string
  readonly title?: string
  readonly more?: string
}

export function v1Text(v1: V1 = {}): string {
  const { from = 'grok', to = 'claude', task = 'BPRD-2026-0042', status = 'open', title = 'Rate limits' } = v1
  const { created = '2026-02-21', updated, more = '' } = v1
  return `---
from: ${from}
assigned_to: ${to}
task: ${task}
status: ${status}
created: ${created}
${updated === undefined ? '' : `updated: ${updated}\n`}${more}---

# ${title}

## Context
Agreed in the meeting.

## Acceptance Criteria
- [ ] The check passes
`
}

/** A project in a repository, and what lies in it. */
export function aTree(t: { after(clean: () => void): void }, files: Readonly<Record<string, string>> = {}) {
  const place = folders(t)
  const root = place.folder('project')
  git(root, 'init', '--quiet', '.')
  const write = (path: string, text: string, seconds = 1_000_000) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    utimesSync(join(root, path), seconds, seconds)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  return {
    ...place,
    root,
    where: { cwd: root },
    write,
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    /** Every file by its path, but for git's and Baton's own. */
    all: () => contents(root, (path) => !/^\.(?:git|baton)\//.test(path)),
    /** Copies of what went, in the order of the runs. */
    backups: () => contents(join(root, '.baton/migrated'), (path) => path.includes('/files/')),
  }
}

export type Tree = ReturnType<typeof aTree>

function contents(root: string, isWanted: (path: string) => boolean): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter(isWanted)
    .sort()
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

const AGENTS = ['grok', 'claude', 'abacus', 'perplexity', 'gemini'] as const
const WORDS = ['open', 'Active', 'in_progress', 'completed', 'PENDING'] as const
const WORK = 14
const COPIES = 13

export interface Crowd {
  readonly files: Readonly<Record<string, string>>
  /** The text that each logical handoff must end with, by its new id: only the newest copy says it. */
  readonly newest: ReadonlyMap<string, string>
}

/** 182 files for 14 handoffs: copies by time of day, twins under other names, the status wherever it may stand. */
export function aCrowd(): Crowd {
  const files: Record<string, string> = {}
  const newest = new Map<string, string>()
  for (let work = 0; work < WORK; work++) {
    const from = AGENTS[work % 5]!
    const to = AGENTS[(work + 1 + (work % 3)) % 5]!
    const task = `BPRD-2026-${String(work + 1).padStart(4, '0')}`
    const day = `2026-02-${String(10 + work)}`
    for (let copy = 0; copy < COPIES; copy++) {
      const last = (work * 5 + copy) % COPIES
      files[pathOf(work, copy, to)] = textOf({ from, to, task, day, work, copy, last })
      if (last === COPIES - 1)
        newest.set(`handoff-${from}-${to}-${task}-${day.replaceAll('-', '')}`, `Copy ${copy} of ${work}.`)
    }
  }
  return { files, newest }
}

/** One name for the copies of a script, others that people gave. */
function pathOf(work: number, copy: number, to: string): string {
  const day = `202602${10 + work}`
  const slug = copy % 4 === 3 ? `work-${work}-take-${copy}` : `work-${work}`
  const stem = `handoff-${slug}-${to}-${day}`
  const time = `_${String(60_000 + copy)}`.replace('_', '_0')
  if (copy === 0) return `_agents/_handoffs/${stem}.md`
  if (copy % 3 === 0) return `_agents/${to}/_handoffs/${stem}${copy % 4 === 3 ? '' : time}.md`
  return `research/daily/processed/2026-02-${10 + copy}/${stem}${time}.md`
}

interface Copy {
  readonly from: string
  readonly to: string
  readonly task: string
  readonly day: string
  readonly work: number
  readonly copy: number
  readonly last: number
}

/** The newest has the latest `updated`; three ways to say the same. */
function textOf({ from, to, task, day, work, copy, last }: Copy): string {
  const status = WORDS[work % WORDS.length]
  const updated = `${day}T10:${String(last).padStart(2, '0')}:00Z`
  const body = `## Context\nCopy ${copy} of ${work}.\n\n## Acceptance Criteria\n- [ ] Works\n`
  if (copy % 3 === 0)
    return `---\nfrom: ${from}\nassigned_to: ${to}\ntask: ${task}\nstatus: ${status}\ncreated: ${day}\nupdated: ${updated}\n---\n\n# Work ${work}\n\n${body}`
  const labels = `**From**: ${from}\n**Assigned to**: ${to}\n**Task**: ${task}\n**Created**: ${day}\n**Updated**: ${updated}\n`
  if (copy % 3 === 1) return `# Work ${work}\n\n${labels}**Status**: ${status}\n\n${body}`
  return `---\nStatus: ${status}\n---\n\n# Work ${work}\n\n${labels}**Status**: ${status}\n\n${body}`
}
