import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { printTlogProof, readTlogProof } from './tlog-proof.ts'

const hash = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)
const CHECKPOINT =
  'example.com/log\n9\nsFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=\n\n— example.com/log AAAAAA==\n'

describe('a C2SP tlog-proof', () => {
  it('is written as the specification shows it', () => {
    const text = printTlogProof({ index: 5, hashes: [hash(0), hash(1)], checkpoint: CHECKPOINT })

    assert.equal(
      text,
      `c2sp.org/tlog-proof@v1\nindex 5\n${'A'.repeat(43)}=\n${'AQEB'.repeat(10)}AQE=\n\n${CHECKPOINT}`,
    )
  })

  it('is read back as it was written, also without hashes', () => {
    const indexes = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
    const hashes = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { maxLength: 63 })
    fc.assert(
      fc.property(indexes, hashes, (index, path) => {
        const proof = { index, hashes: path, checkpoint: CHECKPOINT }
        assert.deepEqual(readTlogProof(printTlogProof(proof)), proof)
      }),
    )
  })

  it('may carry extra data of others, which is passed over', () => {
    const text = `c2sp.org/tlog-proof@v1\nextra AAAA\nindex 0\n\n${CHECKPOINT}`

    assert.deepEqual(readTlogProof(text), { index: 0, hashes: [], checkpoint: CHECKPOINT })
  })

  it('[T3] is refused when a header, an index, a hash or an empty line differs', () => {
    const good = printTlogProof({ index: 5, hashes: [hash(0)], checkpoint: CHECKPOINT })
    const broken = [
      good.replace('@v1', '@v2'),
      good.replace('index 5', 'index 05'),
      good.replace('index 5', 'index -5'),
      good.replace('index 5', 'index 5 '),
      good.replace('index 5\n', ''),
      good.replace('AAA=', 'AAA'),
      good.replace('AAA=', 'AAB='),
      good.slice(0, good.indexOf('\n\n')),
      '',
    ]

    for (const text of broken) assert.equal(readTlogProof(text), undefined, text)
  })
})
