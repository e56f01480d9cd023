import fc from 'fast-check'
import type { Draft } from '../../../src/dialects/draft.ts'
import { PHASES } from '../../../src/domain/blocks/phases.ts'
import { TYPES } from '../../../src/domain/handoffs/handoff.ts'
import { STATES } from '../../../src/domain/lifecycle.ts'
import { PRIORITIES } from '../../../src/domain/priority.ts'

/** Characters that mean something to YAML, JSON or markdown, among letters. */
const LETTERS = [...'abcdeXYZ019 .-_:#"\'\\/@&*!|>%{}[]()<>=+`~,;?$^é→✅\u2028']
const line = fc
  .string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 30 })
  .map((text) => `w${text}`.trimEnd())
const TRICKY = [
  '15.10',
  'true',
  'null',
  '0012345',
  '1e5',
  '~',
  'yes',
  '- item',
  '# title',
  'a: b',
  '"quoted"',
]
const phrase = fc.oneof({ weight: 5, arbitrary: line }, { weight: 1, arbitrary: fc.constantFrom(...TRICKY) })
const text = fc.oneof(
  phrase,
  fc.array(line, { minLength: 2, maxLength: 4 }).map((lines) => lines.join('\n')),
)
const agent = fc.constantFrom('grok', 'claude', 'frontend-specialist', 'qa.agent', 'agent_7')
const time = fc
  .integer({ min: Date.UTC(2024, 0), max: Date.UTC(2027, 0) })
  .map((ms) => new Date(ms - (ms % 1000)).toISOString().replace('.000Z', 'Z'))
const count = fc.integer({ min: 0, max: 9 })
const phaseNumber = fc.integer({ min: 6, max: 16 })
const lines = fc.array(phrase, { minLength: 1, maxLength: 3 })
const key = fc.constantFrom('alpha', 'beta_2', 'gamma')
const scalar = fc.oneof(phrase, count, fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true }))
const data = fc.dictionary(key, scalar, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
const path = fc.constantFrom('src/login.ts', 'docs/plan.md', 'reports/')

/** A record whose keys may each be absent, and that is itself there only with one key at least. */
function some<T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> {
  return fc
    .record(model, { requiredKeys: [], noNullPrototype: true })
    .filter((made) => Object.keys(made).length > 0) as fc.Arbitrary<Partial<T>>
}

const artifact = fc.record({ path, description: phrase }, { requiredKeys: ['path'], noNullPrototype: true })
const pack = some({
  summary: text,
  purpose: text,
  context: text,
  data,
  decisions: fc.array(
    fc.record({ decision: phrase, rationale: phrase }, { requiredKeys: ['decision'], noNullPrototype: true }),
    {
      minLength: 1,
      maxLength: 2,
    },
  ),
  artifacts: fc.array(artifact, { minLength: 1, maxLength: 2 }),
  open_questions: fc.array(fc.record({ question: phrase }, { noNullPrototype: true }), {
    minLength: 1,
    maxLength: 2,
  }),
  deliverables: lines,
  criteria: lines,
  constraints: lines,
  input: data,
  links: fc.record({ meeting: phrase, skill: phrase }, { requiredKeys: [], noNullPrototype: true }),
})
const record = some({
  branch: fc.constantFrom('feature/p0-1-1-login', 'fix/x'),
  commit_sha: fc.constantFrom('a'.repeat(40), '1234567890123456789012345678901234567890'),
  tests_run: lines,
  summary: text,
  files_changed: fc.array(path, { minLength: 1, maxLength: 2 }),
})

/** Any draft at all. Most say far less than a dialect wants, as documents do. */
export const anyDraft: fc.Arbitrary<Draft> = fc.record(
  {
    id: fc.constantFrom('hoff-7', 'HO-2026-001', 'handoff-grok-claude-BPRD-2026-0042-20260221'),
    type: fc.constantFrom(...TYPES),
    state: fc.constantFrom(...STATES),
    from: agent,
    to: fc.oneof({ weight: 9, arbitrary: agent }, { weight: 1, arbitrary: fc.constant(null) }),
    to_reason: phrase,
    from_phase: phaseNumber,
    to_phase: phaseNumber,
    phase: fc.constantFrom(...PHASES),
    from_step: fc.oneof(count, fc.constantFrom('design', '2.1'), fc.constant(null)),
    title: phrase,
    task: fc.constantFrom('BPRD-2026-0042', 'P0.1.1', 'task-15.3'),
    project: fc.constantFrom('proj-001', 'shop'),
    priority: fc.constantFrom(...PRIORITIES),
    created_at: time,
    updated_at: time,
    accepted_at: time,
    accepted_by: agent,
    ack_notes: phrase,
    started_at: time,
    ended_at: time,
    ack_deadline: time,
    timeout_s: fc.integer({ min: 1, max: 900 }),
    retry_count: count,
    retry: some({ max: count, delay_s: count, multiplier: fc.integer({ min: 1, max: 3 }) }),
    on_failure: some({ retry: count, route_to: agent, notify: agent, context: phrase }),
    package: pack,
    input_schema: fc.constantFrom('component-input.json'),
    record,
    metrics: data,
    depends_on: fc.array(fc.constantFrom('task-15.10', '12', 'P0.1.2'), { minLength: 1, maxLength: 3 }),
    next_steps: lines,
    progress: fc.integer({ min: 0, max: 100 }),
    body: text,
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<Draft>

/** What an agent, an editor or a disk does to a document. */
export function mutated(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const at = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
  const piece = fc.constantFrom(
    ...[
      '',
      '\n',
      '\r\n',
      '---\n',
      '```\n',
      '```yaml\n',
      '  ',
      '\t',
      '"',
      "'",
      ':',
      ',',
      '{',
      '}',
      '[',
      ']',
      '@',
    ],
    ...[
      '#',
      '\u0000',
      '\ufeff',
      'null',
      '__proto__: 1\n',
      '"__proto__": {},',
      '&a',
      '*a',
      '!!js/function',
      '|\n',
    ],
  )
  const change = fc.tuple(at, at, piece, fc.boolean())
  return fc.tuple(text, fc.array(change, { maxLength: 4 })).map(([start, changes]) =>
    changes.reduce((now, [where, howMuch, insert, cutToEnd]) => {
      const from = Math.floor(where * now.length)
      const size = cutToEnd && howMuch > 0.9 ? now.length : Math.floor(howMuch * 12)
      return now.slice(0, from) + insert + now.slice(from + size)
    }, start),
  )
}
