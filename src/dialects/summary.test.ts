import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readDocuments, summaryOf } from './index.ts'

function summary(text: string, path: string) {
  const [document] = readDocuments(text, { path })
  assert.ok(document)
  return summaryOf(document)
}

describe('the summary of a document', () => {
  it('gives the word that the document has for its state, and the one that Baton has', () => {
    const text = '---\nhandoff_id: handoff-a\nfrom_agent: grok\nto_agent: claude\nStatus: Acknowledged\n---\n'
    const { from, to, status, state } = summary(text, 'a.md')

    assert.deepEqual(
      { from, to, status, state },
      { from: 'grok', to: 'claude', status: 'Acknowledged', state: 'accepted' },
    )
  })

  it('finds the word in the body of a markdown document that has no front matter', () => {
    const text =
      '# Fix it\n\n**ID**: handoff-fix\n**Assigned to**: claude\n**Status**: open\n**Created by**: grok\n'
    const { id, status, state, title } = summary(text, '_handoffs/handoff-fix.md')

    assert.deepEqual(
      { id, status, state, title },
      { id: 'handoff-fix', status: 'open', state: 'offered', title: 'Fix it' },
    )
  })

  it('knows the place of the word in every dialect', () => {
    const documents: readonly (readonly [string, string, string])[] = [
      [
        '{"source":{"agent_id":"@a"},"target":{"agent_id":"@b"},"status":"in_progress"}',
        'a.json',
        'in_progress',
      ],
      ['handoff:\n  phase: QA\n  from: "@a"\n  to: "@b"\n  status: retry\n', 'a.yaml', 'retry'],
      ['{"task_update":{"task_id":"P0.1.1","status":"done"}}', 'a.json', 'done'],
      ['handoff:\n  from: {agent: a}\n  to: {agent: b}\n  status: acknowledged\n', 'a.yaml', 'acknowledged'],
    ]
    for (const [text, path, word] of documents) assert.equal(summary(text, path).status, word, text)
  })

  it('says that nobody is to go on with it, which is not the same as saying nothing', () => {
    const none = 'handoff:\n  phase: QA\n  from: "@a"\n  to: "None"\n  status: complete\n'

    assert.equal(summary(none, 'a.yaml').to, null)
    assert.equal(summary(none.replace('  to: "None"\n', ''), 'a.yaml').to, undefined)
  })

  it('is empty for a text that nobody knows', () => {
    assert.ok(Object.values(summary('hello', 'a.md')).every((value) => value === undefined))
  })
})
