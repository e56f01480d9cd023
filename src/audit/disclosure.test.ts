import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { sha256 } from '../crypto/crypto.ts'
import { encodeDisclosure } from './disclosure.ts'

const salt = '_26bc4LT-ac6q2KI6cBW5es'

describe('encodeDisclosure', () => {
  it('writes the example of RFC 9901, section 4.2.1, without its spaces', () => {
    assert.equal(
      encodeDisclosure(salt, 'family_name', 'Möbius'),
      'WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsImZhbWlseV9uYW1lIiwiTcO2Yml1cyJd',
    )
  })

  it('can be read back by anybody, whatever the value, its length and its letters', () => {
    const odd = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\u0000', '\ud800', 'é', '€', '😀') })
    const value = fc.oneof(fc.jsonValue({ stringUnit: 'grapheme' }), odd)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), value, fc.nat({ max: 4 }), (name, value, length) => {
        const long = [value, 'ü'.repeat(length * 1_000 + length)]
        const disclosure = encodeDisclosure(salt, name, long)

        assert.match(disclosure, /^[A-Za-z0-9_-]+$/)
        assert.equal(disclosure, Buffer.from(JSON.stringify([salt, name, long])).toString('base64url'))
      }),
    )
  })

  it('is right on both sides of the length where its way of working changes', () => {
    const ends = JSON.stringify([salt, 'a', '']).length
    for (const letter of ['x', 'ü', '€', '😀']) {
      for (const length of [4_094, 4_095, 4_096, 4_097, 4_098, 4_200, 9_000]) {
        const value = letter.repeat(Math.ceil((length - ends) / letter.length))

        assert.equal(
          encodeDisclosure(salt, 'a', value),
          Buffer.from(JSON.stringify([salt, 'a', value])).toString('base64url'),
          `${length} of ${letter}`,
        )
      }
    }
  })

  it('throws on a value that JSON does not have', () => {
    for (const value of [undefined, () => 1, Symbol('x')]) {
      assert.throws(() => encodeDisclosure(salt, 'summary', value), TypeError)
    }
  })

  it('throws on a salt that is too short to hide a short value, or not base64url', () => {
    for (const weak of ['', 'abc', 'x'.repeat(21), `${'x'.repeat(30)}"`, `${'x'.repeat(22)}\n`]) {
      assert.throws(() => encodeDisclosure(weak, 'pin', 1234), TypeError, weak)
    }
    assert.ok(encodeDisclosure('x'.repeat(22), 'pin', 1234))
  })
})

describe('the digest of a disclosure', () => {
  it('is that of RFC 9901, section 4.2.3', () => {
    const disclosure = 'WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0'

    assert.equal(sha256(disclosure, 'base64url'), 'X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0')
  })

  it('differs when the salt, the name or the value differs', () => {
    const digests = [
      encodeDisclosure(salt, 'pin', 1234),
      encodeDisclosure(salt, 'pin', 1235),
      encodeDisclosure(salt, 'pin', '1234'),
      encodeDisclosure(salt, 'pen', 1234),
      encodeDisclosure(`${salt}x`, 'pin', 1234),
    ].map((disclosure) => sha256(disclosure, 'base64url'))

    assert.equal(new Set(digests).size, 5)
  })
})
