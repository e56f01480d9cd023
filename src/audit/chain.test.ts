import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { appendToChain, type ChainHead, EMPTY_CHAIN, verifyChain } from './chain.ts'
import type { AuditRecord } from './entry.ts'

const leafHash = (entry: string): string => hash('sha256', Buffer.from(`\0${entry}`), 'base64')
const log = { origin: 'laptop/018f3c00', stream: 's-1' }

const aRecord = (rev: number): AuditRecord => ({
  act: 'handoff.accepted',
  actor: { id: 'claude' },
  auth: 'token',
  sub: { id: 'HO-2026-001', k: 'handoff', rev },
  ts: '2026-11-15T06:10:00.123Z',
  v: 1,
})

function aChain(length: number, of = log): { entries: { entry: string }[]; head: ChainHead } {
  let head = EMPTY_CHAIN
  const entries: { entry: string }[] = []
  for (let rev = 0; rev < length; rev += 1) {
    const next = appendToChain(head, { ...of, record: aRecord(rev) }, leafHash)
    entries.push({ entry: next.entry })
    head = next.head
  }
  return { entries, head }
}

describe('appendToChain', () => {
  it('numbers entries from 0 and links each to the one before', () => {
    const { entries, head } = aChain(3)

    assert.deepEqual(
      entries.map(({ entry }) => entry.split('\n').slice(3, 5)),
      [
        ['0', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='],
        ['1', leafHash(entries[0]!.entry)],
        ['2', leafHash(entries[1]!.entry)],
      ],
    )
    assert.deepEqual(head, { seq: 2, hash: leafHash(entries[2]!.entry) })
  })

  it('makes the leaf hash of RFC 6962', () => {
    const { entries, head } = aChain(1)
    const text =
      `baton-audit/v1\nlaptop/018f3c00\ns-1\n0\n${'A'.repeat(43)}=\n` +
      '{"act":"handoff.accepted","actor":{"id":"claude"},"auth":"token",' +
      '"sub":{"id":"HO-2026-001","k":"handoff","rev":0},"ts":"2026-11-15T06:10:00.123Z","v":1}'

    assert.equal(entries[0]!.entry, text)
    // Made with Python's hashlib, not with this code.
    assert.equal(head.hash, '30Csxd0jOQFeCeEO/UOEx1RjKiGzhgF6LYYPycHyuAI=')
  })
})

describe('verifyChain', () => {
  it('[S3-33] says how many entries hold and which is the last', () => {
    const { entries, head } = aChain(5)

    assert.deepEqual(verifyChain(entries, leafHash), { ok: true, count: 5, head })
    assert.deepEqual(verifyChain(entries, leafHash, head), { ok: true, count: 5, head })
  })

  it('[S3-33] holds for a stream without entries', () => {
    assert.deepEqual(verifyChain([], leafHash), {
      ok: true,
      count: 0,
      head: { seq: -1, hash: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
    })
  })

  it('[S3-33] names the entry where the chain breaks and why', () => {
    const { entries } = aChain(4)
    const broken = (at: number, entry: string) => verifyChain(entries.with(at, { entry }), leafHash)

    assert.deepEqual(broken(2, 'x'), { ok: false, at: 2, reason: 'line 1 is the last one' })
    assert.deepEqual(broken(2, entries[1]!.entry), {
      ok: false,
      at: 2,
      reason: 'it says that it is number 1',
    })
    assert.deepEqual(broken(1, entries[1]!.entry.replace('"rev":1', '"rev":9')), {
      ok: false,
      at: 2,
      reason: 'it does not follow the entry before it',
    })
  })

  it('[S3-38] catches every flipped bit of every byte', () => {
    const { entries, head } = aChain(3)

    for (const [at, { entry }] of entries.entries()) {
      for (let place = 0; place < entry.length; place += 1) {
        for (let bit = 0; bit < 8; bit += 1) {
          const changed = withChar(entry, place, entry.charCodeAt(place) ^ (1 << bit))
          const verdict = verifyChain(entries.with(at, { entry: changed }), leafHash, head)

          assert.equal(verdict.ok, false, `bit ${bit} of byte ${place} of entry ${at}`)
        }
      }
    }
  })

  it('[S3-38] catches any entry that is replaced by another text', () => {
    const { entries, head } = aChain(6)
    const edit = fc.record({ at: fc.nat({ max: 5 }), start: fc.nat({ max: 300 }), drop: fc.nat({ max: 40 }) })
    fc.assert(
      fc.property(edit, fc.string({ maxLength: 40 }), ({ at, start, drop }, text) => {
        const { entry } = entries[at]!
        const changed = entry.slice(0, start) + text + entry.slice(start + drop)
        fc.pre(changed !== entry)

        assert.equal(verifyChain(entries.with(at, { entry: changed }), leafHash, head).ok, false)
      }),
    )
  })

  it('[S3-38] catches entries that changed places', () => {
    const { entries, head } = aChain(8)
    const order = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 })
    fc.assert(
      fc.property(order, (order) => {
        fc.pre(order.some((from, to) => from !== to))

        const verdict = verifyChain(
          order.map((index) => entries[index]!),
          leafHash,
          head,
        )
        assert.equal(verdict.ok, false)
      }),
    )
  })

  it('[S3-38] catches entries that were taken out', () => {
    const { entries, head } = aChain(8)
    fc.assert(
      fc.property(fc.subarray(entries, { maxLength: 7 }), (left) => {
        assert.equal(verifyChain(left, leafHash, head).ok, false)
      }),
    )
  })

  it('[S3-38] catches entries that were put in', () => {
    const { entries, head } = aChain(8)
    fc.assert(
      fc.property(fc.nat({ max: 8 }), fc.nat({ max: 9 }), (at, which) => {
        const extra = aChain(10).entries[which]!

        assert.equal(verifyChain(entries.toSpliced(at, 0, extra), leafHash, head).ok, false)
      }),
    )
  })

  it('[S3-38] sees only with a remembered head that the tail was cut off or all of it made anew', () => {
    const { entries, head } = aChain(4)
    const forged = aChain(4, { ...log, stream: 's-2' })

    assert.equal(verifyChain(entries.slice(0, 3), leafHash).ok, true)
    assert.deepEqual(verifyChain(entries.slice(0, 3), leafHash, head), {
      ok: false,
      at: 2,
      reason: 'the chain does not end with the remembered entry 3',
    })
    assert.equal(verifyChain(forged.entries, leafHash).ok, true)
    assert.equal(verifyChain(forged.entries, leafHash, head).ok, false)
    assert.equal(verifyChain(entries, leafHash, { ...head, seq: 4 }).ok, false)
  })

  it('[S3-38] refuses a well linked entry of another stream or another log', () => {
    const { entries, head } = aChain(2)
    for (const [of, reason] of [
      [{ ...log, stream: 's-2' }, 'it is of another stream'],
      [{ ...log, origin: 'desktop/018f3c00' }, 'it is of another log'],
    ] as const) {
      const stranger = appendToChain(head, { ...of, record: aRecord(2) }, leafHash)

      assert.deepEqual(verifyChain([...entries, stranger], leafHash), { ok: false, at: 2, reason })
    }
  })

  it('[S3-33] takes entries as they come and asks for no more after the first bad one', () => {
    let asked = 0
    const { entries } = aChain(3)
    function* stream(): Generator<{ readonly entry: string }> {
      for (const each of [...entries.slice(0, 2), { entry: '' }, ...entries]) {
        asked += 1
        yield each
      }
    }

    assert.equal(verifyChain(stream(), leafHash).ok, false)
    assert.equal(asked, 3)
  })
})

function withChar(text: string, place: number, code: number): string {
  return text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1)
}
