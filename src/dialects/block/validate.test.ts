import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { PHASES, STATUSES } from '../../domain/blocks/phases.ts'
import { validateHandoff } from './validate.ts'

const GOOD = { phase: 'Testing', from: '@tester', to: '@builder', status: 'complete' }

const said = (handoff: unknown): string => {
  try {
    return String(validateHandoff(handoff))
  } catch (error) {
    assert.ok(error instanceof Error)
    return error.message
  }
}

type Block = Readonly<Partial<Record<'phase' | 'from' | 'to' | 'status', string | null | undefined>>>

/** Every sentence with its rule, in the order in which they are looked at. */
// biome-ignore format: read as a table
const RULES: readonly (readonly [string, (block: Block) => boolean])[] = [
  ['Missing required field: phase',         ({ phase }) => !!phase],
  ['Missing required field: from',          ({ from }) => !!from],
  ['Missing required field: to',            ({ to }) => !!to],
  ['Missing required field: status',        ({ status }) => !!status],
  ['Invalid phase: $phase',                 ({ phase }) => PHASES.some((known) => known === phase)],
  ['Invalid status: $status',               ({ status }) => STATUSES.some((known) => known === status)],
  ['Agent name must start with @: $from',   ({ from }) => from?.[0] === '@'],
  ['Agent name must start with @: $to',     ({ to }) => to?.[0] === '@' || to === 'None'],
]

describe('validateHandoff', () => {
  it('[S2-34] answers true for a good block and throws an error for any other', () => {
    assert.equal(validateHandoff(GOOD), true)
    assert.throws(() => validateHandoff({}), { name: 'Error', message: 'Missing required field: phase' })
    assert.throws(() => validateHandoff(null), /^Error: Missing required field: phase$/)
  })

  it('[S2-12] [S2-35] names the first missing field in the order phase, from, to, status', () => {
    const { phase, from, to } = GOOD

    assert.equal(said({}), 'Missing required field: phase')
    assert.equal(said({ phase }), 'Missing required field: from')
    assert.equal(said({ phase, from }), 'Missing required field: to')
    assert.equal(said({ phase, from, to }), 'Missing required field: status')
    assert.equal(said({ ...GOOD, to: null }), 'Missing required field: to')
    assert.equal(said({ ...GOOD, status: '' }), 'Missing required field: status')
  })

  it('[S2-13] [S2-36] takes the eight phases as written and refuses any other', () => {
    for (const phase of PHASES) assert.equal(said({ ...GOOD, phase }), 'true')
    assert.equal(said({ ...GOOD, phase: 'testing' }), 'Invalid phase: testing')
    assert.equal(said({ ...GOOD, phase: ['QA'] }), 'Invalid phase: QA')
  })

  it('[S2-16] [S2-37] takes the six statuses as written and refuses any other', () => {
    for (const status of STATUSES) assert.equal(said({ ...GOOD, status }), 'true')
    assert.equal(said({ ...GOOD, status: 'completed' }), 'Invalid status: completed')
    assert.equal(said({ ...GOOD, status: Object.create(null) }), 'Invalid status: [object Object]')
  })

  it('[S2-38] [S2-39] wants an @ before agents, and says so of numbers too', () => {
    assert.equal(said({ ...GOOD, from: 'tester' }), 'Agent name must start with @: tester')
    assert.equal(said({ ...GOOD, to: 'builder' }), 'Agent name must start with @: builder')
    assert.equal(said({ ...GOOD, from: 5 }), 'Agent name must start with @: 5')
    assert.equal(said({ ...GOOD, to: '@' }), 'true')
  })

  it('[S2-41] takes None for nobody in this spelling only', () => {
    assert.equal(said({ ...GOOD, to: 'None' }), 'true')
    assert.equal(said({ ...GOOD, to: 'none' }), 'Agent name must start with @: none')
    assert.equal(said({ ...GOOD, to: 'NONE' }), 'Agent name must start with @: NONE')
    assert.equal(said({ ...GOOD, from: 'None' }), 'Agent name must start with @: None')
  })

  it('[S2-40] looks for missing fields, then at phase, status, from and to, and says the first thing', () => {
    const all = { phase: 'x', status: 'x', from: 'x', to: 'y' }

    assert.equal(said({ ...all, to: '' }), 'Missing required field: to')
    assert.equal(said(all), 'Invalid phase: x')
    assert.equal(said({ ...all, phase: 'QA' }), 'Invalid status: x')
    assert.equal(said({ ...all, phase: 'QA', status: 'retry' }), 'Agent name must start with @: x')
    assert.equal(said({ ...GOOD, to: 'y' }), 'Agent name must start with @: y')
  })

  it('says the first rule that any four texts break, and true where they break none', () => {
    const any = fc.oneof(fc.constantFrom('None', 'none', 'testing', '', '@', null, undefined), fc.string())
    const block = fc.record(
      {
        phase: fc.oneof(fc.constantFrom(...PHASES), any),
        from: fc.oneof(fc.constant('@a'), any),
        to: fc.oneof(fc.constantFrom('@b', 'None'), any),
        status: fc.oneof(fc.constantFrom(...STATUSES), any),
      },
      { requiredKeys: [] },
    )

    fc.assert(
      fc.property(block, (handoff: Block) => {
        const broken = RULES.find(([, isKept]) => !isKept(handoff))?.[0]
        assert.equal(
          said(handoff),
          broken?.replace(/\$(\w+)/, (_, field: keyof Block) => String(handoff[field])) ?? 'true',
        )
      }),
      { numRuns: 300 },
    )
  })
})

describe('the words of a block', () => {
  it('[S2-23] are exported, so that all tools use one list', () => {
    assert.deepEqual(PHASES, [
      'Research',
      'Planning',
      'Infrastructure',
      'Implementation',
      'Testing',
      'Integration',
      'QA',
      'Complete',
    ])
    assert.deepEqual(STATUSES, ['pending', 'in_progress', 'complete', 'failed', 'blocked', 'retry'])
  })
})
