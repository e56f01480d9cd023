import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { folders } from '../../test/support/documents/folders.ts'
import { BatonError } from '../domain/errors.ts'
import { checkConfig } from './check.ts'
import type { ConfigProblem } from './file.ts'
import { loadConfig, parseConfig } from './file.ts'
import { ConfigSchema, configJsonSchema } from './schema.ts'

/** What is written, and what is said of it: line, column, field and words. */
const REFUSED: Readonly<Record<string, readonly [text: string, ...problems: readonly string[]]>> = {
  'a field that is not known': ['agnets: {}', '1:1 agnets: there is no such field; did you mean agents?'],
  'a field that is like no other': [
    'agents:\n  codex:\n    colour: red',
    '3:5 agents.codex.colour: there is no such field; write kind, roles, capabilities, limits, phase',
  ],
  'a field of a list': [
    "routes:\n  - from: '*'\n    two: [a]",
    '2:5 routes.0.to: it is missing; every entry here needs it',
    '3:5 routes.0.two: there is no such field; did you mean to?',
  ],
  'an agent name with a capital': [
    'agents:\n  Codex:',
    '2:3 agents.Codex: "Codex": write an agent name in small letters, digits, dots, dashes or underscores; did you mean codex?',
  ],
  'an agent name with an @': [
    "verification:\n  chief: '@Grok'",
    '2:10 verification.chief: "@Grok": write an agent name in small letters, digits, dots, dashes or underscores; did you mean grok?',
  ],
  'a kind that is not known': [
    'agents:\n  codex:\n    kind: humn',
    '3:11 agents.codex.kind: "humn" is not one of the words known here; did you mean human?',
  ],
  'a dialect in capitals': [
    'dialect: Markdown',
    '1:10 dialect: "Markdown" is not one of the words known here; did you mean markdown?',
  ],
  'a limit under zero and a broken one': [
    'agents:\n  codex:\n    limits:\n      outgoing: -1\n      incoming: 2.5',
    '4:17 agents.codex.limits.outgoing: -1 is too small; write at least 0',
    '5:17 agents.codex.limits.incoming: 2.5 is not a whole number; write a whole number such as 5',
  ],
  'a duration without a unit': [
    'deadlines:\n  native:\n    accept: 24',
    '3:13 deadlines.native.accept: 24: write a duration such as 90s, 15m, 4h or 2d (at most 3650d), or none',
  ],
  'a duration that is too long': [
    'deadlines:\n  native:\n    accept: 9999d',
    '3:13 deadlines.native.accept: "9999d": write a duration such as 90s, 15m, 4h or 2d (at most 3650d), or none',
  ],
  'a home that is not known': [
    'deadlines:\n  markdwon:\n    accept: 1h',
    '2:3 deadlines.markdwon: there is no such field; did you mean markdown?',
  ],
  'a word where a list is needed': [
    "routes:\n  - from: '*'\n    to: codex",
    '3:9 routes.0.to: "codex" is not a list; write [first, second], or lines that start with -',
  ],
  'an empty list': [
    "routes:\n  - {from: '*', to: []}",
    '2:21 routes.0.to: [] is too short a list; write at least 1',
  ],
  'a list where names are needed': [
    'agents: [codex]',
    '1:9 agents: ["codex"] is not a group of names; write the names on lines of their own, indented',
  ],
  'a word for yes where commands are listed': [
    'checks:\n  commands: yes',
    '2:13 checks.commands: "yes" is not a list; write [first, second], or lines that start with -',
  ],
  'a number for a word': ['workspace: 5', '1:12 workspace: 5 is not text; write it in quotes'],
  'a depth that is too large': [
    'depth_limit: 5000',
    '1:14 depth_limit: 5000 is too large; write at most 1000',
  ],
  'something that is no settings': [
    '- agents',
    '1:1 ["agents"] is not a group of fields; write the fields on lines of their own, indented',
  ],
  'a tab': ['agents:\n\tcodex:', '2:1 a tab is used to indent; use spaces'],
  'an @ that is not quoted': [
    'verification:\n  chief: @grok',
    '2:10 the value starts with a sign that YAML keeps for itself; leave it out, or quote the value',
  ],
  'a field that is given twice': [
    'dialect: queue\ndialect: block',
    '2:1 the field is given twice; keep one of them',
  ],
  'a bracket that is not closed': [
    'agents: {codex: {}',
    '1:19 Flow map in block collection must be sufficiently indented and end with a }; check the spaces, colons, brackets and quotes here',
  ],
  'an anchor and an alias': [
    'default_limits: &a\n  outgoing: 1\nagents:\n  codex:\n    limits: *a',
    '2:3 anchors and aliases (& and *) are not read here; write the value out, or quote it',
    '5:13 anchors and aliases (& and *) are not read here; write the value out, or quote it',
  ],
  'a tag': [
    'store: !env STORE',
    '1:8 tags (words with a leading !) are not read here; remove the tag, or quote the value',
  ],
  'a second document': [
    'dialect: queue\n---\nstore: x',
    '2:1 a second document starts here; remove the line ---',
  ],
  'settings of the server that cannot be': [
    'server:\n  pools: {writes: 0, reeds: 4}\n  timeouts: {query: 2h, request: 60}\n  log_level: debug\n  request_log: some\n  keep_alive: 0s',
    '2:19 server.pools.writes: 0 is too small; write at least 1',
    '2:22 server.pools.reeds: there is no such field; did you mean reads?',
    '3:21 server.timeouts.query: "2h": write a duration such as 30s or 2m, from 1s to 10m',
    '3:34 server.timeouts.request: 60: write a duration such as 30s or 2m, from 1s to 10m',
    '4:14 server.log_level: "debug" is not one of the words known here; write info, warn, error',
    '5:16 server.request_log: "some": write on, off, or a number such as 100 for one request in 100',
    '6:15 server.keep_alive: "0s": write a duration such as 30s or 2m, from 1s to 10m',
  ],
  'a slow read that may take longer than a query': [
    'server:\n  timeouts: {slow_read: 1m}',
    '2:25 server.timeouts.slow_read: "1m": a slow read is a query; write at most 30s, or a longer query timeout',
  ],
  'a name that every object has': [
    'agents:\n  __proto__: {kind: human}',
    '2:3 __proto__ cannot be a name; write another',
  ],
  'a name made of fields': ['? {a: 1}\n: 2', '1:3 the name of a field is a word; remove the brackets'],
}

describe('a baton.yaml', () => {
  it('sets everything that there is to set', async () => {
    const text = `
agents:
  codex: {kind: agent, roles: [verifier], capabilities: [typescript], limits: {outgoing: 5, incoming: 10}}
  maria: {kind: human}
  gemini:
default_limits: {outgoing: 20}
verification: {verifiers: [codex], chief: maria}
deadlines: {native: {accept: 24h}, markdown: {draft: 1h, accept: none}}
routes: [{from: '*', to: [codex, '*']}]
depth_limit: 8
dialect: markdown
store: postgres://localhost/baton
workspace: shop
workspaces: {team-a: postgres://db.example.com/baton}
checks: {commands: [npm test]}
server: {pools: {writes: 3}, timeouts: {query: 1m, slow_read: 40s}, keep_alive: 2m, log_level: warn, request_log: 100}
install: baton.example.com
`
    assert.deepEqual(await parseConfig(text, 'baton.yaml'), {
      agents: {
        codex: {
          kind: 'agent',
          roles: ['verifier'],
          capabilities: ['typescript'],
          limits: { outgoing: 5, incoming: 10 },
        },
        maria: { kind: 'human' },
        gemini: null,
      },
      default_limits: { outgoing: 20 },
      verification: { verifiers: ['codex'], chief: 'maria' },
      deadlines: { native: { accept: '24h' }, markdown: { draft: '1h', accept: 'none' } },
      routes: [{ from: '*', to: ['codex', '*'] }],
      depth_limit: 8,
      dialect: 'markdown',
      store: 'postgres://localhost/baton',
      workspace: 'shop',
      workspaces: { 'team-a': 'postgres://db.example.com/baton' },
      checks: { commands: ['npm test'] },
      server: {
        pools: { writes: 3 },
        timeouts: { query: '1m', slow_read: '40s' },
        keep_alive: '2m',
        log_level: 'warn',
        request_log: 100,
      },
      install: 'baton.example.com',
    })
  })

  for (const text of ['', '# nothing yet\n', 'agents:\nroutes:\n', 'null\n', '\uFEFF'])
    it(`may be empty, as ${JSON.stringify(text)} is`, async () => {
      assert.deepEqual(await parseConfig(text, 'baton.yaml'), {})
    })

  it('is the same to the quick look for comments as to the reader of YAML', async () => {
    const line = fc.string({
      unit: fc.constantFrom('#', ' ', '\t', '\r', 'a', ':', '-', '\u00a0', '\ufeff', '\0'),
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 4 }), async (lines) => {
        const text = lines.join('\n')
        const { config } = checkConfig(text)

        if (config) assert.deepEqual(await parseConfig(text, 'baton.yaml'), config)
        else await refusalOf(parseConfig(text, 'baton.yaml'))
      }),
      { numRuns: 2_000 },
    )
  })

  for (const [what, [text, ...expected]] of Object.entries(REFUSED))
    it(`is refused with the place and the mending for ${what}`, async () => {
      const refusal = await refusalOf(parseConfig(text, 'baton.yaml'))

      assert.equal(refusal.code, 'invalid_input')
      assert.deepEqual(
        refusal.message.split('\n'),
        expected.map((line) => `baton.yaml:${line}`),
      )
    })

  it('is told all its problems at once, in their order, as data too', async () => {
    const refusal = await refusalOf(
      parseConfig('depth_limit: 0\nagents:\n  A: {kind: x}\nstor: y', 'team/baton.yaml'),
    )
    const { file, problems } = refusal.details as { file: string; problems: readonly ConfigProblem[] }

    assert.equal(file, 'team/baton.yaml')
    assert.deepEqual(
      problems.map(({ line, column, field }) => ({ line, column, field })),
      [
        { line: 1, column: 14, field: 'depth_limit' },
        { line: 3, column: 3, field: 'agents.A' },
        { line: 4, column: 1, field: 'stor' },
      ],
    )
    assert.deepEqual(
      refusal.message.split('\n'),
      problems.map((p) => `team/baton.yaml:${p.line}:${p.column} ${p.field}: ${p.message}`),
    )
  })

  it('does not let the password of a store into a message', async () => {
    const refusal = await refusalOf(parseConfig('store: [postgres://u:canary@h/d]', 'baton.yaml'))

    assert.doesNotMatch(JSON.stringify([refusal.message, refusal.details]), /canary/)
  })

  // Each took between seconds and minutes, or ended the reader's stack, before the counting.
  const bombs = {
    brackets: '['.repeat(200_000),
    'brackets on lines of their own': '[\n'.repeat(100_000),
    'nested lists': '- '.repeat(20_000),
    'nested names': '? '.repeat(20_000),
    'nested fields': 'a: {'.repeat(60_000),
    'unknown fields': Array.from({ length: 24_000 }, (_, i) => `k${i}: 1`).join('\n'),
    tags: '!a '.repeat(80_000),
  }
  for (const [what, text] of Object.entries(bombs))
    it(`is refused soon when it is full of ${what}`, async () => {
      const started = process.cpuUsage().user
      const refusal = await refusalOf(parseConfig(text, 'baton.yaml'))

      assert.match(refusal.message, /nested too deeply|too many settings/)
      assert.ok((process.cpuUsage().user - started) / 1_000 < 2_000, 'it took more than two seconds')
    })

  it('says of many problems the first fifty and how many more there are', async () => {
    const text = Array.from({ length: 60 }, (_, i) => `k${i}: 1`).join('\n')
    const lines = (await refusalOf(parseConfig(text, 'baton.yaml'))).message.split('\n')

    assert.equal(lines.length, 51)
    assert.equal(lines.at(-1), 'baton.yaml has 10 more problems; fix these first')
  })
})

describe('the file of a baton.yaml', () => {
  it('is read', async (t) => {
    assert.deepEqual(await loadConfig(folders(t).file('baton.yaml', 'dialect: queue\n')), {
      dialect: 'queue',
    })
  })

  it('is missed with the way to make it', async (t) => {
    const file = folders(t).path('baton.yaml')

    await assert.rejects(loadConfig(file), {
      code: 'not_found',
      message: `there is no ${file}; run: baton init`,
    })
  })

  it('is at most 256 KB', async (t) => {
    const { file } = folders(t)
    const fits = '#'.repeat(256 * 1024)

    assert.deepEqual(await loadConfig(file('fits.yaml', fits)), {})
    await assert.rejects(loadConfig(file('large.yaml', `${fits}#`)), {
      code: 'invalid_input',
      message: /larger than 256 KB/,
    })
  })

  it('is UTF-8', async (t) => {
    const file = folders(t).path('baton.yaml')
    writeFileSync(file, Buffer.from([0x61, 0x3a, 0x20, 0xff]))

    await assert.rejects(loadConfig(file), {
      code: 'invalid_input',
      message: /not UTF-8 text; save it as UTF-8/,
    })
  })

  it('is no folder, no device and no pipe, none of which is waited for', async (t) => {
    const { path } = folders(t)
    mkdirSync(path('folder'))
    symlinkSync('/dev/zero', path('device'))
    execFileSync('mkfifo', [path('pipe')])

    for (const name of ['folder', 'device', 'pipe'])
      await assert.rejects(loadConfig(path(name)), { code: 'invalid_input', message: /it is not a file/ })
  })
})

describe('the JSON Schema of baton.yaml', () => {
  it('describes every field', () => {
    const bare: string[] = []
    const look = (node: Record<string, unknown>, path: string): void => {
      for (const [name, child] of Object.entries((node.properties ?? {}) as Record<string, typeof node>)) {
        if (typeof child.description !== 'string') bare.push(`${path}${name}`)
        look(child, `${path}${name}.`)
      }
      for (const inner of [node.additionalProperties, node.items, ...((node.anyOf as unknown[]) ?? [])])
        if (inner && typeof inner === 'object') look(inner as typeof node, `${path}*.`)
    }
    look(JSON.parse(configJsonSchema()), '')

    assert.deepEqual(bare, [])
    assert.ok(Object.keys(ConfigSchema.shape).length > 8)
  })

  it('refuses fields that are not known, so that editors mark them', () => {
    assert.equal(JSON.parse(configJsonSchema()).additionalProperties, false)
  })
})

async function refusalOf(work: Promise<unknown>): Promise<BatonError> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof BatonError, String(error))
  return error
}
