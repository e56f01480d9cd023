import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders, git } from '../../test/support/documents/folders.ts'
import { loadConfig } from '../config/file.ts'
import { toPolicy } from '../config/policy.ts'
import { HOMES } from '../domain/home.ts'
import { limitsOf } from '../domain/policy.ts'
import { applyInit, planInit } from './init.ts'

describe('baton init', () => {
  it('plans three files and writes nothing before it is applied', async (t) => {
    const { environment, path, repository } = folders(t)
    const cwd = repository('project')

    const plan = await planInit({ cwd, environment })

    assert.deepEqual(
      plan.files.map(({ path: file, state }) => ({ file, state })),
      [
        { file: path('project/.baton/.gitignore'), state: 'new' },
        { file: path('project/.baton/config.schema.json'), state: 'new' },
        { file: path('project/baton.yaml'), state: 'new' },
      ],
    )
    assert.deepEqual(git(cwd, 'status', '--porcelain', '--ignored'), '')
  })

  it('writes what it planned: the settings for everyone, the rest for its owner alone', async (t) => {
    const { environment, path, repository } = folders(t)
    const cwd = repository('project')
    const plan = await planInit({ cwd, environment })

    assert.deepEqual(await applyInit(plan), plan.files)
    for (const { path: file, content } of plan.files) assert.equal(readFileSync(file, 'utf8'), content)
    assert.deepEqual(
      ['.baton', '.baton/.gitignore', '.baton/config.schema.json'].map(
        (name) => statSync(path('project', name)).mode & 0o777,
      ),
      [0o700, 0o600, 0o600],
    )
    assert.equal(git(cwd, 'status', '--porcelain'), '?? baton.yaml\n')
  })

  it('changes nothing the second time and says so', async (t) => {
    const { environment, repository } = folders(t)
    const cwd = repository('project')
    await applyInit(await planInit({ cwd, environment }))

    const again = await planInit({ cwd, environment })

    assert.equal(again.changes, false)
    assert.deepEqual(
      (await applyInit(again)).map(({ state }) => state),
      ['exists', 'exists', 'exists'],
    )
  })

  it('leaves a baton.yaml of the user alone, and says what a dialect would need', async (t) => {
    const { environment, file, repository } = folders(t)
    const cwd = repository('project')
    const own = file('project/baton.yaml', 'depth_limit: 3\n')

    const plan = await planInit({ cwd, environment, dialect: 'queue' })
    await applyInit(plan)

    assert.deepEqual(
      plan.files.find(({ path }) => path.endsWith('baton.yaml')),
      { path: own, state: 'exists' },
    )
    assert.deepEqual(plan.notes, [`${own} exists and was not changed; for this format write: dialect: queue`])
    assert.equal(readFileSync(own, 'utf8'), 'depth_limit: 3\n')
  })

  it('leaves a file alone that appeared after the plan', async (t) => {
    const { environment, file, repository } = folders(t)
    const plan = await planInit({ cwd: repository('project'), environment })
    const own = file('project/baton.yaml', 'depth_limit: 3\n')

    assert.deepEqual((await applyInit(plan)).at(-1), { path: own, state: 'exists' })
    assert.equal(readFileSync(own, 'utf8'), 'depth_limit: 3\n')
  })

  it('brings its own schema up to date, and no other file of that name', async (t) => {
    const { environment, path, repository } = folders(t)
    const cwd = repository('project')
    await applyInit(await planInit({ cwd, environment }))
    const schema = path('project/.baton/config.schema.json')
    const current = readFileSync(schema, 'utf8')

    writeFileSync(schema, current.replace('depth_limit', 'former_limit'))
    await applyInit(await planInit({ cwd, environment }))
    assert.equal(readFileSync(schema, 'utf8'), current)

    writeFileSync(schema, '{}')
    await applyInit(await planInit({ cwd, environment }))
    assert.equal(readFileSync(schema, 'utf8'), '{}')
  })

  it('works without git, in CI and under a coding agent: someone asked for it', async (t) => {
    const { environment, folder, path } = folders(t, { CI: 'true', CLAUDECODE: '1' })

    await applyInit(await planInit({ cwd: folder('project'), environment }))

    assert.ok(existsSync(path('project/.baton/.gitignore')))
  })

  it('works below the root of a repository, for the whole of it', async (t) => {
    const { environment, folder, repository } = folders(t)
    const project = repository('project')

    assert.equal((await planInit({ cwd: folder('project/src'), environment })).workspace.root, project)
  })

  it('is refused in a linked worktree', async (t) => {
    const { environment, repository, worktree } = folders(t)
    const cwd = worktree(repository('project'), 'codex')

    await assert.rejects(planInit({ cwd, environment }), {
      code: 'not_allowed',
      message: /run baton init in/,
    })
  })

  it('refuses a dialect that there is not, with those there are', async (t) => {
    const { environment, repository } = folders(t)

    await assert.rejects(planInit({ cwd: repository('project'), environment, dialect: 'yaml' }), {
      code: 'invalid_input',
      message: 'there is no dialect yaml; write native, markdown, queue, block, writeback, package',
    })
  })
})

describe('the baton.yaml that init writes', () => {
  for (const dialect of [undefined, ...HOMES])
    it(`is valid and sets ${dialect ?? 'no'} dialect`, async (t) => {
      const { environment, path, repository } = folders(t)
      await applyInit(await planInit({ cwd: repository('project'), environment, dialect }))

      const { dialect: home = 'native' } = await loadConfig(path('project/baton.yaml'))

      assert.equal(home, dialect ?? 'native')
    })

  it('is valid too when every line is uncommented, and then sets everything there is', async (t) => {
    const { environment, file, folder } = folders(t)
    const plan = await planInit({ cwd: folder('project'), environment })
    const text = plan.files.at(-1)!.content!
    const all = file('all.yaml', text.replaceAll(/^# (?![A-Z]|yaml-language-server)/gm, ''))
    const schema = JSON.parse(plan.files[1]!.content!)

    assert.deepEqual(Object.keys(await loadConfig(all)).sort(), Object.keys(schema.properties).sort())
  })

  it('points editors to the schema beside it', async (t) => {
    const { environment, folder } = folders(t)
    const { files, workspace } = await planInit({ cwd: folder('project'), environment })
    const [, target] = /^# yaml-language-server: \$schema=(.+)\n/.exec(files.at(-1)!.content!) ?? []

    assert.equal(join(workspace.root, target!), files[1]!.path)
  })

  it("[S0-55] lists document 000's five agents with their limits, chief and verifier for markdown", async (t) => {
    const { environment, path, repository } = folders(t)
    await applyInit(await planInit({ cwd: repository('project'), environment, dialect: 'markdown' }))
    const policy = toPolicy(await loadConfig(path('project/baton.yaml')))
    const names = Object.keys(policy.agents ?? {})

    assert.deepEqual(
      names.map((name) => [name, limitsOf(policy, name)]),
      [
        ['grok', { outgoing: 10, incoming: 5 }],
        ['claude', { outgoing: 5, incoming: 10 }],
        ['abacus', { outgoing: 5, incoming: 10 }],
        ['perplexity', { outgoing: 3, incoming: 15 }],
        ['gemini', { outgoing: 5, incoming: 10 }],
      ],
    )
    assert.deepEqual([policy.chief, policy.verifiers], ['grok', ['perplexity']])
  })
})
