import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { folders, git } from '../support/documents/folders.ts'
import { ask, baton, quick, type Where } from '../support/program/command.ts'
import { newDatabase, query } from '../support/store/store-places.ts'

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
    mkdirSync(at('.worktrees'))
    const set = filesIn(where.cwd)

    const shown = await quick(where, 'uninstall')
    assert.equal(shown.code, 0)
    assert.match(shown.stdout, /- \.mcp\.json {2}without the lines of baton setup\n/)
    assert.match(shown.stdout, /- \.baton\/baton\.db {2}to remove\n/)
    assert.match(shown.stdout, / {2}\.baton\/notes\.txt {2}stays\n {2}\.worktrees {2}stays\n/)
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

  it('says that rows stay in PostgreSQL; the SQL of the page removes those of this workspace alone', async (t) => {
    const cwd = folders(t).repository('shop')
    const url = await newDatabase()
    const env = { BATON_STORE: url }
    await ask({ cwd, env }, 'send', '--to', 'codex', '--title', 'Of shop')
    const { pathname } = new URL(url)
    writeFileSync(join(cwd, 'baton.yaml'), 'workspace: other\n')
    await ask({ cwd, env }, 'send', '--to', 'codex', '--title', 'Of others')
    const counts = () =>
      query(url, 'SELECT name FROM baton.workspace JOIN baton.handoff ON ws = workspace.id ORDER BY name')
    assert.deepEqual(await counts(), [{ name: 'default' }, { name: 'other' }])

    const { code, stderr } = await quick({ cwd, env }, 'uninstall', '--yes')

    assert.equal(code, 0, stderr)
    assert.match(
      stderr,
      new RegExp(`stay in postgres\\S*${pathname} \\(workspace other\\), which others may use`),
    )
    assert.deepEqual(await counts(), [{ name: 'default' }, { name: 'other' }])
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/how-to/uninstall.md'), 'utf8')
    const sql = /```sql\n([\s\S]*?)```/.exec(page)?.[1]?.replace("'shop'", "'other'")
    await query(url, sql ?? '')
    assert.deepEqual(await counts(), [{ name: 'default' }])
    const left = await query(
      url,
      `SELECT relname FROM pg_class c WHERE relnamespace = 'baton'::regnamespace AND relkind IN ('r', 'S') AND
       (relname = 'handoff_number_2' OR relkind = 'r' AND relname NOT IN ('workspace', 'migration') AND
       (xpath('/row/n/text()', query_to_xml('SELECT count(*) AS n FROM baton.' || relname || ' WHERE ws = 2', false, true, '')))[1]::text <> '0')`,
    )
    assert.deepEqual(left, [])
  })

  it('removes keys, trust and settings of the home only when asked to', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const home = join(where.cwd, '..')
    await quick(where, 'send', '--to', 'codex', '--title', 'Work')
    await quick(where, 'setup', 'claude-code', '--user', '--yes')
    const ours = ['keys', 'trust', 'trust-log', 'seats']
    for (const name of ours) mkdirSync(join(home, '.baton', name), { recursive: true })
    writeFileSync(join(home, '.baton/keys/log-1.pem'), 'key')
    writeFileSync(join(home, '.baton/mine'), 'mine')

    const { stderr } = await quick(where, 'uninstall', '--yes')
    assert.match(stderr, /keys and trust of your workspaces are in .*; see: baton uninstall --user/)
    assert.ok(existsSync(join(home, '.baton/keys/log-1.pem')))
    const told = await quick(where, 'uninstall', '--user', '--yes')
    for (const name of ours) assert.match(told.stdout, new RegExp(`/${name} {2}removed`))
    assert.deepEqual(readdirSync(join(home, '.baton')), ['mine'])
    assert.equal(existsSync(join(home, '.claude')), false)
  })

  it('names the checkpoints in git and the compiled code, which stay', async (t) => {
    const place = folders(t)
    const cwd = place.repository('shop')
    const compiled = place.folder('compiled')
    const where = { cwd, env: { NODE_COMPILE_CACHE: compiled } }
    await quick(where, 'send', '--to', 'codex', '--title', 'Work')
    assert.doesNotMatch((await quick(where, 'uninstall')).stderr, /refs\/notes/)
    await quick(where, 'audit', 'checkpoint')
    await ask(where, 'audit', 'anchor')
    place.folder('compiled', `baton-code-${process.getuid?.()}`)

    const { stderr } = await quick(where, 'uninstall', '--yes')
    assert.match(stderr, /checkpoints stay in git; remove them with: git update-ref -d refs\/notes\/baton\n/)
    assert.equal(git(cwd, 'for-each-ref', '--format=%(refname)', 'refs/notes'), 'refs/notes/baton\n')
    const user = await baton(where, 'uninstall', '--user')
    assert.match(
      user.stderr,
      new RegExp(`compiled code of Baton stays in ${compiled}/baton-code-\\d+; delete`),
    )
  })

  it('leaves copies that people made beside the store, and originals that migrate kept', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await quick(where, 'send', '--to', 'codex', '--title', 'Work')
    const mine = ['baton.db.before-monday', 'baton.db-backup.tar', 'migrated/20260221/HO-1.md']
    mkdirSync(join(where.cwd, '.baton/migrated/20260221'), { recursive: true })
    for (const name of mine) writeFileSync(join(where.cwd, '.baton', name), 'mine')

    assert.equal((await quick(where, 'uninstall', '--yes')).code, 0)
    assert.deepEqual(Object.keys(filesIn(join(where.cwd, '.baton'))).toSorted(), mine.toSorted())
  })

  it('leaves in the home folder what other projects use, and takes what is of this one', async (t) => {
    const { repository, home } = folders(t)
    const [here, other] = ['shop', 'other'].map((name) => ({ cwd: repository(name) })) as [Where, Where]
    await quick(here, 'setup', 'qwen', '--user', '--yes')
    await quick(other, 'setup', 'gemini', '--yes')
    await quick(other, 'setup', 'copilot', '--yes')
    const before = filesIn(home)
    for (const program of ['qwen', 'gemini', 'copilot']) await quick(here, 'setup', program, '--yes')

    assert.equal((await quick(here, 'uninstall', '--yes')).code, 0)
    const after = filesIn(home)
    for (const file of ['.qwen/settings.json', '.gemini/policies/baton.toml'])
      assert.equal(after[file], before[file], file)
    const { locations } = JSON.parse(after['.copilot/permissions-config.json'] ?? '{}')
    assert.deepEqual(Object.keys(locations), [other.cwd])
  })

  it('removes the content of a home folder that is a link, and leaves the link', async (t) => {
    const { repository, folder, home } = folders(t)
    const where = { cwd: repository('shop') }
    symlinkSync(folder('dotfiles'), join(home, '.baton'))
    await quick(where, 'send', '--to', 'codex', '--title', 'Work')

    const { code, stderr } = await quick(where, 'uninstall', '--user', '--yes')
    assert.deepEqual([code, stderr.replace(/^compiled code of Baton stays in .*\n/, '')], [0, ''])
    assert.deepEqual(readdirSync(join(home, '.baton')), [])
  })
})
