import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { archiveLog } from '../../src/archive/log-archive.ts'
import { verifyStates } from '../../src/archive/state-verify.ts'
import { backup, restore } from '../../src/archive/store-backup.ts'
import { verifyChains } from '../../src/archive/store-verify.ts'
import { createService, openStore } from '../../src/compose/main.ts'
import { redact } from '../../src/service/redaction/redact.ts'
import type { Store } from '../../src/storage/store.ts'
import { newKeys } from '../support/log/audit.ts'
import { by, Clock, type Engine, person, type Workspace } from '../support/program/workspace.ts'
import { newPostgresPlace, newSqlitePlace, query, sharedPostgres } from '../support/store/store-places.ts'

const ENTRIES = { sqlite: 2_000_000, postgres: 500_000 } as const
const AT_ONCE = 64
const DAY_MS = 86_400_000
const maria = person('maria')
const ana = by('ana')

/** Handoffs that are sent and cancelled: two entries each. */
async function work({ service }: Pick<Workspace, 'service'>, entries: number): Promise<string> {
  let left = entries / 2
  let first = ''
  const one = async () => {
    while (left > 0) {
      left -= 1
      const said = { to: 'codex', title: `Work ${left}`, summary: `The ${left}th part of it` }
      const { handoff } = await service.sending.send(ana, said)
      first ||= handoff.id
      await service.sending.cancel(ana, handoff.id)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  return first
}

/** Bytes of the store. PostgreSQL gives space back to the disk with a full vacuum alone. */
async function sizeOf({ info }: Store): Promise<number> {
  if (info.engine === 'sqlite') return statSync(info.location).size
  await query(sharedPostgres(), 'VACUUM FULL baton.entry')
  const [row] = await query(sharedPostgres(), `SELECT pg_total_relation_size('baton.entry')::text AS bytes`)
  return Number(row?.bytes)
}

async function timed<T>(t: TestContext, what: string, run: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  const value = await run()
  t.diagnostic(`${what}: ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
  return value
}

async function demandWhole(t: TestContext, store: Store): Promise<void> {
  const { broken, elsewhere } = await timed(t, 'chains and tree', () => verifyChains(store))
  const { wrong } = await timed(t, 'rows', () => verifyStates(store))
  assert.deepEqual([broken, elsewhere, wrong.slice(0, 3)], [[], 0, []])
}

for (const engine of ['sqlite', 'postgres'] satisfies Engine[])
  describe(`a log of ${ENTRIES[engine]} entries on ${engine}`, () => {
    it('verifies, proves, redacts and restores as before when half of it is archived', async (t) => {
      const keys = newKeys(t)
      // Opened here: the check of every test workspace looks at each entry for each row.
      const place = engine === 'sqlite' ? newSqlitePlace() : newPostgresPlace()
      const clock = new Clock()
      const own = await openStore(place.target)
      t.after(async () => {
        await own.close()
        await place.remove()
      })
      const w = { store: own, clock, service: createService(own, { now: clock.now, keys: keys.keys }) }
      const to = mkdtempSync(join(tmpdir(), 'baton-archive-'))
      t.after(() => rmSync(to, { recursive: true, force: true }))
      const old = await timed(t, 'first half', () => work(w, ENTRIES[engine] / 2))
      w.clock.pass(40 * DAY_MS)
      const before = w.clock.text
      await timed(t, 'second half', () => work(w, ENTRIES[engine] / 2))
      const audit = await w.service.audit()
      const newest = await timed(t, 'checkpoint', () => audit.checkpoint())
      await w.store.scrub()
      const bytes = await sizeOf(w.store)

      const done = await timed(t, 'archive', () => archiveLog(w.service.deps, maria, { before, to }, newest))

      const left = bytes - (await sizeOf(w.store))
      const files = readdirSync(done.folder).map((name) => statSync(join(done.folder, name)).size)
      const inFiles = files.reduce((sum, size) => sum + size, 0)
      t.diagnostic(
        `${done.moved} entries with ${done.bytes} bytes moved; the store had ${bytes}, less ${left}`,
      )
      t.diagnostic(`the archive has ${files.length} files with ${inFiles} bytes`)
      assert.ok(done.moved >= ENTRIES[engine] / 2 - 512, String(done.moved))
      assert.ok(left > 0.8 * done.bytes, `${left} of ${done.bytes}`)
      await demandWhole(t, w.store)
      const proof = await timed(t, 'proof', () => audit.proof(old, 10))
      assert.equal(proof.entries.length, 2)
      await timed(t, 'redaction', () =>
        redact(w.service.deps, maria, { id: old, field: 'summary', reason: 'leaked-key' }),
      )
      const file = join(to, 'backup.jsonl.gz')
      await timed(t, 'backup', () => backup(w.store, file))
      const other = engine === 'sqlite' ? newSqlitePlace() : newPostgresPlace()
      const { store } = await timed(t, 'restore', () => restore(file, () => openStore(other.target)))
      t.after(async () => {
        await store.close()
        await other.remove()
      })
      assert.deepEqual((await verifyStates(store)).wrong.slice(0, 3), [])
    })
  })
