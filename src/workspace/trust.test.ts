import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { asOfAnother, folders } from '../../test/support/documents/folders.ts'
import type { Config } from '../config/config.ts'
import { applyTrust } from '../config/guarded-settings.ts'
import { workspaceAt } from './find.ts'
import { trust, trustState } from './trust.ts'

const TEXT = 'store: postgres://localhost/baton\nchecks:\n  commands: [npm test]\n'
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

describe('the trust in a baton.yaml', () => {
  it('is not there at first, and the settings that wait for it are named', (t) => {
    const { environment, folder } = folders(t)

    assert.deepEqual(trustState(workspaceAt(folder('project'), 'folder'), TEXT, environment), {
      trusted: false,
      hash: hashOf(TEXT),
      needs: ['store', 'checks.commands'],
      covered: [],
    })
  })

  it('is kept for the very text that was trusted, and any change asks again', (t) => {
    const { environment, folder } = folders(t)
    const workspace = workspaceAt(folder('project'), 'folder')
    trust(workspace, TEXT, environment)
    const texts = [TEXT, `${TEXT}\n`, `# ${TEXT}`, TEXT.replace('localhost', 'elsewhere'), '']

    assert.deepEqual(
      texts.map((text) => trustState(workspace, text, environment).trusted),
      [true, false, false, false, false],
    )
  })

  it('is given anew after a change, and then no longer to the text before', (t) => {
    const { environment, folder } = folders(t)
    const workspace = workspaceAt(folder('project'), 'folder')
    trust(workspace, TEXT, environment)
    trust(workspace, `${TEXT}\n`, environment)

    assert.equal(trustState(workspace, `${TEXT}\n`, environment).trusted, true)
    assert.equal(trustState(workspace, TEXT, environment).trusted, false)
  })

  it('is not shared with another folder that holds the same text', (t) => {
    const { environment, folder } = folders(t)
    trust(workspaceAt(folder('project'), 'folder'), TEXT, environment)

    assert.equal(trustState(workspaceAt(folder('clone'), 'folder'), TEXT, environment).trusted, false)
  })

  it("is kept under the user's home, for the user alone, with nothing left over", (t) => {
    const { environment, folder, path } = folders(t)
    const project = folder('project')

    assert.deepEqual(trust(workspaceAt(project, 'folder'), TEXT, environment), {
      trusted: true,
      hash: hashOf(TEXT),
      needs: ['store', 'checks.commands'],
      covered: ['store', 'checks.commands'],
    })
    const name = `${hashOf(project)}.json`
    assert.deepEqual(readdirSync(path('.baton/trust')), [name])
    assert.deepEqual(
      ['.baton', '.baton/trust', join('.baton/trust', name)].map((each) => statSync(path(each)).mode & 0o777),
      [0o700, 0o700, 0o600],
    )
  })

  it('is passed in BATON_TRUST by CI, for that text only', (t) => {
    const { environment, folder } = folders(t, { CI: 'true', BATON_TRUST: hashOf(TEXT).toUpperCase() })
    const workspace = workspaceAt(folder('project'), 'folder')

    assert.equal(trustState(workspace, TEXT, environment).trusted, true)
    assert.equal(trustState(workspace, `${TEXT}#`, environment).trusted, false)
  })

  it('is for the settings that were looked at: neither 0.1.0 nor BATON_TRUST covers folders[].accept', (t) => {
    const text = `${TEXT}folders: [{dialect: package, path: ., accept: [gate]}]\n`
    const { environment, file, folder } = folders(t)
    const project = folder('project')
    const workspace = workspaceAt(project, 'folder')
    const told = (from = environment, content = text) => {
      const { trusted, covered } = trustState(workspace, content, from)
      return { trusted, covered }
    }
    const covered = ['store', 'checks.commands', 'notify']

    for (const each of [TEXT, text]) {
      file(`.baton/trust/${hashOf(project)}.json`, JSON.stringify({ root: project, sha256: hashOf(each) }))
      assert.deepEqual(told(environment, each), { trusted: each === TEXT, covered })
    }
    trust(workspace, text, environment)
    assert.deepEqual(told(), { trusted: true, covered: ['store', 'checks.commands', 'folders[].accept'] })
    const elsewhere = folders(t, { BATON_TRUST: hashOf(text) })
    assert.deepEqual(told(elsewhere.environment), { trusted: false, covered })
  })

  it('is not taken from a file that another user wrote', (t) => {
    const { environment, folder, path } = folders(t)
    const project = folder('project')
    const workspace = workspaceAt(project, 'folder')
    trust(workspace, TEXT, environment)
    const caller = asOfAnother(environment, path('.baton/trust', `${hashOf(project)}.json`))

    assert.equal(trustState(workspace, TEXT, caller).trusted, false)
  })

  it('is not taken from a file that is broken', (t) => {
    const { environment, file, folder } = folders(t)
    const project = folder('project')

    for (const content of [
      '',
      '{',
      'null',
      '[]',
      '{"sha256": null}',
      `{"sha256": "${hashOf(TEXT)}", "settings": {}}`,
    ]) {
      file(`.baton/trust/${hashOf(project)}.json`, content)
      assert.equal(trustState(workspaceAt(project, 'folder'), TEXT, environment).trusted, false)
    }
  })

  it('says so when it cannot be kept', (t) => {
    const { environment, file, folder, path } = folders(t)
    file('home', 'a file where the folder should be')

    assert.throws(
      () => trust(workspaceAt(folder('project'), 'folder'), TEXT, { ...environment, home: path('home') }),
      {
        code: 'unavailable',
        message: /cannot be written \(.*\); check your home folder, or set BATON_HOME to a writable one/,
      },
    )
  })

  for (const [text, needs] of [
    ['depth_limit: 3', []],
    ['checks: {commands: []}', []],
    ['store:\nchecks:', []],
    ['{"store": "x"}', ['store']],
    ['"store": x', ['store']],
    ['checks: {commands: yes}', ['checks.commands']],
    ['folders: [{accept: []}, {path: x}, {accept: }, x]', []],
    ['folders: [{path: x}, {accept: [gate]}]', ['folders[].accept']],
    ['folders:\n  - accept: gate', ['folders[].accept']],
    ['folders: x', []],
    ['just text', []],
    ['', []],
    ['- store', []],
  ] as const)
    it(`is asked for by ${JSON.stringify(needs)} in ${JSON.stringify(text)}`, (t) => {
      const { environment, folder } = folders(t)

      assert.deepEqual(trustState(workspaceAt(folder('project'), 'folder'), text, environment).needs, needs)
    })
})

describe('a configuration without trust', () => {
  const config: Config = {
    store: 'postgres://localhost/baton',
    workspace: 'shop',
    checks: { commands: ['npm test'] },
    depth_limit: 3,
    agents: { codex: { limits: { outgoing: 2 } } },
    folders: [{ dialect: 'package', path: '.', accept: ['gate'] }],
  }

  it('keeps its rules and loses what could run, send or decide something', () => {
    assert.deepEqual(applyTrust(config, []), {
      config: {
        workspace: 'shop',
        checks: { commands: [] },
        depth_limit: 3,
        agents: { codex: { limits: { outgoing: 2 } } },
        folders: [{ dialect: 'package', path: '.' }],
      },
      leftOut: ['store', 'checks.commands', 'folders[].accept'],
    })
  })

  it('keeps the settings that the trust covers', () => {
    const { store: _, ...rest } = config

    assert.deepEqual(applyTrust(config, ['checks.commands', 'folders[].accept']), {
      config: rest,
      leftOut: ['store'],
    })
  })

  it('loses nothing where it asks for nothing', () => {
    const plain: Config = { depth_limit: 3, checks: { commands: [] } }

    assert.deepEqual(applyTrust(plain, []), { config: plain, leftOut: [] })
  })

  it('is whole again with trust', () => {
    assert.deepEqual(applyTrust(config, ['store', 'checks.commands', 'folders[].accept']), {
      config,
      leftOut: [],
    })
  })
})
