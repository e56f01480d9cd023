import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readEnvironment } from '../config/config.ts'
import { AgentName } from '../domain/agent.ts'
import { confirmed, known, personOnly, resolveActor, toAgentName } from './identity.ts'

const maria = { ...readEnvironment({}), user: 'maria', uid: 1000 }
const claude = { ...maria, codingAgent: 'CLAUDECODE' }

describe('who is calling', () => {
  it('is the system user, a person, when nobody else is named', () => {
    assert.deepEqual(resolveActor({ environment: maria, isTerminal: true }), {
      actor: { name: 'maria', kind: 'human', auth: 'os-user' },
      why: 'the system user, because neither --as nor BATON_AGENT names someone else',
    })
  })

  it('is the agent that BATON_AGENT names', () => {
    assert.deepEqual(resolveActor({ environment: { ...maria, agent: '@Codex' }, isTerminal: false }), {
      actor: { name: 'codex', kind: 'agent', auth: 'os-user' },
      why: 'named by BATON_AGENT',
    })
  })

  it('is the one that --as names, before BATON_AGENT, whose other name is kept beside it', () => {
    assert.deepEqual(
      resolveActor({ as: 'gemini', environment: { ...maria, agent: 'codex' }, isTerminal: false }),
      {
        actor: { name: 'gemini', kind: 'agent', auth: 'os-user', doubt: 'BATON_AGENT named codex' },
        why: 'named by --as',
      },
    )
  })

  it('is a person when --as names the system user', () => {
    const { actor } = resolveActor({ as: 'Maria', environment: claude, isTerminal: false })

    assert.deepEqual(actor, { name: 'maria', kind: 'human', auth: 'os-user' })
  })

  it('is of the kind that the workspace knows', () => {
    const kinds = new Map([
      ['omar', 'human'],
      ['crew', 'pool'],
    ] as const)
    const kindOf = (name: string) => kinds.get(name as 'omar') ?? 'agent'

    assert.deepEqual(
      ['omar', 'crew', 'codex', 'maria'].map(
        (as) => known(resolveActor({ as, environment: maria, isTerminal: false }).actor, kindOf).kind,
      ),
      ['human', 'pool', 'agent', 'human'],
    )
  })

  it('has to be said under a coding agent, and the refusal names the variable', () => {
    assert.throws(() => resolveActor({ environment: claude, isTerminal: false }), {
      code: 'not_allowed',
      message:
        'CLAUDECODE shows that a coding agent is calling, and it did not say which: add --as <name> or set BATON_AGENT',
      details: { variable: 'CLAUDECODE' },
    })
  })

  it('may be a person at a terminal that a coding agent opened, who is told what to unset', () => {
    assert.throws(() => resolveActor({ environment: claude, isTerminal: true }), {
      message: /or unset CLAUDECODE if you are a person$/,
    })
  })

  it('is taken under a coding agent that says its name either way', () => {
    const by = [
      resolveActor({ as: 'codex', environment: claude, isTerminal: false }),
      resolveActor({ environment: { ...claude, agent: 'codex' }, isTerminal: false }),
    ]

    assert.deepEqual(
      by.map(({ actor }) => actor.name),
      ['codex', 'codex'],
    )
  })

  it('is refused under a name that no agent can have, saying where it came from', () => {
    assert.throws(() => resolveActor({ as: 'the boss', environment: maria, isTerminal: true }), {
      code: 'invalid_input',
      message: /^--as is "the boss": an agent name is letters/,
    })
    assert.throws(() => resolveActor({ environment: { ...maria, agent: '../x' }, isTerminal: true }), {
      message: /^BATON_AGENT is "..\/x"/,
    })
  })

  it('is read as the schema of agent names reads it, whatever is written', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^ ?@?[A-Za-z0-9._@-]{0,66} ?$/))
    fc.assert(
      fc.property(text, (as) => {
        const expected = AgentName.safeParse(as)
        const read = () => resolveActor({ as, environment: maria, isTerminal: false }).actor.name
        if (expected.success) assert.equal(read(), expected.data)
        else assert.throws(read, { code: 'invalid_input' })
      }),
    )
  })
})

describe("a system user's name as an agent name", () => {
  for (const [user, name] of [
    ['maria', 'maria'],
    ['Joséphine', 'josephine'],
    ['CORP\\Maria.K', 'corp-maria.k'],
    ['build agent', 'build-agent'],
    ['_www', 'www'],
    ['мария', 'user-7'],
    ['', 'user-7'],
  ] as const)
    it(`is ${name} for ${JSON.stringify(user)}`, () => {
      assert.equal(toAgentName(user, 7), name)
    })

  it('is valid, whatever the user is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (user) => {
        assert.equal(AgentName.parse(toAgentName(user)), toAgentName(user))
      }),
    )
  })
})

describe('what is for people only', () => {
  const person = { name: 'maria', kind: 'human', auth: 'os-user' } as const

  it('is open to a person who confirmed at the terminal, or who has a token', () => {
    assert.deepEqual(confirmed(person), { ...person, auth: 'tty' })
    personOnly(confirmed(person), 'gate_decide')
    personOnly({ ...person, auth: 'token' }, 'gate_decide')
  })

  for (const auth of ['os-user', 'file', 'engine'] as const)
    it(`is closed to a person known only by ${auth}, with the way out`, () => {
      assert.throws(() => personOnly({ ...person, auth }, 'gate_decide'), {
        code: 'not_allowed',
        message: /nothing shows that maria is at the keyboard; run it at a terminal$/,
        details: { operation: 'gate_decide', actor: 'maria', kind: 'human', auth },
      })
    })

  for (const kind of ['agent', 'orchestrator', 'specialist', 'pool'] as const)
    it(`is closed to a caller of kind ${kind}, even at a terminal`, () => {
      assert.throws(() => personOnly({ name: 'codex', kind, auth: 'tty' }, 'gate_decide'), {
        code: 'not_allowed',
        message: new RegExp(`gate_decide is for people only, and codex is of kind ${kind}; ask a person`),
      })
    })
})
