import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import { MARKDOWN_STATUSES, MARKDOWN_TRANSITIONS } from '../../src/domain/handoffs/markdown-status.ts'
import { ask } from '../support/program/command.ts'
import { foreign } from './foreign.ts'
import {
  acknowledged,
  active,
  aHandoffFolder,
  aVerifyingFolder,
  type HandoffFolder,
  whats,
} from './handoffs.ts'
import { until } from './until.ts'

const TASK = 'BPRD-2026-0042'
const month = () => new Date().toISOString().slice(0, 7).replace('-', '/')
const archived = (id: string): string => `archived/${month()}/${id}.md`
const EVIDENCE = ['--evidence', 'Middleware=PR #123', '--evidence', 'Documentation=docs/limits.md']

const COMPLETE = [
  ['status: Acknowledged', 'status: Complete'],
  ['completion_verified_by: null', 'completion_verified_by: perplexity'],
] as const
/** Moves the file of an open handoff to the archive, as document 000's own scripts do. */
function archive(folder: HandoffFolder, id: string): void {
  const path = join(folder.root, '_handoffs', archived(id))
  mkdirSync(dirname(path), { recursive: true })
  renameSync(join(folder.root, active(id)), path)
}

const index = (folder: HandoffFolder) => parse(folder.read('_handoffs/_index.yaml'))
const taskOf = (folder: HandoffFolder) =>
  ask<{ task: { status: string; owner?: string } }>(folder.where, 'task', 'get', TASK)

async function inReview(folder: HandoffFolder): Promise<string> {
  const id = await folder.send(TASK)
  await ask(folder.where, 'accept', id, '--as', 'claude')
  await ask(folder.where, 'submit', id, '--as', 'claude', ...EVIDENCE)
  return id
}

describe('how a handoff of document 000 ends', () => {
  it('[S0-03] [S0-96] [S0-109] verified work is archived by year and month, the index follows and the task is done', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await inReview(folder)

    await ask(folder.where, 'verify', id, '--as', 'perplexity', '--pass')

    assert.deepEqual(folder.files(), [archived(id)])
    const text = folder.read(`_handoffs/${archived(id)}`)
    for (const line of ['status: Complete', 'completion_verified_by: perplexity', '    status: verified'])
      assert.ok(text.includes(`\n${line}\n`) || text.includes(line), text)
    const { active_handoffs, counts_by_agent, recently_completed } = index(folder)
    assert.deepEqual(active_handoffs, [])
    assert.deepEqual(counts_by_agent.grok, { outgoing: 0, incoming: 0 })
    assert.deepEqual(
      recently_completed.map((each: { id: string }) => each.id),
      [id],
    )
    assert.equal((await taskOf(folder)).task.status, 'done')
  })

  it('[S0-62] work that was given back names nobody who verified its completion', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await inReview(folder)

    await ask(folder.where, 'verify', id, '--as', 'perplexity', '--fail', 'no tests')

    const fields = parse(folder.read(active(id)).split(/^---$/m)[1]!)
    assert.deepEqual(
      [fields.status, fields.completed_at, fields.completion_verified_by],
      ['Acknowledged', null, null],
    )
    const { text } = await ask<{ text: string }>(folder.where, 'export', id)
    assert.match(text, /^completion_verified_by: null$/m)
  })

  it('[S0-80] a file alone verifies nothing: refused and put back', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await inReview(folder)
    const before = folder.read(active(id))

    folder.edit(
      id,
      ['status: Acknowledged', 'status: Complete'],
      ['completion_verified_by: null', 'completion_verified_by: perplexity'],
    )
    await folder.sync()

    assert.equal(folder.read(active(id)), before)
    assert.match(
      folder.read(`${active(id)}.problem`),
      /a file cannot verify; its verifier uses: baton verify/,
    )
    assert.deepEqual(
      (await folder.notices('perplexity')).map(({ kind }) => kind),
      ['refused'],
    )
  })

  it('[S0-81] [S0-83] a file verifies where a trusted baton.yaml accepts it, and then only as the verifier', async (t) => {
    const folder = await aVerifyingFolder(t)
    const id = await inReview(folder)
    const verified = (by: string) =>
      [
        ['status: Acknowledged', 'status: Complete'],
        ['completion_verified_by: null', `completion_verified_by: ${by}`],
      ] as const

    folder.edit(id, ...verified('claude'))
    await folder.sync()
    assert.equal(await folder.state(id), 'in_review')
    folder.edit(id, ...verified('perplexity'))
    await folder.sync()

    assert.equal(await folder.state(id), 'completed')
    assert.ok(folder.has(`_handoffs/${archived(id)}`))
  })

  it('[S0-77] [S0-79] [S0-85] completion by file is refused with all that is missing, and before that without an acknowledgment', async (t) => {
    const folder = await aVerifyingFolder(t)
    const id = await folder.send(TASK)
    const complete = (from: string) =>
      [
        [`status: ${from}`, 'status: Complete'],
        ['completion_verified_by: null', 'completion_verified_by: perplexity'],
      ] as const

    folder.edit(id, ...complete('Active'))
    await folder.sync()
    assert.equal(await folder.state(id), 'offered')
    await ask(folder.where, 'accept', id, '--as', 'claude')
    folder.edit(id, ...complete('Acknowledged'))
    const happened = await folder.sync()

    const { reason = '' } = happened.find(({ what }) => what === 'refused') ?? {}
    for (const deliverable of ['Middleware', 'Documentation']) assert.ok(reason.includes(deliverable), reason)
    assert.match(folder.read(active(id)), /^status: Acknowledged$/m)
  })

  it('[S0-81] [S0-85] a refused completion by file hands nothing in, and the receiver still can', async (t) => {
    const folder = await aVerifyingFolder(t)
    const id = await folder.send(TASK)
    await ask(folder.where, 'accept', id, '--as', 'claude')

    folder.edit(id, ...COMPLETE)
    await folder.sync()

    const { handoff, timeline } = await ask<{ handoff: { state: string }; timeline: { act: string }[] }>(
      folder.where,
      ...['show', id],
    )
    assert.equal(handoff.state, 'accepted')
    assert.ok(timeline.every(({ act }) => act !== 'handoff.submit'))
    await ask(folder.where, 'submit', id, '--as', 'claude', ...EVIDENCE)
    assert.equal(await folder.state(id), 'in_review')
  })

  it('[S0-103] [S0-104] [S0-105] a rejection in the file archives it and tells the sender why', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)

    folder.edit(id, ['status: Active', 'status: Rejected\nrejection_reason: no capacity this week'])
    await folder.sync()

    assert.deepEqual(folder.files(), [archived(id)])
    assert.match(folder.read(`_handoffs/${archived(id)}`), /^rejection_reason: no capacity this week$/m)
    assert.deepEqual(await texts(folder, 'grok'), ['Handoff rejected: no capacity this week'])
    const { task } = await taskOf(folder)
    assert.deepEqual([task.status, task.owner], ['assigned', 'grok'])
  })

  it('[S0-104] [S0-105] a rejection whose author also moves the file to the archive counts', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)

    folder.edit(id, ['status: Active', 'status: Rejected\nrejection_reason: no capacity this week'])
    archive(folder, id)
    const happened = await folder.sync()

    assert.deepEqual(whats(happened), ['taken_in', 'written'])
    assert.deepEqual(folder.files(), [archived(id)])
    assert.equal(await folder.state(id), 'rejected')
    assert.deepEqual(await texts(folder, 'grok'), ['Handoff rejected: no capacity this week'])
  })

  it('[S0-96] [S0-97] a completion whose author also moves the file to the archive counts', async (t) => {
    const folder = await aVerifyingFolder(t)
    const id = await inReview(folder)

    folder.edit(id, ...COMPLETE)
    archive(folder, id)
    await folder.sync()

    assert.deepEqual(folder.files(), [archived(id)])
    assert.equal(await folder.state(id), 'completed')
    assert.equal((await taskOf(folder)).task.status, 'done')
  })

  it('[S0-36] a move to the archive that changes no status is put back', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)

    archive(folder, id)
    const happened = await folder.sync()

    assert.deepEqual(whats(happened), ['refused', 'put_back', 'moved'])
    assert.ok(folder.has(active(id)))
    assert.equal(await folder.state(id), 'offered')
  })

  it('[S0-97] an edit of a file in the archive is found and put back, also passes later', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await inReview(folder)
    await ask(folder.where, 'verify', id, '--as', 'perplexity', '--pass')
    await folder.sync()
    await folder.sync()
    const path = `_handoffs/${archived(id)}`
    const before = folder.read(path)

    folder.write(path, before.replace('status: Complete', 'status: Rejected'))
    const happened = await folder.sync()

    assert.ok(whats(happened).includes('refused'))
    assert.equal(folder.read(path), before)
  })

  it('[S0-99] Expired in the archive is refused before its time', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)

    folder.edit(id, ['status: Active', 'status: Expired'])
    archive(folder, id)
    const happened = await folder.sync()

    assert.deepEqual(whats(happened), ['refused', 'put_back', 'moved'])
    assert.equal(await folder.state(id), 'offered')
  })

  it('[S0-99] Expired in a file counts once its time is over, with the move to the archive or without', async (t) => {
    const folder = await aHandoffFolder(t, (text) => `${text}\ndeadlines:\n  markdown:\n    accept: 1s\n`)
    const [moved, left] = [await folder.send(TASK), await folder.send('BPRD-2026-0043')]
    await pause(1_000)

    for (const id of [moved, left]) folder.edit(id, ['status: Active', 'status: Expired'])
    archive(folder, moved)
    const happened = await folder.sync()

    assert.deepEqual(
      whats(happened).filter((what) => what === 'refused'),
      [],
    )
    assert.deepEqual(folder.files(), [archived(moved), archived(left)])
    assert.deepEqual([await folder.state(moved), await folder.state(left)], ['expired', 'expired'])
    assert.equal((await taskOf(folder)).task.owner, 'grok')
  })

  it('[S0-76] an acknowledgment that comes too late is told that the handoff expired', async (t) => {
    const folder = await aHandoffFolder(t, (text) => `${text}\ndeadlines:\n  markdown:\n    accept: 1s\n`)
    const id = await folder.send(TASK)
    await pause(1_000)

    folder.edit(id, ...acknowledged('claude'))
    const happened = await folder.sync()

    const { reason = '' } = happened.find(({ what }) => what === 'refused') ?? {}
    assert.match(reason, /^it is Expired since \d{4}-.*; a handoff that has ended is not changed$/)
  })

  it('[S0-104] the file may be moved to the archive first and get its status then', async (t) => {
    const folder = await aHandoffFolder(t)
    const [soon, late] = [await folder.send(TASK), await folder.send('BPRD-2026-0043')]
    const rejected = (id: string) =>
      folder.write(
        `_handoffs/${archived(id)}`,
        text.get(id)!.replace('status: Active', 'status: Rejected\nrejection_reason: no time'),
      )
    const text = new Map([soon, late].map((id) => [id, folder.read(active(id))]))

    archive(folder, soon)
    const syncing = folder.sync()
    await pause(100)
    rejected(soon)
    await syncing
    // Somebody who takes longer finds the file put back, and saves the one in the archive.
    archive(folder, late)
    await folder.sync()
    assert.ok(folder.has(active(late)))
    rejected(late)
    await folder.sync()

    assert.deepEqual([await folder.state(soon), await folder.state(late)], ['rejected', 'rejected'])
    assert.deepEqual(
      folder.files().filter((path) => path.endsWith('.md')),
      [archived(soon), archived(late)],
    )
  })

  it('[S0-32] a new file with the id of an ended handoff stays, and is told to take another id', async (t) => {
    const folder = await aHandoffFolder(t)
    const { id, text } = foreign()
    folder.write(active(id), text)
    await folder.sync()
    await ask(folder.where, 'reject', id, '--as', 'claude', '--reason', 'not now')
    const soon = new Date(Date.now() + 1_000).toISOString()
    const anew = text
      .replace('Because', 'Because of the launch')
      .replace(/^created_at: .*$/m, `created_at: ${soon}`)
    folder.write(active(id), anew)

    await folder.sync()

    assert.match(folder.read(active(id)), /of the launch/)
    assert.match(
      folder.read(`${active(id)}.problem`),
      new RegExp(`a new handoff needs an id of its own, such as ${id}-2\\n\\nThe file was left as it is`),
    )
    assert.equal(await folder.state(id), 'rejected')
  })

  it('[S0-106] [S0-107] a skill gap goes to the chief as well', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK, '--as', 'abacus')

    folder.edit(id, [
      'status: Active',
      'status: Rejected\nrejection_reason:\n  type: skill_gap\n  message: no Rust here',
    ])
    await folder.sync()

    assert.deepEqual(await texts(folder, 'abacus'), ['Handoff rejected: no Rust here'])
    assert.deepEqual(await texts(folder, 'grok'), ['Skill gap: no Rust here'])
  })

  it('[S0-32] rejected work is handed over anew under a new id, and the old file stays', async (t) => {
    const folder = await aHandoffFolder(t)
    const first = await folder.send(TASK)
    await ask(folder.where, 'reject', first, '--as', 'claude', '--reason', 'not now')

    const second = await folder.send(TASK, '--supersedes', first)

    assert.equal(second, `${first}-2`)
    assert.deepEqual(folder.files(), [`active/${second}.md`, archived(first)])
    assert.match(folder.read(active(second)), new RegExp(`^supersedes: ${first}$`, 'm'))
  })

  it('[S0-99] [S0-101] [S0-102] what nobody acknowledges in time expires by itself, is archived and goes back', async (t) => {
    const folder = await aHandoffFolder(t, (text) => `${text}\ndeadlines:\n  markdown:\n    accept: 1s\n`)
    const id = await folder.send(TASK)

    await until(async () => {
      await folder.sync()
      return folder.has(`_handoffs/${archived(id)}`)
    })
    await folder.sync()

    assert.match(folder.read(`_handoffs/${archived(id)}`), /^status: Expired$/m)
    const { task } = await taskOf(folder)
    assert.deepEqual([task.status, task.owner], ['assigned', 'grok'])
    assert.deepEqual(index(folder).active_handoffs, [])
  })

  it('[S0-100] [S0-108] the sender of an expired one has one notice, however often is looked', async (t) => {
    const folder = await aHandoffFolder(t, (text) => `${text}\ndeadlines:\n  markdown:\n    draft: 1s\n`)
    const id = await folder.create(TASK)

    await until(async () => {
      await folder.sync()
      return folder.has(`_handoffs/${archived(id)}`)
    })
    await folder.sync()

    assert.deepEqual(await texts(folder, 'grok'), [`Handoff ${id} expired without acknowledgment`])
  })

  it('[S0-20] [S0-98] a copy that a crash left in active/ goes, and the archive keeps one file', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await inReview(folder)
    const open = join(folder.root, active(id))
    copyFileSync(open, `${open}.before`)
    await ask(folder.where, 'verify', id, '--as', 'perplexity', '--pass')
    copyFileSync(`${open}.before`, open)
    rmSync(`${open}.before`)

    await folder.sync()

    assert.deepEqual(folder.files(), [archived(id)])
  })

  it('[S0-97] [S0-98] a foreign file in the place of the archive is kept beside it', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await inReview(folder)
    folder.write(`_handoffs/${archived(id)}`, 'mine\n')

    await ask(folder.where, 'verify', id, '--as', 'perplexity', '--pass')

    assert.deepEqual(folder.files(), [archived(id), `${archived(id)}.conflict`, `${archived(id)}.problem`])
    assert.equal(folder.read(`_handoffs/${archived(id)}.conflict`), 'mine\n')
  })
})

describe('the index of document 000', () => {
  it('[S0-86] [S0-87] [S0-88] lists what is open, in the words of the document', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)

    assert.ok(folder.read('_handoffs/_index.yaml').startsWith('# Auto-generated index of all handoffs\n'))
    const { last_updated, active_handoffs } = index(folder)
    assert.match(last_updated, /^\d{4}-.*Z$/)
    const [entry] = active_handoffs
    assert.deepEqual(
      { ...entry, created: '' },
      { id, from: 'grok', to: 'claude', task: TASK, status: 'Active', created: '' },
    )
  })

  it('[S0-89] [S0-90] [S0-93] counts every agent after every step, also those that have nothing', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    await folder.send('BPRD-2026-0043', '--to', 'gemini')
    folder.edit(id, ...acknowledged('claude'))
    await folder.sync()

    const { counts_by_agent, active_handoffs } = index(folder)

    const sum = (side: 'outgoing' | 'incoming') =>
      Object.values(counts_by_agent as Record<string, Record<string, number>>).reduce(
        (n, each) => n + each[side]!,
        0,
      )
    assert.deepEqual([sum('outgoing'), sum('incoming'), active_handoffs.length], [2, 2, 2])
    assert.deepEqual(counts_by_agent.perplexity, { outgoing: 0, incoming: 0 })
    assert.ok(active_handoffs.some((each: { status: string }) => each.status === 'Acknowledged'))
  })

  it('[S0-94] is the same when it and all that is known of the files were lost', async (t) => {
    const folder = await aHandoffFolder(t)
    await folder.send(TASK)
    const done = await folder.send('BPRD-2026-0044', '--to', 'gemini')
    await ask(folder.where, 'accept', done, '--as', 'gemini')
    await ask(folder.where, 'submit', done, '--as', 'gemini', ...EVIDENCE)
    await ask(folder.where, 'verify', done, '--as', 'perplexity', '--pass')
    const { last_updated: _, ...before } = index(folder)
    const files = folder.files()

    rmSync(join(folder.root, '_handoffs/_index.yaml'))
    for (const ending of ['', '-wal', '-shm'])
      rmSync(join(folder.root, `.baton/folders.db${ending}`), { force: true })
    await folder.sync()

    const { last_updated: __, ...after } = index(folder)
    assert.deepEqual(after, before)
    assert.deepEqual(folder.files(), files)
  })

  it('[S0-91] [S0-92] is made again when somebody edits it, and the edited one is kept', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)

    folder.write('_handoffs/_index.yaml', 'active_handoffs: []\n')
    await folder.sync()

    assert.equal(index(folder).active_handoffs[0].id, id)
    assert.equal(folder.read('_handoffs/_index.yaml.conflict'), 'active_handoffs: []\n')
  })

  it('[S0-95] is made although one file cannot be read, which is reported', async (t) => {
    const folder = await aHandoffFolder(t)
    const bad = 'handoff-grok-claude-BPRD-2026-0099-20260221'
    const id = await folder.send(TASK)

    folder.write(active(bad), '---\nhandoff_id: [\n---\n')
    const happened = await folder.sync()
    await ask(folder.where, 'accept', id, '--as', 'claude')

    assert.deepEqual(whats(happened), ['refused'])
    assert.match(folder.read(`${active(bad)}.problem`), /line \d/)
    assert.deepEqual(
      index(folder).active_handoffs.map((each: { id: string }) => each.id),
      [id],
    )
  })
})

describe('a status that is changed by hand', () => {
  const REASON = '\nrejection_reason: why not'
  for (const from of ['Created', 'Active', 'Acknowledged'] as const)
    for (const to of MARKDOWN_STATUSES) {
      // Expiry is the engine's, and completion the verifier's.
      const isTaken = MARKDOWN_TRANSITIONS[from].includes(to) && to !== 'Expired' && to !== 'Complete'
      if (from !== to)
        it(`[S0-30] from ${from} to ${to} is ${isTaken ? 'taken in' : 'refused and leaves the file unchanged'}`, async (t) => {
          const folder = await aHandoffFolder(t)
          const id = from === 'Created' ? await folder.create(TASK) : await folder.send(TASK)
          if (from === 'Acknowledged') await ask(folder.where, 'accept', id, '--as', 'claude')
          const before = folder.read(active(id))

          folder.edit(id, [`status: ${from}`, `status: ${to}${to === 'Rejected' ? REASON : ''}`])
          const happened = await folder.sync()

          assert.equal(whats(happened).includes('taken_in'), isTaken)
          assert.equal(whats(happened).includes('refused'), !isTaken)
          if (!isTaken) assert.equal(folder.read(active(id)), before)
        })
    }
})

const texts = async (folder: HandoffFolder, agent: string): Promise<string[]> =>
  (await folder.notices(agent)).map(({ text }) => text)
