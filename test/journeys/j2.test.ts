import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { parse } from 'yaml'
import { folders, git } from '../support/documents/folders.ts'
import { BATON, baton, cleanEnv, type Where } from '../support/program/command.ts'

/** Document 000's team, typed as people type it; the scripts of the agents know nothing of Baton. */
it('J2: a team that lives in _handoffs/', async (t) => {
  const root = folders(t).repository('project')
  const where = { cwd: root }
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await baton(where, ...args)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const script = (edit: (text: string) => string) => {
    const text = readFileSync(file, 'utf8')
    assert.notEqual(edit(text), text)
    writeFileSync(file, edit(text))
  }
  const who = ['-c', 'user.name=grok', '-c', 'user.email=grok@example.com']
  const commit = (message: string) =>
    spawnSync('git', [...who, 'commit', '-m', message], {
      cwd: root,
      env: commandEnv(t, where),
      encoding: 'utf8',
    })
  const acknowledge = (by: string) => (text: string) =>
    text
      .replace('status: Active', 'status: Acknowledged')
      .replace('acknowledged_by: null', `acknowledged_by: ${by}`)
  const [date, month] = [
    new Date().toISOString().slice(0, 10).replaceAll('-', ''),
    new Date().toISOString().slice(0, 7),
  ]
  const name = `handoff-grok-claude-BPRD-2026-0042-${date}.md`
  const file = join(root, '_handoffs/active', name)

  await run('init', '--dialect', 'markdown')
  const created = await run(
    ...[
      'create',
      '--as',
      'grok',
      '--to',
      'claude',
      '--task',
      'BPRD-2026-0042',
      '--title',
      'Implement API Rate Limiting',
    ],
    ...[
      '--purpose',
      'Protect the API',
      '--context',
      'Launch in March',
      '--deliverable',
      'Rate limiting middleware',
    ],
    ...[
      '--criterion',
      'npm test passes',
      '--meeting',
      'meetings/2026-02-21.md',
      '--skill',
      'skills/api-development',
    ],
  )
  assert.match(created, new RegExp(`✓ _handoffs/active/${name} \\(Created, expires `))
  const sent = await run('send', '@', '--as', 'grok')
  assert.match(sent, /\(Active, expires /)

  script(acknowledge('gemini'))
  await run('folders', 'sync')
  assert.match(readFileSync(file, 'utf8'), /^status: Active$/m)
  assert.match(readFileSync(`${file}.problem`, 'utf8'), /gemini may not accept/)
  assert.match(await run('inbox', '--as', 'gemini'), /was refused: gemini may not accept/)

  script(acknowledge('claude'))
  await run('folders', 'sync')
  await run('submit', '@', '--as', 'claude', '--evidence', 'Rate limiting middleware=PR #123')
  await run('verify', '@', '--as', 'perplexity', '--pass')

  assert.equal(existsSync(file), false)
  const shelf = join(root, '_handoffs/archived', month.replace('-', '/'), name)
  const archived = readFileSync(shelf, 'utf8')
  assert.match(archived, /^status: Complete$/m)
  const index = parse(readFileSync(join(root, '_handoffs/_index.yaml'), 'utf8'))
  assert.deepEqual([index.active_handoffs, index.recently_completed[0].id], [[], name.replace('.md', '')])
  assert.match(await run('task', 'get', 'BPRD-2026-0042'), /done/)
  assert.match(readFileSync(`${shelf}.problem`, 'utf8'), /gemini may not accept/)
  assert.match(await run('folders', 'doctor'), /^✓ folder, names, front matter, index and engine agree$/m)

  // The eleventh open handoff of grok is one too many, whoever receives it.
  for (let n = 1; n <= 10; n += 1) await run(...handoff(n))
  const refused = await baton(where, ...handoff(11))
  assert.match(refused.stderr, /grok has 10 active outgoing handoffs \(max: 10\)/)

  // A handoff in another place does not get into a commit.
  await run('setup', 'git', '--yes')
  git(root, 'add', '_handoffs', 'baton.yaml')
  const first = commit('handoffs')
  assert.equal(first.status, 0, first.stderr)
  const astray = join(root, 'research/x/processed', name)
  mkdirSync(dirname(astray), { recursive: true })
  writeFileSync(astray, archived)
  git(root, 'add', 'research')
  const second = commit('astray')
  assert.notEqual(second.status, 0)
  const said = second.stderr + second.stdout
  assert.match(said, new RegExp(`research/x/processed/${name}[\\s\\S]*_handoffs/archived/`))

  // Coming from the first version: a plan first.
  const plan = await run('migrate', '--from', 'v1', '.')
  assert.match(plan, /--yes/)
})

const handoff = (n: number): readonly string[] => [
  ...[
    'create',
    '--as',
    'grok',
    '--to',
    n % 2 === 0 ? 'claude' : 'gemini',
    '--task',
    `BPRD-2026-01${String(n).padStart(2, '0')}`,
  ],
  ...['--title', `Work ${n}`, '--purpose', 'Protect the API', '--context', 'Launch in March'],
  ...[
    '--deliverable',
    'A report',
    '--criterion',
    'npm test passes',
    '--meeting',
    'meetings/x.md',
    '--skill',
    'skills/x',
  ],
]

/** Hooks call `baton` by its name, as it is installed. */
function commandEnv(t: TestContext, where: Where): NodeJS.ProcessEnv {
  const bin = folders(t).folder('bin')
  writeFileSync(join(bin, 'baton'), `#!/bin/sh\nexec "${process.execPath}" "${BATON}" "$@"\n`, {
    mode: 0o755,
  })
  return { ...cleanEnv(where), PATH: `${bin}:${process.env.PATH}` }
}
