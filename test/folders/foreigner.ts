// A program without Baton that works on the files of a live folder: node foreigner.ts <root> <seconds> <seed>
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const [root = '', seconds = '10', seed = '1'] = process.argv.slice(2)
const folder = join(root, '_handoffs/active')
const aside = join(root, '..', 'aside')
const AGENTS = ['grok', 'claude', 'abacus', 'perplexity', 'gemini']
let state = Number(seed) * 2_654_435_761
let tokens = 0

/** The same for every run of one seed. */
function random(below: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor((state / 2_147_483_648) * below)
}
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!

/** By this a version is found again; what was written is noted after it was. */
function token(): string {
  tokens += 1
  return `token-${seed}-${tokens}-end`
}
const written = (what: string, mark: string): void =>
  appendFileSync(join(aside, `written-${seed}.log`), `${what} ${mark}\n`)

const CHANGES: readonly ((text: string) => string)[] = [
  (text) =>
    text
      .replace('status: Active', 'status: Acknowledged')
      .replace('acknowledged_by: null', `acknowledged_by: ${/^to_agent: (\w+)$/m.exec(text)?.[1]}`),
  (text) =>
    text
      .replace('status: Active', 'status: Acknowledged')
      .replace('acknowledged_by: null', 'acknowledged_by: mallory'),
  (text) => text.replace(/^status: A\w+$/m, 'status: Rejected\nrejection_reason: no time'),
  (text) => text.replace(/^status: A\w+$/m, 'status: Complete'),
  (text) => text.replace(/^title: .*$/m, `title: Changed ${random(1000)}`),
  (text) => text.replace(/^created_at: .*$/m, 'created_at: 2020-01-01T00:00:00Z'),
  (text) => text,
  (text) => text,
]

function change(name: string): void {
  const path = join(folder, name)
  const mark = token()
  const text = `${pick(CHANGES)(readFileSync(path, 'utf8'))}\n<!-- ${mark} -->\n`
  if (random(2) === 0) writeFileSync(path, text)
  else {
    const draft = join(folder, `.${seed}-${tokens}.draft`)
    writeFileSync(draft, text)
    renameSync(draft, path)
  }
  written(name, mark)
}

function begin(): void {
  const [from, to] = [pick(AGENTS), pick(AGENTS)]
  const task = `BPRD-2026-${seed.padStart(3, '0')}${String(tokens).padStart(4, '0')}`
  const id = `handoff-${from}-${to}-${task}-20260221`
  const mark = token()
  const draft = join(folder, `.${seed}-${tokens}.draft`)
  writeFileSync(draft, document(id, from, to, task, mark))
  renameSync(draft, join(folder, `${id}.md`))
  written(`${id}.md`, mark)
}

const document = (id: string, from: string, to: string, task: string, mark: string): string => `---
handoff_id: ${id}
from_agent: ${from}
to_agent: ${to}
related_task: ${task}
status: Active
created_at: 2026-02-21T14:30:00Z
updated_at: 2026-02-21T14:35:00Z
expires_at: 2036-02-21T18:35:00Z
title: Work ${task}
purpose: To do it
context: There is none
deliverables:
  - Something
verification_criteria:
  - npm test passes
source_meeting: m
skill_web_node: s
acknowledged_at: null
acknowledged_by: null
acknowledgment_notes: null
completed_at: null
completion_verified_by: null
completion_notes: null
---

# Handoff: Work ${task}

<!-- ${mark} -->
`

/** Foreigners do not overwrite each other: what one of them wrote is left alone by the others. */
function alone(name: string, work: () => void): void {
  const lock = join(aside, `lock-${name}`)
  try {
    mkdirSync(lock)
  } catch {
    return
  }
  try {
    work()
  } catch (error) {
    // Baton moved it in between.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  } finally {
    rmdirSync(lock)
  }
}

for (const end = Date.now() + Number(seconds) * 1_000; Date.now() < end; ) {
  const names = readdirSync(folder).filter((name) => name.startsWith('handoff-') && name.endsWith('.md'))
  const name = names.length > 0 ? pick(names) : undefined
  const dice = random(20)
  if (name === undefined || dice < 3) begin()
  else if (dice < 5)
    alone(name, () => renameSync(join(folder, name), join(aside, `${seed}-${tokens++}-${name}`)))
  else if (dice < 7)
    alone(name, () => renameSync(join(folder, name), join(folder, `handoff-moved-${seed}-${tokens++}.md`)))
  else alone(name, () => change(name))
  await pause(5 + random(40))
}
