import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  branchName,
  branchPrefix,
  checkCommitMessage,
  commitMessage,
  demandBranch,
  demandPath,
  demandSlug,
  isBranchOf,
  slugOf,
  taskOfBranch,
  worktreePath,
} from './names.ts'

const refused = { code: 'invalid_input' }

describe('the names of a task in git', () => {
  it('[S3-04] [S3-05] are its id in small letters with hyphens and a slug', () => {
    assert.equal(branchPrefix('P0.1.1'), 'feature/p0-1-1-')
    assert.equal(branchName('P0.1.1', 'package-setup'), 'feature/p0-1-1-package-setup')
    assert.equal(branchPrefix('BPRD-2026-0042'), 'feature/bprd-2026-0042-')
  })

  it('[S3-60] put the worktree below the name of the agent', () => {
    assert.equal(worktreePath('claude', 'P0.1.2', 'linter'), '.worktrees/claude/p0-1-2-linter')
  })

  it('take the slug from the title, whatever it is made of', () => {
    assert.equal(slugOf('Package setup'), 'package-setup')
    assert.equal(slugOf('  Résumé: "parse" & $(print) it! '), 'resume-parse-print-it')
    assert.equal(slugOf('日本語'), 'work')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (title) => {
        assert.equal(demandSlug(slugOf(title)), slugOf(title))
        assert.equal(demandBranch(branchName('P0.1.1', slugOf(title))), branchName('P0.1.1', slugOf(title)))
      }),
      { numRuns: 200 },
    )
  })

  it('[S3-05] belong to a task up to a hyphen, so that P0.1.1 has no branch of P0.1.11', () => {
    assert.equal(isBranchOf('feature/p0-1-1-package-setup', 'P0.1.1'), true)
    assert.equal(isBranchOf('feature/p0-1-11-package-setup', 'P0.1.1'), false)
    assert.equal(isBranchOf('feature/p0-1-1x', 'P0.1.1'), false)
    assert.equal(isBranchOf('p0-1-1-package-setup', 'P0.1.1'), false)
  })

  it('lead back to the task with the longest id that fits', () => {
    const tasks = ['P0.1', 'P0.1.1', 'P0.1.11'].map((id) => ({ id }))
    assert.equal(taskOfBranch('feature/p0-1-1-x', tasks)?.id, 'P0.1.1')
    assert.equal(taskOfBranch('feature/p0-1-11-x', tasks)?.id, 'P0.1.11')
    assert.equal(taskOfBranch('feature/p0-1-x', tasks)?.id, 'P0.1')
    assert.equal(taskOfBranch('feature/p0-2-x', tasks), undefined)
  })
})

describe('a commit message', () => {
  it('[S3-03] [S3-07] names the task, an em dash and a title', () => {
    assert.equal(commitMessage('P0.1.1', 'Package setup'), 'task: P0.1.1 \u2014 Package setup')
    assert.deepEqual(checkCommitMessage('task: P0.1.1 \u2014 Package setup\n\nMore.'), {
      ok: true,
      id: 'P0.1.1',
      title: 'Package setup',
    })
  })

  for (const message of [
    'task: Package setup',
    'task: \u2014 Package setup',
    'task: P0.1.1 \u2013 Package setup',
    'task: P0.1.1: Package setup',
    'task: P0.1.1 Package setup',
    'task: P0.1.1 \u2014 ',
    'feat: P0.1.1 \u2014 Package setup',
    'xtask: P0.1.1 \u2014 Package setup',
    '',
  ])
    it(`[S3-07] is refused with the right form: ${JSON.stringify(message)}`, () => {
      const check = checkCommitMessage(message)

      assert.equal(check.ok, false)
      assert.match(check.ok ? '' : check.problem, /write: task: P0\.1\.1 \u2014 Package setup$/)
    })

  it('[S3-07] is read with a warning when a plain hyphen stands in it', () => {
    const check = checkCommitMessage('task: P0.1.1 - Package setup')

    assert.ok(check.ok)
    assert.deepEqual([check.id, check.title], ['P0.1.1', 'Package setup'])
    assert.match(check.warning ?? '', /em dash/)
  })

  it('[S3-07] of another task is refused where a task is asked about', () => {
    const check = checkCommitMessage('task: P0.1.11 \u2014 Other', { id: 'P0.1.1', title: 'Package setup' })

    assert.deepEqual(check, {
      ok: false,
      problem: 'it is about P0.1.11 and not about P0.1.1; write: task: P0.1.1 \u2014 Package setup',
    })
  })
})

describe('hostile names', () => {
  for (const name of [
    '--upload-pack=touch$IFS',
    '-b',
    'a..b',
    'feature/../../etc',
    'a\nb',
    'a\u0000b',
    'a b',
    '$(id)',
    'a;b',
    '`id`',
    "a'b",
    'a~1',
    'a^{tree}',
    'a:b',
    '@{u}',
    'refs/heads/x.lock',
    '.hidden',
    'a/.b',
    'a//b',
    'a/',
    'ä',
    '',
    'x'.repeat(201),
  ])
    it(`are no branch, and the message says what would be: ${JSON.stringify(name).slice(0, 40)}`, () => {
      assert.throws(() => demandBranch(name), {
        ...refused,
        message: /name one such as feature\/p0-1-1-package-setup$/,
      })
    })

  for (const path of [
    '../x',
    'a/../../x',
    '/etc/passwd',
    '-rf',
    'a\nb',
    'C:\\x',
    'a\\..\\..\\x',
    '.git/hooks/x',
    'A/.GIT/x',
    '',
  ])
    it(`are no path inside the repository: ${JSON.stringify(path)}`, () => {
      assert.throws(() => demandPath(path), { ...refused, message: /name a file inside the repository/ })
    })

  for (const slug of ['--force', 'a..b', 'A', 'a--b', '../x', 'a/b', ' ', 'x'.repeat(49)])
    it(`are no slug, and one is proposed: ${JSON.stringify(slug).slice(0, 20)}`, () => {
      assert.throws(() => demandSlug(slug), { ...refused, message: /write: --slug [a-z0-9-]+$/ })
    })

  it('[T8] never get through as an option, a range, a path upwards or with a control character', () => {
    const parts = fc.constantFrom(
      '-',
      '--',
      '..',
      '/',
      '.',
      'a',
      'B',
      '9',
      '\n',
      '\u0000',
      '$',
      '`',
      ';',
      ' ',
      '@{',
      '~',
      '.lock',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(parts).map((all) => all.join('')),
        ),
        (name) => {
          let taken: string
          try {
            taken = demandBranch(name)
          } catch {
            return
          }
          assert.match(taken, /^[A-Za-z0-9][A-Za-z0-9._/-]*$/)
          assert.doesNotMatch(taken, /\.\.|\/\/|\/$|\.$|\.lock(?:\/|$)|\/\./)
        },
      ),
      { numRuns: 200 },
    )
  })
})
