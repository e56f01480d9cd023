import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, quick, type Where } from '../support/program/command.ts'
import { active, aHandoffFolder, type HandoffFolder, handoffFolderAt } from './handoffs.ts'
import { aPackageFolder } from './package.ts'

const TASK = 'BPRD-2026-0042'

interface Examined {
  readonly clean: boolean
  readonly findings: readonly { code: string; path: string; note: boolean; fix?: string }[]
  readonly left?: Examined['findings']
}

async function doctor(folder: HandoffFolder, ...args: string[]): Promise<Examined & { exit: number | null }> {
  const { code, stdout, stderr } = await quick(folder.where, 'folders', 'doctor', '--json', ...args)
  assert.notEqual(stdout, '', stderr)
  return { exit: code, ...JSON.parse(stdout) }
}

const codes = ({ findings }: Examined): string[] =>
  findings.filter(({ note }) => !note).map(({ code }) => code)

const month = () => new Date().toISOString().slice(0, 7).replace('-', '/')

const copy = (folder: HandoffFolder, from: string, to: string): void => {
  mkdirSync(dirname(join(folder.root, to)), { recursive: true })
  copyFileSync(join(folder.root, from), join(folder.root, to))
}

const DRIFTS: readonly (readonly [string, readonly string[], (folder: HandoffFolder, id: string) => void])[] =
  [
    ['a missing file', ['missing'], (folder, id) => rmSync(join(folder.root, active(id)))],
    [
      'a file of another name',
      ['missing', 'wrong_name', 'wrong_place'],
      (folder, id) => renameSync(join(folder.root, active(id)), join(folder.root, active('handoff-other'))),
    ],
    [
      'a changed status',
      ['changed'],
      (folder, id) => folder.edit(id, ['status: Active', 'status: Complete']),
    ],
    [
      'the same id in two places',
      ['duplicate', 'wrong_place'],
      (folder, id) => copy(folder, active(id), `_handoffs/archived/${month()}/${id}.md`),
    ],
    [
      'an index that says something else',
      ['index'],
      (folder) => folder.write('_handoffs/_index.yaml', 'active_handoffs: []\n'),
    ],
    ['no index', ['index'], (folder) => rmSync(join(folder.root, '_handoffs/_index.yaml'))],
    [
      'what a dead process left',
      ['left_behind'],
      (folder) => folder.write('_handoffs/active/.baton-0123456789abcdef.tmp', 'half'),
    ],
  ]

describe('folders doctor', () => {
  it('says nothing of a folder that agrees with the engine', async (t) => {
    const folder = await aHandoffFolder(t)
    await folder.send(TASK)

    const { exit, clean, findings } = await doctor(folder)

    assert.deepEqual([exit, clean, findings], [0, true, []])
  })

  for (const [what, expected, make] of DRIFTS)
    it(`[S0-20] [S0-92] finds ${what}, says what it would do, and mends it with --fix`, async (t) => {
      const folder = await aHandoffFolder(t)
      const id = await folder.send(TASK)
      make(folder, id)
      const before = folder.files()

      const found = await doctor(folder)
      assert.deepEqual([found.exit, codes(found).sort()], [1, [...expected].sort()])
      for (const { note, fix } of found.findings) assert.ok(note || fix !== undefined)
      assert.deepEqual(folder.files(), before)
      const mended = await doctor(folder, '--fix')

      assert.deepEqual([mended.exit, mended.clean], [0, true])
      assert.deepEqual(codes(await doctor(folder)), [])
      assert.deepEqual(
        folder.files().filter((path) => path.endsWith('.md')),
        [`active/${id}.md`],
      )
    })

  it('[S0-11] [S0-12] [S0-13] finds handoffs anywhere else in the project, by name or by front matter', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    const places = [
      `_agents/claude/_handoffs/${id}.md`,
      'research/x/processed/notes.md',
      `sub/_handoffs/active/${id}.md`,
      `${id}.md`,
    ]
    for (const place of places) copy(folder, active(id), place)
    for (const place of ['node_modules/x/', '.git/', '.worktrees/w/'])
      copy(folder, active(id), `${place}${id}.md`)
    writeFileSync(join(folder.root, '.worktrees/w/.git'), 'gitdir: elsewhere\n')
    writeFileSync(join(folder.root, 'README.md'), '# About handoffs\n')

    const found = await doctor(folder)

    assert.deepEqual(
      found.findings.map(({ path, code }) => [path, code]),
      places.toSorted().map((path) => [path, 'stray']),
    )
  })

  it('knows what a pull brought straight into the archive after the next pass', async (t) => {
    const folder = await aHandoffFolder(t)
    folder.git('add', '--all')
    folder.git('commit', '--quiet', '--message', 'start')
    const root = folders(t).path('clone')
    folder.git('clone', '--quiet', folder.root, root)
    const clone = handoffFolderAt(root)
    await clone.sync()
    const id = await folder.send(TASK)
    await ask(folder.where, 'reject', id, '--as', 'claude', '--reason', 'no')
    folder.git('add', '--all')
    folder.git('commit', '--quiet', '--message', 'rejected')

    clone.git('pull', '--quiet')
    const before = await doctor(clone)
    const happened = await clone.sync()

    assert.ok(codes(before).includes('unknown'))
    assert.deepEqual(
      happened.map(({ what, id: of }) => [what, of]),
      [['created', id]],
    )
    assert.equal(await clone.state(id), 'rejected')
    assert.equal(clone.git('status', '--porcelain'), '')
    assert.equal((await doctor(clone)).clean, true)
  })

  it('shows what was refused as a note, until somebody has read and deleted it', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    folder.edit(id, ['status: Active', 'status: Complete'])
    await folder.sync()

    const { clean, findings } = await doctor(folder)

    assert.deepEqual(
      [clean, findings.map(({ path, note }) => [path, note])],
      [true, [[`${active(id)}.problem`, true]]],
    )
    await ask(folder.where, 'accept', id, '--as', 'claude')
  })

  it('a page about a refused version follows its handoff into the archive and is not a note there', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send(TASK)
    for (const word of ['Complete', 'Archived']) {
      folder.edit(id, ['status: Active', `status: ${word}`])
      await folder.sync()
    }
    assert.ok(folder.has(`${active(id)}.problem-2`))

    await ask(folder.where, 'reject', id, '--as', 'claude', '--reason', 'not now')

    const archived = `archived/${month()}/${id}.md`
    const pages = [`${archived}.problem`, `${archived}.problem-2`]
    assert.deepEqual(folder.files(), [archived, ...pages])
    assert.match(folder.read(`_handoffs/${pages[0]}`), /^status: Complete$/m)
    assert.deepEqual(await doctor(folder).then(({ findings }) => findings), [])
  })
})

describe('baton doctor in a workspace with a live folder', () => {
  const checks = async (where: Where) => {
    const { code, stdout } = await quick(where, 'doctor', '--json')
    const found = JSON.parse(stdout).checks as { name: string; ok: boolean; detail: string }[]
    return { code, folders: found.find(({ name }) => name === 'folders') }
  }

  it('points to what the folders’ own doctor finds, the state file too, and is content when it is mended', async (t) => {
    const folder = await aPackageFolder(t)
    await folder.send()
    const good = await checks(folder.where)
    folder.write('state/current.json', '{"handoffs": [')

    const bad = await checks(folder.where)
    folder.write('state/current.json', '{"handoffs": []}')
    await ask(folder.where, 'folders', 'doctor', '--fix')
    const mended = await checks(folder.where)

    const agree = { name: 'folders', ok: true, detail: 'live folders and engine agree' }
    assert.deepEqual([good, mended], Array(2).fill({ code: 0, folders: agree }))
    assert.deepEqual([bad.code, bad.folders?.ok], [8, false])
    assert.match(
      bad.folders!.detail,
      /^1 finding, the first at state\/current\.json: .*; see: baton folders doctor$/,
    )
    const { stdout } = await quick(folder.where, 'doctor', '--bundle')
    assert.doesNotMatch(stdout, /current\.json/)
  })

  it('finds nothing wrong with folders that baton init has just made, and makes nothing for them', async (t) => {
    const cwd = folders(t).repository('fresh')
    await ask({ cwd }, 'init', '--dialect', 'package')
    const before = readdirSync(join(cwd, '.baton'))

    const answer = await checks({ cwd })

    const detail = 'live folders and engine agree'
    assert.deepEqual(answer, { code: 0, folders: { name: 'folders', ok: true, detail } })
    assert.deepEqual(
      readdirSync(join(cwd, '.baton')).filter((name) => /^folders/.test(name)),
      before.filter((name) => /^folders/.test(name)),
    )
  })
})
