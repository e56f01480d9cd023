import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { asOfAnother, folders } from '../../test/support/documents/folders.ts'
import type { Config, Environment } from '../config/config.ts'
import { parseConfig } from '../config/file.ts'
import { workspaceAt } from './find.ts'
import { trust, trustState } from './trust.ts'

const TEXT = 'store: postgres://localhost/baton\nchecks:\n  commands: [npm test]\n'
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const read = async (text: string) => ({ text, config: await parseConfig(text, 'baton.yaml') })
const asked = async (root: string, text: string, environment: Environment, stored?: string) =>
  trustState(workspaceAt(root, 'folder'), await read(text), environment, stored)
const given = async (root: string, text: string, environment: Environment) =>
  trust(workspaceAt(root, 'folder'), await parseConfig(text, 'baton.yaml'), environment)

describe('the trust in a baton.yaml', () => {
  it('is not there at first, and the settings that wait for it are named and not in force', async (t) => {
    const { environment, folder } = folders(t)
    const { hash, keep, ...state } = await asked(folder('project'), `${TEXT}depth_limit: 3\n`, environment)

    assert.deepEqual(state, {
      trusted: false,
      needs: ['checks.commands', 'depth_limit', 'store'],
      waiting: ['checks.commands', 'store'],
      config: { depth_limit: 3 },
    })
  })

  it('is kept for the settings that need it, and other edits ask nothing', async (t) => {
    const { environment, folder } = folders(t)
    const project = folder('project')
    await given(project, TEXT, environment)

    for (const [text, trusted] of [
      [TEXT, true],
      [`# more\n${TEXT}dialect: queue\ninstall: baton.example.com\npeople: {remind: 4h}\n`, true],
      ['checks: {commands: ["npm test"]}\nstore: "postgres://localhost/baton"', true],
      [TEXT.replace('localhost', 'elsewhere'), false],
      [TEXT.replace('npm test', 'npm run evil'), false],
      ['', false],
    ] as const)
      assert.equal((await asked(project, text, environment)).trusted, trusted, text)
  })

  it('keeps its last version in force until a person trusts another', async (t) => {
    const { environment, folder } = folders(t)
    const project = folder('project')
    const before =
      'agents: {codex: {limits: {incoming: 2}}, maria: {kind: human}}\nroutes: [{from: codex, to: [maria]}]\n'
    const after =
      'agents: {codex: {roles: [pm], capabilities: [sql]}, evil: {}, maria: {}}\nroutes: [{from: "*", to: ["*"]}]\ndepth_limit: 9\ndialect: queue\n'
    await given(project, before, environment)

    const { config, waiting } = await asked(project, after, environment)
    assert.deepEqual(config, {
      agents: { codex: { capabilities: ['sql'], limits: { incoming: 2 } }, maria: { kind: 'human' } },
      routes: [{ from: 'codex', to: ['maria'] }],
      dialect: 'queue',
    })
    assert.deepEqual(
      new Set(waiting),
      new Set(['agents', 'agents[].roles', 'agents[].limits', 'agents[].kind', 'routes', 'depth_limit']),
    )
    assert.deepEqual((await asked(project, '', environment)).config.routes, config.routes)
    await given(project, after, environment)
    assert.deepEqual((await asked(project, before, environment)).config.depth_limit, 9)
    assert.deepEqual((await asked(project, after, environment)).config, (await read(after)).config)
  })

  it('restricts by the version that the store keeps where this home knows none, and grants nothing', async (t) => {
    const { environment, folder } = folders(t)
    const kept = await given(
      folder('elsewhere'),
      'depth_limit: 3\nverification: {chief: evil}\n',
      environment,
    )
    const text = 'depth_limit: 900\nverification: {chief: codex}\n'

    const { config, waiting } = await asked(folder('project'), text, environment, kept)
    assert.deepEqual([config, waiting], [{ depth_limit: 3 }, ['depth_limit', 'verification']])
    for (const broken of ['', '{', '[]', '{"settings": {"depth_limit": "x"}}', '{"settings": {"a\\nb": 1}}'])
      assert.deepEqual((await asked(folder('project'), text, environment, broken)).config, {
        depth_limit: 900,
      })
  })

  it('is not shared with another folder that holds the same text', async (t) => {
    const { environment, folder } = folders(t)
    await given(folder('project'), TEXT, environment)

    assert.equal((await asked(folder('clone'), TEXT, environment)).trusted, false)
  })

  it("is kept under the user's home, for the user alone, with nothing left over", async (t) => {
    const { environment, folder, path } = folders(t)
    const project = folder('project')
    await given(project, TEXT, environment)

    const name = `${hashOf(project)}.json`
    assert.deepEqual(readdirSync(path('.baton/trust')), [name])
    assert.deepEqual(
      ['.baton', '.baton/trust', join('.baton/trust', name)].map((each) => statSync(path(each)).mode & 0o777),
      [0o700, 0o700, 0o600],
    )
  })

  it('is passed in BATON_TRUST by CI, by the hash of the text or of its guarded settings', async (t) => {
    const first = folders(t)
    const { hash } = await asked(first.folder('project'), TEXT, first.environment)
    for (const listed of [hashOf(TEXT).toUpperCase(), `baton.local/x, ${hash}`]) {
      const { environment, folder } = folders(t, { CI: 'true', BATON_TRUST: listed })

      assert.equal((await asked(folder('project'), TEXT, environment)).trusted, true)
      assert.equal(
        (await asked(folder('project'), `${TEXT}notify: []`, environment)).trusted,
        listed.includes(hash),
      )
      assert.equal((await asked(folder('project'), TEXT.replace('npm', 'yarn'), environment)).trusted, false)
    }
  })

  it('is for the settings that were looked at: neither 0.1.0 nor BATON_TRUST covers what decides', async (t) => {
    const decides =
      'folders: [{dialect: package, path: ., accept: [gate]}]\nagents: {eve: {kind: human, roles: [pm]}}\nverification: {verifiers: [eve]}\npeople: {silence: {policy: expire, after: 1h}}\n'
    const { environment, file, folder } = folders(t)
    const project = folder('project')
    const used: Config = {
      store: 'postgres://localhost/baton',
      checks: { commands: ['npm test'] },
      folders: [{ dialect: 'package', path: '.' }],
      agents: { eve: {} },
    }

    for (const each of [TEXT, TEXT + decides]) {
      file(`.baton/trust/${hashOf(project)}.json`, JSON.stringify({ root: project, sha256: hashOf(each) }))
      assert.equal((await asked(project, each, environment)).trusted, each === TEXT)
    }
    assert.deepEqual((await asked(project, TEXT + decides, environment)).config, used)
    const elsewhere = folders(t, { BATON_TRUST: hashOf(TEXT + decides) }).environment
    const { config, trusted, waiting } = await asked(project, TEXT + decides, elsewhere)
    assert.deepEqual([config, trusted], [used, false])
    assert.deepEqual(waiting.toSorted(), [
      'agents[].kind',
      'agents[].roles',
      'folders[].accept',
      'people.silence',
      'verification',
    ])
  })

  it('is not taken from a file that another user wrote', async (t) => {
    const { environment, folder, path } = folders(t)
    const project = folder('project')
    await given(project, TEXT, environment)
    const caller = asOfAnother(environment, path('.baton/trust', `${hashOf(project)}.json`))

    assert.equal((await asked(project, TEXT, caller)).trusted, false)
  })

  it('is not taken from a file that is broken', async (t) => {
    const { environment, file, folder } = folders(t)
    const project = folder('project')
    const sha256 = hashOf(TEXT)

    for (const content of [
      '',
      '{',
      'null',
      '[]',
      '{"sha256": null}',
      JSON.stringify({ sha256, settings: {} }),
    ]) {
      file(`.baton/trust/${hashOf(project)}.json`, content)
      assert.equal((await asked(project, TEXT, environment)).trusted, false)
    }
  })

  it('says so when it cannot be kept', async (t) => {
    const { environment, file, folder, path } = folders(t)
    file('home', 'a file where the folder should be')

    await assert.rejects(given(folder('project'), TEXT, { ...environment, home: path('home') }), {
      code: 'unavailable',
      message: /cannot be written \(.*\); check your home folder, or set BATON_HOME to a writable one/,
    })
  })

  for (const [text, waiting] of [
    ['depth_limit: 3', []],
    ['checks: {commands: []}', []],
    ['store:\nchecks:', []],
    ['routes: []\nagents: {codex: }', []],
    ['{"store": "x"}', ['store']],
    ['folders: [{dialect: queue, path: x, accept: []}]', []],
    ['folders: [{dialect: queue, path: x, accept: [gate]}]', ['folders[].accept']],
    ['agents: {pool: {kind: pool}}', []],
    ['', []],
  ] as const)
    it(`is asked for by ${JSON.stringify(waiting)} in ${JSON.stringify(text)}`, async (t) => {
      const { environment, folder } = folders(t)
      const state = await asked(folder('project'), text, environment)

      assert.deepEqual(state.waiting, waiting)
      if (waiting.length === 0)
        assert.deepEqual(Object.entries(state.config), Object.entries(plain(await read(text))))
    })
})

/** Agents without settings are listed by their names. */
const plain = ({ config }: { config: Config }): Config => ({
  ...config,
  ...(config.agents && {
    agents: Object.fromEntries(Object.entries(config.agents).map(([name, agent]) => [name, agent ?? {}])),
  }),
})
