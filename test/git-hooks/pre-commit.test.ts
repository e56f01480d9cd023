import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runPreCommit } from '../../src/git/pre-commit.ts'
import { git } from '../support/documents/folders.ts'
import { aRepository, handoffText, ID } from './staging.ts'

const ACTIVE = `_handoffs/active/${ID}.md`

describe('what the pre-commit check refuses', () => {
  it('[S0-11] [S0-12] [S0-13] refuses a handoff in every prohibited place, and names each with its right place', async (t) => {
    const { stage, check } = aRepository(t)
    const wrong = [
      `_agents/_handoffs/${ID}.md`,
      `_agents/claude/_handoffs/${ID}.md`,
      `docs/${ID}.md`,
      `research/daily/processed/2026-02-20/${ID}.md`,
      `research/x/processed/${ID}.md`,
      `sub/_handoffs/active/${ID}.md`,
      `${ID}.md`,
    ]
    for (const path of wrong) stage(path, handoffText())

    const { exit, text, offences } = await check()

    assert.equal(exit, 1)
    assert.deepEqual(
      offences.map(({ path, severity, target }) => ({ path, severity, target })).sort(byPath),
      wrong.map((path) => ({ path, severity: 'error', target: ACTIVE })).sort(byPath),
    )
    for (const path of wrong) assert.ok(text.includes(`\n  ${path}\n    → ${ACTIVE}`), text)
  })

  it('[S0-14] [S0-03] names the month of the end as the place of what has ended', async (t) => {
    const { stage, check } = aRepository(t)
    stage(`x/${ID}.md`, handoffText({ status: 'Complete', more: 'completed_at: 2026-03-02T08:00:00Z\n' }))

    const { exit, offences } = await check()

    assert.equal(exit, 1)
    assert.equal(offences[0]?.target, `_handoffs/archived/2026/03/${ID}.md`)
  })

  it('[S0-15] [S0-18] passes handoffs in their places, other files, and a commit of nothing', async (t) => {
    const { stage, check } = aRepository(t)
    assert.deepEqual(await check(), { exit: 0, text: '', offences: [] })
    stage(ACTIVE, handoffText())
    const done = ID.replace('0042', '0041')
    const ended = handoffText({ id: done, status: 'Complete' }).replace(
      'BPRD-2026-0042\n',
      'BPRD-2026-0041\n',
    )
    stage(`_handoffs/archived/2026/02/${done}.md`, ended)
    stage('_handoffs/_index.yaml', 'active_handoffs: []\n')
    stage(
      'research/x/processed/notes.md',
      '---\ntitle: Notes\nrelated_task: BPRD-2026-0042\n---\n\nhandoff_id: is a key\n',
    )
    stage('docs/handoff-rules.md', '# Rules\n\n```yaml\nhandoff_id: x\n```\n')
    stage('research/x/processed/handoff-guide.md', 'about\n')
    stage('docs/old.md', '')
    stage('picture.png', '\u0000\u0001')

    assert.deepEqual(await check(), { exit: 0, text: '', offences: [] })
  })

  it('[S0-16] looks at what is staged and not at what lies in the folder', async (t) => {
    const { root, stage, write, check } = aRepository(t)
    stage(`a/notes.md`, handoffText())
    stage(`b/${ID}.md`, handoffText())
    write('a/notes.md', 'now a note\n')
    rmSync(join(root, `b/${ID}.md`))
    write(`c/${ID}.md`, handoffText())

    const { exit, offences } = await check()

    assert.equal(exit, 1)
    assert.deepEqual(
      offences.map(({ path }) => path),
      ['a/notes.md', `b/${ID}.md`],
    )
  })

  it('[S0-16] judges a change of a file that stood in a wrong place before', async (t) => {
    const { stage, check, commit } = aRepository(t)
    stage(`x/${ID}.md`, handoffText())
    assert.equal(commit().code, 0)
    assert.equal((await check()).exit, 0)
    stage(`x/${ID}.md`, handoffText({ status: 'Acknowledged' }))

    assert.equal((await check()).exit, 1)
  })

  it('[S0-17] lets handoffs leave a wrong place, but not for another one', async (t) => {
    const { root, stage, check, commit } = aRepository(t)
    for (const name of ['a', 'b', 'c']) stage(`${name}/${ID}.md`, handoffText())
    assert.equal(commit().code, 0)
    git(root, 'rm', '--quiet', `a/${ID}.md`)
    stage(ACTIVE, handoffText())
    git(root, 'rm', '--quiet', `b/${ID}.md`)
    assert.deepEqual(await check(), { exit: 0, text: '', offences: [] })
    git(root, 'mv', `c/${ID}.md`, `d-${ID}.md`)

    assert.deepEqual(
      (await check()).offences.map(({ path }) => path),
      [`d-${ID}.md`],
    )
  })

  it('[S0-18] knows a handoff under any name by its front matter', async (t) => {
    const { stage, check } = aRepository(t)
    const hidden = {
      'docs/notes.md': handoffText(),
      'docs/readme.txt': handoffText(),
      'docs/plain': handoffText(),
      'docs/bom.md': `\ufeff${handoffText()}`,
      'docs/windows.md': handoffText().replaceAll('\n', '\r\n'),
      'docs/case.md': handoffText().replace('handoff_id', 'Handoff-ID'),
      'docs/broken.md': handoffText().replace('to_agent: claude', 'to_agent: "claude'),
    }
    for (const [path, text] of Object.entries(hidden)) stage(path, text)

    const { offences } = await check()

    assert.deepEqual(
      offences.map(({ path }) => path),
      Object.keys(hidden).sort(),
    )
  })

  it('[S0-18] [S0-05] knows the old names by their day, and in old places without one', async (t) => {
    const { stage, check } = aRepository(t)
    const named = [
      '_agents/_handoffs/handoff-router.md',
      '_agents/claude/_handoffs/handoff.md',
      'docs/handoff-router-gemini-20260223.md',
      'docs/handoff-router-gemini-20260223_063331.md',
    ]
    for (const path of named) stage(path, '# Ship the router\n')

    assert.deepEqual(
      (await check()).offences.map(({ path }) => path),
      named,
    )
  })

  it('lists names with line breaks, quotes and other letters so that each is one line', async (t) => {
    const { stage, check } = aRepository(t)
    const odd = ['a\nb', 'it\'s "x"', 'späť', '-rf', '--', '\u001b[31mred', '\u202egnp'].map(
      (name) => `${name}/${ID}.md`,
    )
    for (const path of odd) stage(path, handoffText())

    const { exit, text, offences } = await check()

    assert.equal(exit, 1)
    assert.deepEqual(offences.map(({ path }) => path).sort(), odd.toSorted())
    assert.ok(text.includes(JSON.stringify(`a\nb/${ID}.md`)))
    assert.ok(text.includes(`\n  späť/${ID}.md\n`))
    for (const hidden of ['\u001b', '\u202e']) assert.ok(!text.includes(hidden))
  })

  it('works before the first commit, and reads content byte for byte', async (t) => {
    const { folder, env } = aRepository(t)
    const fresh = folder('fresh')
    git(fresh, 'init', '--quiet', '.')
    mkdirSync(join(fresh, 'x'))
    writeFileSync(join(fresh, 'x/a.md'), Buffer.from([0xff, 0xfe, 0x0a, 0xc3]))
    writeFileSync(join(fresh, 'x/b.md'), handoffText())
    git(fresh, 'add', '.')

    const { offences } = await runPreCommit(fresh, { env })

    assert.deepEqual(
      offences.map(({ path }) => path),
      ['x/b.md'],
    )
  })

  it('refuses to guess where there is no repository', async (t) => {
    const { check, folder } = aRepository(t)

    await assert.rejects(check({ at: folder('elsewhere') }), { code: 'not_found' })
  })
})

describe('what the pre-commit check warns of, and refuses with --strict', () => {
  const cases = {
    '[S0-13] a handoff beside the folders of _handoffs/': [
      `_handoffs/${ID}.md`,
      handoffText(),
      'wrong_place',
    ],
    'an archive without a month': [
      `_handoffs/archived/2026/${ID}.md`,
      handoffText({ status: 'Complete' }),
      'wrong_place',
    ],
    '[S0-37] an end in active/': [ACTIVE, handoffText({ status: 'Complete' }), 'wrong_place'],
    '[S0-08] a name that is not the id': [
      '_handoffs/active/handoff-grok-claude-BPRD-2026-0043-20260221.md',
      handoffText(),
      'name_differs',
    ],
    '[S0-09] an id that names another receiver': [
      ACTIVE,
      handoffText().replace('to_agent: claude', 'to_agent: gemini'),
      'id_contradicts',
    ],
    '[S0-10] an id with another day than the creation in UTC': [
      ACTIVE.replace('20260221', '20260222'),
      handoffText({ id: ID.replace('20260221', '20260222') }).replace(
        '2026-02-21T14:30:00Z',
        '2026-02-22T00:30:00+02:00',
      ),
      'id_contradicts',
    ],
  } as const

  for (const [what, [path, text, code]] of Object.entries(cases))
    it(`${what}`, async (t) => {
      const { stage, check } = aRepository(t)
      stage(path, text)

      const [plain, strict] = [await check(), await check({ strict: true })]

      assert.deepEqual([plain.exit, strict.exit], [0, 1])
      assert.ok(plain.text.includes(path))
      assert.ok(
        plain.offences.some((each) => each.code === code && each.severity === 'warning'),
        JSON.stringify(plain.offences),
      )
      assert.ok(strict.offences.every(({ severity }) => severity === 'error'))
    })

  it('[S0-20] the same handoff in active/ and in the archive', async (t) => {
    const { stage, check, commit } = aRepository(t)
    const archived = `_handoffs/archived/2026/02/${ID}.md`
    stage(archived, handoffText({ status: 'Complete' }))
    assert.equal(commit().code, 0)
    stage(ACTIVE, handoffText())

    const { exit, offences } = await check({ strict: true })

    assert.equal(exit, 1)
    assert.deepEqual(
      offences.map(({ path, code }) => [path, code]),
      [[ACTIVE, 'duplicate']],
    )
    assert.ok(offences[0]?.message.includes(archived))
  })
})

const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1)
