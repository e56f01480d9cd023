import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { folders } from '../support/documents/folders.ts'
import { ask, quick } from '../support/program/command.ts'
import {
  acknowledged,
  active,
  aHandoffFolder,
  type HandoffFolder,
  handoffFolderAt,
  whats,
} from './handoffs.ts'
import { aWatcher } from './watcher.ts'

const [FIRST, SECOND] = ['BPRD-2026-0042', 'BPRD-2026-0043']
const EVIDENCE = ['--evidence', 'Middleware=PR', '--evidence', 'Documentation=x']

const commit = (folder: HandoffFolder, message: string): void => {
  folder.git('add', '--all')
  folder.git('commit', '--quiet', '--message', message)
}

const states = async (folder: HandoffFolder) => {
  const { items } = await ask<{ items: { id: string; state: string; rev: number }[] }>(
    folder.where,
    'handoff',
    'list',
  )
  return items.map(({ id, state, rev }) => [id, state, rev])
}

/** On main a handoff is Active; on `work` it is Acknowledged, and there is a second one. */
async function twoBranches(t: Parameters<typeof aHandoffFolder>[0]) {
  const folder = await aHandoffFolder(t)
  folder.git('branch', '--move', '--force', 'main')
  const first = await folder.send(FIRST)
  commit(folder, 'first')
  folder.git('checkout', '--quiet', '-b', 'work')
  await ask(folder.where, 'accept', first, '--as', 'claude')
  const second = await folder.send(SECOND)
  commit(folder, 'second')
  return { folder, first, second }
}

const clean = (folder: HandoffFolder): string => folder.git('status', '--porcelain')

describe('git beside a live folder', () => {
  it('checks branches out and back: no state changes, and the tree stays clean', async (t) => {
    const { folder, first, second } = await twoBranches(t)
    const before = await states(folder)

    for (const branch of ['main', 'work', 'main', 'work']) {
      folder.git('checkout', '--quiet', branch)
      await folder.sync()
      await folder.sync()
      assert.equal(clean(folder), '', branch)
      assert.equal(folder.has(active(second)), branch === 'work')
    }

    assert.deepEqual(await states(folder), before)
    assert.match(folder.read(active(first)), /^status: Acknowledged$/m)
    assert.equal((await ask<{ clean: boolean }>(folder.where, 'folders', 'doctor')).clean, true)
  })

  it('brings what was checked out up to date with the next step of the handoff', async (t) => {
    const { folder, first } = await twoBranches(t)
    folder.git('checkout', '--quiet', 'main')
    await folder.sync()

    await ask(
      folder.where,
      'submit',
      first,
      '--as',
      'claude',
      '--evidence',
      'Middleware=PR',
      '--evidence',
      'Documentation=x',
    )

    assert.match(folder.read(active(first)), /^status: Acknowledged$/m)
  })

  it('stashes and takes back: no state changes', async (t) => {
    const { folder, first } = await twoBranches(t)
    const third = await folder.send('BPRD-2026-0045', '--to', 'gemini')
    await ask(
      folder.where,
      'submit',
      first,
      '--as',
      'claude',
      '--evidence',
      'Middleware=PR',
      '--evidence',
      'Documentation=x',
    )
    const [before, dirty] = [await states(folder), clean(folder)]

    folder.git('stash', 'push', '--quiet', '--include-untracked')
    await folder.sync()
    assert.equal(clean(folder), '')
    assert.equal(folder.has(active(third)), false)
    folder.git('stash', 'pop', '--quiet')
    await folder.sync()

    assert.deepEqual(await states(folder), before)
    assert.equal(clean(folder), dirty)
    assert.equal(folder.has(active(third)), true)
  })

  it('rebases: no state changes, and the tree stays clean', async (t) => {
    const { folder } = await twoBranches(t)
    folder.git('checkout', '--quiet', 'main')
    await folder.sync()
    writeFileSync(join(folder.root, 'other.txt'), 'x\n')
    commit(folder, 'other')
    const before = await states(folder)

    folder.git('checkout', '--quiet', 'work')
    folder.git('rebase', '--quiet', 'main')
    await folder.sync()

    assert.deepEqual(await states(folder), before)
    assert.equal(clean(folder), '')
  })

  it('pulls new handoffs, which are taken as they stand, and later states, which are taken as steps', async (t) => {
    const { folder, first, second } = await twoBranches(t)
    const place = folders(t)
    folder.git('clone', '--quiet', '--branch', 'main', folder.root, place.path('clone'))
    const clone = handoffFolderAt(place.path('clone'))
    await clone.sync()
    assert.deepEqual(
      (await states(clone)).map(([id, state]) => [id, state]),
      [[first, 'offered']],
    )

    clone.git('pull', '--quiet', 'origin', 'work')
    const happened = await clone.sync()

    assert.ok(whats(happened).includes('taken_in'))
    assert.deepEqual(
      (await states(clone)).map(([id, state]) => [id, state]).sort(),
      [
        [first, 'accepted'],
        [second, 'offered'],
      ].sort(),
    )
  })

  it('pulls an end that was written into the archive, for a handoff that is open here', async (t) => {
    const folder = await aHandoffFolder(t)
    const first = await folder.send(FIRST)
    commit(folder, 'first')
    const place = folders(t)
    folder.git('clone', '--quiet', folder.root, place.path('clone'))
    const clone = handoffFolderAt(place.path('clone'))
    await clone.sync()
    await ask(folder.where, 'reject', first, '--as', 'claude', '--reason', 'no')
    commit(folder, 'rejected')
    const [archivedFile] = folder.files().filter((path) => path.startsWith('archived/'))

    clone.git('pull', '--quiet')
    await clone.sync()

    assert.deepEqual(clone.files(), [archivedFile])
    assert.equal(await clone.state(first), 'rejected')
    assert.equal(clean(clone), '')
  })

  it('restores one file to what the commit has: nothing follows, and it is not put back', async (t) => {
    const { folder, first } = await twoBranches(t)
    await ask(folder.where, 'submit', first, '--as', 'claude', ...EVIDENCE)
    const before = await states(folder)
    assert.notEqual(clean(folder), '')

    folder.git('checkout', '--quiet', '--', '_handoffs')
    const happened = await folder.sync()

    assert.deepEqual(whats(happened), ['left'])
    assert.deepEqual(await states(folder), before)
    assert.equal(clean(folder), '')
  })

  it('leaves what was committed before anybody looked as the commit has it, and the doctor says that it differs', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send('BPRD-2026-0042')
    folder.git('add', '--all')
    folder.git('commit', '--quiet', '--message', 'sent')
    folder.edit(id, ['to_agent: claude', 'to_agent: gemini'])
    folder.git('commit', '--quiet', '--all', '--message', 'by hand')

    await folder.sync()
    const { stdout } = await quick(folder.where, 'folders', 'doctor', '--json')
    const { clean, findings } = JSON.parse(stdout) as {
      clean: boolean
      findings: { code: string; path: string; note: boolean }[]
    }
    const isClean = folder.git('status', '--porcelain') === ''
    await ask(folder.where, 'accept', id, '--as', 'claude')

    assert.deepEqual([folder.has(`${active(id)}.problem`), isClean, clean], [false, true, true])
    assert.deepEqual(
      findings.map(({ code, path, note }) => [code, path, note]),
      [['differs', active(id), true]],
    )
    assert.match(folder.read(active(id)), /^to_agent: claude$/m)
  })

  it('pulls a handoff that was acknowledged elsewhere, which by hand would be refused', async (t) => {
    const { folder, second } = await twoBranches(t)
    const place = folders(t)
    folder.git('clone', '--quiet', '--branch', 'main', folder.root, place.path('clone'))
    const clone = handoffFolderAt(place.path('clone'))
    await clone.sync()
    await ask(folder.where, 'accept', second, '--as', 'claude')
    commit(folder, 'accepted')

    clone.git('pull', '--quiet', 'origin', 'work')
    await clone.sync()

    assert.equal(await clone.state(second), 'accepted')
    assert.equal(clean(clone), '')
    assert.deepEqual(
      clone.files().filter((path) => path.endsWith('.problem')),
      [],
    )
  })

  it('leaves the marks of a merge to whoever resolves them', async (t) => {
    const { folder, first } = await twoBranches(t)
    const text = folder.read(active(first))
    const marked = text.replace(
      'status: Acknowledged\n',
      '<<<<<<< HEAD\nstatus: Acknowledged\n=======\nstatus: Active\n>>>>>>> main\n',
    )

    folder.write(active(first), marked)
    const happened = await folder.sync()

    assert.deepEqual(whats(happened), ['left'])
    assert.equal(folder.read(active(first)), marked)
  })

  it("takes an author's change in although git knows the file", async (t) => {
    const { folder, second } = await twoBranches(t)

    folder.edit(second, ...acknowledged('claude'))
    const happened = await folder.sync()

    assert.ok(whats(happened).includes('taken_in'))
  })

  it('keeps notes, locks and drafts out of the history', async (t) => {
    const { folder, second } = await twoBranches(t)
    folder.edit(second, ...acknowledged('gemini'))
    await folder.sync()

    assert.ok(folder.has(`${active(second)}.problem`))
    assert.equal(clean(folder), '')
  })

  it('may check out as often as it likes beside a watcher', async (t) => {
    const { folder, second } = await twoBranches(t)
    const before = await states(folder)
    const child = await aWatcher(t, folder.where)

    for (let i = 0; i < 12; i++) {
      folder.git('checkout', '--quiet', i % 2 === 0 ? 'main' : 'work')
      await pause(i * 20)
    }
    child.kill('SIGINT')
    await once(child, 'exit')
    await folder.sync()

    assert.deepEqual(await states(folder), before)
    assert.equal(clean(folder), '')
    assert.ok(folder.has(active(second)))
    assert.deepEqual(
      folder.files().filter((path) => /problem|conflict/.test(path)),
      [],
    )
  })

  it('has one live folder: the copy in a linked worktree is not it', async (t) => {
    const { folder, second } = await twoBranches(t)
    const place = folders(t)
    folder.git('worktree', 'add', '--quiet', place.path('tree'), '-b', 'other')
    const tree = handoffFolderAt(place.path('tree'))

    await ask(tree.where, 'accept', second, '--as', 'claude')

    assert.match(folder.read(active(second)), /^status: Acknowledged$/m)
    assert.equal(clean(tree), '')
  })
})
