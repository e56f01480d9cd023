import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { asOfAnother, type Folders, folders, git } from '../../test/support/documents/folders.ts'
import { createWorkspace, findWorkspace, type Workspace } from './workspace.ts'

const found = async (cwd: string, environment: Folders['environment']) => {
  const workspace = await findWorkspace(cwd, environment)
  return workspace && { root: workspace.root, found: workspace.found }
}

describe('finding the workspace', () => {
  it('takes the folder that BATON_WORKSPACE names before any other', async (t) => {
    const { environment, folder, repository } = folders(t)
    const named = folder('elsewhere')
    mkdirSync(join(repository('project'), '.baton'))

    const workspace = await findWorkspace(folder('project'), { ...environment, workspace: named })

    assert.deepEqual(workspace, {
      root: named,
      dir: join(named, '.baton'),
      found: 'environment',
      database: join(named, '.baton', 'baton.db'),
      checkout: named,
    })
  })

  it('reads BATON_WORKSPACE from where the caller stands, also when it names .baton itself', async (t) => {
    const { environment, folder } = folders(t)
    const named = folder('elsewhere')
    const spellings = ['../elsewhere', '../elsewhere/.baton', join(named, '.baton'), `${named}/`]

    for (const workspace of spellings)
      assert.deepEqual(await found(folder('here'), { ...environment, workspace }), {
        root: named,
        found: 'environment',
      })
  })

  it('refuses a BATON_WORKSPACE that is not there, or is no folder, with the way out', async (t) => {
    const { environment, home, path, file } = folders(t)

    await assert.rejects(findWorkspace(home, { ...environment, workspace: path('missing') }), {
      code: 'not_found',
      message: /BATON_WORKSPACE is .*missing, which is not there\. .*mkdir -p .*missing\), or unset it/,
    })
    await assert.rejects(findWorkspace(home, { ...environment, workspace: file('note.txt', '') }), {
      code: 'invalid_input',
      message: /which is not a folder/,
    })
  })

  it('takes the nearest .baton or baton.yaml upwards', async (t) => {
    const { environment, file, folder, repository } = folders(t)
    const project = repository('project')
    folder('project/.baton')
    file('project/apps/shop/baton.yaml', '')

    assert.deepEqual(
      [
        await found(folder('project/apps/shop/src/deep'), environment),
        await found(folder('project/apps'), environment),
        await found(project, environment),
      ],
      [
        { root: join(project, 'apps/shop'), found: 'config' },
        { root: project, found: 'folder' },
        { root: project, found: 'folder' },
      ],
    )
  })

  it('names the baton.yaml beside the folder', async (t) => {
    const { environment, file, folder } = folders(t)
    const configFile = file('project/baton.yaml', '')
    folder('project/.baton')

    assert.equal((await findWorkspace(folder('project'), environment))?.configFile, configFile)
  })

  it('stops at the root of the repository', async (t) => {
    const { environment, folder, repository } = folders(t)
    folder('.baton')
    folder('outer/.baton')
    repository('outer/project')

    assert.equal(await findWorkspace(folder('outer/project/src'), environment), undefined)
  })

  it('stops at the home of the user where there is no repository', async (t) => {
    const { environment, folder } = folders(t)
    folder('.baton')

    assert.equal(
      await findWorkspace(folder('inner/project'), { ...environment, home: folder('inner') }),
      undefined,
    )
  })

  it('does not take the keys and the trust of the user for a workspace', async (t) => {
    const { environment, file, folder, home } = folders(t)
    folder('.baton/trust')
    assert.equal(await findWorkspace(folder('notes'), environment), undefined)

    file('.baton/.gitignore', '*\n')
    assert.deepEqual(await found(folder('notes'), environment), { root: home, found: 'folder' })
  })

  it('follows a link in the way to the folder, so that one workspace has one name', async (t) => {
    const { environment, folder, path } = folders(t)
    folder('real/.baton')
    symlinkSync(path('real'), path('linked'))

    assert.deepEqual(await found(path('linked'), environment), { root: path('real'), found: 'folder' })
  })

  for (const target of ['inside', 'dangling'])
    it(`refuses a .baton that is a link (${target})`, async (t) => {
      const { environment, folder, path, repository } = folders(t)
      repository('project')
      folder('inside')
      symlinkSync(path(target), path('project/.baton'))

      for (const attempt of [findWorkspace, createWorkspace])
        await assert.rejects(attempt(path('project'), environment), {
          code: 'not_allowed',
          message: /\.baton is a symbolic link, which Baton does not follow; remove it/,
        })
      assert.deepEqual(readdirSync(path('inside')), [])
    })

  for (const name of ['.baton', 'baton.yaml'])
    it(`refuses a ${name} of another user, unless BATON_WORKSPACE names the folder`, async (t) => {
      const { environment, file, folder, path, repository } = folders(t)
      const project = repository('project')
      if (name === '.baton') folder('project/.baton')
      else file('project/baton.yaml', '')
      const caller = asOfAnother(environment, path('project', name))

      await assert.rejects(findWorkspace(project, caller), {
        code: 'not_allowed',
        message: `${path('project', name)} belongs to another user of this machine; if you trust it, set BATON_WORKSPACE=${project}`,
      })
      assert.deepEqual(await found(project, { ...caller, workspace: project }), {
        root: project,
        found: 'environment',
      })
    })
})

describe('the workspace of a linked worktree', () => {
  it('is that of the main one, and its files are its own', async (t) => {
    const { environment, folder, repository, worktree } = folders(t)
    const main = repository('project')
    folder('project/.baton')
    const linked = worktree(main, 'worktrees/codex')

    const workspace = await findWorkspace(folder('worktrees/codex/src'), environment)

    assert.deepEqual(workspace, {
      root: main,
      dir: join(main, '.baton'),
      found: 'main_worktree',
      database: join(main, '.baton', 'baton.db'),
      checkout: linked,
    })
  })

  it('is that of the main one when it lies inside it', async (t) => {
    const { environment, folder, repository, worktree } = folders(t)
    const main = repository('project')
    folder('project/.baton')
    const linked = worktree(main, 'project/.worktrees/codex')

    const { root, checkout } = (await findWorkspace(linked, environment)) as Workspace

    assert.deepEqual({ root, checkout }, { root: main, checkout: linked })
  })

  it('is found by relative paths too, as newer versions of git write them', async (t) => {
    const { environment, file, folder, path, repository, worktree } = folders(t)
    const main = repository('project')
    folder('project/.baton')
    const linked = worktree(main, 'worktrees/codex')
    const [name] = readdirSync(path('project/.git/worktrees'))
    file('worktrees/codex/.git', `gitdir: ../../project/.git/worktrees/${name}\n`)
    file(`project/.git/worktrees/${name}/gitdir`, '../../../../worktrees/codex/.git\n')

    assert.equal((await findWorkspace(linked, environment))?.root, main)

    file(`project/.git/worktrees/${name}/commondir`, `${path('project/.git')}\n`)
    assert.equal((await findWorkspace(linked, environment))?.root, main)
  })

  it('is its own when it holds a .baton', async (t) => {
    const { environment, folder, repository, worktree } = folders(t)
    const main = repository('project')
    folder('project/.baton')
    const linked = worktree(main, 'codex')
    folder('codex/.baton')

    assert.deepEqual(await found(linked, environment), { root: linked, found: 'folder' })
  })

  it('is the main one also where a baton.yaml is checked out in both, and its rules are the main ones', async (t) => {
    const { environment, file, folder, repository, worktree } = folders(t)
    const main = repository('project')
    const linked = worktree(main, 'codex')
    const own = file('codex/baton.yaml', 'depth_limit: 900')
    folder('project/.baton')

    assert.equal((await findWorkspace(linked, environment))?.configFile, own)
    const rules = file('project/baton.yaml', 'depth_limit: 3')
    const { root, configFile } = (await findWorkspace(linked, environment)) as Workspace
    assert.deepEqual({ root, configFile }, { root: main, configFile: rules })
  })

  it('is the one at the same place in the main one when a project lies deeper in the repository', async (t) => {
    const { environment, folder, path, repository, worktree } = folders(t)
    const main = repository('project')
    worktree(main, 'codex')
    folder('project/apps/shop/.baton')

    const { root, checkout } = (await findWorkspace(folder('codex/apps/shop/src'), environment)) as Workspace

    assert.deepEqual(
      { root, checkout },
      { root: path('project/apps/shop'), checkout: path('codex/apps/shop') },
    )
    assert.equal(await findWorkspace(folder('codex/docs'), environment), undefined)
  })

  it('is beside the worktrees of a bare repository that a .git file names', async (t) => {
    const { environment, file, folder, path, repository } = folders(t)
    git(repository('start'), 'clone', '--quiet', '--bare', '.', path('project/.bare'))
    file('project/.git', 'gitdir: ./.bare\n')
    git(path('project'), 'worktree', 'add', '--quiet', '-b', 'work', path('project/work'))
    folder('project/.baton')

    assert.deepEqual(await found(path('project/work'), environment), {
      root: path('project'),
      found: 'main_worktree',
    })
  })

  it('is that of the submodule for a worktree of a submodule', async (t) => {
    const { environment, path, repository } = folders(t)
    const part = repository('part')
    const whole = repository('whole')
    git(whole, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', part, 'part')
    mkdirSync(path('whole/part/.baton'))
    git(path('whole/part'), 'worktree', 'add', '--quiet', '-b', 'work', path('work'))

    assert.deepEqual(await found(path('work'), environment), {
      root: path('whole/part'),
      found: 'main_worktree',
    })
    assert.deepEqual(await found(path('whole/part'), environment), {
      root: path('whole/part'),
      found: 'folder',
    })
  })

  it('is not taken from a .git file that the repository knows nothing of', async (t) => {
    const { environment, file, folder, path, repository, worktree } = folders(t)
    worktree(repository('project'), 'codex')
    folder('project/.baton')
    const [name] = readdirSync(path('project/.git/worktrees'))
    file('unpacked/.git', `gitdir: ${path('project/.git/worktrees', name!)}\n`)

    assert.equal(await findWorkspace(path('unpacked'), environment), undefined)
  })

  it('is the one that BATON_WORKSPACE names, and the files are those of the worktree', async (t) => {
    const { environment, repository, worktree } = folders(t)
    const main = repository('project')
    const linked = worktree(main, 'codex')

    const { root, checkout } = (await findWorkspace(linked, { ...environment, workspace: main })) as Workspace

    assert.deepEqual({ root, checkout }, { root: main, checkout: linked })
  })
})

describe('making the workspace', () => {
  it('happens at the root of the repository, for its owner alone and out of sight of git', async (t) => {
    const { environment, folder, path, repository } = folders(t)
    const project = repository('project')

    const workspace = await createWorkspace(folder('project/src/deep'), environment)

    assert.deepEqual(workspace, {
      root: project,
      dir: path('project/.baton'),
      found: 'folder',
      database: path('project/.baton/baton.db'),
      checkout: project,
      created: true,
    })
    assert.equal(readFileSync(path('project/.baton/.gitignore'), 'utf8'), '*\n')
    assert.deepEqual(
      [path('project/.baton'), path('project/.baton/.gitignore')].map((each) => statSync(each).mode & 0o777),
      [0o700, 0o600],
    )
    assert.equal(git(project, 'status', '--porcelain', '--untracked-files=all'), '')
  })

  it('changes nothing the second time', async (t) => {
    const { environment, repository } = folders(t)
    const project = repository('project')
    const { created, ...first } = await createWorkspace(project, environment)

    assert.deepEqual(await createWorkspace(project, environment), first)
    assert.equal(created, true)
  })

  it('happens once when twenty processes begin at the same time', async (t) => {
    const { environment, path, repository } = folders(t)
    repository('project')
    const program = `
      import { createWorkspace } from ${JSON.stringify(new URL('workspace.ts', import.meta.url).href)}
      const { created } = await createWorkspace(${JSON.stringify(path('project'))}, ${JSON.stringify(environment)})
      console.log(created ?? false)`
    const runs = await Promise.all(
      Array.from({ length: 20 }, () =>
        promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]),
      ),
    )

    const answers = runs.map(({ stdout }) => stdout.trim())
    assert.deepEqual(answers.sort(), [...Array(19).fill('false'), 'true'])
    assert.deepEqual(readdirSync(path('project/.baton')), ['.gitignore'])
  })

  it('keeps a folder out of git that someone made by hand', async (t) => {
    const { environment, folder, path, repository } = folders(t)
    repository('project')
    folder('project/.baton')

    assert.equal((await createWorkspace(path('project'), environment)).created, undefined)
    assert.equal(readFileSync(path('project/.baton/.gitignore'), 'utf8'), '*\n')
  })

  it('happens wherever BATON_WORKSPACE says, in CI, under an agent and without git too', async (t) => {
    const { environment, folder, path } = folders(t)
    const named = { ...environment, ci: true, codingAgent: 'CLAUDECODE', workspace: folder('kept') }

    assert.equal((await createWorkspace(folder('job'), named)).dir, path('kept/.baton'))
    assert.ok(existsSync(path('kept/.baton/.gitignore')))
  })

  it('is refused without git, until it is asked for', async (t) => {
    const { environment, folder, path } = folders(t)
    const project = folder('project')

    await assert.rejects(createWorkspace(project, environment), {
      code: 'not_allowed',
      message: /is not in a git repository; if the workspace belongs here, run: baton init$/,
    })
    assert.equal(existsSync(path('project/.baton')), false)
    assert.equal((await createWorkspace(project, environment, { explicit: true })).root, project)
  })

  for (const [where, change, message] of [
    ['in CI', { ci: true }, /CI does not create one, .* or run baton init in .*project/],
    [
      'under a coding agent',
      { codingAgent: 'GEMINI_CLI' },
      /coding agent \(GEMINI_CLI\) .* run baton init in .*project/,
    ],
  ] as const)
    it(`is refused ${where}, until it is asked for`, async (t) => {
      const { environment, path, repository } = folders(t)
      const project = repository('project')

      await assert.rejects(createWorkspace(project, { ...environment, ...change }), {
        code: 'not_allowed',
        message,
      })
      assert.equal(existsSync(path('project/.baton')), false)
      assert.equal(
        (await createWorkspace(project, { ...environment, ...change }, { explicit: true })).root,
        project,
      )
    })

  it('is refused in a linked worktree, also when it is asked for, and the main one is named', async (t) => {
    const { environment, file, path, repository, worktree } = folders(t)
    const main = repository('project')
    const linked = worktree(main, 'codex')
    const refused = {
      code: 'not_allowed',
      message: `${linked} is a linked worktree, where no workspace is made; run baton init in ${main}, which all its worktrees share`,
    }

    await assert.rejects(createWorkspace(linked, environment), refused)
    await assert.rejects(createWorkspace(linked, environment, { explicit: true }), refused)
    file('codex/baton.yaml', '')
    await assert.rejects(createWorkspace(linked, environment), refused)
    assert.deepEqual([path('codex/.baton'), path('project/.baton')].map(existsSync), [false, false])
  })

  it('is refused in a worktree whose repository is out of reach, with another way out', async (t) => {
    const { environment, file, path, repository, worktree } = folders(t)
    const linked = worktree(repository('project'), 'codex')
    file('codex/.git', 'gitdir: /nowhere/.git/worktrees/codex\n')

    assert.equal(await findWorkspace(linked, environment), undefined)
    await assert.rejects(createWorkspace(linked, environment, { explicit: true }), {
      code: 'not_allowed',
      message: /linked worktree.*; set BATON_WORKSPACE to a folder outside the worktrees$/,
    })
    assert.equal(existsSync(path('codex/.baton')), false)
  })

  for (const part of ['', '.git'])
    it(`is refused where ${part || 'the folder'} is another user's, also when it is asked for`, async (t) => {
      const { environment, path, repository } = folders(t)
      const project = repository('project')
      const caller = asOfAnother(environment, path('project', part))

      for (const options of [{}, { explicit: true }])
        await assert.rejects(createWorkspace(project, caller, options), {
          code: 'not_allowed',
          message:
            /belongs to another user of this machine, so no workspace is made there\. Run baton init in a folder of your own/,
        })
      assert.equal(existsSync(path('project/.baton')), false)
    })

  it('is refused where a file is in the way', async (t) => {
    const { environment, file, path, repository } = folders(t)
    repository('project')
    file('project/.baton', 'mine')

    await assert.rejects(createWorkspace(path('project'), environment), {
      code: 'not_allowed',
      message: /\.baton cannot be made \(something else of that name is in the way\)/,
    })
    assert.equal(readFileSync(path('project/.baton'), 'utf8'), 'mine')
  })
})
