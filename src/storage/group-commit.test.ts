import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { BatonError } from '../domain/errors.ts'
import { type BatchResult, GroupCommit, mergeReads, type Outcome, TransactionLost } from './group-commit.ts'
import type { DueItem, Unit, View } from './store.ts'

const NO_VIEW = {} as View

/** A unit that answers its name. */
const named = (name: string, at = '2026-01-01T00:00:00.000Z'): Unit<string> => ({
  reads: { agents: [name] },
  at,
  decide: () => name,
})
const nameOf = (unit: Unit<unknown>): string => unit.reads.agents?.[0] ?? '?'

/** Decides as an engine does: each unit for itself. */
const decideAll = (units: readonly Unit<unknown>[]): BatchResult => ({
  outcomes: units.map((each): Outcome => {
    try {
      return { ok: true, value: each.decide(NO_VIEW) }
    } catch (error) {
      return { ok: false, error }
    }
  }),
})

function group(
  run: (units: readonly Unit<unknown>[], settled: ReadonlySet<string> | 'skip') => Promise<BatchResult>,
  options: { readonly lanes?: number; readonly maxBatch?: number } = {},
): GroupCommit {
  return new GroupCommit({ run, lanes: 1, maxBatch: 100, ...options })
}

describe('group commit', () => {
  it('does not let a lone caller wait for company', async () => {
    let begun = 0
    const commit = group(async (units) => {
      begun += 1
      return decideAll(units)
    })

    const call = commit.submit(named('a'))
    await turn()
    await turn()

    assert.equal(begun, 1)
    assert.equal(await call, 'a')
  })

  it('puts callers of one turn into one transaction, in the order in which they came', async () => {
    const batches: string[][] = []
    const commit = group(async (units) => {
      batches.push(units.map(nameOf))
      return decideAll(units)
    })

    const answers = await Promise.all(['a', 'b', 'c'].map((name) => commit.submit(named(name))))

    assert.deepEqual(answers, ['a', 'b', 'c'])
    assert.deepEqual(batches, [['a', 'b', 'c']])
  })

  it('gathers whoever comes while a transaction is under way into the next one', async () => {
    const batches: string[][] = []
    const gate = Promise.withResolvers<void>()
    const commit = group(async (units) => {
      batches.push(units.map(nameOf))
      if (batches.length === 1) await gate.promise
      return decideAll(units)
    })

    const first = commit.submit(named('a'))
    await until(() => batches.length === 1)
    const later = ['b', 'c', 'd'].map((name) => commit.submit(named(name)))
    await turn()
    gate.resolve()
    await Promise.all([first, ...later])

    assert.deepEqual(batches, [['a'], ['b', 'c', 'd']])
  })

  it('keeps to its lanes and to the size of a batch', async () => {
    let running = 0
    let most = 0
    const sizes: number[] = []
    const gate = Promise.withResolvers<void>()
    const commit = group(
      async (units) => {
        running += 1
        most = Math.max(most, running)
        sizes.push(units.length)
        await gate.promise
        running -= 1
        return decideAll(units)
      },
      { lanes: 3, maxBatch: 4 },
    )

    const calls = Array.from({ length: 30 }, (_, i) => commit.submit(named(`u${i}`)))
    await until(() => running === 3)
    for (let i = 0; i < 5; i++) await turn()
    gate.resolve()
    await Promise.all(calls)

    assert.equal(most, 3)
    assert.deepEqual(sizes, [4, 4, 4, 4, 4, 4, 4, 2])
  })

  for (const [callers, sizes] of [
    [23, [23]],
    [24, [12, 12]],
    [33, [17, 16]],
  ] as const)
    it(`spreads ${callers} callers over two free lanes as ${sizes.join(' and ')}`, async () => {
      const batches: string[][] = []
      const gate = Promise.withResolvers<void>()
      const commit = group(
        async (units) => {
          batches.push(units.map(nameOf))
          await gate.promise
          return decideAll(units)
        },
        { lanes: 2 },
      )

      const names = Array.from({ length: callers }, (_, i) => `u${i}`)
      const calls = names.map((name) => commit.submit(named(name)))
      for (let i = 0; i < 5; i++) await turn()
      gate.resolve()

      assert.deepEqual(await Promise.all(calls), names)
      assert.deepEqual(
        batches.map(({ length }) => length),
        sizes,
      )
      assert.deepEqual(batches.flat(), names)
    })

  it('keeps lanes equal when one has more callers than the other', async () => {
    const sizes: number[] = []
    const gates: (() => void)[] = []
    const commit = group(
      async (units) => {
        sizes.push(units.length)
        await new Promise<void>((open) => gates.push(open))
        return decideAll(units)
      },
      { lanes: 2 },
    )
    const submit = (count: number) => Array.from({ length: count }, (_, i) => commit.submit(named(`u${i}`)))

    const first = submit(8)
    await until(() => sizes.length === 1)
    const later = submit(24)
    await until(() => sizes.length === 2)
    assert.deepEqual(sizes, [8, 16])
    gates.shift()?.()
    await Promise.all(first)
    await until(() => sizes.length === 3)
    for (const open of gates) open()
    await Promise.all(later)

    assert.deepEqual(sizes, [8, 16, 8])
  })

  it('answers nobody before the transaction has ended', async () => {
    const gate = Promise.withResolvers<void>()
    const commit = group(async (units) => {
      const result = decideAll(units)
      await gate.promise
      return result
    })
    let answered = false

    const call = commit.submit(named('a')).then(() => {
      answered = true
    })
    for (let i = 0; i < 5; i++) await turn()
    assert.equal(answered, false)
    gate.resolve()
    await call
  })

  it('gives each caller its own outcome, whatever the others’ are', async () => {
    const plan = fc.array(fc.constantFrom('answer', 'refuse', 'poison'), { minLength: 1, maxLength: 20 })

    await fc.assert(
      fc.asyncProperty(plan, async (kinds) => {
        const commit = group(async (units) => {
          if (units.some((each) => nameOf(each).endsWith('poison')))
            throw new TransactionLost(new BatonError('conflict', 'poison'))
          return decideAll(units)
        })

        const outcomes = await Promise.allSettled(
          kinds.map((kind, i) =>
            commit.submit({
              ...named(`${i} ${kind}`),
              decide: () => {
                if (kind === 'refuse') throw new BatonError('wrong_state', `${i}`)
                return i
              },
            }),
          ),
        )

        assert.deepEqual(
          outcomes.map((o) => (o.status === 'fulfilled' ? o.value : o.reason.message)),
          kinds.map((kind, i) => (kind === 'answer' ? i : kind === 'refuse' ? `${i}` : 'poison')),
        )
      }),
      { numRuns: 50 },
    )
  })
})

describe('a lost transaction', () => {
  it('is tried again, and a lone unit gets through', async () => {
    let tries = 0
    const commit = group(async (units) => {
      tries += 1
      if (tries < 12) throw new TransactionLost(new BatonError('unavailable', 'deadlock'))
      return decideAll(units)
    })

    const started = performance.now()

    assert.equal(await commit.submit(named('a')), 'a')
    assert.equal(tries, 12)
    assert.ok(performance.now() - started < 5_000)
  })

  it('is given up after a number of tries, with the reason', async () => {
    let tries = 0
    const commit = group(async () => {
      tries += 1
      throw new TransactionLost(new BatonError('unavailable', 'always'))
    })

    await assert.rejects(commit.submit(named('a')), { code: 'unavailable', message: 'always' })
    assert.equal(tries, 12)
  })

  for (const [why, error] of [
    [
      'the engine says that it would be in vain',
      new TransactionLost(new BatonError('unavailable', 'full'), false),
    ],
    ['the reason is one that stays', new TransactionLost(new BatonError('conflict', 'taken'))],
    ['it may have taken effect', new BatonError('unavailable', 'unknown outcome')],
  ] as const)
    it(`is not tried again when ${why}`, async () => {
      let tries = 0
      const commit = group(async () => {
        tries += 1
        throw error
      })

      await assert.rejects(commit.submit(named('a')), { name: 'BatonError' })
      assert.equal(tries, 1)
    })

  it('runs each unit of its batch again alone, and only that one fails which is to blame', async () => {
    const batches: string[][] = []
    const commit = group(async (units) => {
      batches.push(units.map(nameOf))
      if (units.some((each) => nameOf(each) === 'bad'))
        throw new TransactionLost(new BatonError('conflict', 'taken'), false)
      return decideAll(units)
    })

    const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map((name) => commit.submit(named(name))))

    assert.deepEqual(batches, [['a', 'bad', 'b'], ['a'], ['bad'], ['b']])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })
})

describe('what is due', () => {
  const due: readonly DueItem[] = [{ uid: 'h1', kind: 'expire' }]

  it('is settled in a transaction of its own before the units are judged', async () => {
    const log: string[] = []
    const commit = group(async (units, settled) => {
      log.push(`${units.map(nameOf)} ${settled === 'skip' ? 'skip' : [...settled]}`)
      if (settled !== 'skip' && settled.size === 0) return { due }
      return decideAll(units)
    })
    commit.onDue((items, at) => items.map(({ uid }) => named(`settle-${uid}`, at)))

    assert.equal(await commit.submit(named('a')), 'a')

    assert.deepEqual(log, ['a ', 'settle-h1 skip', 'a h1'])
  })

  it('is settled at the latest instant of the batch', async () => {
    const instants: string[] = []
    const commit = group(async (units, settled) =>
      settled !== 'skip' && settled.size === 0 ? { due } : decideAll(units),
    )
    commit.onDue((_, at) => {
      instants.push(at)
      return []
    })

    await Promise.all(['2026-01-01', '2026-01-03', '2026-01-02'].map((at) => commit.submit(named('a', at))))

    assert.deepEqual(instants, ['2026-01-03'])
  })

  it('is counted for whoever asked only for that, and shares no transaction with units', async () => {
    const batches: string[][] = []
    const commit = group(async (units, settled) => {
      if (settled !== 'skip') batches.push(units.map(nameOf))
      if (settled !== 'skip' && settled.size === 0) return { due: [...due, { uid: 'h2', kind: 'lease' }] }
      return decideAll(units)
    })
    commit.onDue(() => [])

    const answers = await Promise.all([
      commit.submit(named('a')),
      commit.settle('2026-01-01'),
      commit.submit(named('b')),
    ])

    assert.deepEqual(answers, ['a', 2, 'b'])
    assert.deepEqual(batches, [['a'], ['a'], ['?'], ['?'], ['b'], ['b']])
  })

  it('does not keep the units from being judged when it cannot be settled', async () => {
    let singles = 0
    const commit = group(async (units, settled) => {
      if (settled === 'skip') {
        if (units.length === 1) singles += 1
        throw new TransactionLost(new BatonError('conflict', 'cannot'))
      }
      return settled.size === 0 ? { due: [...due, { uid: 'h2', kind: 'retry' }] } : decideAll(units)
    })
    commit.onDue((items) => items.map(({ uid }) => named(uid)))

    assert.equal(await commit.submit(named('a')), 'a')
    assert.equal(singles, 2)
  })
})

describe('draining', () => {
  it('ends when nothing is queued or under way, settling included', async () => {
    const gate = Promise.withResolvers<void>()
    const commit = group(async (units) => {
      await gate.promise
      return decideAll(units)
    })
    let drained = false
    const calls = [commit.submit(named('a')), commit.settle('2026-01-01')]
    const end = commit.drained().then(() => {
      drained = true
    })

    for (let i = 0; i < 5; i++) await turn()
    assert.equal(drained, false)
    gate.resolve()
    await Promise.all(calls)
    await end
    await commit.drained()
  })
})

describe('the reads of a batch', () => {
  it('are merged without repeats and in one order', () => {
    const merged = mergeReads([
      unitReading({ handoffs: ['b', 'a'], counted: ['z', 'y'], tasks: ['t2'], claim: 'codex', numbers: 2 }),
      unitReading({ handoffs: ['a', 'c'], counted: ['y', 'x'], tasks: ['t1'], claim: 'codex', numbers: 1 }),
      unitReading({ idem: { actor: 'a', op: 'o', key: 'k' }, contents: ['a'], notices: ['n'] }),
      unitReading({ latest: [{ task: 't1', from: 'a', to: 'b' }] }),
    ])

    assert.deepEqual(merged, {
      handoffs: ['a', 'b', 'c'],
      contents: ['a'],
      agents: [],
      counted: ['x', 'y', 'z'],
      tasks: ['t1', 't2'],
      streams: [],
      notices: ['n'],
      sessions: [],
      runs: [],
      blocks: [],
      deliveries: [],
      numbers: 3,
      at: '',
      year: '',
      claims: new Map([['codex', 2]]),
      idems: [{ actor: 'a', op: 'o', key: 'k' }],
      pairs: [{ task: 't1', from: 'a', to: 'b' }],
    })
  })

  it('of a lone unit have the keys that are locked in order too', () => {
    const merged = mergeReads([unitReading({ counted: ['b', 'a'], tasks: ['2', '1'], handoffs: ['y', 'x'] })])

    assert.deepEqual(
      [merged.counted, merged.tasks],
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    )
  })
})

const unitReading = (reads: Unit<unknown>['reads']): Unit<unknown> => ({
  reads,
  at: '',
  decide: () => undefined,
})

async function until(look: () => boolean): Promise<void> {
  for (let i = 0; i < 1_000 && !look(); i++) await turn()
  assert.ok(look())
}
