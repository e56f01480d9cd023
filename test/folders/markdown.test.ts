import assert from 'node:assert/strict'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { ask, quick, refusal } from '../support/program/command.ts'
import { acknowledged, active, aHandoffFolder, whats } from './handoffs.ts'

const TASK = 'BPRD-2026-0042'
const frontMatter = (text: string) => parse(text.split(/^---$/m)[1]!) as Record<string, unknown>
const today = () => new Date().toISOString().slice(0, 10)

describe('the folder of document 000', () => {
  it('[S0-01] [S0-04] is made by init with active, archived and the index, and a second init changes nothing', async (t) => {
    const folder = await aHandoffFolder(t)
    const index = folder.read('_handoffs/_index.yaml')

    await ask(folder.where, 'init', '--dialect', 'markdown')

    assert.deepEqual([folder.has('_handoffs/active'), folder.has('_handoffs/archived')], [true, true])
    assert.equal(folder.read('_handoffs/_index.yaml'), index)
    assert.deepEqual(parse(index).active_handoffs, [])
  })

  it('[S0-02] [S0-05] [S0-10] holds a new handoff under its name with the day in UTC, and says where', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = `handoff-grok-claude-${TASK}-${today().replaceAll('-', '')}`

    assert.equal(await folder.create(TASK), id)

    assert.deepEqual(folder.files(), [`active/${id}.md`])
    const { stdout } = await quick(folder.where, 'send', id, '--as', 'grok')
    assert.match(stdout, new RegExp(`_handoffs/active/${id}.md \\(Active, expires `))
    assert.match(folder.read(active(id)), /^## From: Grok \(Chief\)\n## To: Claude$/m)
    const fields = frontMatter(folder.read(active(id)))
    assert.deepEqual(
      [fields.handoff_id, fields.status, fields.acknowledged_by, Object.keys(fields.x_baton as object)],
      [id, 'Active', null, ['uid', 'rev']],
    )
  })

  it('[S0-60] [S0-68] refuses a handoff that its document could not hold, and names all that is missing', async (t) => {
    const folder = await aHandoffFolder(t)

    const { code, message } = await refusal(
      folder.where,
      'create',
      '--as',
      'grok',
      '--to',
      'claude',
      '--title',
      'x',
    )

    assert.equal(code, 'invalid_input')
    for (const option of [
      '--task',
      '--purpose',
      '--context',
      '--deliverable',
      '--criterion',
      '--meeting',
      '--skill',
    ])
      assert.ok(message.includes(option), message)
    assert.deepEqual(folder.files(), [])
  })

  it('[S0-21] refuses a second open handoff of a task between two agents', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)

    const again = await refusal(
      folder.where,
      'send',
      '--as',
      'grok',
      '--to',
      'claude',
      '--task',
      TASK,
      ...MORE,
    )

    assert.deepEqual([again.code, again.details.before], ['conflict', id])
    assert.deepEqual(folder.files(), [`active/${id}.md`])
  })

  it('[S0-25] [S0-75] [S0-76] takes in the acknowledgment that the receiver writes, and completes what it left out', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)

    folder.edit(id, ...acknowledged('claude'), ['acknowledgment_notes: null', 'acknowledgment_notes: on it'])
    const happened = await folder.sync()

    assert.deepEqual(whats(happened), ['taken_in', 'written'])
    assert.equal(await folder.state(id), 'accepted')
    const fields = frontMatter(folder.read(active(id)))
    assert.deepEqual(
      [fields.status, fields.acknowledged_by, fields.acknowledgment_notes],
      ['Acknowledged', 'claude', 'on it'],
    )
    assert.match(String(fields.acknowledged_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  })

  it('[S0-41] refuses the acknowledgment of another agent: file put back, problem beside it, one notice', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const before = folder.read(active(id))
    folder.edit(id, ...acknowledged('gemini'))
    const refused = folder.read(active(id))

    await folder.sync()
    await folder.sync()

    assert.equal(folder.read(active(id)), before)
    const problem = folder.read(`${active(id)}.problem`)
    assert.match(problem, /gemini may not accept .* its receiver claude/)
    assert.ok(problem.endsWith(refused))
    assert.deepEqual(
      (await folder.notices('gemini')).map(({ kind }) => kind),
      ['refused'],
    )
    assert.equal(await folder.state(id), 'offered')
  })

  it('[S0-69] keeps unknown keys, comments and the body that an author wrote, through every later step', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    folder.edit(id, ['from_agent: grok', 'reviewed: 3 # by hand\nfrom_agent: grok'])
    folder.write(active(id), `${folder.read(active(id))}\n## Notes\n\nCall me.\n`)

    await folder.sync()
    await ask(folder.where, 'accept', id, '--as', 'claude')

    const text = folder.read(active(id))
    assert.match(text, /^reviewed: 3 # by hand$/m)
    assert.ok(text.endsWith('\n## Notes\n\nCall me.\n'), text)
    assert.match(text, /^status: Acknowledged$/m)
  })

  it('takes in what the sender changes in the content, and refuses it from then on when work has begun', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)

    folder.edit(id, ['- npm test passes', '- npm test passes in CI'])
    await folder.sync()
    const shown = await ask<{ package: { criteria: string[] } }>(folder.where, 'show', id)
    await ask(folder.where, 'accept', id, '--as', 'claude')
    folder.edit(id, ['purpose: The API needs limits', 'purpose: Something else'])
    const happened = await folder.sync()

    assert.deepEqual(shown.package.criteria, ['npm test passes in CI'])
    assert.ok(whats(happened).includes('refused'))
    assert.match(folder.read(active(id)), /^purpose: The API needs limits$/m)
  })

  for (const [key, from, to] of [
    [
      'handoff_id',
      `handoff_id: handoff-grok-claude-${TASK}`,
      'handoff_id: handoff-grok-gemini-BPRD-2026-0001',
    ],
    ['to_agent', 'to_agent: claude', 'to_agent: gemini'],
    ['related_task', `related_task: ${TASK}`, 'related_task: BPRD-2026-0043'],
    ['expires_at', 'expires_at: 2', 'expires_at: 3'],
  ] as const)
    it(`[S0-08] [S0-09] refuses a changed ${key} and puts the file back`, async (t) => {
      const folder = await aHandoffFolder(t)
      const id = await folder.send(TASK)
      const before = folder.read(active(id))

      folder.edit(id, [from, to])
      await folder.sync()

      assert.equal(folder.read(active(id)), before)
      assert.deepEqual(folder.files(), [`active/${id}.md`, `active/${id}.md.problem`])
    })

  it('[S0-23] takes the time that its sender writes when it is finalised, and counts from the sending', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.create(TASK)
    const later = new Date(Date.now() + 4 * 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z')
    const before = folder.read(active(id))

    folder.write(
      active(id),
      before
        .replace('status: Created', 'status: Active')
        .replace(/^expires_at: .*$/m, `expires_at: ${later}`),
    )
    await folder.sync()

    assert.equal(await folder.state(id), 'offered')
    const [, now = ''] = /^expires_at: (.*)$/m.exec(folder.read(active(id))) ?? []
    assert.ok(Math.abs(Date.parse(now) - Date.parse(later)) < 60_000, now)
  })

  it('[S0-78] takes evidence that the receiver writes into the file as handed-in work', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    folder.edit(id, ...acknowledged('claude'))
    await folder.sync()

    folder.edit(id, [
      'completion_notes: null',
      'completion_notes: all done\nevidence:\n  - deliverable: Middleware\n    evidence: "PR #123"\n  - deliverable: Documentation\n    evidence: docs/limits.md',
    ])
    await folder.sync()

    assert.equal(await folder.state(id), 'in_review')
  })

  it('[S0-36] [S0-37] lies in active/ while it is Created, Active and Acknowledged, and in archived/ when it ended', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.create('BPRD-2026-0042')
    const seen: (readonly [string, string])[] = []
    const look = () => {
      const [file = ''] = folder.files()
      const [, status = ''] = /^status: (\w+)$/m.exec(folder.read(`_handoffs/${file}`)) ?? []
      seen.push([status, file.split('/')[0]!])
    }
    look()
    await ask(folder.where, 'send', id, '--as', 'grok')
    look()
    await ask(folder.where, 'accept', id, '--as', 'claude')
    look()
    await ask(folder.where, 'handoff', 'cancel', id, '--as', 'grok')
    look()

    assert.deepEqual(seen, [
      ['Created', 'active'],
      ['Active', 'active'],
      ['Acknowledged', 'active'],
      ['Rejected', 'archived'],
    ])
  })

  it('puts a deleted file back: to delete it ends nothing', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const before = folder.read(active(id))

    folder.git('clean', '--quiet', '-fd', '_handoffs/active')
    assert.deepEqual(folder.files(), [])
    const happened = await folder.sync()

    assert.ok(whats(happened).includes('put_back'))
    assert.equal(folder.read(active(id)), before)
    assert.equal(await folder.state(id), 'offered')
  })
})

describe('a file that somebody moved', () => {
  for (const to of ['archived', 'archived/2026', '.'])
    it(`[S0-20] to ${to} is put back, and no second copy is left`, async (t) => {
      const folder = await aHandoffFolder(t)
      const id = await folder.send(TASK)
      const before = folder.read(active(id))
      mkdirSync(join(folder.root, '_handoffs', to), { recursive: true })
      renameSync(join(folder.root, active(id)), join(folder.root, '_handoffs', to, `${id}.md`))

      const happened = await folder.sync()

      const [file, problem, ...others] = folder.files()
      assert.deepEqual([file, others], [`active/${id}.md`, []])
      assert.match(
        folder.read(`_handoffs/${problem}`),
        /this version by grok was not applied\.\n\nReason: .*active/,
      )
      assert.equal(folder.read(active(id)), before)
      assert.deepEqual(whats(happened), ['refused', 'put_back', 'moved'])
      assert.equal(await folder.state(id), 'offered')
    })
})

const MORE = [
  '--title',
  't',
  '--purpose',
  'p',
  '--context',
  'c',
  '--deliverable',
  'd',
  '--criterion',
  'npm test passes',
  '--meeting',
  'm',
  '--skill',
  's',
]
