import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PlacedProblem } from '../../domain/problem.ts'
import type { Draft } from '../draft.ts'
import { sourcesOf } from '../text/sources.ts'
import { markdown } from './index.ts'

function read(text: string, path = 'notes/a.md'): { draft: Draft; diagnostics: readonly PlacedProblem[] } {
  const [source] = sourcesOf(text, { path })
  assert.ok(source)
  assert.equal(markdown.formOf(source), 'v1')
  const { draft, diagnostics } = markdown.interpret(source, 'v1')
  return { draft: draft ?? {}, diagnostics }
}

const form = (text: string, path = 'docs/a.md'): string | undefined =>
  markdown.formOf(sourcesOf(text, { path })[0]!)

describe('reading what agents wrote before version 2', () => {
  it('[S0-114] [S0-116] maps the old keys, and the day to an instant', () => {
    const { draft, diagnostics } = read(
      '---\nstatus: Active\nassigned_to: claude\nfrom: grok\ntask: BPRD-2026-0042\ncreated: 2026-02-21\n---\n# T\n',
    )
    const { state, to, from, task, created_at, title } = draft
    assert.deepEqual(
      { state, to, from, task, created_at, title },
      {
        state: 'offered',
        to: 'claude',
        from: 'grok',
        task: 'BPRD-2026-0042',
        created_at: '2026-02-21T00:00:00Z',
        title: 'T',
      },
    )
    assert.deepEqual(
      diagnostics.map(({ severity }) => severity),
      ['info'],
    )
  })

  it('[S0-115] reports a task that is no BPRD id', () => {
    const { draft, diagnostics } = read('---\nfrom: grok\nassigned_to: claude\ntask: Write tests\n---\n')
    assert.equal(draft.task, 'Write tests')
    assert.ok(diagnostics.some(({ code, line }) => code === 'task_form' && line === 4))
  })

  it('finds the facts in lines, lists, tables, quotes and headings', () => {
    const ways = [
      '# Fix it\n\n**From:** grok\n**To:** claude\n**Status:** open\n**Task:** BPRD-2026-0042\n',
      '# Fix it\n\n- **From**: @grok\n- **To**: @claude\n- **Status**: Open\n- **Task ID**: BPRD-2026-0042\n',
      '# Fix it\n\nFrom: grok\nTo: claude (developer)\nStatus: OPEN\nTask: BPRD-2026-0042: repair\n',
      '# Fix it\n\n| Field | Value |\n|---|---|\n| From | grok |\n| To | `claude` |\n| Status | open |\n| Task | BPRD-2026-0042 |\n',
      '# Fix it\n\n> **From:** Grok\n> **To:** Claude\n> **Status:** ⏳ Pending\n> **Task:** [BPRD-2026-0042](x)\n',
      '# Fix it\n\n**From:** grok | **To:** claude | **Status:** open | **Task:** BPRD-2026-0042\n',
      '# Fix it\n\n## From: Grok\n## To: Claude\n## Status: open\n## Task: BPRD-2026-0042\n',
      '# Fix it\n\n## Metadata\n\n* From: grok\n* Assignee: claude\n* State: open\n* Ticket: BPRD-2026-0042\n',
      '# Fix it\n\nFrom: grok\nTo: claude\n\n## Status\n\nOpen\n\n## Task\n\nBPRD-2026-0042\n',
      '---\nFrom: grok\nAssigned To: claude\n---\n# Fix it\n\n**Status**: open\n\n**Task**: BPRD-2026-0042\n',
    ]
    for (const text of ways) {
      const { from, to, state, task, title } = read(text).draft
      assert.deepEqual(
        [from, to, state, task, title],
        ['grok', 'claude', 'offered', 'BPRD-2026-0042', 'Fix it'],
        text,
      )
    }
  })

  it('takes names from a heading with an arrow, and leaves arrows in titles alone', () => {
    for (const heading of [
      '# Handoff: grok → claude',
      '## HANDOFF: @grok -> @claude',
      '# Handoff from grok to claude',
    ]) {
      const { from, to } = read(`${heading}\n\nStatus: open\n`).draft
      assert.deepEqual([from, to], ['grok', 'claude'], heading)
    }
    const { draft } = read('# Handoff: Brief → graph → report\n\nFrom: grok\nTo: claude\n')
    assert.deepEqual([draft.title, draft.from], ['Brief → graph → report', 'grok'])
  })

  it('takes purpose, context, deliverables and criteria from their sections', () => {
    const { package: pack } = read(
      '# Handoff: X\nFrom: a\n\n## Objective\nWhy.\n\n## Background\nWhat.\n\n### More\nMuch.\n\n' +
        '## Deliverables\n### 1. First\n- [ ] One\n  - not this\n- [x] Two\n  goes on\n\n---\n\n' +
        '## Acceptance Criteria\n\n| Criterion | Status |\n|---|---|\n| 3 tests pass | Pending |\n',
    ).draft
    assert.equal(pack?.purpose, 'Why.')
    assert.equal(pack?.context, 'What.\n\n### More\nMuch.')
    assert.deepEqual(pack?.deliverables, ['One', 'Two goes on'])
    assert.deepEqual(pack?.criteria, ['3 tests pass'])
  })

  it('takes what stands on the lines below a label', () => {
    const { draft } = read(
      'From: a\nTo: b\n\nContext:\nThe first line,\nand the second.\n\nNo more.\n\nDeliverables:\n- One\n- Two\n',
    )
    assert.equal(draft.package?.context, 'The first line, and the second.')
    assert.deepEqual(draft.package?.deliverables, ['One', 'Two'])
  })

  it('does not look into fences and comments', () => {
    const { state } = read(
      '# Handoff: X\nFrom: a\n\n```\nStatus: done\n```\n<!-- Status: failed -->\n<!--\nStatus: failed\n-->\n',
    ).draft
    assert.equal(state, undefined)
  })

  it('lets front matter win over the body, and better names over weaker ones', () => {
    const { draft, diagnostics } = read(
      '---\nauthor: Night Shift\nstatus: Active\n---\n# T\n\n**Created by**: grok\n**Assigned to**: claude\n**Status**: completed\n',
    )
    assert.deepEqual([draft.from, draft.to, draft.state], ['grok', 'claude', 'offered'])
    assert.ok(diagnostics.some(({ code, line }) => code === 'status_contradicts' && line === 9))
    assert.deepEqual(draft.extra, { author: 'Night Shift' })
  })

  it('reports a title that says the work is over while the status says it is open', () => {
    const { diagnostics } = read('---\nto: claude\nstatus: Active\n---\n# DEPRECATED: Old plan\n')
    assert.equal(diagnostics.find(({ code }) => code === 'status_contradicts')?.line, 5)
  })

  it('takes nobody for nobody, and the first of several with a warning', () => {
    assert.equal(read('From: grok\nTo: Unassigned\n').draft.to, null)
    const { draft, diagnostics } = read('From: grok\nTo: claude and gemini\n')
    assert.equal(draft.to, 'claude')
    assert.ok(diagnostics.some(({ code }) => code === 'several_agents'))
  })

  it('takes id and day from the name of the file as a last resort, and says so', () => {
    const text = '# Tidy up\n\n**Status:** done\n'
    const { draft, diagnostics } = read(text, 'x/handoff-tidy-up-gemini-20260217_101112.md')
    assert.deepEqual(
      [draft.id, draft.created_at, draft.to],
      ['handoff-tidy-up-gemini-20260217', '2026-02-17T00:00:00Z', 'gemini'],
    )
    const said = diagnostics.filter(({ code, severity }) => code === 'field_in_name' && severity === 'info')
    assert.equal(said.length, 3)
    assert.equal(
      read(`${text}**Due:** 2026-02-17\n`, 'x/handoff-tidy-up-gemini-20260217.md').draft.created_at,
      undefined,
    )
  })

  it('reports what is missing as warnings that say what to add', () => {
    const { diagnostics } = read('# Handoff: X\n\nFrom: grok\n')
    const missing = diagnostics.filter(({ code }) => code === 'required_field')
    assert.deepEqual(
      missing.map(({ severity, message }) => [severity, message.split(' ')[0]]),
      ['to_agent', 'related_task', 'status', 'created_at'].map((key) => ['warning', key]),
    )
    assert.match(missing[0]?.message ?? '', /add `to_agent: claude`/)
  })

  it('leaves a summary with a block to the dialect of the block, and YAML files to theirs', () => {
    const summary = '# Summary\n\n**To:** claude\n**Status:** done\n\n'
    assert.equal(form(summary), 'v1')
    assert.equal(form(`${summary}\`\`\`yaml\nhandoff:\n  from: "@a"\n\`\`\`\n`), undefined)
    assert.equal(form('from: a\nto: b\n', 'redirects.yaml'), undefined)
  })

  it('does not take reports, plans and instructions for handoffs', () => {
    const others = [
      '# Baton\n\nHands work over.\n\n## Install\n\nStatus: beta\n',
      '# Handoff Protocol\n\n**Version:** 2.0\n**Owner:** Abacus\n\n## From here on\n',
      '---\ntitle: Post\nauthor: claude\ndate: 2026-01-01\nstatus: draft\n---\n# Post\n',
      '# ADR 7\n\n**Status:** accepted\n**Date:** 2026-01-01\n**Deciders:** all\n',
      '# Notes\n\nFrom: the start, all went well.\n',
      '# Handoffs: 2026-02-15\n\n**Meeting:** unknown\n\n## No handoffs\n',
      '',
    ]
    for (const text of others) assert.equal(form(text), undefined, text)
    assert.equal(
      form('# Handoff failure analysis\n\n## Summary\nIt failed.\n', 'tests/handoff-failure-analysis.md'),
      undefined,
    )
  })
})
