import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Eraser, REDACTED } from './eraser.ts'

const SECRET = 'sk-live-4f9a2c81d0'
const long = new Eraser([`Use ${SECRET} for the upload.\nThen report.`])

describe('the eraser', () => {
  it('takes a text out wherever it stands whole, and leaves the rest', () => {
    const eraser = new Eraser([SECRET])

    assert.equal(eraser.words(`Handoff rejected: ${SECRET}!`), `Handoff rejected: ${REDACTED}!`)
    assert.deepEqual(eraser.deep({ a: [`x ${SECRET}`, 1, null], [SECRET]: true }), {
      a: [`x ${REDACTED}`, 1, null],
      [REDACTED]: true,
    })
  })

  it('knows a title that was made of the first line, and copies that were cut', () => {
    const cut = `${'Use '.padEnd(4)}${SECRET} for the up…`

    assert.equal(long.words(`Use ${SECRET} for the upload.`), REDACTED)
    assert.equal(long.words(cut), REDACTED)
    assert.equal(long.words(`Failed: ${cut}`), `Failed: ${REDACTED}`)
    const endless = new Eraser([`${SECRET} ${'and so on '.repeat(500)}`])
    assert.equal(
      endless.words(`Because ${SECRET} ${'and so on '.repeat(150)}`.slice(0, 1_200)),
      `Because ${REDACTED}`,
    )
  })

  it('leaves a text alone that only begins the same', () => {
    for (const text of ['Use the other key for the upload.', `Use ${SECRET.slice(0, 7)}`, 'Then report.'])
      assert.equal(long.words(text), text)
  })

  it('takes short texts out of words for people only, and not out of the middle of others', () => {
    const eraser = new Eraser(['4711'])

    assert.equal(eraser.words('PIN 4711, not 47110.'), `PIN ${REDACTED}, not 47110.`)
    assert.equal(eraser.deep('PIN 4711'), 'PIN 4711')
    assert.equal(new Eraser(['a+b(c']).words('is a+b(c here'), `is ${REDACTED} here`)
  })

  it('does not look for single words, for names of deliverables, or for its own mark', () => {
    const data = { state: 'completed', deliverable: 'A running service' }
    const eraser = new Eraser([data, REDACTED, '', '  ', 'yes', 'Deployment', '1a'])

    const text = `completed: A running service ${REDACTED}, yes, Deployment 1a`
    assert.equal(eraser.words(text), text)
  })

  it('finds a text in bytes however it was wrapped and quoted there', () => {
    const wrapped = `summary: >\n  Use ${SECRET}\n  for the upload.\n`
    const escaped = JSON.stringify({ summary: `Use ${SECRET} for the upload.\nThen report.` })

    for (const text of [wrapped, escaped]) assert.equal(long.mayBeIn(Buffer.from(text)), true, text)
    assert.equal(long.mayBeIn(Buffer.from('summary: Use another key\n')), false)
    const marked = new Eraser([`The key (key=${SECRET}), and more.`, `It was ${SECRET}!`])
    assert.equal(marked.mayBeIn(Buffer.from(`x_mine: "${SECRET}"`)), true)
  })

  it('answers the same object when there is nothing to take out, and nothing is left to take out after it', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    const texts = fc.array(fc.string({ minLength: 8, maxLength: 20 }), { maxLength: 3 })

    fc.assert(
      fc.property(value, texts, (given, strings) => {
        const gone = strings.map((text) => `${text} 1`)
        const eraser = new Eraser(gone)
        const planted = { given, planted: gone.map((text) => `>${text}<`) }
        const once = eraser.deep(planted)
        const left = JSON.stringify(eraser.deep(once))
        assert.equal(left, JSON.stringify(once))
        for (const text of gone.map((each) => each.trim()).filter(({ length }) => length >= 8))
          assert.ok(!once.planted.some((each) => each.includes(text)) || REDACTED.includes(text))
        if (!eraser.isIn(given)) assert.equal(eraser.deep(given), given)
      }),
      { numRuns: 200 },
    )
  })
})
