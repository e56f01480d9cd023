import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { convertText } from './convert.ts'

const request = (more: object): string =>
  JSON.stringify({
    handoff_id: 'hoff-101-1767261600000',
    timestamp: '2026-01-01T10:00:00Z',
    source: { agent_id: '@orchestrator', phase: 10, agent_type: 'orchestrator' },
    target: { agent_id: '@react-agent', phase: 13, agent_type: 'specialist' },
    context: { project: 'shop' },
    input: { schema: 'react.input.schema.json', data: { pages: 3 } },
    ...more,
  })

const failure = JSON.stringify({
  handoff_id: 'hoff-101-1767261600000',
  status: 'failed',
  failed_at: '2026-01-01T10:10:00Z',
  timestamp_failed: '2026-01-01T10:10:01Z',
  source: { agent_id: '@react-agent', phase: 13 },
  target: { agent_id: '@orchestrator', phase: 10 },
  max_retries: 3,
  retry_policy: { max_retries: 0 },
  error: { error_code: 'TIMEOUT', error_message: 'It took too long' },
})

const block = (context: string): string => `\`\`\`yaml
handoff:
  phase: Implementation
  from: "@a"
  to: "@b"
  status: complete
  context:
${context}
\`\`\`
`

const namedIn = (text: string, path: string, slot = true): readonly string[] =>
  convertText({ text, path, to: path.endsWith('.md') ? 'package' : 'queue', slot }).losses.map(
    ({ field, reason }) => `${field}: ${reason}`,
  )

const FAILED = 'handoffs/failed/hoff-101-1767261600000.json'
const QUEUE = 'handoffs/pending/hoff-101-1767261600000.json'

describe('what reading a document changes', () => {
  it('is named when it is converted, with the slot too', () => {
    const cases: readonly (readonly [string, string, string])[] = [
      [
        request({ timestamp: '2026-01-01T10:00:00.123456Z' }),
        QUEUE,
        'timestamp: 2026-01-01T10:00:00.123456Z',
      ],
      [request({ started_at: '2026-01-01T12:00:00+02:00' }), QUEUE, 'started_at: 2026-01-01T12:00:00+02:00'],
      [request({ priority: 'urgent' }), QUEUE, 'priority: urgent is read as critical'],
      [failure, FAILED, 'max_retries: 3 is read as 0'],
      [failure, FAILED, 'failed_at: 2026-01-01T10:10:00Z is read as'],
      [block('    version: 1.10'), 'summary.md', 'handoff.context.version: 1.10 is read as 1.1'],
    ]

    for (const [text, path, named] of cases)
      for (const slot of [true, false]) {
        const losses = namedIn(text, path, slot)
        assert.ok(
          losses.some((loss) => loss.startsWith(named)),
          `${named}: ${JSON.stringify(losses)}`,
        )
      }
    assert.deepEqual(namedIn(request({}), QUEUE), [])
    const floats = request({}).replace('"pages":3', '"pages":3.0,"most":1e3,"share":0.10000000000000001')
    assert.deepEqual(namedIn(floats, QUEUE), [])
  })

  it('is not called lost where the other format writes the same word under the same key', () => {
    const path = 'examples/documents/_handoffs/active/handoff-grok-claude-BPRD-2026-0042-20261118.md'
    const text = readFileSync(path, 'utf8').replace(/^status: .*$/m, 'status: pending')

    const { text: written, losses } = convertText({ text, path, to: 'package' })

    assert.match(written, /^ {2}status: pending$/m)
    assert.ok(!losses.some(({ field }) => field === 'status'), JSON.stringify(losses))
  })

  it('is no digit of a number: what is more than a number holds is kept as text, with a warning', () => {
    const sha = '1234567890123456789012345678901234567890'
    const big = request({ input: { schema: 's.json', data: { big: 0 } } }).replace(
      '"big":0',
      '"big":12345678901234567890',
    )
    const markdown = block(`    sha: ${sha}\n    commit: 12e4567`)

    const [queue, blocks] = [
      convertText({ text: big, path: QUEUE, to: 'package', slot: true }),
      convertText({ text: markdown, path: 'summary.md', to: 'package' }),
    ]

    assert.match(queue.text, /big: "12345678901234567890"/)
    assert.match(blocks.text, new RegExp(`sha: "${sha}"`))
    assert.match(blocks.text, /commit: "12e4567"/)
    for (const { diagnostics } of [queue, blocks])
      assert.ok(diagnostics.some(({ code }) => code === 'long_number'))
  })
})
