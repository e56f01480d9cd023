import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../../test/support/documents/folders.ts'
import { changing, newKeys, tampered, workedSession, writeEntries } from '../../test/support/log/audit.ts'
import { exported, logOf, memoryFiles } from '../../test/support/log/export-log.ts'
import { storyOf } from '../../test/support/log/export-story.ts'
import {
  by,
  describeOnEngines,
  person,
  type Workspace,
  type WorkspaceOptions,
} from '../../test/support/program/workspace.ts'
import { appendToChain, type ChainHead, EMPTY_CHAIN } from '../audit/chain.ts'
import { type AuditRecord, decodeEntry } from '../audit/entry.ts'
import { type Level, type Remembered, readRemembered, verifyExport } from '../audit/levels/index.ts'
import type { Service } from '../service/service.ts'
import type { DumpRow } from '../storage/store.ts'
import { leafHash } from '../storage/working-set.ts'
import { storedLog, writeExport } from './audit-export.ts'
import { NODE_PLATFORM } from './audit-platform.ts'
import { folderFiles } from './audit-verify.ts'

type Open = (t: TestContext, options?: WorkspaceOptions) => Promise<Workspace>
type Rows = readonly DumpRow[]

/** A log with handoffs, tasks, a sealed session and three checkpoints; what was remembered before the last. */
async function worked(t: TestContext, open: Open) {
  const keys = newKeys(t)
  const w = await open(t, { keys: keys.keys })
  const audit = await w.service.audit()
  const { handoff } = await w.service.sending.send(by('ana'), {
    to: 'codex',
    title: 'Limit the rate',
    summary: 'The key is hunter2, use it once',
  })
  await w.service.receiving.accept(by('codex'), handoff.id)
  await writeEntries(w, 20, 'A')
  await audit.checkpoint()
  const { id } = await workedSession(w)
  await audit.finalize(by('codex'), id)
  await writeEntries(w, 20, 'B')
  const { note } = await audit.checkpoint()
  return { w, audit, keys, handoff, seen: readRemembered(note)! }
}

/** The levels of a store's export, as it stands. */
async function levelsOf(service: Service, seen?: Remembered) {
  const { store } = service.deps
  const [newest] = await store.checkpoints({ limit: 1 })
  const { vkey } = await (await service.audit()).key()
  const files = await exported(await storedLog(store, vkey, newest!))
  const { levels } = await verifyExport(memoryFiles(files), NODE_PLATFORM, seen ? { seen } : {})
  return Object.fromEntries(levels.map(({ level, verdict }) => [level, verdict])) as Record<Level, string>
}

const textOf = (body: unknown): string =>
  typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString()
const bodyLike = (body: unknown, text: string): unknown =>
  typeof body === 'string' ? text : Buffer.from(text)
const isTask = (row: DumpRow['row']): boolean => row.act === 'task.start'
const edited = (row: DumpRow['row']) => ({
  body: bodyLike(row.body, textOf(row.body).replace('"actor":{"id":"codex"', '"actor":{"id":"mallory"')),
})

/** Links every entry anew, as somebody would who knows how. */
function rehashed(rows: Rows): Rows {
  const heads = new Map<string, ChainHead>()
  return rows.map(({ table, row }) => {
    if (table !== 'entry') return { table, row }
    const decoded = decodeEntry(textOf(row.body))
    assert.ok(decoded.ok)
    const { origin, stream, record } = decoded
    const next = appendToChain(
      heads.get(stream) ?? EMPTY_CHAIN,
      { origin, stream, record: record as unknown as AuditRecord },
      leafHash,
    )
    heads.set(stream, next.head)
    return { table, row: { ...row, hash: next.head.hash, body: bodyLike(row.body, next.entry) } }
  })
}

const dropping = (table: string, isDropped: (row: DumpRow['row'], rows: Rows) => boolean) => (rows: Rows) =>
  rows.filter((each) => each.table !== table || !isDropped(each.row, rows))
const newest = (rows: Rows) =>
  Math.max(...rows.flatMap(({ table, row }) => (table === 'checkpoint' ? [Number(row.size)] : [])))
const edit = changing('entry', isTask, edited)
const hasText = (row: DumpRow['row']): boolean => row.disclosures !== null && row.disclosures !== undefined
const lastEntries = (rows: Rows, count: number): Set<unknown> =>
  new Set(rows.flatMap(({ table, row }) => (table === 'entry' ? [row.id] : [])).slice(-count))

/** What somebody does to the rows, and which levels see it. */
// biome-ignore format: read as a table
const ATTACKS: readonly (readonly [attack: string, change: (rows: Rows) => Rows, sees: readonly Level[], not: readonly Level[]])[] = [
  ['edits an entry', edit, ['L0', 'L1', 'L2'], ['L5']],
  ['edits an entry and hashes every chain anew', (rows) => rehashed(edit(rows)), ['L1', 'L2'], ['L0', 'L5']],
  ['deletes an entry', changing('entry', isTask, () => undefined), ['L1', 'L2'], []],
  ['cuts off the end and leaves the checkpoint', (rows) => dropping('entry', (row) => lastEntries(rows, 5).has(row.id))(rows), ['L1', 'L2'], ['L0']],
  ['rolls log and checkpoints back', (rows) => dropping('checkpoint', (row) => Number(row.size) === newest(rows))(rows), ['L2'], ['L0', 'L1', 'L5', 'L6']],
  ['replaces a text', changing('entry', hasText, (row) => ({ disclosures: String(row.disclosures).replace(/[A-Za-z0-9_-]{4}"/, 'AAAA"') })), ['L5'], ['L0', 'L1', 'L2']],
  ['deletes texts', changing('entry', hasText, () => ({ disclosures: null })), ['L5'], ['L0', 'L1', 'L2', 'L6']],
]

describeOnEngines('an export of a store', (open) => {
  it('[S3-38] [S3-33] verifies at every level, with what was remembered before', async (t) => {
    const { w, seen } = await worked(t, open)

    assert.deepEqual(await levelsOf(w.service, seen), {
      L0: 'ok',
      L1: 'ok',
      L2: 'ok',
      L3: 'not_asked',
      L4: 'nothing',
      L5: 'ok',
      L6: 'ok',
    })
  })

  it('[S3-38] shows what somebody changed who can write the database', async (t) => {
    const { w, seen } = await worked(t, open)
    for (const [attack, change, sees, not] of ATTACKS) {
      const levels = await levelsOf(await tampered(t, w, change), seen)
      for (const level of sees) assert.equal(levels[level], 'failed', `${attack}: ${level}`)
      for (const level of not) assert.notEqual(levels[level], 'failed', `${attack}: ${level}`)
    }
  })

  it('[S3-38] is not signed over a history that the key has not signed before', async (t) => {
    const { w, keys } = await worked(t, open)
    const gone = (rows: Rows) =>
      rehashed(edit(rows)).filter(({ table }) => !['checkpoint', 'tile', 'tree'].includes(table))
    const copy = await (await tampered(t, w, gone, keys.keys)).audit()

    await assert.rejects(copy.checkpoint(), { code: 'store_refused' })
  })

  it('still verifies after a redaction, without what was taken away', async (t) => {
    const { w, handoff, seen, audit } = await worked(t, open)
    const { redact } = await import('../service/redaction/redact.ts')
    await redact(w.service.deps, person('ana'), { id: handoff.id, field: 'summary', reason: 'leaked-key' })
    const last = await audit.checkpoint()

    const { vkey } = await audit.key()
    const files = await exported(await storedLog(w.store, vkey, last))
    const found = await verifyExport(memoryFiles(files), NODE_PLATFORM, { seen })

    assert.equal(found.verdict, 'ok', JSON.stringify(found.levels))
    // The text, and the hashes of the rows that held it.
    assert.equal(found.levels[5]?.counts.redacted, 4)
    const all = Buffer.concat([...files.values()]).toString('latin1')
    assert.ok(
      !all.includes('hunter2') && !all.includes(Buffer.from('hunter2').toString('base64url').slice(0, 8)),
    )
  })
})

describe('the folder of an export', () => {
  it('is written as a whole, over an older export and over nothing else', async (t) => {
    const { home } = folders(t)
    const [small, large] = [logOf(storyOf(1, 20)), logOf(storyOf(2, 600))]
    const target = join(home, 'made', 'log')
    const check = async () => (await verifyExport(folderFiles(target), NODE_PLATFORM)).verdict

    await writeExport(large, target)
    assert.equal(await check(), 'ok')
    const { files } = await writeExport(small, target)
    assert.equal(await check(), 'ok')
    assert.equal(files, 6)
    assert.deepEqual(readdirSync(join(home, 'made')), ['log'])
    assert.deepEqual(readdirSync(target).sort(), [
      'checkpoint',
      'checkpoints.jsonl',
      'disclosures.jsonl',
      'tile',
      'vkey',
    ])
  })

  it('is never made of somebody else’s folder or file', async (t) => {
    const { home } = folders(t)
    mkdirSync(join(home, 'mine'))
    writeFileSync(join(home, 'mine', 'thesis.txt'), 'years of work')
    mkdirSync(join(home, 'empty'))

    await assert.rejects(writeExport(logOf(storyOf(1, 20)), join(home, 'mine')), { code: 'conflict' })
    await assert.rejects(writeExport(logOf(storyOf(1, 20)), join(home, 'mine', 'thesis.txt')), {
      code: 'conflict',
    })
    assert.deepEqual(readdirSync(home).sort(), ['empty', 'mine'])
    assert.deepEqual(readdirSync(join(home, 'mine')), ['thesis.txt'])
    await writeExport(logOf(storyOf(1, 20)), join(home, 'empty'))
    writeFileSync(join(home, 'empty', 'notes.txt'), 'what the auditor thought')
    await assert.rejects(writeExport(logOf(storyOf(1, 20)), join(home, 'empty')), /it holds notes.txt/)
    assert.ok(existsSync(join(home, 'empty', 'notes.txt')))
  })

  it('leaves nothing behind when it fails half-way', async (t) => {
    const { home } = folders(t)
    const log = logOf(storyOf(1, 20))
    const failing = {
      ...log,
      entries: () => {
        throw new Error('the disk is gone')
      },
    }

    await assert.rejects(writeExport(failing, join(home, 'log')), /the disk is gone/)
    assert.deepEqual(readdirSync(home), [])
  })
})
