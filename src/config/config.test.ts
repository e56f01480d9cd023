import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_POLICY } from '../domain/policy.ts'
import { type Config, readEnvironment } from './config.ts'
import { parseDuration, toPolicy } from './policy.ts'

const CODING_AGENTS = [
  'CLAUDECODE',
  'CLAUDE_CODE',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CODEX_THREAD_ID',
  'CODEX_CI',
  'GEMINI_CLI',
  'CURSOR_AGENT',
  'AI_AGENT',
  'COPILOT_CLI',
  'OPENCODE',
  'OPENCODE_CLIENT',
  'QWEN_CODE',
  'AMP_CURRENT_THREAD_ID',
  'AUGMENT_AGENT',
  'GOOSE_TERMINAL',
  'CLINE_ACTIVE',
  'ANTIGRAVITY_AGENT',
  'PI_CODING_AGENT',
]

describe('the environment', () => {
  it('is read from the variables that start with BATON_', () => {
    const { agent, workspace, url, token, store, trust, home } = readEnvironment({
      BATON_AGENT: 'codex',
      BATON_WORKSPACE: '/srv/project',
      BATON_URL: 'https://baton.example.com',
      BATON_TOKEN: 'secret',
      BATON_STORE: 'postgres://localhost/baton',
      BATON_TRUST: 'abc',
      BATON_HOME: '/srv/home',
      HOME: '/home/maria',
    })

    assert.deepEqual(
      { agent, workspace, url, token, store, trust, home },
      {
        agent: 'codex',
        workspace: '/srv/project',
        url: 'https://baton.example.com',
        token: 'secret',
        store: 'postgres://localhost/baton',
        trust: 'abc',
        home: '/srv/home',
      },
    )
  })

  it('holds nothing where a variable is missing or empty', () => {
    const { user, uid, ...rest } = readEnvironment({ HOME: '/home/maria', BATON_AGENT: '', BATON_STORE: ' ' })

    assert.deepEqual(rest, {
      home: '/home/maria',
      userHome: '/home/maria',
      ci: false,
      noColor: false,
      debug: false,
    })
    assert.ok(user.length > 0)
    assert.equal(uid, process.getuid?.())
  })

  for (const variable of CODING_AGENTS)
    it(`shows a coding agent by ${variable}`, () => {
      assert.equal(readEnvironment({ [variable]: '1' }).codingAgent, variable)
    })

  it('shows no coding agent by what people set themselves, or by a variable that is switched off', () => {
    const own = {
      CODEX_HOME: '/home/maria/.codex',
      CODEX_API_KEY: 'k',
      CODEX_BASE_URL: 'https://example.com',
    }
    const off = { CLAUDECODE: '0', GEMINI_CLI: '', CURSOR_AGENT: 'false' }

    assert.equal(readEnvironment({ ...own, ...off }).codingAgent, undefined)
  })

  for (const variable of ['CI', 'CONTINUOUS_INTEGRATION', 'JENKINS_URL', 'TF_BUILD', 'TEAMCITY_VERSION'])
    it(`shows CI by ${variable}`, () => {
      assert.equal(readEnvironment({ [variable]: 'true' }).ci, true)
    })

  it('shows no CI where CI=false, which some tools set', () => {
    assert.equal(readEnvironment({ CI: 'false' }).ci, false)
  })

  it('asks for no colour when NO_COLOR holds anything or the terminal is dumb', () => {
    const asked = [
      { NO_COLOR: '1' },
      { NO_COLOR: '0' },
      { NO_COLOR: '' },
      { TERM: 'dumb' },
      { TERM: 'xterm' },
    ]

    assert.deepEqual(
      asked.map((env) => readEnvironment(env).noColor),
      [true, true, false, true, false],
    )
  })
})

describe('a duration', () => {
  it('is a number and a unit, in milliseconds', () => {
    assert.deepEqual(
      ['90s', '15m', '4h', '2d', '1s', '3650d'].map(parseDuration),
      [90_000, 900_000, 14_400_000, 172_800_000, 1_000, 315_360_000_000],
    )
  })

  for (const text of [
    '',
    '4',
    'h',
    '0s',
    '1.5h',
    '-1h',
    '1h30m',
    '4 h',
    '4H',
    '1w',
    '3651d',
    '9'.repeat(20),
    'none',
  ])
    it(`is refused when it is ${JSON.stringify(text)}, with what to write`, () => {
      assert.throws(() => parseDuration(text), {
        code: 'invalid_input',
        message: /is not a duration; write a number with s, m, h or d, for example 15m/,
      })
    })

  it('is between a second and ten years, or refused', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 12 }), fc.constantFrom('s', 'm', 'h', 'd'), (count, unit) => {
        let ms: number | undefined
        try {
          ms = parseDuration(`${count}${unit}`)
        } catch {
          return
        }
        assert.ok(ms >= 1_000 && !Number.isNaN(new Date(Date.UTC(2026, 0) + ms).getTime()))
      }),
    )
  })
})

describe('a policy', () => {
  it('is the usual one without a configuration, and with an empty one', () => {
    assert.equal(toPolicy(undefined), DEFAULT_POLICY)
    assert.deepEqual(toPolicy({}), DEFAULT_POLICY)
  })

  it('holds what the configuration sets', () => {
    const agents: Config['agents'] = {
      codex: { kind: 'agent', limits: { outgoing: 5 } },
      ['constructor' as string]: { kind: 'human' },
      pool: null,
    }
    const policy = toPolicy({
      agents,
      default_limits: { incoming: 20 },
      verification: { verifiers: ['maria'], chief: 'omar' },
      deadlines: { native: { accept: '2d' }, markdown: { draft: '15m', accept: 'none' }, queue: {} },
      routes: [{ from: '*', to: ['codex'] }],
      depth_limit: 3,
    })

    assert.deepEqual(
      { ...policy, agents: { ...policy.agents } },
      {
        agents: { ...agents, pool: {} },
        defaultLimits: { incoming: 20 },
        verifiers: ['maria'],
        chief: 'omar',
        deadlines: { native: { offeredMs: 172_800_000 }, markdown: { draftMs: 900_000, offeredMs: 'none' } },
        routes: [{ from: '*', to: ['codex'] }],
        depthLimit: 3,
      },
    )
  })

  it('lists no agent by the names that every object has', () => {
    const { agents } = toPolicy({ agents: { codex: {} } })

    assert.deepEqual(
      ['constructor', 'toString', '__proto__'].map((name) => agents?.[name]),
      [undefined, undefined, undefined],
    )
  })
})
