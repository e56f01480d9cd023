import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readDocuments } from '../../src/dialects/index.ts'
import type { PlanSummary } from '../../src/migrate/summary.ts'
import { git } from '../support/documents/folders.ts'
import { ask, quick, refusal } from '../support/program/command.ts'
import { aTree, type Tree, type V1, v1Text } from './v1-tree.ts'

const OLD = '_agents/claude/_handoffs/handoff-limits-claude-20260221.md'
const ID = 'handoff-grok-claude-BPRD-2026-0042-20260221'
const NEW = `_handoffs/active/${ID}.md`

interface Answered extends PlanSummary {
  readonly applied: boolean
  readonly backup?: string
  readonly questions?: string
  readonly hidden: readonly string[]
}

const run = (tree: Tree, ...more: readonly string[]) =>
  ask<Answered>(tree.where, 'migrate', '--from', 'v1', '.', ...more)

const frontOf = (text: string): Record<string, unknown> =>
  readDocuments(text, { path: `${ID}.md` })[0]!.source.value as Record<string, unknown>

/** What a migration asks about one file. */
async function questionsAbout(t: { after(clean: () => void): void }, v1: V1, path = OLD) {
  const tree = aTree(t, { [path]: v1Text(v1) })
  const { undecided, moves } = await run(tree, '--apply').catch(async () => {
    const { stdout } = await quick(tree.where, 'migrate', '--from', 'v1', '.', '--apply', '--json')
    return JSON.parse(stdout) as Answered
  })
  assert.equal(tree.read(path), v1Text(v1))
  assert.deepEqual(moves, [])
  return undecided.flatMap(({ questions }) => questions)
}

describe('a handoff of version 1', () => {
  it('[S0-114] [S0-116] [S0-110] gets the keys of version 2, a time in UTC and its place', async (t) => {
    const tree = aTree(t, {
      [OLD]: v1Text({
        status: 'in_progress',
        created: '2026-02-21 16:30 +0200',
        more: 'priority: high\nteam: red\n',
      }),
    })

    await run(tree, '--apply')

    assert.deepEqual(Object.keys(tree.all()), ['_handoffs/_index.yaml', NEW])
    const { context, ...front } = frontOf(tree.read(NEW))
    assert.equal(String(context).trim(), 'Agreed in the meeting.')
    assert.deepEqual(front, {
      handoff_id: ID,
      from_agent: 'grok',
      to_agent: 'claude',
      related_task: 'BPRD-2026-0042',
      status: 'Acknowledged',
      created_at: '2026-02-21T14:30:00Z',
      updated_at: '2026-02-21T14:30:00Z',
      expires_at: '2026-02-21T18:30:00Z',
      title: 'Rate limits',
      verification_criteria: ['The check passes'],
      source_meeting: null,
      skill_web_node: null,
      acknowledged_at: null,
      acknowledged_by: null,
      acknowledgment_notes: null,
      completed_at: null,
      completion_verified_by: null,
      completion_notes: null,
      priority: 'high',
      team: 'red',
      migrated_from: OLD,
      former_id: 'handoff-limits-claude-20260221',
    })
    assert.ok(tree.read(NEW).endsWith(v1Text().slice(v1Text().indexOf('\n# Rate limits'))))
  })

  it('[S0-69] [S0-117] keeps the keys of others as they were written, with their comments', async (t) => {
    const foreign = `# who wrote this
api_version: 1.10
commit: 12e4567
short_sha: 0012345 # of the build
ticket: 0042
issue: 9007199254740993
nested: {sha: 007, list: [ 1.0 ]}
`
    const tree = aTree(t, {
      [OLD]: v1Text().replace('---\n', '---\n# of grok\n').replace('status:', `${foreign}status:`),
    })

    const { moves } = await run(tree, '--apply')

    const front = tree.read(NEW).split('---\n')[1]!
    assert.ok(front.includes(`# of grok\n${foreign}`), front)
    assert.match(front, /^handoff_id: .*\nfrom_agent: grok\n/)
    assert.deepEqual(
      moves[0]?.notes.filter((note) => note.includes('original')),
      [],
    )
  })

  it('[S0-117] ends every line of the front matter alike, however the old one did', async (t) => {
    const tree = aTree(t, {
      [OLD]: v1Text().replace('status:', 'own: 1.10\nstatus:').replaceAll('\n', '\r\n'),
    })

    await run(tree, '--apply')

    const front = tree.read(NEW).split('---')[1]!
    assert.match(front, /^own: 1\.10$/m)
    assert.ok(!front.includes('\r'), JSON.stringify(front))
  })

  it('[S0-117] says so where the keys of others had to be written anew', async (t) => {
    const text = v1Text()
    const front =
      '{from: grok, assigned_to: claude, task: BPRD-2026-0042, status: open, created: 2026-02-21, x: 007}'
    const tree = aTree(t, { [OLD]: `---\n${front}\n${text.slice(text.indexOf('---\n\n'))}` })

    const { moves } = await run(tree, '--apply')

    assert.match(moves[0]?.notes.join('\n') ?? '', /only the original says x as it was written/)
    assert.equal(frontOf(tree.read(NEW)).x, 7)
  })

  it('[S0-03] [S0-37] goes to the archive, by the month of its end, when it has ended', async (t) => {
    const tree = aTree(t, {
      [OLD]: v1Text({ status: 'completed', more: 'completed: 2026-03-01T09:00:00Z\n' }),
      'old/handoff-b-claude-20260222.md': v1Text({ status: 'Rejected', task: 'BPRD-2026-0043' }),
    })

    const { moves } = await run(tree, '--apply')

    assert.deepEqual(moves.map(({ to, status }) => [to, status]).sort(), [
      [`_handoffs/archived/2026/02/${ID.replace('0042', '0043')}.md`, 'Rejected'],
      [`_handoffs/archived/2026/03/${ID}.md`, 'Complete'],
    ])
  })

  it('says in the plan which words it understood and what version 2 wants beyond', async (t) => {
    const tree = aTree(t, { [OLD]: v1Text() })

    const { moves } = await run(tree)

    assert.deepEqual(moves, [
      {
        from: OLD,
        to: NEW,
        id: ID,
        status: 'Active',
        notes: [
          'the status was "open", taken for Active',
          'was called handoff-limits-claude-20260221',
          'version 2 also wants purpose, deliverables',
        ],
      },
    ])
  })

  it('is read from the body and from tables as well', async (t) => {
    const tree = aTree(t, {
      'a/handoff-x-claude-20260221.md':
        '# Handoff: Limits\n\n| Field | Value |\n|---|---|\n| From | Grok (Chief) |\n| To | Claude |\n| Task | BPRD-2026-0042 |\n| Status | Pending |\n| Created | 2026-02-21 |\n',
    })

    const { moves, undecided } = await run(tree)

    assert.deepEqual(undecided, [])
    assert.deepEqual(
      moves.map(({ to }) => to),
      [NEW],
    )
  })
})

describe('what a migration does not decide', () => {
  // biome-ignore format: read as a table
  const cases: readonly (readonly [string, V1, string, RegExp])[] = [
    ['[S0-115] [S0-66] a task that is no BPRD id', { task: 'RATE-7' },            'related_task', /RATE-7.*BPRD-2026-0042/],
    ['[S0-115] a handoff without a task',          { task: '""' },                'related_task', /no task/],
    ['[S0-22] a status that nobody knows',         { status: 'simmering' },       'status',       /simmering/],
    ['a handoff to nobody',                        { to: 'nobody' },              'to_agent',     /nobody/],
    ['a time that does not exist, and no other',   { created: '2026-02-31' },     'created_at',   /when/],
    ['front matter that cannot be parsed',         { more: 'x: "open\n' },        'file',         /line/],
  ]
  for (const [what, v1, field, message] of cases)
    it(`${what} is reported and the file kept`, async (t) => {
      const path = what.includes('time') ? '_agents/claude/_handoffs/handoff-limits.md' : OLD
      const questions = await questionsAbout(t, v1, path)

      const asked = questions.find((question) => question.field === field)
      assert.ok(asked, JSON.stringify(questions))
      assert.match(asked.message, message)
    })

  it('open and ended at once is asked about, two words for open are not', async (t) => {
    const body = (status: string) =>
      v1Text({ status: 'Active' }).replace('## Context', `**Status**: ${status}\n\n## Context`)
    const tree = aTree(t, { [OLD]: body('COMPLETED') })

    const [asked] = (await run(tree)).undecided
    assert.deepEqual(
      asked?.questions.map(({ field }) => field),
      ['status'],
    )
    tree.write(OLD, body('in progress'))
    assert.equal((await run(tree)).moves.length, 1)
    tree.write(OLD, body('open'))
    rmSync(join(tree.root, OLD))
    tree.write(`_agents/_handoffs/archive/handoff-limits-claude-20260221.md`, body('open'))
    assert.match((await run(tree)).undecided[0]?.questions[0]?.message ?? '', /archive/)
  })

  it('exits with 1 after --apply while something is undecided, and does the rest', async (t) => {
    const tree = aTree(t, { [OLD]: v1Text(), 'a/handoff-b-claude-20260222.md': v1Text({ task: 'none' }) })

    const { code, stdout } = await quick(tree.where, 'migrate', '--from', 'v1', '.', '--apply')

    assert.equal(code, 1)
    assert.match(
      stdout,
      /Moved \(1\)[\s\S]*Not decided, left where they are \(1\)\n {2}a\/handoff-b-claude-20260222\.md/,
    )
    assert.deepEqual(Object.keys(tree.all()), [
      '_handoffs/_index.yaml',
      NEW,
      'a/handoff-b-claude-20260222.md',
    ])
  })

  it('an older copy does not take the place of a newer one that is undecided', async (t) => {
    const tree = aTree(t, {
      [OLD]: v1Text({ updated: '2026-02-22' }),
      'b/handoff-limits-claude-20260221.md': v1Text({ updated: '2026-02-23', status: 'simmering' }),
    })

    const { moves, undecided } = await run(tree)

    assert.deepEqual(moves, [])
    assert.deepEqual(undecided.flatMap(({ paths }) => paths).sort(), [
      OLD,
      'b/handoff-limits-claude-20260221.md',
    ])
  })
})

describe('answers', () => {
  it('are asked for in a file, and decide what the documents left open', async (t) => {
    const tree = aTree(t, {
      [OLD]: v1Text({ task: 'RATE-7' }),
      'research/x/processed/handoff-limits-claude-20260221_063331.md': v1Text({ task: 'RATE-7' }),
    })
    const file = tree.path('answers.yaml')

    const asked = await run(tree, '--answers', file)
    assert.equal(asked.questions, file)
    const text = readFileSync(file, 'utf8')
    assert.match(text, /"handoff-limits-claude-20260221":\n {2}related_task: {2}# "RATE-7"/)
    assert.equal((await run(tree, '--answers', file)).undecided.length, 1)
    writeFileSync(file, text.replace('related_task:', 'related_task: BPRD-2026-0042'))
    const { moves, duplicates, undecided } = await run(tree, '--answers', file, '--apply')

    assert.deepEqual([moves.length, duplicates.length, undecided.length], [1, 1, 0])
    assert.deepEqual(Object.keys(tree.all()), ['_handoffs/_index.yaml', NEW])
  })

  it('may be none: the file is there all the same for the command that comes next', async (t) => {
    const tree = aTree(t, { [OLD]: v1Text() })
    const file = tree.path('answers.yaml')

    const asked = await quick(tree.where, 'migrate', '--from', 'v1', '.', '--answers', file)
    const { moves } = await run(tree, '--answers', file, '--apply')

    assert.match(asked.stdout, /Nothing is open, and \S+answers\.yaml holds no question/)
    assert.equal(moves.length, 1)
    assert.deepEqual(Object.keys(tree.all()), ['_handoffs/_index.yaml', NEW])
  })

  const wrong = {
    'a task that is none': ['x:\n  related_task: 7\n', /related_task is 7; write a task id/],
    'a key that is none': ['x:\n  task: BPRD-2026-0042\n', /the keys are from_agent/],
    'a time that does not exist': ['x:\n  created_at: tomorrow\n', /created_at/],
    'text that is no YAML': ['x: [\n', /line/],
    'a list': ['- x\n', /holds no names/],
  } as const
  for (const [what, [text, message]] of Object.entries(wrong))
    it(`refuses ${what}`, async (t) => {
      const tree = aTree(t)
      tree.file('answers.yaml', text)

      const refused = await refusal(tree.where, 'migrate', '--from', 'v1', '--answers', '../answers.yaml')

      assert.equal(refused.code, 'invalid_input')
      assert.match(refused.message, message)
    })

  it('refuses --apply with a file of answers that is not there', async (t) => {
    const tree = aTree(t, { [OLD]: v1Text() })

    const refused = await refusal(tree.where, 'migrate', '--from', 'v1', '--answers', 'no.yaml', '--apply')

    assert.equal(refused.code, 'not_found')
    assert.deepEqual(Object.keys(tree.all()), [OLD])
  })
})

describe('which of several is kept', () => {
  const [a, b] = ['a/handoff-one-claude-20260221.md', 'b/handoff-two-claude-20260221.md']
  const text = (title: string, more: V1 = {}) => v1Text({ title, ...more })
  const winner = async (tree: Tree) => {
    const { moves, duplicates } = await run(tree)
    assert.deepEqual([moves.length, duplicates.length], [1, 1])
    return [moves[0]?.from, duplicates[0]?.path]
  }

  it('[S0-111] the one with the later updated, whatever its file says of time', async (t) => {
    const tree = aTree(t)
    tree.write(a, text('one', { updated: '2026-02-23T10:00:00Z' }), 1_000)
    tree.write(b, text('two', { updated: '2026-02-22T10:00:00Z' }), 2_000)

    assert.deepEqual(await winner(tree), [a, b])
  })

  it('[S0-111] then the later created of a day, then the later file, then the first path', async (t) => {
    const tree = aTree(t)
    tree.write(a, text('one', { created: '2026-02-21T08:00:00Z' }), 2_000)
    tree.write(b, text('two', { created: '2026-02-21T09:00:00Z' }), 1_000)
    assert.deepEqual(await winner(tree), [b, a])
    tree.write(a, text('one'), 1_000)
    tree.write(b, text('two'), 2_000)
    assert.deepEqual(await winner(tree), [b, a])
    tree.write(b, text('two'), 1_000)
    assert.deepEqual(await winner(tree), [a, b])
  })

  it('tells of a copy what it says that the kept one does not', async (t) => {
    const tree = aTree(t, { [a]: text('one', { updated: '2026-02-23', status: 'Active' }), [b]: text('two') })

    const { duplicates } = await run(tree)

    assert.deepEqual(duplicates, [{ path: b, kept: NEW, differs: ['title'] }])
  })

  it('another day, task or receiver is another handoff', async (t) => {
    const tree = aTree(t, {
      'a/handoff-1-claude-20260221.md': v1Text(),
      'a/handoff-2-claude-20260221.md': v1Text({ created: '2026-02-22' }),
      'a/handoff-3-claude-20260221.md': v1Text({ task: 'BPRD-2026-0043' }),
      'a/handoff-4-claude-20260221.md': v1Text({ to: 'gemini' }),
    })

    const { moves, duplicates } = await run(tree)

    assert.deepEqual([moves.length, duplicates.length], [4, 0])
  })

  it('[S0-20] a handoff in its place stays there, and gives way to a newer copy only', async (t) => {
    const tree = aTree(t, { [OLD]: v1Text() })
    await run(tree, '--apply')
    const before = tree.read(NEW)
    // Checked out just now, and older all the same.
    tree.write(OLD, v1Text({ title: 'From an old branch' }), 4_000_000_000)
    assert.deepEqual((await run(tree, '--apply')).moves, [])
    assert.equal(tree.read(NEW), before)
    tree.write(OLD, v1Text({ updated: '2026-02-25', status: 'completed' }))

    await run(tree, '--apply')

    const paths = Object.keys(tree.all())
    assert.deepEqual(paths, ['_handoffs/_index.yaml', `_handoffs/archived/2026/02/${ID}.md`])
    assert.ok(Object.values(tree.backups()).includes(before))
  })
})

describe('a place that is taken', () => {
  it('[S0-117] by an older copy, or by the same file in old keys, is written over with a copy kept', async (t) => {
    const old = v1Text({ title: 'In old keys' })
    const tree = aTree(t, { [NEW]: old })
    await run(tree, '--apply')
    const first = tree.read(NEW)
    assert.match(first, /^handoff_id: /m)
    tree.write(OLD, v1Text({ updated: '2026-02-25', title: 'Newer' }))

    await run(tree, '--apply')

    assert.deepEqual(Object.keys(tree.all()), ['_handoffs/_index.yaml', NEW])
    assert.match(tree.read(NEW), /^title: Newer$/m)
    const copies = Object.values(tree.backups())
    assert.ok(copies.includes(old) && copies.includes(first))
  })

  it('[S0-97] by something else is not written over', async (t) => {
    const other = '# Notes\n'
    const tree = aTree(t, { [OLD]: v1Text(), [NEW]: other })

    const { code } = await quick(tree.where, 'migrate', '--from', 'v1', '.', '--apply')

    assert.equal(code, 1)
    assert.deepEqual(tree.all(), { [OLD]: v1Text(), [NEW]: other })
  })
})

describe('handoffs of version 2', () => {
  const v2 = `---
handoff_id: ${ID}
from_agent: grok
to_agent: claude
related_task: BPRD-2026-0042
status: Complete
created_at: 2026-02-21T14:30:00Z
completed_at: 2026-03-02T08:00:00Z
x_own:   kept   # as it stands
---

# Handoff: Rate limits
`
  it('are moved byte for byte from a wrong place', async (t) => {
    const tree = aTree(t, { [`_handoffs/active/${ID}.md`]: v2 })

    await run(tree, '--apply')

    assert.equal(tree.all()[`_handoffs/archived/2026/03/${ID}.md`], v2)
  })

  it('stay in another month of the archive, and under a number of their own', async (t) => {
    const second = v2.replaceAll(ID, `${ID}-2`)
    const files = {
      [`_handoffs/archived/2026/01/${ID}.md`]: v2,
      [`_handoffs/archived/2026/03/${ID}-2.md`]: second,
    }
    const tree = aTree(t, files)

    const { moves, duplicates, seen } = await run(tree, '--apply')

    assert.deepEqual([moves.length, duplicates.length, seen.settled], [0, 0, 2])
    assert.deepEqual(Object.keys(tree.all()), ['_handoffs/_index.yaml', ...Object.keys(files)])
  })
})

describe('where a migration looks', () => {
  it('says how much it saw, and that it found nothing', async (t) => {
    const tree = aTree(t, { 'docs/a.md': '# A\n', 'src/b.ts': '' })

    const { code, stdout } = await quick(tree.where, 'migrate', '--from', 'v1', '.', '--apply')

    assert.equal(code, 0)
    assert.match(
      stdout,
      /^No handoff was found: looked at 2 files in 3 folders below .*, 1 of them documents\. Is this the whole project\?/,
    )
    assert.deepEqual(Object.keys(tree.all()), ['docs/a.md', 'src/b.ts'])
  })

  it('counts the handoffs that a sparse checkout hides', async (t) => {
    const tree = aTree(t, { [OLD]: v1Text(), 'docs/a.md': '# A\n' })
    git(tree.root, 'add', '.')
    git(tree.root, 'commit', '--quiet', '--message', 'all')
    git(tree.root, 'sparse-checkout', 'set', '--no-cone', '/docs/')

    const { hidden, seen } = await run(tree)

    assert.deepEqual([hidden, seen.handoffs], [[OLD], 0])
  })

  it('follows no link, enters no other repository, and names what it cannot read', async (t) => {
    const tree = aTree(t)
    const outside = tree.file('outside/handoff-a-claude-20260221.md', v1Text())
    symlinkSync(tree.path('outside'), join(tree.root, '_agents'))
    symlinkSync(outside, join(tree.root, 'handoff-link-claude-20260221.md'))
    mkdirSync(join(tree.root, 'vendor/other/.git'), { recursive: true })
    tree.write('vendor/other/handoff-b-claude-20260221.md', v1Text())
    writeFileSync(join(tree.root, 'handoff-bytes-claude-20260221.md'), Buffer.from([0xff, 0xfe, 0x00]))

    const { left, moves } = await run(tree, '--apply')

    assert.deepEqual(moves, [])
    assert.deepEqual(left, [
      { path: 'handoff-bytes-claude-20260221.md', why: 'not UTF-8 text' },
      { path: 'handoff-link-claude-20260221.md', why: 'a link, which is not followed' },
      { path: 'vendor/other', why: 'a repository of its own' },
    ])
    assert.equal(readFileSync(outside, 'utf8'), v1Text())
  })

  it('refuses a folder within a repository, a version that is none, and a place behind a link', async (t) => {
    const tree = aTree(t, { [OLD]: v1Text() })
    const inner = await refusal(tree.where, 'migrate', '--from', 'v1', '_agents')
    assert.equal(inner.code, 'invalid_input')
    assert.ok(inner.message.endsWith(`run: baton migrate --from v1 ${tree.root}`))
    assert.equal((await refusal(tree.where, 'migrate', '--from', 'v7', '.')).code, 'invalid_input')
    assert.match((await refusal(tree.where, 'migrate', '.')).message, /--from v1/)
    mkdirSync(join(tree.root, '_handoffs'))
    symlinkSync(tree.folder('elsewhere'), join(tree.root, '_handoffs/active'))

    const refused = await refusal(tree.where, 'migrate', '--from', 'v1', '.', '--apply')

    assert.equal(refused.code, 'not_allowed')
    assert.equal(tree.read(OLD), v1Text())
  })

  it('keeps the copies of a linked worktree in the main one, which alone has a .baton', async (t) => {
    const tree = aTree(t, { [OLD]: v1Text() })
    git(tree.root, 'add', '.')
    git(tree.root, 'commit', '--quiet', '--message', 'all')
    const linked = tree.worktree(tree.root, 'linked')

    await ask({ cwd: linked }, 'migrate', '--from', 'v1', '.', '--apply')

    assert.equal(readFileSync(join(linked, NEW), 'utf8').includes('BPRD-2026-0042'), true)
    assert.deepEqual(Object.values(tree.backups()), [v1Text()])
    assert.equal(git(linked, 'status', '--short', '--untracked-files=all').includes('.baton'), false)
  })
})
