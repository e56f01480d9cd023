import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { BATON, baton, cleanEnv, quick, refusal } from '../support/program/command.ts'
import { acknowledged, active, aHandoffFolder, whats } from './handoffs.ts'
import { aQueueFolder, type QueueFolder } from './queue.ts'

const TASK = 'BPRD-2026-0042'
const NAME = 'handoff-grok-claude-BPRD-2026-0099-20260221.md'

describe('what lies in active/ and is no plain file', () => {
  it('[T9] a symbolic link is not followed: nothing behind it is read or written', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const secret = join(folder.root, '..', 'secret.md')
    renameSync(join(folder.root, active(id)), secret)
    const before = readFileSync(secret, 'utf8')
    symlinkSync(secret, join(folder.root, active(id)))

    const happened = await folder.sync()
    await quick(folder.where, 'accept', id, '--as', 'claude')

    assert.equal(happened[0]?.what, 'left')
    assert.match(happened[0]?.reason ?? '', /symbolic link/)
    assert.equal(readFileSync(secret, 'utf8'), before)
  })

  it('a hard link is left alone: a change would change another file', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const other = join(folder.root, 'other.md')
    linkSync(join(folder.root, active(id)), other)
    folder.edit(id, ...acknowledged('claude'))

    const happened = await folder.sync()

    assert.match(happened[0]?.reason ?? '', /second name/)
    assert.match(readFileSync(other, 'utf8'), /^status: Acknowledged$/m)
    assert.equal(await folder.state(id), 'offered')
  })

  it('a folder that is a link to elsewhere is refused with what to do', async (t) => {
    const folder = await aHandoffFolder(t)
    await folder.sync()
    const elsewhere = join(folder.root, '..', 'elsewhere')
    mkdirSync(elsewhere)
    rmSync(join(folder.root, '_handoffs/active'), { recursive: true })
    symlinkSync(elsewhere, join(folder.root, '_handoffs/active'))

    const { code, stderr } = await quick(folder.where, 'folders', 'sync', '--json')

    assert.deepEqual([code, JSON.parse(stderr).error.code], [4, 'not_allowed'])
    assert.deepEqual(readdirSync(elsewhere), [])
  })

  for (const path of ['../outside', '/tmp/outside', '.git/hooks', '.baton', 'a/../../b'])
    it(`baton.yaml cannot name ${path} as a live folder`, async (t) => {
      const folder = await aHandoffFolder(t, (text) => text.replace('path: _handoffs', `path: ${path}`))

      const { code, stderr } = await quick(folder.where, 'folders', 'sync')

      assert.equal(code, 2)
      assert.match(stderr, /write a folder below the project/)
    })

  it('odd names are said and do no harm: newline, dash, no UTF-8, 255 bytes, a folder, a pipe', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const at = join(folder.root, '_handoffs/active')
    const long = `handoff-${'x'.repeat(244)}.md`
    for (const name of ['-rf.md', 'a\nb.md', NAME.replace('.md', '\n.md')])
      writeFileSync(join(at, name), '---\nhandoff_id: x\n---\n')
    writeFileSync(join(at, long), '---\nhandoff_id: x\n---\n')
    writeFileSync(Buffer.concat([Buffer.from(`${at}/`), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]), 'x')
    mkdirSync(join(at, 'folder.md'))
    execFileSync('mkfifo', [join(at, 'pipe.md')])

    const happened = await folder.sync()
    await folder.sync()

    assert.equal(Buffer.byteLength(long), 255)
    assert.deepEqual(
      whats(happened).filter((what) => what !== 'refused' && what !== 'left'),
      [],
    )
    const reasons = happened.map(({ reason }) => reason ?? '').join('\n')
    for (const word of [/not UTF-8/, /it is a folder/, /it is not a regular file/])
      assert.match(reasons, word)
    assert.ok(readdirSync(at).some((name) => name.endsWith('.problem') && name.startsWith('handoff-xxx')))
    assert.equal(await folder.state(id), 'offered')
  })

  it('bytes that are no text are kept beside the file that is put back', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const before = folder.read(active(id))
    const bytes = Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe, 0x00])

    writeFileSync(join(folder.root, active(id)), bytes)
    await folder.sync()

    assert.equal(folder.read(active(id)), before)
    assert.deepEqual(readFileSync(join(folder.root, `${active(id)}.conflict`)), bytes)
  })

  it('a folder that may not be written leaves the command standing and is caught up later', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const at = join(folder.root, '_handoffs/active')
    const isRoot = process.getuid?.() === 0
    if (isRoot) execFileSync('chown', ['-R', '65534:65534', join(folder.root, '..')])
    const where = { ...folder.where, ...(isRoot && { uid: 65_534 }) }
    chmodSync(at, 0o555)
    const { code, stderr } = await baton(where, 'accept', id, '--as', 'claude')
    chmodSync(at, 0o755)
    if (isRoot) execFileSync('chown', ['-R', '0:0', join(folder.root, '..')])

    assert.equal(code, 0, stderr)
    assert.match(stderr, /could not be written: it may not be written; check its permissions/)
    assert.equal(await folder.state(id), 'accepted')
    await folder.sync()
    assert.match(folder.read(active(id)), /^status: Acknowledged$/m)
    assert.ok(!readdirSync(at).some((name) => name.startsWith('.baton-')))
    assert.ok(existsSync(at))
  })
})

describe('a workspace without a live folder', () => {
  for (const yaml of [undefined, 'dialect: native\n'])
    it(`is not made for one ${yaml === undefined ? 'in an empty folder' : 'by a baton.yaml that lists none'}`, async (t) => {
      const files = folders(t)
      const where = { cwd: files.folder('shop') }
      if (yaml !== undefined) files.file('shop/baton.yaml', yaml)

      for (const verb of ['sync', 'doctor', 'watch']) {
        const { exit, message } = await refusal(where, 'folders', verb)
        assert.equal(exit, 3)
        assert.match(message, /no live folder; list one in baton\.yaml/)
      }

      assert.deepEqual(readdirSync(where.cwd), yaml === undefined ? [] : ['baton.yaml'])
    })
})

/** The command where `handoffs/in-progress` is on another disk: a real one, or where none may be mounted, by renames that say so. */
function onTwoDisks(folder: QueueFolder, ...args: readonly string[]) {
  const place = join(folder.root, 'handoffs/in-progress')
  const mount = 'mount -t tmpfs none "$0"'
  const words = [process.execPath, BATON, ...args]
  const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', mount, place]).status === 0
  const shim = `import fs, { syncBuiltinESMExports } from 'node:fs'
    const { renameSync } = fs
    fs.renameSync = (a, b) => {
      if (String(b).endsWith('.json')) throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' })
      return renameSync(a, b)
    }
    syncBuiltinESMExports()`
  const [command = '', ...rest] = canMount
    ? ['unshare', '-rm', 'sh', '-c', `${mount} && exec "$@"`, place, ...words]
    : [words[0]!, '--import', `data:text/javascript,${encodeURIComponent(shim)}`, ...words.slice(1)]
  return spawnSync(command, rest, { cwd: folder.root, env: cleanEnv(folder.where), encoding: 'utf8' })
}

describe('handoffs/ on two file systems', () => {
  it('is refused with the reason when work is picked up, and the file stays in pending/', async (t) => {
    const folder = await aQueueFolder(t)
    const id = 'hoff-20260113100000'
    folder.put('pending', id, folder.request(id))
    await folder.sync()
    const before = folder.file('pending', id)

    const { status, stderr } = onTwoDisks(folder, 'accept', id, '--as', 'react-specialist')

    assert.equal(status, 13, stderr)
    assert.match(stderr, /handoffs\/pending and handoffs\/in-progress are on different file systems/)
    assert.deepEqual([folder.placesOf(id), folder.file('pending', id)], [['pending'], before])
    assert.equal((await folder.show(id)).state, 'offered')
  })
})
