import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { folders, git } from '../support/documents/folders.ts'
import { ask, BATON, baton, quick, refusal, type Where } from '../support/program/command.ts'
import { PROGRAMS, put, snapshot, textOf } from './files.ts'

interface Place extends Where {
  readonly home: string
}

function here(t: TestContext): Place {
  const place = folders(t)
  const home = place.folder('home')
  return { cwd: place.repository('shop'), home, env: { HOME: home } }
}

/** Two projects of one person. */
function projects(t: TestContext) {
  const place = folders(t)
  const home = place.folder('home')
  const at = (name: string): Where => ({ cwd: place.repository(name), env: { HOME: home } })
  return { home, shop: at('shop'), blog: at('blog') }
}

async function done(where: Where, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await quick(where, 'setup', ...args, '--yes')
  assert.equal(code, 0, stderr)
}

/** The file in the person's own settings that names each tool, and how. */
const PERMISSIONS: Readonly<Record<string, readonly [file: string, tool: RegExp]>> = {
  'claude-code': ['shop/.claude/settings.local.json', /"mcp__baton__handoff_accept"/],
  gemini: ['home/.gemini/policies/baton.toml', /mcpName = "baton"\ntoolName = \[.*"handoff_accept"/],
  copilot: ['home/.copilot/permissions-config.json', /"toolName": "handoff_accept"/],
  qwen: ['home/.qwen/settings.json', /"mcp__baton__handoff_accept"/],
  cursor: ['home/.cursor/permissions.json', /"baton:handoff_accept"/],
}

describe('the permission that baton setup writes', () => {
  for (const program of PROGRAMS)
    it(`is in the person's own settings for ${program}, tool by tool, and goes without a trace`, async (t) => {
      const where = here(t)
      const top = join(where.cwd, '..')
      const before = [snapshot(where.cwd), snapshot(where.home)]

      await done(where, program)
      const [file, named] = PERMISSIONS[program] ?? []
      const told = file && textOf(top, file)
      const committed = git(where.cwd, 'ls-files', '--others', '--exclude-standard').split('\n')
      const allowing = committed.filter(
        (name) => name !== '' && /mcp__baton__handoff|baton:handoff|toolName/.test(textOf(where.cwd, name)),
      )
      await done(where, program, '--remove')

      if (told !== undefined) assert.match(told, named!)
      assert.deepEqual(allowing, [])
      assert.ok(!committed.includes('.claude/settings.local.json'))
      assert.deepEqual([snapshot(where.cwd), snapshot(where.home)], before)
      assert.doesNotMatch(textOf(where.cwd, '.git/info/exclude'), /baton/)
    })

  for (const program of ['gemini', 'qwen', 'cursor'])
    it(`stays in the home for ${program} until the last project that uses it is done`, async (t) => {
      const { home, shop, blog } = projects(t)
      const before = snapshot(home)
      const [file = ''] = PERMISSIONS[program] ?? []
      for (const where of [shop, blog]) {
        await done(where, program)
        await ask(where, 'agent', 'add', 'codex')
      }
      const given = textOf(join(home, '..'), file)

      await done(shop, program, '--remove')
      assert.equal(textOf(join(home, '..'), file), given)
      await done(blog, program, '--remove')
      assert.deepEqual(snapshot(home), before)

      await done(shop, program, '--user')
      const user = textOf(join(home, '..'), file)
      await done(blog, program)
      await done(blog, program, '--remove')
      assert.equal(textOf(join(home, '..'), file), user)
    })

  it('stays in the home for a project that has no store in its folder yet, and for no store elsewhere', async (t) => {
    const { home, shop, blog } = projects(t)
    const before = snapshot(home)
    put(home, { '.baton/stores/elsewhere': 'ours\n127.0.0.1:5432/baton baton.local/1' })
    for (const where of [shop, blog]) await done(where, 'gemini')
    const given = snapshot(home)

    await done(shop, 'gemini', '--remove')
    assert.deepEqual(snapshot(home), given)
    // A process of its own, in the folder of the project.
    await baton(blog, 'setup', 'gemini', '--remove', '--yes')
    assert.deepEqual(snapshot(home), before)
  })

  it('is taken out of the home although a note there about another store cannot be read', async (t) => {
    const { home, shop } = projects(t)
    const before = snapshot(home)
    await done(shop, 'gemini')
    symlinkSync('nowhere', join(home, '.baton/stores/theirs'))

    await done(shop, 'gemini', '--remove')
    const { code, stderr } = await quick(shop, 'uninstall', '--yes')

    assert.equal(code, 0, stderr)
    rmSync(join(home, '.baton/stores/theirs'))
    assert.deepEqual(snapshot(home), before)
  })

  it('stays in the home when another project takes its shared one away', async (t) => {
    const { home, shop, blog } = projects(t)
    for (const where of [shop, blog]) {
      await done(where, 'cursor')
      await ask(where, 'agent', 'add', 'codex')
    }
    await done(shop, 'cursor', '--shared')
    const [given, shared] = [snapshot(home), snapshot(shop.cwd)]

    await done(shop, 'cursor', '--shared', '--remove')

    assert.ok(shared['.cursor/permissions.json'])
    assert.equal(snapshot(shop.cwd)['.cursor/permissions.json'], undefined)
    assert.deepEqual(snapshot(home), given)
  })

  it('keeps what the person allows already, and takes out only its own', async (t) => {
    const where = here(t)
    const own = '{\n  "permissions": {\n    "allow": ["Bash(ls)"], // mine\n    "deny": []\n  }\n}\n'
    put(where.cwd, { '.claude/settings.local.json': own })

    await done(where, 'claude-code')
    const text = textOf(where.cwd, '.claude/settings.local.json')
    put(where.cwd, { '.claude/settings.local.json': text.replace('"Bash(ls)"', '"Bash(ls)", "Read"') })
    await done(where, 'claude-code', '--remove')

    assert.match(text, /"allow": \["Bash\(ls\)", "mcp__baton__handoff_send"/)
    assert.equal(
      textOf(where.cwd, '.claude/settings.local.json'),
      own.replace('"Bash(ls)"', '"Bash(ls)", "Read"'),
    )
  })

  it('is not given by an agent to itself', async (t) => {
    const where = here(t)

    const { code, stderr } = await quick(
      { ...where, env: { ...where.env, CLAUDECODE: '1' } },
      ...['setup', 'claude-code', '--yes'],
    )

    assert.deepEqual([code, existsSync(join(where.cwd, '.mcp.json'))], [0, true])
    assert.match(stderr, /no permission was written, because an agent called/)
    assert.equal(existsSync(join(where.cwd, '.claude/settings.local.json')), false)
  })

  it('goes into a file of the project only with --shared, where the program reads it there', async (t) => {
    const where = here(t)
    const before = snapshot(where.cwd)

    await done(where, 'claude-code', '--shared')
    const shared = textOf(where.cwd, '.claude/settings.json')
    await done(where, 'claude-code', '--remove')

    assert.match(shared, /"mcp__baton__handoff_accept"/)
    assert.deepEqual(snapshot(where.cwd), before)
    assert.match((await refusal(where, 'setup', 'gemini', '--shared', '--yes')).message, /leave --shared out/)
  })
})

describe('baton setup --user', () => {
  for (const program of PROGRAMS.filter((name) => name !== 'vscode'))
    it(`connects ${program} in the home alone, twice the same, and goes without a trace`, async (t) => {
      const where = here(t)
      const before = [snapshot(where.cwd), snapshot(where.home)]

      await done(where, program, '--user')
      const first = snapshot(where.home)
      await done(where, program, '--user')
      const [project, home] = [snapshot(where.cwd), snapshot(where.home)]
      await done(where, program, '--user', '--remove')

      assert.notDeepEqual(first, before[1])
      assert.deepEqual([project, home], [before[0], first])
      assert.deepEqual([snapshot(where.cwd), snapshot(where.home)], before)
    })

  it('is refused for VS Code, which is set up in each project', async (t) => {
    assert.match((await refusal(here(t), 'setup', 'vscode', '--user', '--yes')).message, /without --user/)
  })

  it('writes hooks that speak only in workspaces of this user without hooks of their own', async (t) => {
    const where = { ...here(t), input: '{"session_id":"s1"}' }
    const start = ['hook', 'session-start', '--agent', 'claude', '--for', 'claude-code', '--user']
    const outside = await quick(where, ...start)
    await ask(where, 'send', '--to', 'claude', '--title', 'Add limits', '--summary', 'Limits before launch')
    const own = await quick(where, ...start)
    const another = folders(t).folder('another')
    const foreign = await quick({ ...where, env: { HOME: another } }, ...start)
    await done(where, 'claude-code')
    const twice = await quick(where, ...start)

    assert.match(own.stdout, /Add limits/)
    for (const { code, stdout, stderr } of [outside, foreign, twice])
      assert.deepEqual([code, stdout, stderr], [0, '', ''])
    assert.deepEqual(readdirSync(another), [])
  })
})

describe('a hook of all projects outside a workspace', () => {
  it('costs at most half as much again as an empty Node, and leaves nothing behind', async (t) => {
    const where = here(t)
    const empty = join(where.home, 'empty.js')
    writeFileSync(empty, '')
    const options = { cwd: where.cwd, env: { HOME: where.home }, input: '{"session_id":"s1"}' } as const
    const timeOf = (args: readonly string[]): number => {
      const started = performance.now()
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { ...options, encoding: 'utf8' })
      assert.deepEqual([status, stdout, stderr], [0, '', ''])
      return performance.now() - started
    }
    const hook = [BATON, 'hook', 'stop', '--agent', 'claude', '--for', 'claude-code', '--user']

    // The least of several times, in turn: others use this machine too.
    let [bare, ours] = [Infinity, Infinity]
    for (let turn = 0; turn < 25 && (turn < 9 || ours > 1.5 * bare); turn++) {
      bare = Math.min(bare, timeOf([empty]))
      ours = Math.min(ours, timeOf(hook))
    }

    assert.ok(ours <= 1.5 * bare, `${ours} ms, ${bare} ms`)
    assert.deepEqual(readdirSync(where.home), ['empty.js'])
    assert.equal(existsSync(join(where.cwd, '.baton')), false)
  })
})

describe('a hook that setup wrote', () => {
  /** Every hook of a program as the shell gets it, with a command `baton` that ends like this. */
  async function outcomes(where: Place, program: string, exit: number | undefined) {
    const bin = join(where.home, 'bin')
    rmSync(bin, { recursive: true, force: true })
    mkdirSync(bin)
    if (exit !== undefined) {
      writeFileSync(join(bin, 'baton'), `#!/bin/sh\nexit ${exit}\n`)
      chmodSync(join(bin, 'baton'), 0o755)
    }
    const files = { 'claude-code': '.claude/settings.json', codex: '.codex/hooks.json' }[program]
    const hooks = {
      gemini: '.gemini/settings.json',
      copilot: '.github/hooks/baton.json',
      qwen: '.qwen/settings.json',
      cursor: '.cursor/hooks.json',
    }[program]
    const all = JSON.stringify(JSON.parse(textOf(where.cwd, (files ?? hooks)!)).hooks)
    return [...all.matchAll(/"(?:command|bash)":"([^"]*baton hook ([\w-]+)[^"]*)"/g)].map(
      ([, line, word]) => {
        try {
          execFileSync('/bin/sh', ['-c', line!], { env: { PATH: bin }, stdio: ['ignore', 'pipe', 'pipe'] })
          return `${word} 0`
        } catch (error) {
          const { status, stderr } = error as { status: number; stderr: Buffer }
          return `${word} ${status} ${stderr}`
        }
      },
    )
  }

  for (const program of PROGRAMS.filter((name) => !['opencode', 'vscode'].includes(name)))
    it(`lets ${program} go on where baton is missing or crashes, and can refuse a ticked point`, async (t) => {
      const where = here(t)
      await done(where, program)

      for (const exit of [undefined, 13, 127, 134])
        assert.deepEqual(
          (await outcomes(where, program, exit)).filter(
            (each) => !each.endsWith(' 0') && (exit === undefined || !each.startsWith('task-completed ')),
          ),
          [],
          `exit ${exit}`,
        )
      if (program === 'claude-code')
        assert.ok((await outcomes(where, program, 2)).includes('task-completed 2 '))
    })
})
