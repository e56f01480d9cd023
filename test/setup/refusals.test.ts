import assert from 'node:assert/strict'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { quick, refusal, type Where } from '../support/program/command.ts'
import { put, snapshot } from './files.ts'

const here = (t: TestContext): Where => ({ cwd: folders(t).repository('shop') })

describe('baton setup refuses what it cannot merge into, and writes no file at all', () => {
  const cases: readonly (readonly [
    title: string,
    program: string,
    file: string,
    text: string,
    message: RegExp,
  ])[] = [
    [
      'JSON that is cut off',
      'claude-code',
      '.claude/settings.json',
      '{"hooks": {',
      /settings\.json cannot be read \(line 1\)/,
    ],
    [
      'JSON with something missing',
      'gemini',
      '.gemini/settings.json',
      '{\n  "a": 1\n  "b": 2\n}\n',
      /cannot be read \(line [23]\)/,
    ],
    ['two objects', 'vscode', '.vscode/mcp.json', '{}\n{}\n', /one JSON object|cannot be read/],
    ['a list', 'cursor', '.cursor/mcp.json', '[]\n', /has to hold one JSON object/],
    [
      'a text instead of an object',
      'claude-code',
      '.mcp.json',
      '"x"\n',
      /has to hold one JSON object|cannot be read/,
    ],
    [
      'servers that are a list',
      'claude-code',
      '.mcp.json',
      '{"mcpServers": []}',
      /mcpServers has to be an object/,
    ],
    ['hooks that are a list', 'codex', '.codex/hooks.json', '{"hooks": []}', /hooks has to be an object/],
    [
      'an event that is no list',
      'claude-code',
      '.claude/settings.json',
      '{"hooks": {"Stop": {}}}',
      /hooks\.Stop has to be a list/,
    ],
    [
      'a server named baton of someone else',
      'gemini',
      '.gemini/settings.json',
      '{"mcpServers": {"baton": {"command": "npx"}}}',
      /named baton of its own/,
    ],
    [
      'a text in TOML that never ends',
      'codex',
      '.codex/config.toml',
      'a = """\nb\n',
      /not TOML \(line 1: a text that is never closed\)/,
    ],
    [
      'a bracket in TOML that never ends',
      'codex',
      '.codex/config.toml',
      'a = [1,\nb = 2\n',
      /not TOML \(line 1: a bracket/,
    ],
    [
      'a line that is not TOML',
      'codex',
      '.codex/config.toml',
      'a = 1\nhello there\n',
      /not TOML \(line 2: neither/,
    ],
    [
      'a key without a value',
      'codex',
      '.codex/config.toml',
      'a =\nb = 1\n',
      /not TOML \(line 1: a key without/,
    ],
    [
      'two statements on a line',
      'codex',
      '.codex/config.toml',
      '[a] b = 1\n',
      /not TOML \(line 1: more on the line/,
    ],
    [
      'a table of that name',
      'codex',
      '.codex/config.toml',
      'x = 1\n[mcp_servers."baton"]\ncommand = "y"\n',
      /says mcp_servers\.baton itself \(line 2\)/,
    ],
    [
      'a table below that name',
      'codex',
      '.codex/config.toml',
      '[mcp_servers.baton.env]\nA = "1"\n',
      /says mcp_servers\.baton\.env itself/,
    ],
    [
      'a dotted key of that name',
      'codex',
      '.codex/config.toml',
      '[mcp_servers]\nbaton.command = "y"\n',
      /says baton\.command itself/,
    ],
    [
      'servers in one inline table',
      'codex',
      '.codex/config.toml',
      'mcp_servers = { a = { command = "y" } }\n',
      /says mcp_servers itself/,
    ],
    [
      'a section that begins and never ends',
      'codex',
      'AGENTS.md',
      'x\n<!-- baton:begin -->\ny\n',
      /1 lines .* and 0 lines/,
    ],
    [
      'two sections',
      'codex',
      'AGENTS.md',
      '<!-- baton:begin -->\n<!-- baton:end -->\n'.repeat(2),
      /leave one pair/,
    ],
    [
      'a skill of that name',
      'codex',
      '.agents/skills/baton-handoff/SKILL.md',
      '---\nname: baton-handoff\n---\nOurs.\n',
      /SKILL\.md is a file of your own; rename or remove it first/,
    ],
  ]
  for (const [title, program, file, text, message] of cases)
    it(`${title}, in ${file}`, async (t) => {
      const where = here(t)
      put(where.cwd, { [file]: text })
      const before = snapshot(where.cwd)

      const { exit, message: said } = await refusal(where, 'setup', program, '--yes')

      assert.ok(exit === 2 || exit === 6, String(exit))
      assert.match(said, message)
      assert.deepEqual(snapshot(where.cwd), before)
      assert.equal(existsSync(join(where.cwd, '.baton')), false)
    })

  it('bytes that are not UTF-8', async (t) => {
    const where = here(t)
    writeFileSync(join(where.cwd, 'AGENTS.md'), Buffer.from([0x61, 0xff, 0xfe]))
    const before = snapshot(where.cwd)

    assert.match((await refusal(where, 'setup', 'codex', '--yes')).message, /AGENTS\.md is not UTF-8/)
    assert.deepEqual(snapshot(where.cwd), before)
  })

  it('a link that leads out of the project, to a file or to a folder', async (t) => {
    const place = folders(t)
    const where = { cwd: place.repository('shop') }
    const outside = place.file('outside/settings.json', '{}\n')
    const before = snapshot(place.path('outside'))
    symlinkSync(outside, join(where.cwd, '.mcp.json'))
    const file = await refusal(where, 'setup', 'claude-code', '--yes')
    symlinkSync(place.path('outside'), join(where.cwd, '.gemini'))
    const folder = await refusal(where, 'setup', 'gemini', '--yes')

    for (const { exit, message } of [file, folder]) {
      assert.equal(exit, 4)
      assert.match(message, /leads out of .*edit that file by hand/)
    }
    assert.deepEqual(snapshot(place.path('outside')), before)
  })

  it('a folder where a file should be', async (t) => {
    const where = here(t)
    mkdirSync(join(where.cwd, '.mcp.json'))

    assert.match(
      (await refusal(where, 'setup', 'claude-code', '--yes')).message,
      /\.mcp\.json cannot be read \(EISDIR\)/,
    )
  })

  it('names that would end up in a command line', async (t) => {
    const where = here(t)
    for (const name of ['a b', 'x;rm -rf .', '$(id)', '', '../x'])
      assert.equal((await refusal(where, 'setup', 'codex', `--agent=${name}`, '--yes')).exit, 2, name)
    assert.equal((await refusal(where, 'setup', 'codex', '--refusals', '1;id', '--yes')).exit, 2)
  })

  it('programs that it does not know, with the names of those it does', async (t) => {
    const where = here(t)

    assert.match(
      (await refusal(where, 'setup', 'emacs')).message,
      /: claude-code, codex, gemini, copilot, opencode, qwen, cursor, vscode, git$/,
    )
    assert.match((await refusal(where, 'setup')).message, /^setup needs <claude-code\|codex\|/)
  })
})

describe('what was kept for undoing', () => {
  it('is for the owner alone, as it may hold what is secret in those files', async (t) => {
    const where = here(t)
    put(where.cwd, { '.mcp.json': '{"mcpServers": {"x": {"env": {"KEY": "secret"}}}}' })

    await quick(where, 'setup', 'claude-code', '--yes')

    assert.match(snapshot(join(where.cwd, '.baton'))['setup.json']!, /^600 /)
  })

  it('is not guessed at when it was damaged', async (t) => {
    const where = here(t)
    await quick(where, 'setup', 'claude-code', '--yes')
    const before = snapshot(where.cwd)
    writeFileSync(join(where.cwd, '.baton', 'setup.json'), 'half of i')

    const refused = await refusal(where, 'setup', 'claude-code', '--remove', '--yes')

    assert.equal(refused.exit, 17)
    assert.match(refused.message, /remove the file to go on without it/)
    assert.deepEqual(snapshot(where.cwd), before)
  })
})
