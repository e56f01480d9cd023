import assert from 'node:assert/strict'
import { closeSync, cpSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { folders } from '../support/documents/folders.ts'
import { ask } from '../support/program/command.ts'
import { DAY, foreign } from './foreign.ts'
import {
  acknowledged,
  active,
  aHandoffFolder,
  type HandoffFolder,
  handoffFolderAt,
  whats,
} from './handoffs.ts'

const TASK = 'BPRD-2026-0042'
/** The folder after its first pass: from then on a new file is somebody's doing. */
async function running(t: Parameters<typeof aHandoffFolder>[0]): Promise<HandoffFolder> {
  const folder = await aHandoffFolder(t)
  await folder.sync()
  return folder
}

describe('a file that somebody puts into active/', () => {
  it('becomes a handoff of its sender, with every byte that Baton does not need to change', async (t) => {
    const folder = await running(t)
    const { id, text } = foreign()

    folder.write(active(id), text)
    const happened = await folder.sync()

    assert.deepEqual(whats(happened), ['created', 'written'])
    const { handoff } = await ask<{ handoff: Record<string, string> }>(folder.where, 'show', id)
    assert.deepEqual([handoff.id, handoff.from, handoff.to, handoff.state], [id, 'grok', 'claude', 'offered'])
    const now = folder.read(active(id))
    assert.equal(now.replace(/x_baton:\n {2}uid: .*\n {2}rev: \d+\n/, ''), text)
    assert.deepEqual(
      (await ask<{ items: { id: string }[] }>(folder.where, 'inbox', '--as', 'claude')).items.map(
        (each) => each.id,
      ),
      [id],
    )
  })

  it('[S0-22] gets the exact word for its status, however its author spells it', async (t) => {
    const folder = await running(t)
    const { id, text } = foreign({ status: 'active' })
    const statusOf = () => /^status:.*$/m.exec(folder.read(active(id)))?.[0]

    folder.write(active(id), text)
    await folder.sync()
    const created = statusOf()
    folder.edit(id, ['status: Active', 'status: "acknowledged" # at last'])
    await folder.sync()
    const stepped = statusOf()
    folder.edit(id, ['Acknowledged', 'ACKNOWLEDGED'])
    await folder.sync()

    assert.equal(created, 'status: Active')
    assert.match(stepped ?? '', /^status: "?Acknowledged"? # at last$/)
    assert.equal(statusOf(), stepped)
    assert.equal(await folder.state(id), 'accepted')
  })

  it('[S0-22] stays as it is committed where its status is spelt otherwise, and the doctor notes it', async (t) => {
    const folder = await running(t)
    const { id, text } = foreign({ status: 'active' })
    folder.write(active(id), text)
    folder.git('add', '--all')
    folder.git('commit', '--quiet', '--message', 'by hand')

    await folder.sync()

    assert.equal(folder.read(active(id)), text)
    const { findings } = await ask<{ findings: { code: string; path: string }[] }>(
      folder.where,
      'folders',
      'doctor',
    )
    assert.deepEqual(
      findings.map(({ code, path }) => [code, path]),
      [['differs', active(id)]],
    )
  })

  it('[S0-48] [S0-50] is refused beyond the limit of its sender, with the sentence of the document', async (t) => {
    const folder = await running(t)
    for (let i = 0; i < 10; i++) {
      const to = i < 5 ? 'claude' : 'gemini'
      const { id, text } = foreign({ to, task: `BPRD-2026-${1000 + i}` })
      folder.write(active(id), text)
    }
    await folder.sync()
    const eleventh = foreign({ to: 'abacus', task: 'BPRD-2026-1010' })

    folder.write(active(eleventh.id), eleventh.text)
    const happened = await folder.sync()

    assert.deepEqual(whats(happened), ['refused'])
    assert.match(
      folder.read(`${active(eleventh.id)}.problem`),
      /grok has 10 active outgoing handoffs \(max: 10\)/,
    )
    assert.equal(folder.read(active(eleventh.id)), eleventh.text)
    assert.equal(parse(folder.read('_handoffs/_index.yaml')).active_handoffs.length, 10)
    assert.deepEqual(whats(await folder.sync()), [])
  })

  it('[S0-21] is refused while another hands the same task to the same agent', async (t) => {
    const folder = await running(t)
    const id = await folder.send(TASK)
    const { text } = foreign()
    const other = `handoff-grok-claude-${TASK}-20260222`

    folder.write(active(other), text.replaceAll(DAY, '20260222').replaceAll('2026-02-21', '2026-02-22'))
    const happened = await folder.sync()

    assert.deepEqual(whats(happened), ['refused'])
    assert.match(folder.read(`${active(other)}.problem`), new RegExp(`${id} already hands`))
  })

  for (const status of ['Acknowledged', 'Complete', 'Rejected', 'Expired'])
    it(`is refused when it begins as ${status}: nobody did that here`, async (t) => {
      const folder = await running(t)
      const { id, text } = foreign({ status })

      folder.write(active(id), text)
      const happened = await folder.sync()

      assert.deepEqual(whats(happened), ['refused'])
      assert.match(folder.read(`${active(id)}.problem`), /begins as Created or Active/)
    })

  it('[S0-08] is refused when its name is not its id', async (t) => {
    const folder = await running(t)
    const { text } = foreign()

    folder.write(active(`handoff-grok-claude-BPRD-2026-0043-${DAY}`), text)

    assert.deepEqual(whats(await folder.sync()), ['refused'])
  })

  it('is refused when its sender is not listed, and no notice goes to nobody', async (t) => {
    const folder = await running(t)
    const { id, text } = foreign({ from: 'mallory' })

    folder.write(active(id), text)

    assert.deepEqual(whats(await folder.sync()), ['refused'])
    assert.match(folder.read(`${active(id)}.problem`), /unknown agent mallory/)
  })

  it('[S0-68] is refused with all that is missing', async (t) => {
    const folder = await aHandoffFolder(t)
    const { id, text } = foreign()
    await folder.sync()
    folder.write(active(id), text.replace(/^(?:title|source_meeting|skill_web_node): .*\n/gm, ''))

    await folder.sync()

    const problem = folder.read(`${active(id)}.problem`)
    for (const key of ['title', 'source_meeting', 'skill_web_node']) assert.match(problem, new RegExp(key))
  })

  it('is left alone when it is no handoff', async (t) => {
    const folder = await running(t)

    folder.write('_handoffs/active/README.md', '# How we work\n')

    assert.deepEqual(await folder.sync(), [])
    assert.equal(folder.read('_handoffs/active/README.md'), '# How we work\n')
  })
})

describe('a file that somebody moves or copies', () => {
  it('[S0-08] comes back under its name when it was renamed', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const before = folder.read(active(id))

    renameSync(join(folder.root, active(id)), join(folder.root, active('handoff-mine')))
    await folder.sync()

    assert.equal(folder.read(active(id)), before)
    assert.deepEqual(folder.files(), [`active/${id}.md`, 'active/handoff-mine.md.problem'])
  })

  it('[S0-20] comes back from the archive when it was moved there by hand, and doctor finds the rest', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    folder.write('_handoffs/archived/2026/01/.keep', '')

    renameSync(join(folder.root, active(id)), join(folder.root, `_handoffs/archived/2026/01/${id}.md`))
    await folder.sync()
    assert.ok(folder.has(active(id)))
    const { clean } = await ask<{ clean: boolean }>(folder.where, 'folders', 'doctor', '--fix')

    assert.equal(clean, true)
    assert.deepEqual(
      folder.files().filter((path) => path.endsWith('.md')),
      [`active/${id}.md`],
    )
  })

  it('is a twin when both are there: refused with the way out, and nothing of it is lost', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const copy = folder.read(active(id)).replace('title: Implement', 'title: Copy of')

    folder.write(active('handoff-copy'), copy)
    const happened = await folder.sync()

    assert.deepEqual(whats(happened), ['refused'])
    assert.match(folder.read(`${active('handoff-copy')}.problem`), /remove x_baton and write a new id/)
    assert.equal(folder.read(active('handoff-copy')), copy)
  })
})

describe('two who change the same handoff', () => {
  it('both are kept when the engine moved on: its version in the file, the other one beside it', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const stale = folder.read(active(id))
    const others = stale.replace('status: Active', 'status: Rejected\nrejection_reason: too late')
    await ask(folder.where, 'handoff', 'cancel', id, '--as', 'grok', '--reason', 'no longer needed')

    folder.write(active(id), others)
    await folder.sync()

    const files = folder.files()
    assert.deepEqual(files.filter((path) => path.endsWith(`${id}.md`)).length, 1)
    assert.ok(files.some((path) => path.startsWith('active/') && /\.(problem|conflict)$/.test(path)))
    assert.equal(await folder.state(id), 'cancelled')
  })

  it('what a slow author writes on into a file that was replaced meanwhile is kept beside it', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    folder.edit(id, ...acknowledged('claude'))
    const descriptor = openSync(join(folder.root, active(id)), 'a')
    await folder.sync()
    assert.equal(await folder.state(id), 'accepted')

    writeSync(descriptor, '\nand one more line\n')
    closeSync(descriptor)
    const beside = join(folder.root, `${active(id)}.conflict`)
    for (const end = Date.now() + 30_000; !existsSync(beside) && Date.now() < end; ) await folder.sync()

    assert.ok(readFileSync(beside, 'utf8').endsWith('\nand one more line\n'))
    assert.match(folder.read(active(id)), /^acknowledged_at: 2/m)
  })

  it('a step that the engine has taken already is not refused when its file comes late', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    folder.edit(id, ...acknowledged('claude'))

    // The command takes the file in first, finds it acknowledged, and says so.
    await folder.sync()
    const again = await folder.sync()

    assert.deepEqual(again, [])
    assert.equal(await folder.state(id), 'accepted')
  })
})

describe('a fresh clone', () => {
  it('makes the handoffs again from the files alone, with their ids and states, and changes no file', async (t) => {
    const folder = await aHandoffFolder(t)
    const open = await folder.send(TASK)
    const done = await folder.send('BPRD-2026-0044', '--to', 'gemini')
    await ask(folder.where, 'reject', done, '--as', 'gemini', '--reason', 'no')
    folder.git('add', '--all')
    folder.git('commit', '--quiet', '--message', 'handoffs')
    const there = folders(t)
    const root = there.path('clone')
    folder.git('clone', '--quiet', folder.root, root)
    const clone = handoffFolderAt(root)

    await clone.sync()
    await clone.sync()

    const { items } = await ask<{ items: { id: string; state: string; uid: string }[] }>(
      clone.where,
      'handoff',
      'list',
    )
    const { items: old } = await ask<{ items: { id: string; state: string; uid: string }[] }>(
      folder.where,
      'handoff',
      'list',
    )
    const told = (list: typeof items) => list.map(({ id, state, uid }) => [id, state, uid]).sort()
    assert.deepEqual(told(items), told(old))
    assert.deepEqual(
      told(items).map(([id]) => id),
      [open, done].sort(),
    )
    assert.equal(clone.git('status', '--porcelain'), '')
  })

  it('goes on where the files are, with the limits that they fill', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const there = folders(t)
    const root = there.repository('copy')
    cpSync(join(folder.root, '_handoffs'), join(root, '_handoffs'), { recursive: true })
    cpSync(join(folder.root, 'baton.yaml'), join(root, 'baton.yaml'))
    rmSync(join(root, '_handoffs/_index.yaml'))
    const copy = handoffFolderAt(root)

    await copy.sync()
    await ask(copy.where, 'accept', id, '--as', 'claude')

    assert.match(readFileSync(join(root, active(id)), 'utf8'), /^status: Acknowledged$/m)
    assert.deepEqual(parse(copy.read('_handoffs/_index.yaml')).counts_by_agent.grok, {
      outgoing: 1,
      incoming: 0,
    })
  })
})
