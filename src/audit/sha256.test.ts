import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { platformSha256 } from '../archive/audit-platform.ts'
import { plainSha256 } from './sha256.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('SHA-256 in plain code', () => {
  it('[S3-39] gives the published hashes', () => {
    assert.equal(hex(plainSha256()), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    assert.equal(
      hex(plainSha256(Buffer.from('abc'))),
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    assert.equal(
      hex(plainSha256(Buffer.from('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'))),
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    )
  })

  it('gives what Node gives, for every length around a block and in any number of parts', () => {
    for (let size = 0; size < 200; size += 1) {
      const bytes = Buffer.alloc(size, size)
      assert.equal(hex(plainSha256(bytes)), hash('sha256', bytes))
    }
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }), (parts) => {
        const expected = hash('sha256', Buffer.concat(parts))
        assert.equal(hex(plainSha256(...parts)), expected)
        assert.equal(hex(platformSha256(...parts)), expected)
      }),
    )
  })

  it('of Node takes parts of any size', () => {
    const large = Buffer.alloc(200_000, 3)

    assert.equal(
      hex(platformSha256(Uint8Array.of(1), large)),
      hash('sha256', Buffer.concat([Uint8Array.of(1), large])),
    )
    assert.equal(hex(platformSha256(large)), hash('sha256', large))
  })
})
