import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import { active, aHandoffFolder, aVerifyingFolder, type HandoffFolder } from '../folders/handoffs.ts'
import { until } from '../folders/until.ts'
import { aWatcher } from '../folders/watcher.ts'
import { ask, cleanEnv } from '../support/program/command.ts'

const SCRIPT = join(import.meta.dirname, 'document-000.sh')

/** Scripts of document 000's readers at the files of one folder, and what becomes of them beside a watcher. */
class Readers {
  readonly folder: HandoffFolder

  constructor(folder: HandoffFolder) {
    this.folder = folder
  }

  /** One script; it knows the files and nothing else. */
  run(step: string, id: string, ...more: readonly string[]): void {
    const { status, stderr } = spawnSync('bash', [SCRIPT, step, id, ...more], {
      cwd: this.folder.root,
      env: cleanEnv(this.folder.where),
      encoding: 'utf8',
    })
    assert.equal(status, 0, `${step}: ${stderr}`)
  }

  /** The same, until the file at this place says so. */
  async until(step: string, id: string, place: string, said: RegExp, ...more: readonly string[]) {
    this.run(step, id, ...more)
    await until(
      () => this.folder.has(place) && said.test(this.folder.read(place)),
      () => `${step}: ${this.folder.files().join(', ')}`,
    )
  }

  async acknowledged(id: string): Promise<void> {
    await this.until('create', id, active(id), /^ {2}rev: 1$/m)
    await this.until('finalise', id, active(id), /^ {2}rev: 2$/m)
    await this.until('acknowledge', id, active(id), /^ {2}rev: 3$/m)
  }
}

const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
const idOf = (n: number): string => `handoff-grok-claude-BPRD-2026-004${n}-${today}`
const archive = (id: string): string =>
  `_handoffs/archived/${new Date().toISOString().slice(0, 7).replace('-', '/')}/${id}.md`
const pages = (folder: HandoffFolder, id: string): readonly string[] =>
  folder.files().filter((path) => path.includes(`${id}.md.`))
/** What Baton wrote beside the file, once that is put back. */
async function refused(folder: HandoffFolder, id: string): Promise<string> {
  await until(() => pages(folder, id).length > 0 && folder.has(active(id)) && !folder.has(archive(id)))
  return pages(folder, id)
    .map((path) => folder.read(`_handoffs/${path}`))
    .join('\n')
}

const cleaning: (() => void)[] = []
const later = { after: (clean: () => void) => void cleaning.push(clean) }

async function readers(folder: HandoffFolder): Promise<Readers> {
  await aWatcher(later, folder.where)
  return new Readers(folder)
}

/** Document 000, done by scripts that do not know Baton, beside a watcher. */
describe('J10: document 000 by hand', () => {
  let folder: HandoffFolder
  let hands: Readers
  before(async () => {
    folder = await aVerifyingFolder(later)
    hands = await readers(folder)
  })
  after(() => {
    for (const clean of cleaning.reverse()) clean()
  })

  it('[S0-23] [S0-96] [S0-109] from the draft to the archive, with index and task', async () => {
    const id = idOf(2)

    await hands.acknowledged(id)
    await hands.until('complete', id, archive(id), /^status: Complete\n[\s\S]*^ {2}rev: [4-9]$/m)

    assert.equal(await folder.state(id), 'completed')
    assert.match(folder.read(archive(id)), /^## From: Grok\n## To: Claude$/m)
    assert.equal(parse(folder.read('_handoffs/_index.yaml')).recently_completed[0].id, id)
    const { task } = await ask<{ task: { status: string } }>(folder.where, 'task', 'get', 'BPRD-2026-0042')
    assert.equal(task.status, 'done')
    assert.deepEqual(pages(folder, id), [])
  })

  it('[S0-104] [S0-105] rejected and moved in either order: the sender is told the reason', async () => {
    for (const [n, step] of [
      [3, 'reject'],
      [4, 'move-then-reject'],
    ] as const) {
      const id = idOf(n)
      await hands.until('create', id, active(id), /^ {2}rev: 1$/m, 'Active')
      await hands.until(step, id, archive(id), /^status: Rejected\n[\s\S]*^ {2}rev: 2$/m)
      assert.match(folder.read(archive(id)), /^rejection_reason: "?no capacity this week"?$/m)
      assert.equal(await folder.state(id), 'rejected')
    }

    const rejected = (await folder.notices('grok')).filter(({ kind }) => kind === 'rejected')
    assert.deepEqual(
      rejected.map(({ text }) => text),
      Array(2).fill('Handoff rejected: no capacity this week'),
    )
  })

  it('[S0-81] [S0-85] completed with two of three deliverables: nothing happens but the refusal', async () => {
    const id = idOf(5)
    await hands.acknowledged(id)
    const before = folder.read(active(id))

    hands.run('two-of-three', id)

    assert.match(await refused(folder, id), /Reason: .*Documentation updated/)
    assert.equal(folder.read(active(id)), before)
    const { handoff, timeline } = await ask<{ handoff: { state: string }; timeline: { act: string }[] }>(
      folder.where,
      ...['show', id],
    )
    assert.equal(handoff.state, 'accepted')
    assert.ok(timeline.every(({ act }) => act !== 'handoff.submit'))
  })

  it('[S0-22] [S0-80] [S0-81] words that the document writes otherwise: written as it does, or refused', async () => {
    const [checked, verified] = [idOf(6), idOf(7)]
    for (const id of [checked, verified]) {
      await hands.until('create', id, active(id), /^status: Active\n[\s\S]*^ {2}rev: 1$/m, 'active')
      await hands.until(
        'acknowledge',
        id,
        active(id),
        /^status: Acknowledged\n[\s\S]*^ {2}rev: 2$/m,
        'acknowledged',
      )
    }

    hands.run('complete', checked, 'perplexity', 'Verified')
    const reason = await refused(folder, checked)
    await hands.until(
      'complete',
      verified,
      archive(verified),
      /^completion_verified_by: "?perplexity"?\n[\s\S]*^ {2}rev: [3-9]$/m,
      '"@perplexity"',
    )

    assert.match(folder.read(active(checked)), /^status: Acknowledged$/m)
    assert.match(reason, /Reason: .*"Implemented rate limiting middleware" is not verified/)
    assert.equal(await folder.state(verified), 'completed')
  })

  it('[S0-99] expired by hand: taken when the time is over, and refused before', async () => {
    const folder = await aHandoffFolder(later, (text) => `${text}\ndeadlines:\n  markdown:\n    accept: 1s\n`)
    const hands = await readers(folder)
    const [early, late] = [idOf(2), idOf(3)]
    await hands.until('create', early, active(early), /^ {2}rev: 1$/m, 'Active')

    hands.run('expire', early)
    assert.match(await refused(folder, early), /it has not expired: its time ends at 2/)
    await hands.until('create', late, active(late), /^ {2}rev: 1$/m)
    await hands.until('finalise', late, active(late), /^ {2}rev: 2$/m)
    await pause(1_000)
    hands.run('expire', late)
    await until(() => !folder.has(active(late)) && /^ {2}rev: 3$/m.test(folder.read(archive(late))))

    assert.match(folder.read(archive(late)), /^status: Expired$/m)
    // The engine may end it at the same moment; what it said of the file then is taken away again.
    await until(() => pages(folder, late).length === 0)
    assert.equal(await folder.state(late), 'expired')
  })
})
