import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { parseIndex } from '../../src/dialects/markdown/index-file.ts'
import { sourcesOf } from '../../src/dialects/text/sources.ts'
import type { PlanSummary } from '../../src/migrate/summary.ts'
import { ask } from '../support/program/command.ts'
import { aCrowd, aTree } from './v1-tree.ts'

const OTHERS = {
  '_agents/_handoffs/REPORT.md': '# Phantom handoffs resolved\n\nNothing to do.\n',
  '_agents/claude/notes.txt': 'handoff_id: none\n',
  'research/daily/processed/2026-02-11/summary.md': '# Summary\n\n**From:** the archive\n',
  'tasks/active/BPRD-2026-0001.md':
    '# BPRD-2026-0001: Ship\n\nid: BPRD-2026-0001\nstatus: In-Progress\nowner: Abacus\ncreated: 2026-02-21\n',
  'docs/handoff-rules.md': '# Handoff: rules\n\nstatus: Active\n',
}

interface Answered extends PlanSummary {
  readonly applied: boolean
}

describe('182 files of 14 handoffs', () => {
  const { files, newest } = aCrowd()
  const clean: (() => void)[] = []
  const tree = aTree({ after: (step) => clean.push(step) }, { ...files, ...OTHERS })
  const run = (...more: readonly string[]) =>
    ask<Answered>(tree.where, 'migrate', '--from', 'v1', '.', ...more)
  let done: Answered

  before(async () => {
    const plan = await run()
    assert.deepEqual(tree.all(), sorted({ ...files, ...OTHERS }), 'a plan touches nothing')
    done = await run('--apply')
    assert.deepEqual([plan.applied, done.applied], [false, true])
    assert.deepEqual([done.seen, done.moves, done.duplicates], [plan.seen, plan.moves, plan.duplicates])
  })
  after(() => {
    for (const step of clean) step()
  })

  it('[S0-118] [S0-110] [S0-111] become one file each, and it is the newest', () => {
    assert.deepEqual(done.undecided, [])
    assert.deepEqual([done.seen.handoffs, done.seen.moves, done.seen.duplicates], [182, 14, 168])
    const kept = Object.entries(tree.all()).filter(([path]) => /^_handoffs\/a/.test(path))
    const texts = kept.map(([path, text]) => [path.split('/').at(-1)!.replace('.md', ''), text] as const)
    assert.deepEqual(texts.map(([id]) => id).sort(), [...newest.keys()].sort())
    for (const [id, text] of texts) assert.ok(text.includes(newest.get(id)!), `${id}\n${text}`)
  })

  it('[S0-113] [S0-117] leave nothing behind but what is no handoff, and a copy of all that went', () => {
    const left = Object.entries(tree.all()).filter(([path]) => !path.startsWith('_handoffs/'))
    assert.deepEqual(Object.fromEntries(left), sorted(OTHERS))
    const copies = Object.entries(tree.backups()).map(([path, text]) => [path.split('/files/')[1], text])
    assert.deepEqual(Object.fromEntries(copies), sorted(files))
  })

  it('[S0-112] [S0-90] give an index that says what the files say', () => {
    const [source] = sourcesOf(tree.read('_handoffs/_index.yaml'), { path: '_handoffs/_index.yaml' })
    const { active, counts } = parseIndex(source!)
    const paths = Object.keys(tree.all()).filter((path) => path.startsWith('_handoffs/active/'))
    assert.deepEqual(active.map(({ id }) => `_handoffs/active/${id}.md`).sort(), paths)
    assert.ok(paths.length > 5 && paths.length < 14)
    const sum = (way: 'outgoing' | 'incoming') =>
      [...counts.values()].reduce((total, each) => total + (each[way] ?? 0), 0)
    assert.deepEqual([sum('outgoing'), sum('incoming')], [paths.length, paths.length])
  })

  it('[S0-117] are done with after one run: the second changes nothing', async () => {
    const [all, copies] = [tree.all(), tree.backups()]

    const again = await run('--apply')

    assert.equal(again.applied, false)
    assert.deepEqual([again.moves, again.duplicates, again.undecided, again.index], [[], [], [], 'unchanged'])
    assert.deepEqual([again.seen.handoffs, again.seen.settled], [14, 14])
    assert.deepEqual([tree.all(), tree.backups()], [all, copies])
  })
})

const sorted = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))
