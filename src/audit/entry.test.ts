import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { canonicalJson } from './canonical-json.ts'
import { type AuditRecord, checkRecord, decodeEntry, encodeEntry, recordIn, ZERO_HASH } from './entry.ts'

const digest = 'X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0'
const hash = 'X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0='
const record: AuditRecord = {
  ts: '2026-11-15T06:10:00.123Z',
  act: 'thought_record',
  actor: { id: 'claude', kid: 'c74f20a3' },
  auth: 'token',
  idem: '018f3c00-0000-7000-8000-000000000001',
  sd: { tests_run: digest, summary: digest },
  sub: { id: 'P0.1.1', k: 'task', rev: 7 },
  from: 'in_progress',
  to: 'done',
  v: 1,
}
const fields = { origin: 'laptop/018f3c00', stream: '018f3c00-0000-7000-8000-000000000002', record }
const second = { ...fields, seq: 1, prev: hash }
const canonical =
  '{"act":"thought_record","actor":{"id":"claude","kid":"c74f20a3"},"auth":"token","from":"in_progress",' +
  '"idem":"018f3c00-0000-7000-8000-000000000001",' +
  `"sd":{"summary":"${digest}","tests_run":"${digest}"},` +
  '"sub":{"id":"P0.1.1","k":"task","rev":7},"to":"done","ts":"2026-11-15T06:10:00.123Z","v":1}'

const records: fc.Arbitrary<AuditRecord> = fc.record(
  {
    act: fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/),
    actor: fc.record(
      { id: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,63}$/), kid: fc.constant('c74f20a3') },
      { requiredKeys: ['id'] },
    ),
    auth: fc.constantFrom('tty', 'token', 'os-user', 'file', 'engine'),
    cp: fc.record({ size: fc.maxSafeNat(), root: fc.constant(hash) }),
    field: fc.constantFrom('summary', 'tests_run'),
    h: fc.array(fc.constant(digest), { maxLength: 3 }),
    reason: fc.constantFrom('leaked-key', 'gdpr'),
    from: fc.constantFrom('draft', 'in_progress'),
    idem: fc.uuid(),
    sd: fc.dictionary(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,9}$/), fc.constant(digest)),
    seal: fc.record({ n: fc.maxSafeNat(), root: fc.constant(hash) }),
    sub: fc.record({
      id: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}$/),
      k: fc.constantFrom(
        'handoff',
        'task',
        'agent',
        'artifact',
        'notice',
        'workspace',
        'record',
        'gate',
        'session',
      ),
      rev: fc.maxSafeNat(),
    }),
    to: fc.constantFrom('completed', 'failed'),
    ts: fc.constant('2026-11-15T06:10:00.123Z'),
    v: fc.constant(1),
  },
  { requiredKeys: ['act', 'actor', 'auth', 'sub', 'ts', 'v'] },
)

/** The entry of `second` with one of its lines replaced. */
const withLine = (line: number, text: string): string =>
  encodeEntry(second)
    .split('\n')
    .map((old, index) => (index === line - 1 ? text : old))
    .join('\n')
const lineOf = (entry: string): number | undefined => {
  const decoded = decodeEntry(entry)
  return decoded.ok ? undefined : decoded.line
}

describe('encodeEntry', () => {
  it('writes five lines and the canonical record', () => {
    assert.equal(
      encodeEntry({ ...fields, seq: 12, prev: hash }),
      `baton-audit/v1\nlaptop/018f3c00\n018f3c00-0000-7000-8000-000000000002\n12\n${hash}\n${canonical}`,
    )
  })

  it('begins a stream with position 0 and a hash of zeros', () => {
    assert.equal(ZERO_HASH, Buffer.alloc(32).toString('base64'))
    assert.match(encodeEntry({ ...fields, seq: 0, prev: ZERO_HASH }), /\n0\nA{43}=\n\{/)
  })

  it('writes every record that may stand in the log as canonical JSON has it', () => {
    fc.assert(
      fc.property(records, (record) => {
        const entry = encodeEntry({ ...second, record })
        const text = entry.slice(entry.indexOf('{'))

        assert.equal(text, canonicalJson(record))
        assert.deepEqual(decodeEntry(entry), { ok: true, ...second, record: JSON.parse(text) })
        assert.deepEqual(recordIn({ body: entry }), JSON.parse(text))
      }),
    )
  })

  it('takes a field that is there without a value for absent', () => {
    const entry = encodeEntry({ ...second, record: { ...record, idem: undefined } as unknown as AuditRecord })

    assert.equal(entry.endsWith(canonical.replace(/"idem":"[^"]+",/, '')), true)
  })

  it('throws rather than write what could not be read back', () => {
    const broken: readonly object[] = [
      { origin: '' },
      { origin: 'a b' },
      { origin: 'a+b' },
      { origin: 'a\n1' },
      { stream: '' },
      { stream: 'x\n1' },
      { seq: -1 },
      { seq: 1.5 },
      { seq: 2 ** 53 },
      { seq: 0 },
      { prev: ZERO_HASH },
      { prev: 'short=' },
      { prev: hash.replace('0=', '1=') },
    ]

    for (const change of broken) {
      assert.throws(() => encodeEntry({ ...second, ...change }), TypeError, JSON.stringify(change))
    }
  })

  it('throws on a record that may not stand in the log and names the field', () => {
    const leaky = { ...record, note: 'the password is hunter2' }

    assert.throws(() => encodeEntry({ ...second, record: leaky }), /^TypeError: the log does not take note$/)
  })

  it('throws on more than 60,000 bytes', () => {
    const withDigests = (count: number): AuditRecord => ({ ...record, sd: digests(count) })

    assert.equal(lineOf(encodeEntry({ ...second, record: withDigests(1_000) })), undefined)
    assert.throws(() => encodeEntry({ ...second, record: withDigests(1_200) }), /60000 bytes/)
  })
})

describe('decodeEntry', () => {
  it('gives back what was encoded', () => {
    assert.deepEqual(decodeEntry(encodeEntry(second)), { ok: true, ...second })
  })

  it('names the line that is wrong', () => {
    assert.equal(lineOf(''), 1)
    assert.equal(lineOf('baton-audit/v1\na/b'), 2)
    assert.equal(lineOf(withLine(1, 'baton-audit/v2')), 1)
    assert.equal(lineOf(withLine(2, 'a b')), 2)
    assert.equal(lineOf(withLine(3, '')), 3)
    assert.equal(lineOf(withLine(4, 'one')), 4)
    assert.equal(lineOf(withLine(5, hash.slice(1))), 5)
    assert.equal(lineOf(withLine(6, '{')), 6)
    assert.deepEqual(decodeEntry(withLine(4, '01')), {
      ok: false,
      line: 4,
      reason: 'line 4 is not a position',
    })
  })

  it('takes a position in its one form only, and none that a number cannot hold', () => {
    for (const text of [
      '',
      '01',
      '+1',
      '-1',
      ' 1',
      '1 ',
      '0x1',
      '1e3',
      '1.0',
      '9007199254740993',
      '9'.repeat(20),
    ]) {
      assert.equal(lineOf(withLine(4, text)), 4, text)
    }
    assert.equal(lineOf(withLine(4, '9007199254740991')), undefined)
  })

  it('takes the hash of zeros at position 0 and nowhere else', () => {
    assert.equal(lineOf(withLine(4, '0')), 5)
    assert.equal(lineOf(withLine(5, ZERO_HASH)), 5)
  })

  it('takes a hash in its one form only', () => {
    for (const text of [digest, `${hash}=`, hash.replace('0=', '1='), hash.replace('X', '-'), ` ${hash}`]) {
      assert.equal(lineOf(withLine(5, text)), 5, text)
    }
  })

  it('takes a record in its one form only', () => {
    for (const text of [
      '',
      'null',
      '[]',
      '"x"',
      ` ${canonical}`,
      `${canonical}\n`,
      canonical.replace('"rev":7', '"rev":7.0'),
      canonical.replace('"rev":7', '"rev":1e400'),
      canonical.replace('"v":1', '"v":1,"v":1'),
      canonical.replace('"claude"', '"\\u0063laude"'),
      canonical.replace('"claude"', '"\\ud800"'),
      canonical.replace('"claude"', '"\ud800"'),
      '{"b":1,"a":1}',
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    ]) {
      assert.equal(lineOf(withLine(6, text)), 6, text.slice(0, 100))
    }
  })

  it('reads a record of a later version, which is then for others to judge', () => {
    const decoded = decodeEntry(withLine(6, '{"act":"seal","n":3,"v":2}'))

    assert.deepEqual(decoded.ok && decoded.record, { act: 'seal', n: 3, v: 2 })
  })

  it('refuses more than 60,000 bytes, counted as bytes', () => {
    const room = 60_000 - Buffer.byteLength(withLine(6, '{"a":""}'))

    assert.equal(lineOf(withLine(6, `{"a":"${'x'.repeat(room)}"}`)), undefined)
    assert.equal(lineOf(withLine(6, `{"a":"${'x'.repeat(room + 1)}"}`)), 6)
    assert.equal(lineOf(withLine(6, `{"a":"${'é'.repeat(room / 2 + 1)}"}`)), 6)
  })

  it('answers to any text, and takes only what encodes to the same text', () => {
    const lines = fc.tuple(
      fc.constantFrom('baton-audit/v1', 'baton-audit/v2'),
      fc.constantFrom('a/b', 'a b', ''),
      fc.constantFrom('s-1', ' s-1'),
      fc.constantFrom('0', '1', '01'),
      fc.constantFrom(ZERO_HASH, hash, digest),
      fc.constantFrom(canonical, ` ${canonical}`, '{}'),
    )
    const pieces = fc.subarray(encodeEntry(second).split('')).map((all) => all.join(''))
    const texts = fc.oneof(
      fc.string(),
      pieces,
      lines.map((all) => all.join('\n')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const decoded = decodeEntry(text)

        if (decoded.ok && checkRecord(decoded.record) === undefined) {
          // `checkRecord` is what says that it is one.
          const record = decoded.record as unknown as AuditRecord
          assert.equal(encodeEntry({ ...decoded, record }), text)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('checkRecord', () => {
  it('takes ids, enumerations, digests and times, the optional ones or not', () => {
    const { act, auth, sub, ts, v } = record

    assert.equal(checkRecord(record), undefined)
    assert.equal(checkRecord({ act, actor: { id: 'claude' }, auth, sub, ts, v }), undefined)
    assert.equal(checkRecord({ ...record, sd: {} }), undefined)
  })

  it('names the first field that is missing, unknown or could hold free text', () => {
    const cases: readonly (readonly [string, object])[] = [
      ['act', { act: 'Two words' }],
      ['act', { act: '' }],
      ['act', { act: undefined }],
      ['actor', { actor: 'claude' }],
      ['actor.id', { actor: { id: 'Claude Opus' } }],
      ['actor.id', { actor: {} }],
      ['actor.kid', { actor: { id: 'claude', kid: 'XYZ' } }],
      ['actor.mail', { actor: { id: 'claude', mail: 'a@b.c' } }],
      ['auth', { auth: 'password' }],
      ['from', { from: 'not a state' }],
      ['to', { to: 'x'.repeat(65) }],
      ['idem', { idem: 'my secret key' }],
      ['field', { field: 'my secret' }],
      ['h', { h: digest }],
      ['h', { h: [digest, 'free text'] }],
      ['reason', { reason: 'It was a key' }],
      ['cp', { cp: 'tree' }],
      ['cp.size', { cp: { root: hash } }],
      ['cp.root', { cp: { size: 1, root: digest } }],
      ['cp.note', { cp: { size: 1, root: hash, note: 'free text' } }],
      ['seal.n', { seal: { n: -1, root: hash } }],
      ['seal.root', { seal: { n: 1, root: 'the root of it' } }],
      ['seal.by', { seal: { n: 1, root: hash, by: 'claude' } }],
      ['sd', { sd: [] }],
      ['sd.summary', { sd: { summary: 'I did it' } }],
      ['sd.a b', { sd: { 'a b': digest } }],
      ['sub', { sub: 'P0.1.1' }],
      ['sub', { sub: undefined }],
      ['sub.id', { sub: { id: 'a b', k: 'task', rev: 1 } }],
      ['sub.k', { sub: { id: 'a', k: 'thing', rev: 1 } }],
      ['sub.rev', { sub: { id: 'a', k: 'task', rev: -1 } }],
      ['sub.rev', { sub: { id: 'a', k: 'task', rev: 0.5 } }],
      ['sub.rev', { sub: { id: 'a', k: 'task', rev: '1' } }],
      ['sub.rev', { sub: { id: 'a', k: 'task' } }],
      ['ts', { ts: '2026-11-15T06:10:00Z' }],
      ['ts', { ts: 'yesterday' }],
      ['v', { v: 2 }],
      ['summary', { summary: 'free text' }],
      ['sub.note', { sub: { id: 'a', k: 'task', rev: 1, note: 'free text' } }],
      ['constructor', { constructor: 1 }],
    ]

    for (const [field, change] of cases) {
      assert.equal(checkRecord({ ...record, ...change }), field, JSON.stringify(change))
    }
    for (const nothing of [undefined, null, 'x', [], 1]) assert.equal(checkRecord(nothing), '')
    assert.equal(checkRecord({}), 'act')
  })

  it('lets no space, quote or line break into the log, in whatever field', () => {
    const bad = fc
      .tuple(fc.string(), fc.constantFrom(' ', '\n', '"', '\u0000', 'é', '<', '\t'), fc.string())
      .map((parts) => parts.join(''))
    const change = fc.oneof(
      bad.map((act) => ({ act })),
      bad.map((id) => ({ actor: { id } })),
      bad.map((from) => ({ from })),
      bad.map((to) => ({ to })),
      bad.map((idem) => ({ idem })),
      bad.map((ts) => ({ ts })),
      bad.map((id) => ({ sub: { ...record.sub, id } })),
      bad.map((summary) => ({ sd: { summary } })),
      bad.map((root) => ({ cp: { size: 1, root } })),
      bad.map((field) => ({ field })),
      bad.map((reason) => ({ reason })),
      bad.map((each) => ({ h: [each] })),
      bad.map((root) => ({ seal: { n: 1, root } })),
      bad.map((name) => ({ sd: { [name]: digest } })),
    )
    fc.assert(
      fc.property(change, (change) => {
        assert.notEqual(checkRecord({ ...record, ...change }), undefined)
      }),
    )
  })
})

function digests(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, digest]))
}
