import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fieldsOf } from '../fields.ts'
import { MAX_DEPTH, MAX_JSON_LENGTH } from './limits.ts'
import { sourcesOf } from './sources.ts'

const PATHS = [undefined, 'x.json', 'x.yaml', 'x.md', 'x.txt']
// biome-ignore format: read as a table
const BITS = [
  '{', '}', '[', ']', '"', "'", ': ', ':', ',', '\n', '\r\n', '\n---\n', '...\n', '```yaml\n', '```\n', '````', '~~~', 'handoff:\n', '  ', '\t', '- ', '? ',
  '# ', '&a ', '*a', '|\n', '>+\n', '!x ', '@y', '`', '\\', '\u2028', '\ufeff', '\0', '__proto__', '<<: ', '%YAML 1.1', '//', '/*', '*/', '1e999', 'null',
  'é', '😀', '\ud800', 'key: value\n', 'a: b: c\n', '"k": 1', '---\n',
]
const SEEDS = [
  '---\nfrom_agent: a\nstatus: Active\nlist:\n  - x: 1\n---\n\n# T\n\n```yaml\nhandoff:\n  to: "@b"\n  text: |\n    one\n```\n',
  '{"source": {"agent_id": "a"}, "n": [1, 2.5e3, null, true], "t": "x\\n\\u00e9"}',
  'handoff:\n  from: {agent: a}\n  context:\n    - &x {k: v}\n    - *x\n---\nhandoff:\n  to: b\n',
]

const soup = fc.array(fc.oneof(fc.constantFrom(...BITS), fc.string({ unit: 'binary', maxLength: 5 })), {
  maxLength: 60,
})
const mutated = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(fc.tuple(fc.nat(), fc.nat(8), fc.constantFrom(...BITS)), { maxLength: 8 }),
  )
  .map(([seed, cuts]) =>
    cuts.reduce((text, [at, drop, bit]) => {
      const from = at % (text.length + 1)
      return text.slice(0, from) + bit + text.slice(from + drop)
    }, seed),
  )

describe('any text at all', () => {
  it('ends where the text ends, also when a document breaks off in a block text', () => {
    const text = '---\na: 1\n---\n\n```yaml\nhandoff:\n  to: "@b"{  text: |\n    one\n```\n'

    for (const { end } of sourcesOf(text, { path: 'x.yaml' })) assert.ok(end <= text.length)
  })

  it('gives sources with a value or an error that has a place, and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          soup.map((bits) => bits.join('')),
          mutated,
        ),
        fc.constantFrom(...PATHS),
        (text, path) => {
          const sources = sourcesOf(text, path === undefined ? {} : { path })
          assert.ok(sources.length > 0)
          for (const source of sources) {
            assert.ok(source.start >= 0 && source.start <= source.end && source.end <= text.length)
            assert.ok(
              source.value !== undefined || source.kind === 'markdown' || source.diagnostics.length > 0,
            )
            for (const { line, column } of source.diagnostics) assert.ok(line >= 1 && column >= 1)
            assert.equal(source.edit([]), text)
            assert.equal(typeof source.edit([{ path: ['a', 'b'], value: ': x\n' }]), 'string')
            readAll(source.value, source)
          }
        },
      ),
      { numRuns: 100 },
    )
  })

  it('[T14] pollutes no prototype', () => {
    for (const path of PATHS) {
      const options = path === undefined ? {} : { path }
      for (const text of [
        '{"__proto__": {"evil": 1}}',
        '__proto__:\n  evil: 1\n',
        '---\n__proto__: {evil: 1}\n---\n',
      ])
        for (const source of sourcesOf(text, options)) {
          source.edit([{ path: ['__proto__', 'evil'], value: 2 }])
          fieldsOf(source)?.rest()
        }
    }
    assert.equal(({} as Record<string, unknown>).evil, undefined)
  })
})

describe('JSON that asks too much', () => {
  it('is cut below a depth, also where it is strict', () => {
    for (const text of [
      '['.repeat(200_000),
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      '{"a":'.repeat(100_000),
    ]) {
      const [source] = sourcesOf(text, { path: 'x.json' })
      assert.equal(source!.diagnostics[0]!.code, 'too_deep')
      assert.ok(depthOf(source!.value) <= MAX_DEPTH)
    }
  })

  it('is refused beyond a length', () => {
    const [source] = sourcesOf(' '.repeat(MAX_JSON_LENGTH + 1), { path: 'x.json' })
    assert.equal(source!.diagnostics[0]!.code, 'too_large')
  })
})

describe('the time to read a text', () => {
  // biome-ignore format: read as a table
  const cases: Readonly<Record<string, readonly [path: string, part: string]>> = {
    'keys in brackets':      ['x.json', '{"a": [1, "b"]}\n'],
    'commas':                ['x.json', '[,'],
    'backslashes':           ['x.json', '"\\\\\\"'],
    'comments':              ['x.json', '/**/'],
    'fences':                ['x.md', '```yaml\nhandoff:\n'],
    'bare blocks':           ['x.md', '---\nhandoff:\n  a: 1\n'],
    'keys with no content':  ['x.md', 'handoff:\n\n\n'],
    'rules':                 ['x.md', '---\n'],
    'lines that are broken': ['x.yaml', 'a: b: c\n'],
    'keys':                  ['x.yaml', 'a: @b\n'],
    'aliases':               ['x.yaml', '- &a x\n- *a\n'],
    'documents':             ['x.yaml', '---\na: 1\n'],
    'open brackets':         ['x.yaml', 'a: [\n'],
  }
  for (const [name, [path, part]] of Object.entries(cases))
    it(`grows with its length, not faster: ${name}`, () => {
      const small = part.repeat(Math.ceil(4000 / part.length))
      const large = small.repeat(4)
      // The same length in four pieces and in one: a reader that is linear needs the same time for both.
      const ratio = bestRatio(
        () => sourcesOf(large, { path }),
        () => [1, 2, 3, 4].map(() => sourcesOf(small, { path })),
      )
      assert.ok(ratio < 2.5, `${ratio}`)
    })
})

function readAll(value: unknown, source: Parameters<typeof fieldsOf>[0]): void {
  const fields = fieldsOf(source)
  if (!fields) return
  for (const key of Object.keys(value as object)) {
    fields.text(key)
    fields.agent(key)
    fields.time(key)
    fields.list(key)
    fields.number(key)
    fields.each(key)
    fields.below(key)
    source.raw([key])
  }
  for (const { line, column } of fields.diagnostics) assert.ok(line >= 1 && column >= 1)
}

function depthOf(value: unknown): number {
  return typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0
}

/** The first's time against the second's, each in its best round, turn by turn: the machine may be busy. */
function bestRatio(first: () => unknown, second: () => unknown): number {
  const times = Math.ceil(5 / Math.max(millisecondsOf(second, 1), 0.1))
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number]
  const started = performance.now()
  for (let round = 0; round < 4 || (round < 12 && performance.now() - started < 1_000); round++) {
    best[0] = Math.min(best[0], millisecondsOf(first, times))
    best[1] = Math.min(best[1], millisecondsOf(second, times))
  }
  return best[0] / best[1]
}

/** Of the processor: a process that has to wait for its turn would count as slow. */
function millisecondsOf(run: () => unknown, times: number): number {
  const started = process.cpuUsage()
  for (let time = 0; time < times; time++) run()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000
}
