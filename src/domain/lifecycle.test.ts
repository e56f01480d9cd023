import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  decide,
  ENDS,
  isEnd,
  isHeld,
  isOpen,
  ROLES,
  type Role,
  STATES,
  type State,
  statesFor,
  TRANSITIONS,
} from './lifecycle.ts'

/** The rows of REQUIREMENTS 7.2, each with its own sentence there. `>` stands for "after asking from". */
const CANONICAL: Readonly<Record<string, readonly string[]>> = {
  'draft → offered: send, sender only': ['sender: draft -send-> offered'],
  'draft → expired: now ≥ ack_deadline': ['clock: draft -expire-> expired'],
  'offered → accepted: acknowledge, receiver only': ['receiver: offered -accept-> accepted'],
  'offered → in_progress: claim': ['receiver: offered -claim-> in_progress'],
  'offered → needs_input: partial acknowledgment, or to a person': [
    'receiver: offered -ask-> needs_input',
    'sender: offered -await_person-> needs_input',
  ],
  'offered → rejected: receiver declines': ['receiver: offered -reject-> rejected'],
  'offered → expired: now ≥ ack_deadline': ['clock: offered -expire-> expired'],
  'offered → failed: reaper': ['clock: offered -time_out-> failed'],
  'accepted → in_progress: start': ['receiver: accepted -start-> in_progress'],
  'accepted → rejected: receiver returns': ['receiver: accepted -reject-> rejected'],
  'accepted, in_progress → needs_input: question': [
    'receiver: accepted -ask-> needs_input',
    'receiver: in_progress -ask-> needs_input',
  ],
  'needs_input → offered: sender amended': ['sender: needs_input -amend-> offered'],
  'needs_input → accepted / in_progress: question answered': [
    'sender: needs_input > accepted -answer-> accepted',
    'sender: needs_input > in_progress -answer-> in_progress',
  ],
  'needs_input → completed: a person approves': ['person: needs_input -approve-> completed'],
  'needs_input → needs_input: a person questions': ['person: needs_input -question-> needs_input'],
  'needs_input → rejected: a person rejects, or the receiver declines': [
    'person: needs_input -decline-> rejected',
    'receiver: needs_input -reject-> rejected',
  ],
  'in_progress ⇄ blocked': [
    'receiver: in_progress -block-> blocked',
    'receiver: blocked -unblock-> in_progress',
  ],
  'accepted, in_progress → in_review: submit': [
    'receiver: accepted -submit-> in_review',
    'receiver: in_progress -submit-> in_review',
  ],
  'in_progress, in_review → completed: guard of the home': [
    'completer: in_progress -complete-> completed',
    'completer: in_review -complete-> completed',
  ],
  'in_review → in_progress: verification refused': ['verifier: in_review -refuse-> in_progress'],
  'in_progress, in_review, blocked → rejected': [
    'receiver: in_progress -reject-> rejected',
    'receiver: in_review -reject-> rejected',
    'receiver: blocked -reject-> rejected',
  ],
  'in_progress, blocked → failed: error': [
    'receiver: in_progress -fail-> failed',
    'receiver: blocked -fail-> failed',
  ],
  'in_progress → retry_wait: error, attempts left': ['receiver: in_progress -retry_later-> retry_wait'],
  'retry_wait, failed → offered: retry': [
    'clock: retry_wait -retry-> offered',
    'sender: retry_wait -retry-> offered',
    'sender: failed -retry-> offered',
  ],
  'retry_wait → in_progress: retry in place': ['receiver: retry_wait -retry_in_place-> in_progress'],
  'any non-terminal → cancelled: sender': [
    'sender: draft -cancel-> cancelled',
    'sender: offered -cancel-> cancelled',
    'sender: accepted -cancel-> cancelled',
    'sender: in_progress -cancel-> cancelled',
    'sender: blocked -cancel-> cancelled',
    'sender: needs_input -cancel-> cancelled',
    'sender: in_review -cancel-> cancelled',
    'sender: retry_wait -cancel-> cancelled',
  ],
}

/** Rows that go beyond 7.2, each with its reason. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  'a sender may mend what nobody has taken yet': [
    'sender: draft -amend-> draft',
    'sender: offered -amend-> offered',
  ],
  'a silent holder loses the work (DESIGN, leases): 7.2 has only the reported error': [
    'clock: accepted -time_out-> failed',
    'clock: in_progress -time_out-> failed',
    'clock: blocked -time_out-> failed',
    'clock: accepted -retry_later-> retry_wait',
    'clock: in_progress -retry_later-> retry_wait',
    'clock: blocked -retry_later-> retry_wait',
  ],
  'handoff_reassign (DESIGN, operations): the sender gives the work to another receiver': [
    'sender: offered -reassign-> offered',
    'sender: accepted -reassign-> offered',
    'sender: in_progress -reassign-> offered',
    'sender: blocked -reassign-> offered',
    'sender: failed -reassign-> offered',
  ],
  'the sender edits work in progress; the receiver sees the difference before it submits': [
    'sender: accepted -amend-> accepted',
    'sender: in_progress -amend-> in_progress',
    'sender: blocked -amend-> blocked',
  ],
  'a receiver that goes away gives the work back without a failure': [
    'receiver: accepted -release-> offered',
    'receiver: in_progress -release-> offered',
    'receiver: blocked -release-> offered',
    'receiver: needs_input > accepted -release-> needs_input',
    'receiver: needs_input > in_progress -release-> needs_input',
  ],
  'an answer leads back to where the question was asked, also to an offer or a gate': [
    'sender: needs_input > offered -answer-> offered',
    'sender: needs_input > needs_input -answer-> needs_input',
  ],
  'a policy may let silence of a person expire (DESIGN, people are receivers)': [
    'clock: needs_input -approve-> completed',
    'clock: needs_input -expire-> expired',
  ],
}

const COMMANDS = [...new Set(TRANSITIONS.map(({ command }) => command))]

/** Every cell that is allowed: role, state, command, and where it asked for input from. */
function allowedCells(): string[] {
  return STATES.flatMap((state) =>
    COMMANDS.flatMap((command) =>
      ROLES.flatMap((role) => {
        const plain = decide(state, command, [role])
        if (plain.ok) return [`${role}: ${state} -${command}-> ${plain.to}`]
        return STATES.flatMap((resume) => {
          const cell = decide(state, command, [role], resume)
          return cell.ok ? [`${role}: ${state} > ${resume} -${command}-> ${cell.to}`] : []
        })
      }),
    ),
  )
}

describe('the lifecycle of a handoff', () => {
  it('allows exactly these cells of state × command × role', () => {
    const listed = [...Object.values(CANONICAL), ...Object.values(OURS)].flat()

    assert.deepEqual(allowedCells().sort(), listed.sort())
  })

  for (const [row, cells] of Object.entries(CANONICAL))
    it(`has the row of the requirements "${row}"`, () => {
      const allowed = allowedCells()

      assert.deepEqual(
        cells.filter((cell) => !allowed.includes(cell)),
        [],
      )
    })

  for (const [reason, cells] of Object.entries(OURS))
    it(`goes beyond the requirements because ${reason}`, () => {
      const allowed = allowedCells()

      assert.deepEqual(
        cells.filter((cell) => !allowed.includes(cell)),
        [],
      )
    })

  it('has no pair of state and command twice for one role and one state to go back to', () => {
    const keys = TRANSITIONS.map(
      ({ from, command, by, resume }) => `${from} ${command} ${by} ${resume ?? ''}`,
    )

    assert.deepEqual(
      keys.filter((key, i) => keys.indexOf(key) !== i),
      [],
    )
  })

  it('answers the same for an actor of several roles as for the best of them', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...STATES),
        fc.constantFrom(...COMMANDS),
        fc.subarray([...ROLES]),
        fc.option(fc.constantFrom(...STATES), { nil: undefined }),
        (state, command, roles, resume) => {
          const together = decide(state, command, new Set(roles), resume)
          const alone = roles.map((role) => decide(state, command, [role], resume))

          assert.equal(
            together.ok,
            alone.some((decision) => decision.ok),
          )
        },
      ),
    )
  })

  it('tells a wrong state from a wrong caller, and who may instead', () => {
    assert.deepEqual(decide('completed', 'cancel', ['sender']), { ok: false, code: 'wrong_state' })
    assert.deepEqual(decide('offered', 'accept', ['sender', 'verifier']), {
      ok: false,
      code: 'not_allowed',
      needs: ['receiver'],
    })
    assert.deepEqual(decide('retry_wait', 'retry', []), {
      ok: false,
      code: 'not_allowed',
      needs: ['clock', 'sender'],
    })
  })

  it('reaches every state from a draft', () => {
    const reached = new Set<State>(['draft'])
    // A set that grows while it is walked gives the new ones too.
    for (const state of reached) for (const row of TRANSITIONS) if (row.from === state) reached.add(row.to)

    assert.deepEqual([...reached].sort(), [...STATES].sort())
  })

  it('leaves an end only where a failure is retried or given to another', () => {
    const exits = TRANSITIONS.filter(({ from }) => isEnd(from))

    assert.deepEqual(
      exits.map(({ from, command }) => `${from} -${command}`),
      ['failed -retry', 'failed -reassign'],
    )
  })

  it('[S0-31] never leaves completed, rejected, expired or cancelled, whatever is sent by whomever', () => {
    const step = fc.record({
      command: fc.constantFrom(...COMMANDS),
      roles: fc.subarray<Role>([...ROLES], { minLength: 1 }),
      resume: fc.option(fc.constantFrom(...STATES), { nil: undefined }),
    })
    const final = fc.constantFrom<State>('completed', 'rejected', 'expired', 'cancelled')
    fc.assert(
      fc.property(
        fc.constantFrom(...STATES),
        fc.array(step, { maxLength: 60 }),
        final,
        (start, steps, end) => {
          let state: State = start
          let ended = false
          for (const { command, roles, resume } of steps) {
            const decision = decide(state, command, roles, resume)
            if (ended) assert.equal(decision.ok, false, `${state} -${command}`)
            if (decision.ok) state = decision.to
            ended = state !== 'failed' && isEnd(state)
            assert.equal(decide(end, command, roles, resume).ok, false, `${end} -${command}`)
          }
        },
      ),
    )
  })
})

describe('the kinds of states', () => {
  it('calls five of them ends and the other eight open', () => {
    assert.deepEqual(ENDS, ['completed', 'failed', 'rejected', 'expired', 'cancelled'])
    assert.deepEqual(STATES.filter(isOpen), [
      'draft',
      'offered',
      'accepted',
      'in_progress',
      'blocked',
      'needs_input',
      'in_review',
      'retry_wait',
    ])
    assert.deepEqual(STATES.filter(isEnd), ENDS)
  })

  it('calls those held in which a receiver must not lose its work to another', () => {
    assert.deepEqual(STATES.filter(isHeld), ['accepted', 'in_progress', 'blocked', 'in_review'])
  })

  it('knows what a command may be applied to, each state once', () => {
    assert.deepEqual(statesFor('retry'), ['retry_wait', 'failed'])
    assert.deepEqual(statesFor('answer'), ['needs_input'])
    assert.deepEqual(statesFor('cancel'), STATES.filter(isOpen))
  })
})
