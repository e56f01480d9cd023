import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isVacuousSummary, vagueWord } from './measurable.ts'

describe('vagueWord', () => {
  it('[S4-37] finds what is wrong with the bad criterion of the document', () => {
    assert.equal(vagueWord('Write good code'), 'good')
  })

  it('[S4-50] finds the word of the constraint in the document', () => {
    assert.equal(vagueWord('quickly'), 'quickly')
  })

  it('[S4-37] finds the first vague word and gives it as it is written', () => {
    assert.equal(vagueWord('Robust and clean code'), 'Robust')
    assert.equal(vagueWord('The page is user-friendly.'), 'user-friendly')
    assert.equal(vagueWord('Answer ASAP!'), 'ASAP')
    assert.equal(vagueWord('Errors are handled properly'), 'properly')
    assert.equal(vagueWord('Use an appropriate (better) name'), 'appropriate')
  })

  it('[S4-38] lets the good criteria of the document pass', () => {
    for (const text of [
      'Unit tests > 80% coverage',
      'No OWASP Top 10 vulnerabilities',
      'Build passes in CI',
    ]) {
      assert.equal(vagueWord(text), undefined, text)
    }
  })

  it('[S4-39] lets the criterion and the constraint of the delegation pass', () => {
    assert.equal(vagueWord('No unaddressed critical risks'), undefined)
    assert.equal(vagueWord('Focus on authentication and sensitive data'), undefined)
  })

  it('lets a vague word pass beside a number, a comparison, a tool, a standard or a verdict (A4-09)', () => {
    for (const text of [
      'npm test passes',
      'Fast: the list is there in 200 ms',
      'Good coverage (80%)',
      'Clean means two reviewers said so',
      'Faster than the old parser',
      'Robust: at least as many cases as before',
      'A clean `make check`',
      'Clean eslint run',
      'Good contrast by WCAG',
      'Builds cleanly in CI',
      'Good input passes',
      'Easy to read, no abbreviations',
    ]) {
      assert.equal(vagueWord(text), undefined, text)
    }
  })

  it('takes the digits of an id and the letters of a longer word for no measure', () => {
    assert.equal(vagueWord('Good code for P0.1.2'), 'Good')
    assert.equal(vagueWord('Good code for BPRD-2026-0042'), 'Good')
    assert.equal(vagueWord('Good OAuth2 support'), 'Good')
    assert.equal(vagueWord('Nice circuit and notes'), 'Nice')
    assert.equal(vagueWord('Precise and nice'), 'nice')
  })

  it('takes a longer word for what it is', () => {
    for (const text of ['Goodness of fit is reported', 'Fast-forward merges', 'The cleanup job runs', '']) {
      assert.equal(vagueWord(text), undefined, text)
    }
  })

  it('answers with a word of the text or with nothing, and answers long texts too', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const word = vagueWord(text)

        assert.ok(word === undefined || text.includes(word))
      }),
    )
    assert.equal(vagueWord('a`'.repeat(50_000)), undefined)
    assert.equal(vagueWord(`good ${'-'.repeat(100_000)}`), 'good')
  })
})

describe('isVacuousSummary', () => {
  it('[S4-29] refuses the forbidden summary of the document, however it is written', () => {
    for (const text of ["It's done", 'It’s done.', 'IT IS DONE!!!', '  its   done  ']) {
      assert.equal(isVacuousSummary(text), true, text)
    }
  })

  it('[S4-29] refuses what has fewer than four words', () => {
    for (const text of ['', '…', 'WIP', 'see above', 'as discussed', 'Parser finished today', '完成了']) {
      assert.equal(isVacuousSummary(text), true, text)
    }
  })

  it('[S4-29] refuses any number of words that tell nothing', () => {
    for (const text of [
      'The task has been completed.',
      'It is all done now',
      'Everything is ready, please see above',
      'Work in progress, as discussed before',
      'Done. Done. Done. Done.',
      "It’s all done, that's it",
    ]) {
      assert.equal(isVacuousSummary(text), true, text)
    }
  })

  it('[S4-30] lets the required summary of the document pass', () => {
    assert.equal(
      isVacuousSummary('Specifications completed: 3 epics, 12 user stories, personas defined'),
      false,
    )
  })

  it('[S4-31] lets every other summary of the document pass', () => {
    for (const text of [
      'User stories defined and validated by client',
      'API architecture defined, needs security review',
      'Two possible approaches with significant trade-offs',
      '2 risks identified, recommendations provided',
    ]) {
      assert.equal(isVacuousSummary(text), false, text)
    }
  })

  it('[S4-31] counts words in scripts without spaces and with marks', () => {
    assert.equal(isVacuousSummary('三つのエピックを定義した'), false)
    assert.equal(isVacuousSummary('Geprüft: vier Verträge, zwei Lücken'), false)
    assert.equal(isVacuousSummary('यह काम पूरा नहीं'), false)
  })
})
