import assert from 'node:assert/strict'
import { it } from 'node:test'
import { changing, newKeys, tampered, workedSession } from '../../../test/support/log/audit.ts'
import { by, describeOnEngines } from '../../../test/support/program/workspace.ts'
import type { DumpRow } from '../../storage/store.ts'
import { leafOfText, toText } from './hashes.ts'

const codex = by('codex')

const bytesOf = (row: DumpRow['row']): string => Buffer.from(row.body as Uint8Array).toString('utf8')
const rewritten = (row: DumpRow['row'], from: string, to: string) => {
  const body = bytesOf(row).replace(from, to)
  assert.notEqual(body, bytesOf(row))
  return { body: Buffer.from(body), hash: toText(leafOfText(body)) }
}
const isRecord = (row: DumpRow['row']) => row.act === 'thought_record'
const isStart = (row: DumpRow['row']) => row.act === 'task.start'
const swapped = (rows: readonly DumpRow[]): readonly DumpRow[] => {
  const entries = rows.filter(({ table }) => table === 'entry')
  const [a, b] = [entries.find(({ row }) => isStart(row))!, entries.find(({ row }) => isRecord(row))!]
  const inPlaceOf = ({ row }: DumpRow, other: DumpRow): DumpRow => ({
    table: 'entry',
    row: { ...other.row, id: row.id, seq: row.seq },
  })
  return rows.map((row) => (row === a ? inPlaceOf(a, b) : row === b ? inPlaceOf(b, a) : row))
}

/** What a writer of the database does, and the words by which it is found. */
const ATTACKS: Readonly<Record<string, readonly [(rows: readonly DumpRow[]) => readonly DumpRow[], RegExp]>> =
  {
    'change an entry': [
      changing('entry', isRecord, (row) => ({ ...rewritten(row, 'codex', 'coder'), hash: row.hash })),
      /entry 2 of stream .* (?:\(number \d+ of the log\) was changed in the store|is not as it was written)/,
    ],
    'change an entry and its hash': [
      changing('entry', isRecord, (row) => rewritten(row, 'codex', 'coder')),
      /entry [23] of stream/,
    ],
    'delete an entry': [changing('entry', isRecord, () => undefined), /entry/],
    'put two entries in another order': [swapped, /entry/],
    'insert an entry': [
      (rows) => {
        const found = rows.find(({ table, row }) => table === 'entry' && isRecord(row))!
        const last = rows.filter(({ table }) => table === 'entry').at(-1)!.row
        const row = { ...found.row, id: Number(last.id) + 1, seq: 9 }
        return [...rows, { table: 'entry', row }]
      },
      /entry 9 of stream .* another place/,
    ],
  }

describeOnEngines('verifying a session', (open) => {
  it('[S3-33] tells how many entries it has and the hash of the last', async (t) => {
    const w = await open(t, newKeys(t))
    const session = await workedSession(w)

    const report = await (await w.service.audit()).verifyChain(codex)

    const { entries } = await w.store.changes('0', 99)
    const own = entries.filter(({ body }) => body.includes('"actor":{"id":"codex"}'))
    assert.deepEqual(
      [report.ok, report.session, report.entries, report.head, report.streams],
      [true, session.id, own.length, own.at(-1)?.hash, 2],
    )
    assert.deepEqual(
      report.levels.map(({ level, holds }) => [level, holds]),
      [
        ['chain', true],
        ['tree', true],
        ['checkpoint', false],
      ],
    )
    for (const { does_not_prove } of report.levels) assert.notEqual(does_not_prove, '')
  })

  for (const [attack, [change, message]] of Object.entries(ATTACKS))
    for (const signed of [false, true])
      it(`[S3-33] [S3-38] fails after somebody ${attack.replace(/^\w+/, (verb) => `could ${verb}`)}, ${signed ? 'after' : 'before'} it was signed`, async (t) => {
        const keys = newKeys(t)
        const w = await open(t, keys)
        await workedSession(w)
        if (signed) await (await w.service.audit()).checkpoint()

        const audit = await (await tampered(t, w, change, keys.keys)).audit()

        await assert.rejects(audit.verifyChain(codex), { code: 'store_refused', message })
        await assert.rejects(audit.finalize(codex), { code: 'store_refused' })
        const [session] = (await w.store.sessions({}, { limit: 1 })).items
        assert.equal(session?.state, 'open')
      })

  it('[S3-38] fails when a sealed session does not fit its seal any more', async (t) => {
    const keys = newKeys(t)
    const w = await open(t, keys)
    await workedSession(w)
    await (await w.service.audit()).finalize(codex)
    const change = changing(
      'audit_session',
      () => true,
      (row) => ({ doc: String(row.doc).replace(/"n":\d+/, '"n":1') }),
    )

    const audit = await (await tampered(t, w, change, keys.keys)).audit()

    await assert.rejects(audit.verifyChain(codex), {
      code: 'store_refused',
      message: /the seal does not fit/,
    })
  })
})
