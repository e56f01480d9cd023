// `node archive-run.ts FOLDER ENTRIES STORE OTHER`: writes a log into a store, archives half of it and looks whether all is as
// before; then restores a backup into the other. Tells the seconds of each step.
import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { archiveLog } from '../../../src/archive/log-archive.ts'
import { verifyStates } from '../../../src/archive/state-verify.ts'
import { backup, restore } from '../../../src/archive/store-backup.ts'
import { verifyChains } from '../../../src/archive/store-verify.ts'
import { createService, openStore, toStoreTarget } from '../../../src/compose/main.ts'
import { redact } from '../../../src/service/redaction/redact.ts'
import type { Store } from '../../../src/storage/store.ts'
import { openLogKeys } from '../../../src/workspace/log-keys.ts'
import { by, Clock, person } from '../program/workspace.ts'
import { query } from '../store/store-places.ts'

const AT_ONCE = 64
const DAY_MS = 86_400_000
const [folder = '', count = '', place = '', other = ''] = process.argv.slice(2)
const entries = Number(count)
const maria = person('maria')
const ana = by('ana')
const clock = new Clock()
const own = await openStore(toStoreTarget(place))
const service = createService(own, { now: clock.now, keys: async () => openLogKeys({ home: folder }) })

const old = await timed('first half', () => work(entries / 2))
clock.pass(40 * DAY_MS)
const before = clock.text
await timed('second half', () => work(entries / 2))
const audit = await service.audit()
const newest = await timed('checkpoint', () => audit.checkpoint())
await timed('scrub', () => own.scrub())
const bytes = await sizeOf(own)

const request = { before, to: folder }
const done = await timed('archive', () => archiveLog(service.deps, maria, request, newest))

const left = bytes - (await sizeOf(own))
const files = readdirSync(done.folder).map((name) => statSync(join(done.folder, name)).size)
const inFiles = files.reduce((sum, size) => sum + size, 0)
console.log(`${done.moved} entries with ${done.bytes} bytes moved; the store had ${bytes}, less ${left}`)
console.log(`the archive has ${files.length} files with ${inFiles} bytes`)
assert.ok(done.moved >= entries / 2 - 512, String(done.moved))
assert.ok(left > 0.8 * done.bytes, `${left} of ${done.bytes}`)
const { broken, elsewhere } = await timed('chains and tree', () => verifyChains(own))
assert.deepEqual([broken, elsewhere], [[], 0])
await demandRows(own)
const proof = await timed('proof', () => audit.proof(old, 10))
assert.equal(proof.entries.length, 2)
await timed('redaction', () =>
  redact(service.deps, maria, { id: old, field: 'summary', reason: 'leaked-key' }),
)
const file = join(folder, 'backup.jsonl.gz')
await timed('backup', () => backup(own, file))
const { store, chains } = await timed('restore', () => restore(file, () => openStore(toStoreTarget(other))))
assert.equal(chains.entries, (await own.counts()).entries)
await demandRows(store)
await store.close()
await own.close()

/** Handoffs that are sent and cancelled: two entries each. Answers the first one's id. */
async function work(count: number): Promise<string> {
  let left = count / 2
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
  await query(place, 'VACUUM FULL baton.entry')
  const [row] = await query(place, `SELECT pg_total_relation_size('baton.entry')::text AS bytes`)
  return Number(row?.bytes)
}

async function demandRows(store: Store): Promise<void> {
  const { wrong } = await timed('rows', () => verifyStates(store))
  assert.deepEqual(wrong.slice(0, 3), [])
}

async function timed<T>(what: string, run: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  const value = await run()
  console.log(`${what}: ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
  return value
}
