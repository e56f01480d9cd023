import assert from 'node:assert/strict'
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { BatonError } from '../../src/domain/errors.ts'
import { Tree } from '../../src/folders/files/tree.ts'
import { onSmallDisk } from '../faults/small-disk.ts'
import { folders } from '../support/documents/folders.ts'

describe('a file that Baton replaces', () => {
  const aTree = (t: Parameters<typeof folders>[0]) => {
    const root = folders(t).folder('project')
    return { root, tree: new Tree(root), at: (name: string) => join(root, 'active', name) }
  }

  it('is whole and the only one left', (t) => {
    const { tree, root, at } = aTree(t)
    assert.equal(tree.put('active/a.md', 'one').ok, true)

    const put = tree.put('active/a.md', 'two', tree.read('active/a.md')!.stamp)

    assert.equal(put.ok, true)
    assert.equal(readFileSync(at('a.md'), 'utf8'), 'two')
    assert.deepEqual(readdirSync(join(root, 'active')), ['a.md'])
  })

  it('is left as it is when somebody has changed it since it was looked at', (t) => {
    const { tree, root, at } = aTree(t)
    tree.put('active/a.md', 'one')
    const { stamp } = tree.read('active/a.md')!
    rmSync(at('a.md'))
    writeFileSync(at('a.md'), 'theirs')

    assert.deepEqual(
      [tree.put('active/a.md', 'two', stamp), tree.remove('active/a.md', stamp)],
      [{ ok: false }, false],
    )

    assert.equal(readFileSync(at('a.md'), 'utf8'), 'theirs')
    assert.deepEqual(readdirSync(join(root, 'active')), ['a.md'])
  })

  it('is left as it is when another text of the same length came in the same instant', (t) => {
    const { tree, at } = aTree(t)
    tree.put('active/a.md', 'one')
    const looked = tree.read('active/a.md')!
    writeFileSync(at('a.md'), 'two')
    const same = Number(BigInt(looked.stamp.mtime) / 1_000n) / 1_000_000
    utimesSync(at('a.md'), same, same)
    const stamp = tree.read('active/a.md')!.stamp

    assert.deepEqual(tree.put('active/a.md', 'ours', { stamp, sha256: looked.sha256 }), { ok: false })

    assert.equal(readFileSync(at('a.md'), 'utf8'), 'two')
  })

  it('stays whole when the disk is full, and the error says what to do', (t) => {
    const folder = folders(t).folder('small')
    const { command, args } = onSmallDisk(folder, 2, '../folders/full-disk.ts')

    const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })

    const { refused, kept, names } = JSON.parse(stdout || `{"refused":${JSON.stringify(stderr)}}`)
    assert.match(refused, /^unavailable: active\/a\.md could not be written: .*run: baton folders sync$/)
    assert.deepEqual([kept, names], ['one', ['a.md']])
  })

  it('is not made where somebody has made one', (t) => {
    const { tree, at } = aTree(t)
    mkdirSync(at('..'), { recursive: true })
    tree.make('active')
    writeFileSync(at('a.md'), 'theirs')

    assert.deepEqual(tree.put('active/a.md', 'ours'), { ok: false })

    assert.equal(readFileSync(at('a.md'), 'utf8'), 'theirs')
  })

  it('keeps what a process that died in the middle had taken away, unless it is known', (t) => {
    const { tree, root, at } = aTree(t)
    tree.put('active/a.md', 'one')
    writeFileSync(at('.baton-0123456789abcdef.old'), 'theirs')
    writeFileSync(at('.baton-0123456789abcdee.old'), 'known')
    writeFileSync(at('.baton-0123456789abcded.tmp'), 'half')

    const kept = tree.tidy(
      'active',
      (sha256) => sha256 !== tree.read('active/.baton-0123456789abcdef.old')!.sha256,
    )

    assert.deepEqual(kept.length, 1)
    assert.deepEqual(readdirSync(join(root, 'active')).sort(), ['a.md', kept[0]].sort())
    assert.equal(readFileSync(at(kept[0]!), 'utf8'), 'theirs')
  })

  it('lies where its path says, and a path that leads elsewhere is refused', (t) => {
    const { tree, root } = aTree(t)
    for (const path of [
      '../a.md',
      'active/../../a.md',
      '/etc/passwd',
      'active//a.md',
      'active/./a.md',
      'a\0b',
    ])
      assert.throws(() => tree.put(path, 'x'), { code: 'not_allowed' }, path)
    symlinkSync('/tmp', join(root, 'link'))

    assert.throws(() => tree.put('link/a.md', 'x'), { code: 'not_allowed' })
    assert.throws(() => tree.list('link'), { code: 'not_allowed' })
    tree.make('active/below')
    symlinkSync('active', join(root, 'middle'))
    assert.throws(() => tree.list('middle/below'), { code: 'not_allowed' })
    assert.throws(() => tree.put('middle/below/a.md', 'x'), { code: 'not_allowed' })
  })

  it('does not lose what is written into the old one through a handle that was open', (t) => {
    const { tree, root, at } = aTree(t)
    tree.put('active/a.md', 'one')
    const { stamp } = tree.read('active/a.md')!
    const descriptor = openSync(at('a.md'), 'r+')
    writeSync(descriptor, 'two')
    closeSync(descriptor)

    assert.equal(tree.put('active/a.md', 'ours', stamp).ok, false)

    assert.equal(readFileSync(at('a.md'), 'utf8'), 'two')
    assert.deepEqual(readdirSync(join(root, 'active')), ['a.md'])
  })
})

describe('somebody who swaps the folder for a link while Baton writes', () => {
  const SWAP = `
    const { renameSync, symlinkSync, rmSync, mkdirSync } = require('node:fs')
    const [root, outside] = process.argv.slice(1)
    process.chdir(root)
    process.send('ready')
    for (;;) {
      try {
        renameSync('active', 'hidden')
        symlinkSync(outside, 'active')
        rmSync('active')
        renameSync('hidden', 'active')
      } catch {
        try { rmSync('active', { recursive: true }) } catch {}
        try { renameSync('hidden', 'active') } catch {}
      }
    }`

  it('[T9] gets not one byte written outside', async (t) => {
    const place = folders(t)
    const [root, outside] = [place.folder('project'), place.folder('outside')]
    const tree = new Tree(root)
    tree.make('active')
    const program = place.file('swap.cjs', SWAP.replace('slice(1)', 'slice(2)'))
    const child = fork(program, [root, outside])
    t.after(() => child.kill('SIGKILL'))
    await once(child, 'message')

    let written = 0
    let refused = 0
    // On a busy machine the other process may be stopped for a while with the link in place.
    const deadline = Date.now() + 60_000
    for (let i = 0; i < 300 || (written === 0 && Date.now() < deadline); i++) {
      if (i >= 300) await pause(1)
      try {
        if (tree.put(`active/${i % 5}.md`, `${i}`, tree.read(`active/${i % 5}.md`)?.stamp).ok) written += 1
      } catch (error) {
        if (!(error instanceof BatonError)) throw error
        refused += 1
      }
    }

    assert.deepEqual(readdirSync(outside), [])
    assert.ok(written > 0, `${written} written, ${refused} refused`)
  })
})
