import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { STATES } from '../../domain/lifecycle.ts'
import { findWord, PRIORITY_WORDS, STATE_WORDS } from './words.ts'

describe('a word of a closed set', () => {
  it('is exact only letter for letter', () => {
    for (const state of STATES) assert.deepEqual(findWord(STATE_WORDS, state), { word: state, exact: true })
    assert.deepEqual(findWord(STATE_WORDS, 'In Progress'), { word: 'in_progress', exact: false })
  })

  // biome-ignore format: read as a table
  const cases: readonly (readonly [string, string])[] = [
    ['IN-PROGRESS', 'in_progress'], ['in  progress', 'in_progress'], ['WIP', 'in_progress'], ['Open', 'offered'], ['To-Do', 'offered'],
    ['todo', 'offered'], ['Done', 'completed'], ['✅', 'completed'], ['✅ Complete', 'completed'], ['**Closed**', 'completed'],
    ['canceled', 'cancelled'], ["Won't do", 'cancelled'], ['on_hold', 'blocked'], ['Terminé', 'completed'], ['abgeschlossen', 'completed'],
    ['hecho', 'completed'], ['ready for review', 'in_review'], ['declined', 'rejected'], ['❌', 'failed'], ['timed-out', 'expired'],
  ]
  for (const [text, word] of cases)
    it(`[A0-22] is found as ${word} in ${text}`, () => {
      assert.deepEqual(findWord(STATE_WORDS, text), { word, exact: false })
    })

  it('[A1-23] knows what else people write for priorities', () => {
    const read = (text: string) => findWord(PRIORITY_WORDS, text)?.word
    assert.deepEqual(['P0', 'Urgent', 'p1', 'Medium', 'P3', 'nice-to-have'].map(read), [
      'critical',
      'critical',
      'high',
      'normal',
      'low',
      'low',
    ])
  })

  it('is not found in what means nothing, or something to objects', () => {
    for (const text of ['', ' ', '-', 'banana', 'constructor', '__proto__', 'x'.repeat(10_000)])
      assert.equal(findWord(STATE_WORDS, text), undefined, text)
  })

  it('has synonyms in lower case that lead to words of the set', () => {
    for (const { words, synonyms } of [STATE_WORDS, PRIORITY_WORDS])
      for (const [synonym, word] of Object.entries(synonyms)) {
        assert.equal(synonym, synonym.toLowerCase())
        assert.ok((words as readonly string[]).includes(word))
        assert.ok(!(words as readonly string[]).includes(synonym), synonym)
      }
  })
})
