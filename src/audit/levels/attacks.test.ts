import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Entry,
  exported,
  type Files,
  keyOf,
  leavesOf,
  logOf,
  memoryFiles,
  noteOf,
  ORIGIN,
  readerOf,
} from '../../../test/support/log/export-log.ts'
import { addRecord, signedLog } from '../../../test/support/log/export-signed.ts'
import { storyOf } from '../../../test/support/log/export-story.ts'
import { NODE_PLATFORM, platformSha256 } from '../../archive/audit-platform.ts'
import { appendToChain, type ChainHead, EMPTY_CHAIN } from '../chain.ts'
import { type AuditRecord, decodeEntry } from '../entry.ts'
import { leafOf } from '../merkle.ts'
import { type Level, readRemembered, type Verdict, type Verification, verifyExport } from './index.ts'

const SIZE = 1_000
const HONEST = storyOf(1, SIZE).slice(0, SIZE)
const log = logOf(HONEST)
const SEEN = readRemembered(noteOf(leavesOf(HONEST).slice(0, 950)))!
const BROKEN = 500
const stored = await notesOf()

async function notesOf() {
  const notes: { size: number; note: string }[] = []
  for await (const note of log.checkpoints()) notes.push(note)
  return notes
}

/** An entry that another of its stream follows. */
const target = HONEST.findIndex(({ body }, i) => i > BROKEN && followed(body, i))

function followed(body: string, index: number): boolean {
  const [, , stream] = body.split('\n')
  return HONEST.slice(index + 1, 940).some((entry) => entry.body.split('\n')[2] === stream)
}

const edited = (body: string): string => body.replace(/"actor":\{"id":"[a-z]+"/, '"actor":{"id":"mallory"')

const withEdit = (entries: readonly Entry[]): Entry[] =>
  entries.map((entry, i) => (i === target ? { ...entry, body: edited(entry.body) } : entry))

/** What an attacker does who knows how chains are made: links every entry anew. */
function rehashed(entries: readonly Entry[]): Entry[] {
  const heads = new Map<string, ChainHead>()
  return entries.map((entry) => {
    const decoded = decodeEntry(entry.body)
    assert.ok(decoded.ok)
    const { stream, record } = decoded
    const next = appendToChain(
      heads.get(stream) ?? EMPTY_CHAIN,
      { origin: ORIGIN, stream, record: record as unknown as AuditRecord },
      (text) => Buffer.from(leafOf(platformSha256, Buffer.from(text))).toString('base64'),
    )
    heads.set(stream, next.head)
    return { ...entry, body: next.entry }
  })
}

const verified = (files: Files) => verifyExport(memoryFiles(files), NODE_PLATFORM, { seen: SEEN })

function verdicts({ levels }: Verification): Record<Level, Verdict> {
  return Object.fromEntries(levels.map(({ level, verdict }) => [level, verdict])) as Record<Level, Verdict>
}

/** AUDIT-AND-SECURITY 1.7, row by row: the export after the attack, and which levels see it. `–`: not this one. */
// biome-ignore format: read as a table
const MATRIX: readonly { attack: string; files: () => Promise<Files>; sees: Partial<Record<Level, '✗' | '–'>> }[] = [
  { attack: 'nothing', files: () => exported(log), sees: { L0: '–', L1: '–', L2: '–', L5: '–', L6: '–' } },
  { attack: 'edit one entry', files: async () => new Map([...(await exported(log)), ...bundlesOf(await exported(readerOf(withEdit(HONEST), stored)))]), sees: { L0: '✗', L5: '–' } },
  { attack: 'edit and fix its leaf hash', files: () => exported(readerOf(withEdit(HONEST), stored)), sees: { L0: '✗', L1: '✗', L2: '✗', L5: '–' } },
  { attack: 'edit and re-hash the whole chain', files: () => exported(readerOf(rehashed(withEdit(HONEST)), stored)), sees: { L0: '–', L1: '✗', L2: '✗', L5: '–' } },
  { attack: 'the same and delete the stored checkpoints', files: () => exported(logOf(rehashed(withEdit(HONEST)), SIZE)), sees: { L0: '–', L1: '–', L2: '✗', L5: '–' } },
  { attack: 'delete a record and re-hash', files: () => exported(readerOf(rehashed(without(HONEST, target)), stored)), sees: { L0: '–', L1: '✗', L2: '✗' } },
  { attack: 'swap two records and re-hash', files: () => exported(readerOf(rehashed(swapped(HONEST)), stored)), sees: { L0: '–', L1: '✗', L2: '✗' } },
  { attack: 'truncate the tail and leave the newer checkpoint', files: () => exported(readerOf(HONEST.slice(0, 900), stored)), sees: { L1: '✗', L2: '✗' } },
  { attack: 'roll log and checkpoints back', files: () => exported(readerOf(HONEST.slice(0, 900), stored.slice(0, 9))), sees: { L0: '–', L1: '–', L2: '✗', L5: '–', L6: '–' } },
  { attack: 'rewrite with a stolen key and sign everything again', files: () => exported(logOf(rehashed(withEdit(HONEST)))), sees: { L0: '–', L1: '–', L2: '✗', L5: '–' } },
  { attack: 'replace a disclosure', files: () => exported(readerOf(withDisclosure((text) => `${text.slice(0, -4)}${text.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`), stored)), sees: { L0: '–', L1: '–', L2: '–', L5: '✗', L6: '–' } },
  { attack: 'delete a disclosure silently', files: () => exported(readerOf(withDisclosure(() => undefined), stored)), sees: { L0: '–', L1: '–', L2: '–', L5: '✗', L6: '–' } },
]

const bundlesOf = (files: Files) => [...files].filter(([name]) => name.startsWith('tile/entries/'))
const without = <T>(items: readonly T[], at: number): T[] => items.filter((_, i) => i !== at)
const swapped = (entries: readonly Entry[]): Entry[] => {
  const changed = [...entries]
  ;[changed[target], changed[target + 1]] = [entries[target + 1]!, entries[target]!]
  return changed
}

/** The first text after the edited entry, changed or taken away. */
function withDisclosure(change: (disclosure: string) => string | undefined): Entry[] {
  const at = HONEST.findIndex((entry, i) => i > BROKEN && entry.disclosures)
  return HONEST.map((entry, i) => {
    const [first, ...rest] = entry.disclosures ?? []
    if (i !== at || first === undefined) return entry
    const next = change(first)
    return { ...entry, disclosures: next === undefined ? rest : [next, ...rest] }
  })
}

describe('what somebody who can write the database can do', () => {
  for (const { attack, files, sees } of MATRIX)
    it(`[T1] [S3-38] ${attack}: seen by ${seenBy(sees)}`, async () => {
      const found = await verified(await files())

      const levels = verdicts(found)
      for (const [level, mark] of Object.entries(sees))
        assert.equal(levels[level as Level] === 'failed', mark === '✗', level)
      assert.equal(found.verdict, attack === 'nothing' ? 'ok' : 'tampered')
    })

  it('[S3-38] takes a text away lawfully: every level goes on to hold', async () => {
    const writer = signedLog()
    const [digest] = addRecord(writer, 5, 'password: hunter2', keyOf(9))
    writer.add('018f3c00-0000-7000-9000-000000000001', {
      act: 'audit.redact',
      by: 'ana',
      field: 'summary',
      h: [digest!],
      reason: 'leaked-key',
      sub: { id: 'P0.1.1', k: 'task', rev: 6 },
    })
    const place = writer.entries.length - 2
    const [, ...kept] = writer.entries[place]!.disclosures!
    writer.entries[place] = { ...writer.entries[place]!, disclosures: kept }

    const found = await verifyExport(memoryFiles(await exported(logOf(writer.entries))), NODE_PLATFORM)

    assert.deepEqual(verdicts(found), {
      L0: 'ok',
      L1: 'ok',
      L2: 'not_asked',
      L3: 'not_asked',
      L4: 'ok',
      L5: 'ok',
      L6: 'ok',
    })
    assert.equal(found.levels[5]?.counts.redacted, 1)
  })

  it('[S3-38] appends a record under the name of an agent with a key: only that it is not signed tells', async () => {
    const writer = signedLog()
    addRecord(writer, 5, 'All is well')

    const found = await verifyExport(memoryFiles(await exported(logOf(writer.entries))), NODE_PLATFORM)

    assert.deepEqual(verdicts(found), {
      L0: 'ok',
      L1: 'ok',
      L2: 'not_asked',
      L3: 'not_asked',
      L4: 'unverifiable',
      L5: 'ok',
      L6: 'ok',
    })
    assert.equal(found.verdict, 'unverifiable')
  })

  it('[T4] [S3-38] signs a record with a key of its own under the name of an agent: its signature is false', async () => {
    const writer = signedLog()
    addRecord(writer, 5, 'All is well', keyOf(66))

    const found = await verifyExport(memoryFiles(await exported(logOf(writer.entries))), NODE_PLATFORM)

    assert.deepEqual(verdicts(found), {
      L0: 'ok',
      L1: 'ok',
      L2: 'not_asked',
      L3: 'not_asked',
      L4: 'failed',
      L5: 'ok',
      L6: 'ok',
    })
    assert.equal(found.levels[4]?.first_bad?.entry, 5)
  })
})

function seenBy(sees: Partial<Record<Level, '✗' | '–'>>): string {
  const levels = Object.entries(sees).flatMap(([level, mark]) => (mark === '✗' ? [level] : []))
  return levels.join(', ') || 'nobody'
}
