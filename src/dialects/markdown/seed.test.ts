import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { samplesOf } from '../../../test/support/documents/samples.ts'
import { sourcesOf } from '../text/sources.ts'
import { markdown } from './index.ts'
import { parseIndex } from './index-file.ts'

const SAMPLES = samplesOf('markdown')

/** A fenced sample of the document, by how it begins. */
function sample(start: string): string {
  const at = SAMPLES.indexOf(start)
  assert.ok(at > 0, start)
  const rest = SAMPLES.slice(at)
  return rest.slice(0, rest.indexOf('\n```') + 1)
}

function read(text: string, path: string) {
  const [source] = sourcesOf(text, { path })
  assert.ok(source)
  const form = markdown.formOf(source)
  assert.ok(form)
  return { form, source, ...markdown.interpret(source, form) }
}

describe('the samples of document 000', () => {
  it('[S0-67] has a complete document that is right', () => {
    const { form, draft, diagnostics } = read(
      sample('---\n# IDENTIFICATION'),
      '_handoffs/active/handoff-grok-claude-BPRD-2026-0042-20260221.md',
    )
    assert.equal(form, 'handoff')
    assert.deepEqual(diagnostics, [])
    assert.equal(draft?.from, 'grok')
    assert.equal(draft?.from_role, 'Chief')
    assert.equal(draft?.state, 'offered')
    assert.equal(draft?.package?.deliverables?.length, 3)
    assert.deepEqual(draft?.package?.links, {
      meeting: 'meetings/transcripts/meeting-2026-02-21-14-30-sprint-planning.md',
      skill: 'skills/api-development',
    })
  })

  it('[S0-82] has a verification record that does not cover the third deliverable', () => {
    const record = sample('completion_verified_by: perplexity\n')
    const text = sample('---\n# IDENTIFICATION').replace('completion_verified_by: null\n', record)
    const { draft, diagnostics } = read(text, 'handoff-grok-claude-BPRD-2026-0042-20260221.md')
    assert.equal(draft?.verification?.verified_by, 'perplexity')
    assert.equal(draft?.verification?.deliverable_checks.length, 2)
    assert.deepEqual(
      diagnostics.map(({ code, message }) => [code, message.includes('Documentation updated')]),
      [['deliverable_unchecked', true]],
    )
  })

  it('[S0-92] has an index that parses and contradicts itself', () => {
    const { form, source } = read(sample('# Auto-generated index'), '_handoffs/_index.yaml')
    assert.equal(form, 'index')
    const { active, counts, recently_completed, diagnostics } = parseIndex(source)
    assert.deepEqual([active.length, counts.size, recently_completed.length], [2, 5, 1])
    assert.deepEqual(new Set(diagnostics.map(({ code }) => code)), new Set(['index_drift']))
    assert.ok(diagnostics.some(({ message }) => /7 outgoing and 12 incoming/.test(message)))
    assert.ok(diagnostics.some(({ message }) => /Active for more than 4 hours/.test(message)))
  })

  it('are not a handoff while they stand in fences of a page', () => {
    const sources = sourcesOf(SAMPLES, { path: 'docs/protocol.md' })
    assert.deepEqual(sources.map(markdown.formOf), [undefined])
  })
})
