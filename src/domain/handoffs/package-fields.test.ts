import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Package } from './package.ts'
import { itemLine, PACKAGE_FIELDS, shownFields } from './package-fields.ts'

describe('the fields of a package', () => {
  it('are those of its schema', () => {
    assert.deepEqual(Object.keys(PACKAGE_FIELDS).sort(), Object.keys(Package().shape).sort())
  })

  it('are shown in the order of the list: texts, items and links as lines, data as it is', () => {
    const shown = shownFields({
      input: { a: 1 },
      links: { meeting: 'M-1' },
      constraints: ['no new dependency', 'under 20 ms'],
      open_questions: [{ question: 'Which limit?', priority: 'high', context: 'traffic has grown' }],
      decisions: [{ id: 'D1', decision: 'Use Redis' }],
      summary: 'The plan was agreed',
      deliverables: ['shown beside their evidence'],
    })

    assert.deepEqual(
      shown.map(({ label, lines }) => [label, lines]),
      [
        ['Summary', ['The plan was agreed']],
        ['Decisions', ['D1: Use Redis']],
        ['Open questions', ['Which limit? (high, traffic has grown)']],
        ['Constraints', ['no new dependency', 'under 20 ms']],
        ['Links', ['meeting: M-1']],
        ['Input', undefined],
      ],
    )
  })

  it('have items that fit in one line, without parts that are absent', () => {
    assert.equal(itemLine({ decision: 'Use Redis', rationale: undefined }, 'decision'), 'Use Redis')
    assert.equal(
      itemLine({ id: 'D1', decision: 'Use Redis', rationale: 'fast' }, 'decision'),
      'D1: Use Redis (fast)',
    )
  })
})
