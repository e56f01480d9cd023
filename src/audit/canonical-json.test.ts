import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { canonicalJson } from './canonical-json.ts'

const json = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 4 })

describe('canonicalJson', () => {
  it('writes the example of RFC 8785, section 3.2.2', () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`

    assert.equal(
      canonicalJson(JSON.parse(text)),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  it('sorts keys by UTF-16 code units, as in RFC 8785, section 3.2.3', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }

    assert.deepEqual(Object.values(JSON.parse(canonicalJson(value)) as object), [
      // An object gives keys that are numbers first, whatever the text says.
      'One',
      'Carriage Return',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
    assert.match(canonicalJson(value), /^\{"\\r":"Carriage Return","1":"One","\u0080":/)
    assert.equal(canonicalJson({ 9: 1, 10: 2, a: 3, Z: 4, '': 5 }), '{"":5,"10":2,"9":1,"Z":4,"a":3}')
  })

  it('writes the numbers of RFC 8785, appendix B', () => {
    const numbers: Readonly<Record<string, string>> = {
      '0000000000000000': '0',
      '8000000000000000': '0',
      '0000000000000001': '5e-324',
      '8000000000000001': '-5e-324',
      '7fefffffffffffff': '1.7976931348623157e+308',
      ffefffffffffffff: '-1.7976931348623157e+308',
      '4340000000000000': '9007199254740992',
      c340000000000000: '-9007199254740992',
      '4430000000000000': '295147905179352830000',
      '44b52d02c7e14af5': '9.999999999999997e+22',
      '44b52d02c7e14af6': '1e+23',
      '44b52d02c7e14af7': '1.0000000000000001e+23',
      '444b1ae4d6e2ef4e': '999999999999999700000',
      '444b1ae4d6e2ef4f': '999999999999999900000',
      '444b1ae4d6e2ef50': '1e+21',
      '3eb0c6f7a0b5ed8c': '9.999999999999997e-7',
      '3eb0c6f7a0b5ed8d': '0.000001',
      '41b3de4355555553': '333333333.3333332',
      '41b3de4355555554': '333333333.33333325',
      '41b3de4355555555': '333333333.3333333',
      '41b3de4355555556': '333333333.3333334',
      '41b3de4355555557': '333333333.33333343',
      becbf647612f3696: '-0.0000033333333333333333',
      '43143ff3c1cb0959': '1424953923781206.2',
    }

    for (const [hex, text] of Object.entries(numbers)) {
      assert.equal(canonicalJson(Buffer.from(hex, 'hex').readDoubleBE()), text, hex)
    }
  })

  it('escapes what JSON must escape and nothing else', () => {
    assert.equal(canonicalJson('\b\t\n\f\r\u0000\u001f"\\'), '"\\b\\t\\n\\f\\r\\u0000\\u001f\\"\\\\"')
    assert.equal(canonicalJson('\u007f\u0080\u2028\u2029\uffff/<😀'), '"\u007f\u0080\u2028\u2029\uffff/<😀"')
    assert.equal(canonicalJson({ 'a"\n': 1 }), '{"a\\"\\n":1}')
  })

  it('takes plain objects, also without a prototype, and a key called __proto__', () => {
    assert.equal(canonicalJson(Object.assign(Object.create(null), { b: [], a: {} })), '{"a":{},"b":[]}')
    assert.equal(canonicalJson(JSON.parse('{"toJSON":1,"__proto__":2}')), '{"__proto__":2,"toJSON":1}')
  })

  it('throws on everything that JSON would drop or change without a word', () => {
    class Point {
      readonly x = 1
    }
    const refused: Readonly<Record<string, unknown>> = {
      NaN: Number.NaN,
      infinity: Number.POSITIVE_INFINITY,
      'minus infinity': Number.NEGATIVE_INFINITY,
      undefined: undefined,
      function: () => 1,
      symbol: Symbol('x'),
      bigint: 1n,
      map: new Map([[1, 2]]),
      set: new Set([1]),
      date: new Date(0),
      instance: new Point(),
      'boxed string': Object('x'),
      'boxed number': Object(1),
      bytes: new Uint8Array(1),
      'list of another kind': new (class extends Array {})(),
      'toJSON of its own': { toJSON: () => 1 },
      'toJSON of its kind': new (class {
        toJSON(): number {
          return 1
        }
      })(),
      'high surrogate': '\ud800',
      'low surrogate': 'a\udc00b',
      'surrogates the wrong way round': '\udc00\ud800',
      hole: Array(2),
    }

    for (const [name, value] of Object.entries(refused)) {
      assert.throws(() => canonicalJson(value), TypeError, name)
      assert.throws(() => canonicalJson([value]), TypeError, `${name} in a list`)
      assert.throws(() => canonicalJson({ a: { b: value } }), TypeError, `${name} in an object`)
    }
    assert.throws(() => canonicalJson({ '\ud800': 1 }), TypeError, 'surrogate in a key')
  })

  it('never calls a toJSON that somebody gave to all lists', () => {
    Object.defineProperty(Array.prototype, 'toJSON', { value: () => 'changed', configurable: true })
    try {
      assert.equal(canonicalJson({ a: [1] }), '{"a":[1]}')
      assert.equal(canonicalJson({ b: 2, a: [1] }), '{"a":[1],"b":2}')
    } finally {
      Reflect.deleteProperty(Array.prototype, 'toJSON')
    }
  })

  it('throws on a value that holds itself, and takes two hundred levels', () => {
    const ring: Record<string, unknown> = {}
    ring.self = ring
    const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

    assert.throws(() => canonicalJson(ring), TypeError)
    assert.throws(() => canonicalJson(deep(201)), TypeError)
    assert.equal(canonicalJson(deep(200)).length, 400)
  })

  it('gives the value back, and the same text again', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value)

        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
        assert.equal(canonicalJson(JSON.parse(text)), text)
      }),
    )
  })

  it('does not depend on the order in which keys were set', () => {
    fc.assert(
      fc.property(json, (value) => {
        assert.equal(canonicalJson(reversed(value)), canonicalJson(value))
      }),
    )
  })

  it('refuses exactly the strings that are not well formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', '\ud83d', '\ude00', 'é') }), (text) => {
        if (text.isWellFormed()) assert.equal(canonicalJson(text), JSON.stringify(text))
        else assert.throws(() => canonicalJson(text), TypeError)
      }),
    )
  })
})

describe('the public test data of RFC 8785', () => {
  const { cases } = JSON.parse(readFileSync(new URL('fixtures/jcs.json', import.meta.url), 'utf8'))
  for (const { name, input, outhex } of cases)
    it(`writes ${name} byte for byte`, () => {
      assert.equal(Buffer.from(canonicalJson(JSON.parse(input))).toString('hex'), outhex)
    })
})

function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reversed)
  const entries = Object.entries(value).map(([key, inner]) => [key, reversed(inner)] as const)
  return Object.fromEntries(entries.reverse())
}
