import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, quick } from '../support/program/command.ts'

/** Every file below a folder with its text; git's own files but its hooks and excludes are left out. */
const filesIn = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .filter((path) => !path.startsWith('.git/') || /^\.git\/(?:hooks\/pre-|info\/exclude)/.test(path))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  )

describe('baton uninstall', () => {
  it('shows and then removes what Baton made in the project, and nothing else', async (t) => {
    const { repository } = folders(t)
    const where = { cwd: repository('shop') }
    const at = (path: string) => join(where.cwd, path)
    writeFileSync(at('CLAUDE.md'), '# Mine\n')
    writeFileSync(at('.mcp.json'), '{"mcpServers":{"other":{"command":"x"}}}\n')
    mkdirSync(at('.git/hooks'), { recursive: true })
    writeFileSync(at('.git/hooks/pre-push'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    const before = filesIn(where.cwd)
    await quick(where, 'send', '--to', 'codex', '--title', 'Work')
    for (const program of ['claude-code', 'codex', 'gemini', 'git'])
      await quick(where, 'setup', program, '--yes')
    // Somebody changed a file that setup wrote.
    writeFileSync(at('CLAUDE.md'), `${readFileSync(at('CLAUDE.md'), 'utf8')}\nMore of mine\n`)
    writeFileSync(at('.baton/notes.txt'), 'mine')
    const set = filesIn(where.cwd)

    const shown = await quick(where, 'uninstall')
    assert.equal(shown.code, 0)
    assert.match(shown.stdout, /- \.mcp\.json {2}without the lines of baton setup\n/)
    assert.match(shown.stdout, /- \.baton\/baton\.db {2}to remove\n/)
    assert.match(shown.stdout, / {2}\.baton\/notes\.txt {2}stays\n/)
    assert.match(shown.stderr, /nothing was removed; do it with: baton uninstall --yes/)
    assert.match((await quick(where, 'uninstall', '--yes', '--dry-run')).stderr, /nothing was removed/)
    assert.deepEqual(filesIn(where.cwd), set)
    const agent = await quick({ ...where, env: { CLAUDECODE: '1' } }, 'uninstall', '--yes', '--as', 'claude')
    assert.equal(agent.code, 4, agent.stderr)
    assert.deepEqual(filesIn(where.cwd), set)

    assert.equal((await quick(where, 'uninstall', '--yes')).code, 0)
    const after = filesIn(where.cwd)
    assert.equal(after['CLAUDE.md']?.replace(/\s+/g, ' ').trim(), '# Mine More of mine')
    assert.deepEqual(
      { ...after, 'CLAUDE.md': '' },
      { ...before, 'CLAUDE.md': '', '.baton/notes.txt': 'mine' },
    )
    assert.deepEqual(readdirSync(join(where.cwd, '../.baton/stores')), [])
  })

  it('leaves files of live folders and baton.yaml, and with --files takes those that nobody changed', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await quick(where, 'init', '--dialect', 'package')
    const sent = (title: string) =>
      quick(
        where,
        'send',
        '--to',
        'codex',
        '--title',
        title,
        '--summary',
        'A plan of two steps',
        '--deliverable',
        'Code',
      )
    for (const title of ['First', 'Second']) assert.equal((await sent(title)).code, 0, title)
    await quick(where, 'folders', 'sync')
    const files = () => Object.keys(filesIn(where.cwd)).filter((path) => /HO-\d+-00\d\.yaml$/.test(path))
    const [first = '', second = ''] = files()
    assert.ok(first && second, String(Object.keys(filesIn(where.cwd))))
    writeFileSync(join(where.cwd, second), 'mine now\n')

    const { kept } = await ask<{ kept: string[] }>(where, 'uninstall')
    assert.deepEqual(
      kept.map((path) => path.slice(where.cwd.length + 1)).filter((path) => /^baton|HO-/.test(path)),
      ['baton.yaml', first],
    )
    await quick(where, 'uninstall', '--files', '--yes')
    assert.deepEqual(files(), [second])
    assert.equal(existsSync(join(where.cwd, 'baton.yaml')), false)
    assert.equal(existsSync(join(where.cwd, '.baton')), false)
  })

  it('removes keys, trust and settings of the home only when asked to', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const home = join(where.cwd, '..')
    await quick(where, 'send', '--to', 'codex', '--title', 'Work')
    await quick(where, 'setup', 'claude-code', '--user', '--yes')
    mkdirSync(join(home, '.baton/keys'), { recursive: true })
    writeFileSync(join(home, '.baton/keys/log-1.pem'), 'key')
    writeFileSync(join(home, '.baton/mine'), 'mine')

    const { stderr } = await quick(where, 'uninstall', '--yes')
    assert.match(stderr, /keys and trust of your workspaces are in .*; see: baton uninstall --user/)
    assert.ok(existsSync(join(home, '.baton/keys/log-1.pem')))
    await quick(where, 'uninstall', '--user', '--yes')
    assert.deepEqual(readdirSync(join(home, '.baton')), ['mine'])
    assert.equal(existsSync(join(home, '.claude')), false)
  })
})
