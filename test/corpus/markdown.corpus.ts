import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { markdown } from '../../src/dialects/markdown/index.ts'
import { sourcesOf } from '../../src/dialects/text/sources.ts'
import { sharedFile, sharedFiles } from './files.ts'

const CORPUS = 'data/corpus/'
const BPRD = 'REBEmpire+BPR-D/'
const HERE = `${BPRD}_agents/_handoffs/`
const SPECS = 'jysf+irradiance/projects/PROJ-001-monochrome-dng-develop/handoffs/'

/** A day, or nothing. */
const at = (day: string): string | undefined => (day === '' ? undefined : `2026-${day}T00:00:00Z`)

interface Row {
  readonly from?: string | undefined
  readonly to?: string | null | undefined
  readonly state?: string | undefined
  readonly task?: string | undefined
  readonly created: string
  readonly due?: string | undefined
  readonly priority?: string | undefined
  /** Deliverables and criteria, counted. */
  readonly lists: readonly [number, number]
}

/** What a person answers who has the file open. Reviewed one by one. */
// biome-ignore format: read as a table
const ANSWERS: Readonly<Record<string, Row>> = {
  [`${HERE}handoff-abacus-audit-return-20260223.md`]:            { from: 'grok', to: 'abacus', state: 'offered', created: '02-21', due: '2026-02-23', priority: 'high', lists: [0, 3] },
  [`${HERE}handoff-abacus-filter-upgrade-20260223.md`]:          { from: 'grok', to: 'abacus', state: 'offered', created: '', due: '2026-02-23', priority: 'normal', lists: [0, 3] },
  [`${HERE}handoff-abacus-review-flag-20260223.md`]:             { from: 'grok', to: 'claude', state: 'offered', created: '', due: '2026-02-18', priority: 'normal', lists: [0, 3] },
  [`${HERE}handoff-abacus-router-proto-20260223.md`]:            { from: 'grok', to: 'abacus', state: 'offered', created: '02-21', due: '2026-02-23', priority: 'critical', lists: [0, 3] },
  [`${HERE}handoff-abacus-router-prototype-20260223.md`]:        { from: 'grok', to: 'abacus', state: 'offered', created: '', due: '2026-02-23', priority: 'high', lists: [0, 3] },
  // Closed into another handoff: the receiver is only in the name, which cannot be told from a word.
  [`${HERE}handoff-api-artifacts-russell-20260217.md`]:          { state: 'completed', created: '02-17', lists: [0, 0] },
  [`${HERE}handoff-api-crisis-strategic-assessment-russell-20260219.md`]: { from: 'claude', state: 'offered', created: '02-19', lists: [0, 0] },
  [`${HERE}handoff-api-healer-consolidated-russell-20260220.md`]: { from: 'claude', to: 'russell', state: 'in_progress', created: '02-19', due: '2026-02-21 (24 hours post-creation)', priority: 'critical', lists: [0, 6] },
  [`${HERE}handoff-api-healer-impl-gemini-20260220.md`]:         { from: 'grok', to: 'gemini', state: 'offered', created: '02-19', due: '2026-02-20', priority: 'critical', lists: [0, 4] },
  [`${HERE}handoff-api-resilience-sprint-russell-20260218.md`]:  { from: 'grok', to: 'russell', state: 'offered', created: '02-18', due: '2026-02-19', priority: 'critical', lists: [0, 3] },
  [`${HERE}handoff-claude-abacus-ghosts-blog-20260223.md`]:      { from: 'grok', to: 'claude', state: 'offered', created: '02-21', due: '2026-02-23', priority: 'normal', lists: [0, 3] },
  [`${HERE}handoff-ddas-mvp-claude-20260228.md`]:                { from: 'grok', to: 'claude', state: 'completed', created: '02-21', due: '2026-02-28', priority: 'high', lists: [0, 3] },
  [`${HERE}handoff-grok-healer-validation-20260222.md`]:         { from: 'grok', to: 'grok', state: 'offered', created: '02-21', due: '2026-02-22', priority: 'critical', lists: [0, 4] },
  [`${HERE}handoff-grok-healer-validation-20260223.md`]:         { from: 'grok', to: 'grok', state: 'offered', created: '02-21', due: '2026-02-23', priority: 'critical', lists: [0, 3] },
  [`${HERE}handoff-healer-v1.1-weights-gemini-20260222.md`]:     { from: 'grok', to: 'gemini', state: 'offered', created: '02-21', due: '2026-02-22', priority: 'high', lists: [0, 3] },
  [`${HERE}handoff-hive-publish-mvp-gemini-20260228.md`]:        { from: 'grok', to: 'gemini', state: 'completed', created: '02-21', due: '2026-02-28', priority: 'high', lists: [0, 3] },
  [`${HERE}handoff-parallel-patch-review-russell-20260218.md`]:  { from: 'grok', to: 'russell', state: 'offered', created: '', due: '2026-02-18', priority: 'high', lists: [0, 2] },
  [`${HERE}handoff-phantom-file-correction-russell-20260219.md`]: { from: 'claude', to: 'russell', state: 'offered', created: '02-19', due: '2026-02-20', priority: 'critical', lists: [0, 9] },
  [`${HERE}archive/handoff-grok-meeting-service-launch-20260216.md`]: { from: 'claude', to: 'grok', state: 'offered', created: '02-16', priority: 'critical', lists: [11, 5] },
  [`${BPRD}research/daily/processed/2026-02-20/handoff-abacus-filter-upgrade-20260223_063331.md`]: { from: 'grok', to: 'abacus', state: 'offered', created: '', due: '2026-02-23', priority: 'normal', lists: [0, 3] },
  [`${BPRD}_agents/claude/handoff.md`]:                          { from: 'meeting-engine', to: 'claude', state: 'offered', created: '02-22', lists: [2, 0] },
  [`${BPRD}tasks/active/BPRD-2026-0001.md`]:                     { to: 'abacus', state: 'in_progress', task: 'BPRD-2026-0001', created: '02-21', due: '2026-02-28', priority: 'critical', lists: [0, 5] },
  [`${BPRD}tasks/backlog/BPRD-2026-0004.md`]:                    { to: null, state: 'draft', task: 'BPRD-2026-0004', created: '02-21', priority: 'normal', lists: [0, 4] },
  [`${SPECS}HANDOFF-001.md`]: { from: 'claude-opus-5', to: 'claude-sonnet-5', state: 'completed', task: 'SPEC-001', created: '08-18', lists: [6, 5] },
  [`${SPECS}HANDOFF-013.md`]: { from: 'claude-opus-5', to: 'claude-opus-5', state: 'completed', task: 'SPEC-003', created: '08-20', lists: [6, 4] },
  [`${SPECS}HANDOFF-021.md`]: { from: 'claude-opus-5', to: 'claude-opus-5', state: 'offered', task: 'SPEC-005', created: '08-21', lists: [7, 8] },
}

/** Reports and files without a handoff. */
const OTHERS = [
  `${HERE}PHANTOM_HANDOFFS_RESOLVED.md`,
  `${HERE}archive/2026-02-15_handoffs.md`,
  `${BPRD}tasks/_counter.yaml`,
  'gkastanis+drupal-claude-code-sub-agent-collective/templates/tests/handoff-failure-analysis.md',
]

function sourceOf(file: string) {
  const [source] = sourcesOf(sharedFile(CORPUS + file), { path: file.slice(file.indexOf('/') + 1) })
  assert.ok(source)
  return source
}

function read(file: string) {
  const source = sourceOf(file)
  const form = markdown.formOf(source)
  assert.ok(form, file)
  return { source, form, ...markdown.interpret(source, form) }
}

describe('handoffs that real agents wrote', () => {
  for (const [file, row] of Object.entries(ANSWERS))
    it(`finds in ${file.split('/').at(-1)} what a person finds`, () => {
      const { draft, source, form } = read(file)
      const {
        from,
        to,
        state,
        task,
        created_at,
        target_completion,
        priority,
        package: pack,
        title,
        body,
      } = draft ?? {}
      assert.equal(form, file.startsWith(SPECS) ? 'handoff' : 'v1')
      assert.deepEqual(
        { from, to, state, task, created_at, target_completion, priority },
        {
          from: row.from,
          to: row.to,
          state: row.state,
          task: row.task,
          created_at: at(row.created),
          target_completion: row.due,
          priority: row.priority,
        },
      )
      assert.deepEqual([pack?.deliverables?.length ?? 0, pack?.criteria?.length ?? 0], row.lists)
      assert.equal(body, source.body)
      const heading = /^# (.+)$/m.exec(source.body ?? '')?.[1] ?? ''
      if (title === undefined) assert.match(heading, /<.*>$/)
      else assert.ok(heading.endsWith(title), title)
    })

  it('covers every file of the repository that is a handoff', () => {
    const all = sharedFiles(`${CORPUS}${BPRD}`)
      .concat(sharedFiles(`${CORPUS}${SPECS}`))
      .map((file) => file.slice(CORPUS.length))
      .filter((file) => file.endsWith('.md') && !OTHERS.includes(file))
    assert.deepEqual(all.sort(), Object.keys(ANSWERS).sort())
  })

  it('takes no report and no empty list for a handoff', () => {
    for (const file of OTHERS) assert.equal(markdown.formOf(sourceOf(file)), undefined, file)
  })

  it('reports where a file contradicts itself or stands in the wrong place', () => {
    const codes = (file: string) => read(file).diagnostics.map(({ code }) => code)
    assert.ok(
      codes(`${HERE}handoff-api-crisis-strategic-assessment-russell-20260219.md`).includes(
        'status_contradicts',
      ),
    )
    assert.ok(!codes(`${HERE}handoff-api-artifacts-russell-20260217.md`).includes('status_contradicts'))
    assert.ok(codes(`${HERE}handoff-ddas-mvp-claude-20260228.md`).includes('wrong_place'))
    assert.ok(codes(`${SPECS}HANDOFF-013.md`).includes('placeholder'))
  })

  it('knows a copy by the id of its original', () => {
    const copy = `${BPRD}research/daily/processed/2026-02-20/handoff-abacus-filter-upgrade-20260223_063331.md`
    assert.equal(read(copy).draft?.id, read(`${HERE}handoff-abacus-filter-upgrade-20260223.md`).draft?.id)
  })
})
