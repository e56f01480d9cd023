import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { newKeys } from '../../test/support/log/audit.ts'
import { exported, memoryFiles } from '../../test/support/log/export-log.ts'
import {
  by,
  describeOnEngines,
  openWorkspace,
  person,
  START,
  type Workspace,
  type WorkspaceOptions,
} from '../../test/support/program/workspace.ts'
import { formsOf, placesOf } from '../../test/support/store/secrets.ts'
import { newPostgresPlace, newSqlitePlace } from '../../test/support/store/store-places.ts'
import { verifyExport } from '../audit/levels/index.ts'
import { createService, openStore } from '../compose/main.ts'
import { redact } from '../service/redaction/redact.ts'
import type { Service } from '../service/service.ts'
import type { Store } from '../storage/store.ts'
import { openLogKeys } from '../workspace/log-keys.ts'
import { storedLog } from './audit-export.ts'
import { NODE_PLATFORM } from './audit-platform.ts'
import { archiveLog } from './log-archive.ts'
import { verifyStates } from './state-verify.ts'
import { backup, copyStore, restore } from './store-backup.ts'
import { verifyChains } from './store-verify.ts'

type Open = (t: TestContext, options?: WorkspaceOptions) => Promise<Workspace>

const HOUR_MS = 3_600_000
/** Between the old entries and the new ones. */
const BEFORE = new Date(Date.parse(START) + HOUR_MS).toISOString()
const maria = person('maria')
const ana = by('ana')

/** Old handoffs that have ended, one of them with a secret, and one that is open; then newer ones. */
async function worked(t: TestContext, open: Open) {
  const keys = newKeys(t)
  const w = await open(t, { keys: keys.keys })
  const to = mkdtempSync(join(tmpdir(), 'baton-archive-'))
  t.after(() => rmSync(to, { recursive: true, force: true }))
  const send = async (title: string, summary = 'Some work') =>
    (await w.service.sending.send(ana, { to: 'codex', title, summary })).handoff
  const many = (title: string, length: number) =>
    Promise.all(
      Array.from({ length }, async (_, i) => w.service.sending.cancel(ana, (await send(`${title} ${i}`)).id)),
    )
  const secret = `sk-live-${randomBytes(12).toString('hex')}`
  const leaked = await send('Deploy', `Use ${secret} for it.`)
  const kept = await send('Stays open')
  await w.service.sending.cancel(ana, leaked.id)
  for (let i = 0; i < 13; i += 1) await many(`Old ${i}`, 10)
  w.clock.pass(2 * HOUR_MS)
  await many('New', 3)
  return { w, to, leaked, kept, keys, secret }
}

const archive = async (service: Service, to: string, isDry = false) =>
  archiveLog(
    service.deps,
    maria,
    { before: BEFORE, to, isDry },
    await (await service.audit()).currentCheckpoint(),
  )

/** The log as readers get it. */
const logOf = async (store: Store) =>
  (await store.changes('0', 10_000)).entries.map(({ isArchived: _, ...entry }) => entry)

async function stubsIn(store: Store): Promise<number> {
  let found = 0
  for await (const { table, row } of store.dump())
    if (
      table === 'entry' &&
      Buffer.from(row.body as Uint8Array)
        .toString()
        .startsWith('#')
    )
      found += 1
  return found
}

/** All that is wrong with a log, in every way that it can be verified. */
async function problemsOf(service: Service): Promise<readonly unknown[]> {
  const { store } = service.deps
  const { broken, elsewhere } = await verifyChains(store)
  const { wrong } = await verifyStates(store)
  const { vkey, ...newest } = await (await service.audit()).currentCheckpoint()
  const files = await exported(await storedLog(store, vkey, newest))
  const { levels } = await verifyExport(memoryFiles(files), NODE_PLATFORM)
  const failed = levels.filter(({ verdict }) => verdict === 'failed' || verdict === 'unverifiable')
  return [...broken, ...wrong, ...failed, ...(elsewhere > 0 ? [`${elsewhere} chains elsewhere`] : [])]
}

const filesIn = (folder: string): readonly string[] => readdirSync(folder).map((name) => join(folder, name))
const holds = (folder: string, secret: string): boolean =>
  filesIn(folder).some((file) => formsOf(secret).some((form) => readFileSync(file).includes(form)))

/** The service over a store that does something else than it would. */
const over = ({ service, clock }: Pick<Workspace, 'service' | 'clock'>, change: Partial<Store>): Service => {
  const store = new Proxy(service.deps.store, {
    get: (target, name) => {
      const value = Reflect.get(change, name) ?? Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const { keys } = service.deps
  return createService(store, { now: clock.now, ...(keys && { keys }) })
}

describeOnEngines('an archived log', (open) => {
  it('[S3-38] reads, verifies, proves and is copied as before; the store keeps only places', async (t) => {
    const { w, to, leaked, kept } = await worked(t, open)
    const audit = await w.service.audit()
    const { size } = await audit.checkpoint()
    const [before, shown] = [await logOf(w.store), await w.service.looking.get(leaked.id)]

    const dry = await archive(w.service, to, true)
    assert.deepEqual([existsSync(dry.folder), await stubsIn(w.store)], [false, 0])
    const done = await archive(w.service, to)

    assert.deepEqual(done, dry)
    assert.deepEqual([await stubsIn(w.store), (await archive(w.service, to)).moved], [done.moved, 0])
    const log = await logOf(w.store)
    assert.deepEqual(log.slice(0, before.length), before)
    assert.deepEqual(
      log.slice(before.length).map(({ act }) => act),
      ['log.archive'],
    )
    assert.deepEqual(await problemsOf(w.service), [])
    const { timeline } = await w.service.looking.get(leaked.id)
    assert.deepEqual(
      timeline.map(({ isArchived: _, ...entry }) => entry),
      shown.timeline,
    )
    assert.equal((await audit.proof(leaked.id, 10)).entries.length, 2)
    await w.service.receiving.accept(by('codex'), kept.id)
    assert.equal((await audit.checkpoint()).size, size + 2)

    const { target, remove } = w.store.info.engine === 'sqlite' ? newPostgresPlace() : newSqlitePlace()
    const copy = await openStore(target)
    t.after(async () => {
      await copy.close()
      await remove()
    })
    const { chains } = await copyStore(w.store, copy)
    assert.deepEqual([chains.elsewhere, chains.broken], [0, []])
    assert.deepEqual((await logOf(copy)).slice(0, log.length), log)
    await w.store.retire()
  })

  it('says which folder is missing and where to put it, and other work goes on meanwhile', async (t) => {
    const { w, to, leaked, kept } = await worked(t, open)
    const { folder } = await archive(w.service, to)
    const [file = ''] = filesIn(folder)
    const text = readFileSync(file, 'utf8')
    renameSync(folder, `${folder}-elsewhere`)

    const beside = await w.beside()
    const missing = { code: 'unavailable', message: new RegExp(`${basename(folder)}.*put the folder back`) }
    await assert.rejects(beside.deps.store.changes('0', 9), missing)
    await assert.rejects((await beside.audit()).proof(leaked.id, 9), missing)
    assert.equal((await beside.looking.get(leaked.id)).handoff.state, 'cancelled')
    await beside.receiving.accept(by('codex'), kept.id)
    await (await beside.audit()).checkpoint()
    const { broken, elsewhere } = await verifyChains(beside.deps.store)
    assert.deepEqual([broken, elsewhere > 0], [[], true])
    const saved = join(to, 'backup.jsonl.gz')
    await backup(w.store, saved)
    const place = w.store.info.engine === 'sqlite' ? newSqlitePlace() : newPostgresPlace()
    const restored = await restore(saved, () => openStore(place.target))
    t.after(async () => {
      await restored.store.close()
      await place.remove()
    })
    assert.equal(restored.chains.elsewhere, elsewhere)

    renameSync(`${folder}-elsewhere`, folder)
    assert.deepEqual((await verifyStates(restored.store)).wrong, [])
    assert.deepEqual(await problemsOf(w.service), [])
    for (const change of [
      (held: string[][]) => held[0]!.splice(0, 1, held[0]![0]!.replace('"ana"', '"eve"')),
      (held: string[][]) => held[0]!.pop(),
    ]) {
      const held = JSON.parse(text)
      change(held)
      writeFileSync(file, JSON.stringify(held))
      assert.notDeepEqual(await problemsOf(await w.beside()), [])
    }
    writeFileSync(file, text)
  })

  it('[T20] loses a redacted text in its files too, whenever the redaction comes or is killed', async (t) => {
    const { w, to, leaked, secret } = await worked(t, open)
    const request = { id: leaked.id, field: 'summary', reason: 'leaked-key' }
    const taking = () => redact(w.service.deps, maria, request)
    const killed = over(w, { putAway: () => Promise.reject(new Error('killed')) })
    await assert.rejects(archive(killed, to), /killed/)
    const [folder = ''] = filesIn(to)
    assert.deepEqual([holds(folder, secret), await stubsIn(w.store)], [true, 0])
    cpSync(folder, `${folder}-before`, { recursive: true })

    // Between the look at the store and the file.
    let looks = 0
    const service = over(w, {
      archive: async () => {
        looks += 1
        if (looks === 2) await taking()
        return w.store.archive()
      },
    })
    await archive(service, to)
    assert.equal(holds(folder, secret), false)
    assert.deepEqual(await problemsOf(w.service), [])

    // As a kill between the store and the file leaves it.
    cpSync(`${folder}-before`, folder, { recursive: true })
    assert.equal((await taking()).already, true)
    assert.equal(holds(folder, secret), false)
    assert.deepEqual(await placesOf(w.store, secret), [])
    assert.deepEqual(await problemsOf(w.service), [])
  })
})

describe('archiving', () => {
  it('is finished by the next call, whichever call to the store a kill came after', async (t) => {
    const { w, to, keys } = await worked(t, (test, options) => openWorkspace(test, options))
    const before = await logOf(w.store)
    const { location } = w.store.info
    let calls = 1
    for (let killedAt = 1; killedAt <= calls; killedAt += 1) {
      const folder = mkdtempSync(join(to, 'killed-'))
      cpSync(location, join(folder, 'baton.db'))
      cpSync(`${location}-wal`, join(folder, 'baton.db-wal'))
      const store = await openStore({ engine: 'sqlite', path: join(folder, 'baton.db') })
      cpSync(keys.folder, join(folder, 'home'), { recursive: true })
      const own = { now: w.clock.now, keys: async () => openLogKeys({ home: join(folder, 'home') }) }
      const service = createService(store, own)
      calls = 0
      const counted = new Proxy(store, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name, target)
          return typeof value !== 'function'
            ? value
            : (...args: unknown[]) => {
                calls += 1
                if (calls > killedAt) throw new Error('killed')
                return value.apply(target, args)
              }
        },
      })
      const run = archive(createService(counted, own), join(folder, 'archive'))
      const isDone = await run.then(
        () => true,
        () => false,
      )

      const { moved } = await archive(service, join(folder, 'archive'))

      assert.equal((await stubsIn(store)) > 200, true)
      if (isDone) assert.equal(moved, 0)
      assert.deepEqual((await logOf(store)).slice(0, before.length), before)
      assert.deepEqual((await verifyStates(store)).wrong, [])
      await store.close()
    }
    assert.ok(calls > 10, String(calls))
  })
})
