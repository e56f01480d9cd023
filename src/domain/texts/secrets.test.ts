import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { secretIn, secretsIn, withoutSecrets } from './secrets.ts'

/** Random enough, and the same in every run; put together here so that no file of ours holds a key. */
const chance = (length: number, upper = false): string => {
  let text = ''
  for (let i = 0; text.length < length; i += 1)
    text += createHash('sha256').update(`seed ${i}`).digest('base64').replaceAll(/[+/=]/g, '')
  return (upper ? text.toUpperCase() : text).slice(0, length)
}
const join_ = (...parts: string[]) => parts.join('')
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const PLANTED: Readonly<Record<string, readonly string[]>> = {
  'an AWS access key': [join_('AK', 'IA', chance(16, true)), join_('AS', 'IA', chance(16, true))],
  'a GitHub token': [
    ...['p', 'o', 'u', 's', 'r'].map((letter) => join_('gh', letter, '_', chance(36))),
    join_('github', '_pat_', chance(22), '_', chance(59)),
  ],
  'a GitLab token': [join_('glp', 'at-', chance(20))],
  'a Slack token': [
    join_('xo', 'xb-', '263594206564-', chance(24)),
    join_('xo', 'xp-', '263594206564-', chance(24)),
    join_('xa', 'pp-1-', chance(40)),
  ],
  'a Slack webhook': [
    join_('https://hooks.', 'slack.com/services/T', chance(8, true), '/B', chance(8, true), '/', chance(24)),
  ],
  'a Google API key': [join_('AI', 'za', chance(35))],
  'a Google client secret': [join_('GOC', 'SPX-', chance(28))],
  'a Stripe key': [
    join_('sk_', 'live_', chance(24)),
    join_('rk_', 'live_', chance(24)),
    join_('wh', 'sec_', chance(32)),
  ],
  'an API key of a model': [
    join_('sk', '-', chance(48)),
    join_('sk', '-proj-', chance(64)),
    join_('sk', '-ant-', 'api03-', chance(86), '-', chance(8)),
  ],
  'a private key': [
    String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
    String(
      generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs1', format: 'pem' }),
    ),
    JSON.stringify(
      String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
    ),
  ],
  'a JSON web token': [
    join_(part({ alg: 'HS256', typ: 'JWT' }), '.', part({ sub: 'a', iat: 1 }), '.', chance(43)),
  ],
  'an npm token': [join_('np', 'm_', chance(36))],
  'a password in an address': [
    join_('postgres://app:', 'h7Kq', '9vLm2@db.internal:5432/app'),
    join_('https://deploy:', 'Tr0ub4', 'dor@git.internal/x.git'),
    join_('redis://:', 'q9Zx', '7Yw2@cache:6379'),
  ],
}

describe('a secret in a text', () => {
  it('is found where something hidden stands in it, which readers do not get', () => {
    for (const [kind, [key = '']] of Object.entries(PLANTED))
      for (const hidden of ['\u200b', '\u00ad', '\u202e', '\u001b[0m', '\u{e0041}'])
        assert.equal(secretIn(`Use ${key.slice(0, 3)}${hidden}${key.slice(3)} for it.`), kind)
  })

  it('is found whatever its kind, alone and inside a sentence', () => {
    for (const [kind, keys] of Object.entries(PLANTED))
      for (const key of keys) {
        assert.equal(secretIn(key), kind, kind)
        assert.equal(secretIn(`Use this: "${key}", and nothing else.\nThen go on.`), kind, kind)
        assert.equal(secretIn(`KEY=${key}`), kind, kind)
      }
  })

  it('is told by its field and kind, never by its value', () => {
    const key = PLANTED['an npm token']![0]!
    const found = secretsIn({
      summary: 'Fine',
      evidence: [{ evidence: key }],
      data: { env: { a: [key] }, [key]: 1 },
    })

    assert.deepEqual(found, [
      { field: 'evidence[0].evidence', kind: 'an npm token' },
      { field: 'data.env.a[0]', kind: 'an npm token' },
      { field: 'a name in data', kind: 'an npm token' },
    ])
    assert.ok(!JSON.stringify(found).includes(key))
  })

  it('gives way to its kind where the text has to be kept, and no part of it is left', () => {
    for (const [kind, keys] of Object.entries(PLANTED))
      for (const key of keys) {
        const kept = withoutSecrets(`Use "${key}", and "${key}".\nThen go on.`)
        assert.equal(secretIn(kept), undefined, kind)
        assert.ok(kept.startsWith('Use "') && kept.includes(`[${kind}]`), kept)
        assert.ok(kept.endsWith('Then go on.'), kept)
        for (const from of [key.length >> 1, key.length - 12])
          assert.ok(!kept.includes(key.slice(from, from + 10)) || kind === 'a password in an address', kept)
        const hidden = withoutSecrets(`Use ${key.slice(0, 3)}\u200b${key.slice(3)} for it.`)
        assert.equal(secretIn(hidden), undefined, kind)
      }
    assert.equal(withoutSecrets('Nothing in it: https://example.com'), 'Nothing in it: https://example.com')
  })

  it('is not seen where there is none', () => {
    const harmless = [
      'Set AKIAIOSFODNN7EXAMPLE in the sample', // the sample of AWS's own documents
      'The keys look like sk-... and ghp_...; glpat-xxxxxxxxxxxxxxxxxxxx',
      'npm_config_registry and npm_package_json are variables',
      'sk-learn-compatible-transformers-for-everything-we-have-here',
      'task-force-of-the-risk-committee-and-the-desk-reservation-system',
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----',
      'a file that begins with -----BEGIN PRIVATE KEY----- must never be committed',
      'postgres://user:password@localhost/db, postgres://\u0024{USER}:\u0024{PASS}@host/db, postgres://postgres:postgres@db',
      'https://example.com:8080/path@2, http://[::1]:4180/x@y, git@github.com:a/b.git',
      'mongodb://<user>:<password>@cluster/x and redis://:****@cache',
      'the claim eyJhbGciOiJIUzI1NiJ9 alone is a header',
      `sha256 ${'0123456789abcdef'.repeat(4)} and commit ${'a1b2c3d4e5'.repeat(4)}`,
      'whsec_ and sk_live_ are prefixes; sk_test_4eC39HqLyjWDarjtT1zdp7dc is for tests',
      'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
    ]

    for (const text of harmless) assert.equal(secretIn(text), undefined, text)
  })

  it('is seen in none of the fixtures and published samples', () => {
    const root = resolve(import.meta.dirname, '../../..')
    const files = globSync('{src/**,test}/fixtures/**/*.{md,yaml,json}', { cwd: root })

    assert.ok(files.length > 50)
    const found = files
      .map((name) => [name, secretIn(readFileSync(join(root, name), 'utf8'))])
      .filter(([, kind]) => kind !== undefined)
    assert.deepEqual(found, [])
  })

  it('is looked for in time that grows with the text and no faster', () => {
    const hostile = [
      'eyJ'.repeat(30_000),
      'a://b:'.repeat(20_000),
      `-----BEGIN ${'A '.repeat(40_000)}`,
      'sk-'.repeat(40_000),
    ]

    for (const text of hostile) assert.equal(secretIn(text), undefined)
  })

  it('[T13] is looked for in about the same time in texts that begin like a key again and again', () => {
    const cpuOf = (value: unknown): number => {
      secretsIn(value)
      const before = process.threadCpuUsage()
      assert.deepEqual(secretsIn(value), [])
      return process.threadCpuUsage(before).user
    }
    const plain = cpuOf(`${'any word '.repeat(50_000)}sk-`)

    const texts = ['-eyJ', 'sk-ant-', 'a://b:'].map((start) => start.repeat(450_000 / start.length))
    for (const value of [
      ...texts,
      Array(40_000).fill('-eyJabcdefgh'),
      Array(40_000).fill('AKIAIOSFODNN7EXAMPLE'),
    ]) {
      const hostile = cpuOf(value)
      assert.ok(hostile < 60_000 + 5 * plain, `${value.slice(0, 20)}: ${hostile} µs, plain words ${plain} µs`)
    }
  })

  it('is found behind what begins like it', () => {
    const keys = ['a JSON web token', 'an API key of a model'].flatMap((kind) => PLANTED[kind] ?? [])
    for (const start of ['-eyJ', 'sk-ant-'])
      for (const key of keys) assert.notEqual(secretIn(`${start.repeat(3)}-${key}`), undefined, start + key)
  })
})
