import assert from 'node:assert/strict'
import { chmodSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { folders, git } from '../support/documents/folders.ts'
import { ask, onTerminal, quick, type Where } from '../support/program/command.ts'
import { PROGRAMS, put, snapshot, startingFiles, textOf } from './files.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const here = (t: TestContext): Where => ({ cwd: folders(t).repository('shop') })

async function done(where: Where, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await quick(where, 'setup', ...args, '--yes')
  assert.equal(code, 0, stderr)
}

const HOOKS = `{
  // what this team runs
  "version": 1,
  "hooks": {
    "Stop": [
      {"hooks": [{"type": "command", "command": "make lint"}]}, // keep
    ],
  },
  "mcpServers": {"docs": {"command": "docs-server", "args": []}},
  "servers": {
\t"docs": { "command": "docs-server" }
  }, // end
}
`
/** The same with no comma that nothing follows: one of those is not put back once somebody has changed the file. */
const PLAIN = HOOKS.replace('}]}, // keep', '}]} // keep')
  .replace('],\n  },', ']\n  },')
  .replace('}, // end', '} // end')
const PAGE = '# Our rules\n\nNo tabs.\n'
const TOML =
  'model = "x" # mine\n\n[mcp_servers.docs]\ncommand = "docs"\nargs = [\n  "a", # one\n]\n\n[profiles.\'a b\']\ntext = """\n[mcp_servers.baton]\n"""\n'

const STARTS: readonly (readonly [string, string, string, string])[] = [
  ['with settings, comments and commas at the end', HOOKS, PAGE, TOML],
  [
    'with the line ends of Windows',
    HOOKS.replaceAll('\n', '\r\n'),
    PAGE.replaceAll('\n', '\r\n'),
    TOML.replaceAll('\n', '\r\n'),
  ],
  ['without an end of the last line', HOOKS.trimEnd(), PAGE.trimEnd(), TOML.trimEnd()],
  ['on one line', '{"hooks":{},"mcpServers":{},"servers":{}}', 'x', 'model = "x"'],
  ['with a byte order mark', `\ufeff${HOOKS}`, `\ufeff${PAGE}`, `\ufeff${TOML}`],
  ['that are empty', '', '', ''],
  ['that hold nothing but space', ' \n\n', '\n', '\n\n'],
  ['with an empty object', '{ }\n', '\n\n', '# nothing\n'],
]

for (const program of PROGRAMS)
  describe(`baton setup ${program}`, () => {
    it('writes its files where there are none, twice the same, and takes them away with their folders', async (t) => {
      const where = here(t)
      const before = snapshot(where.cwd)

      await done(where, program)
      const first = snapshot(where.cwd)
      await done(where, program)
      const second = snapshot(where.cwd)
      await done(where, program, '--remove')

      assert.notDeepEqual(first, before)
      assert.deepEqual(second, first)
      assert.deepEqual(snapshot(where.cwd), before)
    })

    for (const [title, json, markdown, toml] of STARTS)
      it(`adds to files ${title}, and puts them back byte for byte`, async (t) => {
        const where = here(t)
        const files = startingFiles(program, json, markdown, toml)
        put(where.cwd, files)
        const before = snapshot(where.cwd)

        await done(where, program, '--proof')
        const written = Object.keys(files).map((file) => textOf(where.cwd, file))
        await done(where, program, '--proof')
        assert.deepEqual(
          Object.keys(files).map((file) => textOf(where.cwd, file)),
          written,
        )
        await done(where, program, '--remove')

        for (const [index, text] of Object.values(files).entries()) {
          assert.match(written[index]!, /baton/)
          // Whatever stood there still does, line by line and in its order.
          let at = 0
          for (const line of text.split(/\r?\n/).filter((each) => !/^[{}\s]*$/.test(each))) {
            const kept = text.includes('\n') ? line.replace(/[\]},\s]+$/, '') : line.slice(0, 3)
            assert.ok(written[index]!.indexOf(kept, at) >= at, `${kept} is lost`)
            at = written[index]!.indexOf(kept, at)
          }
        }
        assert.deepEqual(snapshot(where.cwd), before)
      })

    it('keeps what somebody changed since, and takes out only what is Baton’s', async (t) => {
      const where = here(t)
      const files = startingFiles(program, PLAIN, PAGE, TOML)
      put(where.cwd, files)
      await done(where, program)
      const edited = Object.keys(files).map((file) => {
        const own = file.endsWith('.json')
          ? '/* later */\n'
          : file.endsWith('.toml')
            ? '# later\n'
            : 'Later.\n'
        writeFileSync(join(where.cwd, file), `${textOf(where.cwd, file)}${own}`)
        return [file, own] as const
      })

      await done(where, program, '--remove')

      for (const [file, own] of edited) assert.equal(textOf(where.cwd, file), `${files[file]}${own}`)
    })

    it('is taken out of a fresh clone too, where nobody knows what was there before', async (t) => {
      const where = here(t)
      const files = startingFiles(program, PLAIN, PAGE, TOML)
      put(where.cwd, files)
      const before = snapshot(where.cwd)
      await done(where, program)
      rmSync(join(where.cwd, '.baton'), { recursive: true })

      await done(where, program, '--proof')
      await done(where, program, '--remove')

      assert.deepEqual(snapshot(where.cwd), before)
    })
  })

describe('what baton setup writes', () => {
  it('starts the server with the agent’s name, and with the tools of document 003 for proof', async (t) => {
    const where = here(t)
    await done(where, 'claude-code')
    const plain = JSON.parse(textOf(where.cwd, '.mcp.json')).mcpServers.baton
    await done(where, 'claude-code', '--proof', '--agent', '@Reviewer')
    const proof = JSON.parse(textOf(where.cwd, '.mcp.json')).mcpServers.baton
    await done(where, 'codex', '--proof')
    await done(where, 'vscode')

    assert.deepEqual(plain, { command: 'baton', args: ['mcp', '--agent', 'claude'], alwaysLoad: true })
    assert.deepEqual(proof.args, ['mcp', '--agent', 'reviewer', '--tools', 'default,proof'])
    assert.match(
      textOf(where.cwd, '.codex/config.toml'),
      /\n\[mcp_servers\.baton\]\ncommand = "baton"\nargs = \["mcp", "--agent", "codex", "--tools", "default,proof"\]\nenv_vars = \["BATON_URL", "BATON_TOKEN", /,
    )
    await done(where, 'gemini')
    assert.deepEqual(JSON.parse(textOf(where.cwd, '.gemini/settings.json')).mcpServers.baton.env, {
      BATON_TOKEN: `\${BATON_TOKEN:-}`,
    })
    assert.deepEqual(JSON.parse(textOf(where.cwd, '.vscode/mcp.json')).servers.baton, {
      type: 'stdio',
      command: 'baton',
      args: ['mcp', '--agent', 'copilot'],
    })
  })

  it('names the tools of document 003 in the guide for the agent, where --proof adds them', async (t) => {
    const where = here(t)
    const named = () =>
      ['audit_session_start', 'merkle_finalize', 'audit_verify_chain', 'merkle_root'].filter((tool) =>
        textOf(where.cwd, 'CLAUDE.md').includes(`\`${tool}\``),
      )
    await done(where, 'claude-code')
    const plain = named()
    await done(where, 'claude-code', '--proof')

    assert.deepEqual([plain, named().length], [[], 4])
  })

  it('names hooks that the command answers, for every event it registers', async (t) => {
    const where = here(t)
    for (const program of PROGRAMS) await done(where, program, '--refusals', '3')
    const registered = [
      '.claude/settings.json',
      '.codex/hooks.json',
      '.gemini/settings.json',
      '.github/hooks/baton.json',
      '.qwen/settings.json',
      '.cursor/hooks.json',
    ]

    for (const file of registered) {
      const line =
        /"(?:command|bash)": "command -v baton >\/dev\/null \|\| exit 0; baton (hook [^"|]+?)(?: \|\| exit 0)?"/g
      const commands = [...textOf(where.cwd, file).matchAll(line)].map(([, words]) => words!)
      assert.ok(commands.length >= 3, file)
      assert.ok(commands.some((words) => words.endsWith('--refusals 3')))
      for (const words of commands) {
        const { code, stderr } = await quick({ ...where, input: '{}' }, ...words.split(' '))
        assert.deepEqual([words, code, stderr], [words, 0, ''])
      }
    }
  })

  it('tells an agent what it must know in less than 40 lines', async (t) => {
    const where = here(t)
    await done(where, 'codex')
    const page = textOf(where.cwd, 'AGENTS.md')

    assert.ok(page.split('\n').length < 40)
    for (const tool of ['handoff_inbox', 'handoff_accept', 'handoff_submit', 'thought_record', 'task_update'])
      assert.ok(page.includes(`\`${tool}\``), tool)
  })

  it('shares AGENTS.md between programs, and leaves it to the last of them', async (t) => {
    const where = here(t)
    put(where.cwd, { 'AGENTS.md': PAGE })
    const before = snapshot(where.cwd)
    await done(where, 'codex')
    const one = textOf(where.cwd, 'AGENTS.md')
    await done(where, 'cursor')
    const two = textOf(where.cwd, 'AGENTS.md')
    await done(where, 'codex', '--remove')
    const left = textOf(where.cwd, 'AGENTS.md')
    await done(where, 'cursor', '--remove')

    assert.deepEqual([two, left], [one, one])
    assert.deepEqual(snapshot(where.cwd), before)
  })

  it('keeps what else a person wrote into the entry of the server, and the permissions of a file', async (t) => {
    const where = here(t)
    await done(where, 'claude-code')
    const own = textOf(where.cwd, '.mcp.json').replace(
      '"command"',
      '"env": {"BATON_URL": "http://x"}, "command"',
    )
    put(where.cwd, { '.mcp.json': own })
    chmodSync(join(where.cwd, '.mcp.json'), 0o640)

    await done(where, 'claude-code', '--proof')

    const { env, args } = JSON.parse(textOf(where.cwd, '.mcp.json')).mcpServers.baton
    assert.deepEqual([env, args.length], [{ BATON_URL: 'http://x' }, 5])
    assert.match(snapshot(where.cwd)['.mcp.json']!, /^640 /)
  })

  it('adds to an older entry of its own what the program needs to load the tools at once', async (t) => {
    const where = here(t)
    const older = { command: 'baton', args: ['mcp', '--agent', 'claude'] }
    put(where.cwd, {
      '.mcp.json': JSON.stringify({ mcpServers: { baton: older } }),
      '.qwen/settings.json': JSON.stringify({ mcpServers: { baton: { ...older, alwaysLoadTools: false } } }),
    })

    await done(where, 'claude-code')
    await done(where, 'qwen')

    const entryIn = (file: string) => JSON.parse(textOf(where.cwd, file)).mcpServers.baton
    assert.equal(entryIn('.mcp.json').alwaysLoad, true)
    assert.equal(entryIn('.qwen/settings.json').alwaysLoadTools, false)
  })

  it('follows a link within the project and writes the file behind it', async (t) => {
    const where = here(t)
    put(where.cwd, { 'AGENTS.md': PAGE })
    symlinkSync('AGENTS.md', join(where.cwd, 'CLAUDE.md'))

    await done(where, 'claude-code')
    const written = textOf(where.cwd, 'AGENTS.md')
    await done(where, 'codex')
    await done(where, 'claude-code', '--remove')
    const left = textOf(where.cwd, 'AGENTS.md')
    await done(where, 'codex', '--remove')

    assert.ok(written.startsWith(PAGE) && written.includes('baton:begin'))
    assert.equal(left, written)
    assert.equal(textOf(where.cwd, 'CLAUDE.md'), PAGE)
  })
})

describe('consent to baton setup', () => {
  it('is needed: without a terminal and --yes it shows everything and writes nothing', async (t) => {
    const where = here(t)
    const before = snapshot(where.cwd)

    const shown = await quick(where, 'setup', 'gemini')
    const json = await quick(where, 'setup', 'gemini', '--json')
    const dry = await quick(where, 'setup', 'gemini', '--dry-run')

    assert.deepEqual([shown.code, json.code, dry.code], [8, 8, 0])
    assert.match(shown.stdout, /^\.gemini\/settings\.json \(new\): .*\n\+ \{\n/)
    assert.match(shown.stderr, /nothing was written; to write this, add --yes/)
    assert.deepEqual([JSON.parse(json.stdout).written, dry.stdout], [false, shown.stdout])
    assert.deepEqual(snapshot(where.cwd), before)
    assert.equal(existsSync(join(where.cwd, '.baton')), false)
  })

  it('is asked for on a terminal, after the lines were shown', (t) => {
    const where = here(t)
    const before = snapshot(where.cwd)

    const proof = ['setup', 'claude-code', '--proof']
    const no = onTerminal(where, proof, { steps: [['Write this?', 'n\n']] })
    const after = snapshot(where.cwd)
    const steps = (last: string) => [['Write this?', 'y\n'] as const, ['Allow this?', last] as const]
    const yes = onTerminal(where, proof, { steps: steps('n\n') })
    const isAllowed = existsSync(join(where.cwd, '.claude/settings.local.json'))
    const allowed = onTerminal(where, proof, { steps: steps('y\n').slice(1) })

    assert.match(no.shown, /\+ +"default,proof"[\s\S]*Write this\? \[y\/n\]/)
    assert.deepEqual([no.code, after], [8, before])
    assert.equal(yes.code, 0)
    assert.match(yes.shown, /✓ \.mcp\.json +new: the MCP server/)
    assert.match(textOf(where.cwd, '.mcp.json'), /default,proof/)
    assert.deepEqual([isAllowed, allowed.code], [false, 0])
    assert.match(
      allowed.shown,
      /Claude Code may use 20 tools of the server baton in this\s+project without\s+asking you[\s\S]*\+ +"mcp__baton__merkle_root"[\s\S]*Allow this\? \[y\/n\]/,
    )
    assert.match(textOf(where.cwd, '.claude/settings.local.json'), /"mcp__baton__handoff_accept"/)
  })

  it('goes with what the programs themselves ask, where Enter or silence would leave Baton out', async (t) => {
    const [claude, codex] = [here(t), here(t)]

    const { stdout, stderr } = await quick(claude, 'setup', 'claude-code', '--yes')
    const silent = await quick(codex, 'setup', 'codex', '--yes')

    assert.match(`${stdout}${stderr}`, /next: start claude [^.]*trust [^.]*\. Enter alone leaves Baton out/)
    assert.match(
      `${silent.stdout}${silent.stderr}`,
      /next: start codex [^.]*trust [^.]*\. Until then .* says nothing/,
    )
  })

  it('is pointed at by baton init, which asks nothing new', async (t) => {
    const where = here(t)

    const { code, stdout } = await quick(where, 'init')

    assert.equal(code, 0)
    assert.match(stdout, /baton setup claude-code/)
  })
})

describe('baton setup git', () => {
  it('adds the hooks to those that are there and gives them back as they were', async (t) => {
    const where = here(t)
    const hooks = {
      'pre-commit': '#!/bin/sh\nexit 0\n',
      'pre-push': '#!/usr/bin/env python3\nprint("mine")\n',
    }
    put(join(where.cwd, '.git', 'hooks'), hooks)
    for (const name of Object.keys(hooks)) chmodSync(join(where.cwd, '.git/hooks', name), 0o755)
    const before = snapshot(join(where.cwd, '.git/hooks'))

    await done(where, 'git')
    const first = snapshot(join(where.cwd, '.git/hooks'))
    await done(where, 'git')
    const second = snapshot(join(where.cwd, '.git/hooks'))
    await done(where, 'git', '--remove')

    assert.match(first['pre-commit']!, /^755 .*hook pre-commit/s)
    assert.match(first['pre-push']!, /^755 .*merge-check --pre-push/s)
    assert.equal(first['pre-push.before-baton'], before['pre-push'])
    assert.deepEqual(second, first)
    assert.deepEqual(snapshot(join(where.cwd, '.git/hooks')), before)
  })

  it('writes nothing when one of the two cannot be written', async (t) => {
    const where = here(t)
    const folder = join(where.cwd, '.git', 'hooks')
    put(folder, { 'pre-push': 'mine\n', 'pre-push.before-baton': 'older\n' })
    const before = snapshot(folder)

    const { code, stderr } = await quick(where, 'setup', 'git', '--yes')

    assert.equal(code, 6, stderr)
    assert.deepEqual(snapshot(folder), before)
    assert.equal(git(where.cwd, 'status', '--short'), '')
  })

  it('answers what it did as JSON', async (t) => {
    const where = here(t)
    const answer = await ask<{ program: string; written: boolean; files: { change: string }[] }>(
      where,
      ...['setup', 'git', '--yes'],
    )

    assert.deepEqual(
      [answer.program, answer.written, answer.files.map(({ change }) => change)],
      ['git', true, ['new', 'new']],
    )
  })
})

describe('baton setup where agents cannot find the command', () => {
  const PATHS = [
    ['is nowhere on the path', 'bin', false],
    ['is there only for as long as npx runs', 'npx/node_modules/.bin', false],
    ['is installed', 'bin', true],
  ] as const
  for (const [how, folder, installed] of PATHS)
    it(`says whether that is so: the command ${how}`, async (t) => {
      const place = folders(t)
      const bin = join(place.folder('away'), folder)
      if (installed || folder.startsWith('npx')) place.file(join('away', folder, 'baton'), '#!/bin/sh\n')
      const where = { cwd: place.repository('shop'), env: { PATH: `/nowhere:${bin}` } }

      const { code, stderr } = await quick(where, 'setup', 'claude-code', '--yes')

      assert.equal(code, 0)
      assert.equal(stderr.includes(`npm install --global --prefix ~/.local ${ROOT}`), !installed, stderr)
    })
})
