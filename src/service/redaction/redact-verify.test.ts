import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { newKeys } from '../../../test/support/log/audit.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { formsOf } from '../../../test/support/store/secrets.ts'
import { NODE_PLATFORM } from '../../archive/audit-platform.ts'
import { readRemembered } from '../../audit/levels/checkpoints.ts'
import { exportPieces } from '../../audit/levels/export.ts'
import type { ExportFiles } from '../../audit/levels/files.ts'
import { verifyExport } from '../../audit/levels/verify.ts'
import { redact } from './redact.ts'

const maria = person('maria')
const sender = by('planner')

/** An export of the log up to now, in memory. */
async function exported(w: Workspace): Promise<Map<string, Uint8Array>> {
  const audit = await w.service.audit()
  const { vkey, size, note } = await audit.checkpoint()
  const files = new Map<string, Uint8Array>()
  const log = {
    vkey,
    newest: { size, note },
    entries: () => audit.entries(0, size),
    async *checkpoints() {
      yield* (await w.store.checkpoints({ limit: 1_000 })).toReversed()
    },
  }
  for await (const { name, bytes } of exportPieces(log, NODE_PLATFORM.sha256))
    files.set(name, Buffer.concat([files.get(name) ?? new Uint8Array(), bytes]))
  return files
}

/** What a verifier says who remembers this checkpoint. */
function verified(files: ReadonlyMap<string, Uint8Array>, before = files) {
  const seen = readRemembered(Buffer.from(before.get('checkpoint')!).toString('utf8'))
  assert.ok(seen)
  return verifyExport(inMemory(files), NODE_PLATFORM, { seen })
}

const inMemory = (files: ReadonlyMap<string, Uint8Array>): ExportFiles => ({
  names: async () => [...files.keys()],
  read: async (name) => files.get(name),
  chunks: (name) => {
    const bytes = files.get(name)
    return (
      bytes &&
      (async function* () {
        yield bytes
      })()
    )
  },
})

/** A handoff and a record with a secret in each. */
async function leak(w: Workspace): Promise<{ secret: string; handoff: string; record: string }> {
  const secret = `sk-live-${randomBytes(12).toString('hex')}`
  const summary = `Use ${secret} for it.`
  const { handoff } = await w.service.sending.send(sender, { to: 'codex', title: 'Deploy', summary })
  await w.service.receiving.accept(by('codex'), handoff.id)
  await w.service.tasks.create(sender, { id: 'P0.1.1', title: 'Set up' })
  const record = await w.service.tasks.record(by('codex'), 'P0.1.1', { summary })
  return { secret, handoff: handoff.id, record: record.uid }
}

describeOnEngines('a redacted log', (open) => {
  it('[T20] [S3-40] verifies for whoever remembers it, and its export holds nothing of the secret', async (t) => {
    const w = await open(t, { keys: newKeys(t).keys })
    const { secret, handoff, record } = await leak(w)
    const old = await exported(w)
    const before = await verified(old)

    for (const id of [handoff, record])
      await redact(w.service.deps, maria, { id, field: 'summary', reason: 'leaked-key' })

    const files = await exported(w)
    const after = await verified(files, old)
    assert.deepEqual([before.verdict, after.verdict], ['ok', 'ok'], JSON.stringify(after.levels))
    const level = (name: string) => after.levels.find((each) => each.level === name)
    assert.equal(level('L2')?.verdict, 'ok')
    // Two texts, and the hashes of the four rows that held them.
    assert.equal(level('L5')?.counts.redacted, 6)
    const all = Buffer.concat([...files.values()]).toString('latin1')
    for (const form of formsOf(secret)) assert.ok(!all.includes(form))
  })

  it('[S3-38] shows as tampered when a text was deleted and nobody said so', async (t) => {
    const w = await open(t, { keys: newKeys(t).keys })
    const { handoff: id } = await leak(w)
    const handoff = await w.store.handoff(id)
    const [sent] = await w.store.timeline(handoff!.root, handoff!.uid, 1)
    const put = (disclosures: readonly string[]) =>
      w.store.transact({
        reads: { streams: [sent!.stream] },
        at: w.clock.text,
        decide: (view) =>
          view.redact({ ...nothing, entries: [{ stream: sent!.stream, seq: sent!.seq, disclosures }] }),
      })
    const nothing = { notices: [], records: [], artifacts: [], blocks: [], blobs: [], inputs: [] }
    await put([])

    const { verdict, levels } = await verified(await exported(w))

    assert.equal(verdict, 'tampered')
    const failed = levels.filter((level) => level.verdict === 'failed')
    assert.deepEqual(
      failed.map(({ level, first_bad }) => [level, first_bad?.reason]),
      [['L5', 'its text is missing, and no record says that it was redacted']],
    )
    await put(sent!.disclosures ?? [])
  })
})
