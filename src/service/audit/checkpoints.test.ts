import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { newKeys, tampered, workedSession, writeEntries } from '../../../test/support/log/audit.ts'
import { by, describeOnEngines, type Workspace } from '../../../test/support/program/workspace.ts'
import { createService } from '../../compose/main.ts'
import { openCheckpoint } from './heads.ts'

const planner = by('planner')
const same = <T>(rows: T): T => rows

/** The same store seen by another user or on another machine: without its keys. */
const elsewhere = ({ store, clock }: Workspace, keys: ReturnType<typeof newKeys>) =>
  createService(store, { now: clock.now, ...keys }).audit()

describeOnEngines('a checkpoint', (open) => {
  it('is a signed note over the whole log, the same for the same size', async (t) => {
    const keys = newKeys(t)
    const w = await open(t, keys)
    const audit = await w.service.audit()
    await writeEntries(w, 3)

    const first = await audit.checkpoint()
    w.clock.pass(1_000)
    const again = await audit.checkpoint()
    await writeEntries(w, 1, 'U')
    const later = await audit.checkpoint()

    // Three tasks, and the entry that names the key.
    assert.deepEqual([first.size, later.size], [4, 5])
    assert.deepEqual(again, first)
    assert.equal(openCheckpoint(first.note, first.vkey)?.size, 4)
    assert.equal(first.note.split('\n')[0], w.store.info.origin)
    assert.deepEqual(await audit.newestCheckpoint(), later)
    const kept = await w.store.checkpoints({ limit: 9 })
    assert.deepEqual(
      kept.map(({ note }) => note),
      [later.note, first.note],
    )
  })

  it('is signed with a key that only its owner can read, and that is in no row of the store', async (t) => {
    const { folder, ...keys } = newKeys(t)
    const w = await open(t, keys)
    await writeEntries(w, 1)
    const audit = await w.service.audit()
    const { vkey } = await audit.checkpoint()

    const key = await audit.key()
    assert.deepEqual([key.vkey, key.here, key.origin], [vkey, true, w.store.info.origin])
    assert.equal(statSync(key.file).mode & 0o777, 0o600)
    const secret = readFileSync(key.file, 'utf8').split('\n')[1]!
    assert.ok(secret.length > 40)
    for await (const { row } of w.store.dump())
      for (const value of Object.values(row))
        assert.ok(!Buffer.from((value ?? '').toString()).includes(secret), 'the key is in the store')
    assert.deepEqual(readdirSync(join(folder, '.baton', 'keys')).length, 2)
    chmodSync(key.file, 0o644)
    await assert.rejects(audit.checkpoint(), { code: 'not_allowed', message: /first run: chmod 600/ })
  })

  it('can be read, verified and proven against without the key, but not made', async (t) => {
    const w = await open(t, newKeys(t))
    await workedSession(w)
    const audit = await w.service.audit()
    const made = await audit.checkpoint()
    const { file, host } = await audit.key()
    const other = await elsewhere(w, newKeys(t))
    await writeEntries(w, 1, 'U')

    assert.deepEqual(await other.newestCheckpoint(), made)
    assert.equal((await other.proof('P0.1.1', 20)).checkpoint, made.note)
    assert.deepEqual((await other.proof('U0', 20)).pending, 1)
    assert.equal((await other.key()).here, false)
    for (const call of [() => other.checkpoint(), () => other.finalize(by('codex'))])
      await assert.rejects(call, (error: Error) => {
        assert.ok(error.message.includes(`in ${file} on ${host}`), error.message)
        return true
      })
    const [session] = (await w.store.sessions({}, { limit: 1 })).items
    assert.equal(session?.state, 'open')
    const sealed = await audit.finalize(by('codex'))
    assert.deepEqual(await other.finalize(by('gemini')), sealed)
  })

  it('is made with one key when two processes make the first at once', async (t) => {
    const w = await open(t, newKeys(t))
    await writeEntries(w, 2)
    const audits = await Promise.all([w.service, await w.beside(), await w.beside()].map((s) => s.audit()))

    const made = await Promise.all(audits.map((audit) => audit.checkpoint()))

    assert.equal(new Set(made.map(({ vkey }) => vkey)).size, 1)
    assert.equal((await w.store.entries('log.key', 0, 9)).length, 1)
  })

  it('is not signed over a history that is shorter than, or other than, what this key has signed', async (t) => {
    const keys = newKeys(t)
    const w = await open(t, keys)
    await writeEntries(w, 3)
    await (await w.service.audit()).checkpoint()
    // A copy of now, on which others go on; then the log itself goes on and is signed.
    const copy = await tampered(t, w, same, keys.keys)
    await writeEntries(w, 2, 'U')
    const { size } = await (await w.service.audit()).checkpoint()
    const audit = await copy.audit()

    const refusal = { code: 'store_refused', message: /is not the one it was/ }
    await assert.rejects(audit.checkpoint(), refusal)
    for (let i = 0; i < 4; i++) await copy.tasks.create(planner, { id: `V${i}`, title: 'Other' })
    await assert.rejects(audit.checkpoint(), {
      ...refusal,
      message: new RegExp(`this key has signed ${size} entries of it, and what is here is another history`),
    })

    assert.equal((await copy.deps.store.checkpoints({ limit: 1 }))[0]?.size, 4)
  })
})

describeOnEngines('another key of a log', (open) => {
  it('signs a copy that was restored, and what was sealed with the old one still holds', async (t) => {
    const keys = newKeys(t)
    const w = await open(t, keys)
    await workedSession(w)
    const sealed = await (await w.service.audit()).finalize(by('codex'))
    const copy = await tampered(t, w, same, keys.keys)
    await writeEntries(w, 2, 'U')
    await (await w.service.audit()).checkpoint()
    const audit = await copy.audit()
    const old = await audit.key()
    await assert.rejects(audit.checkpoint(), { message: /baton audit trust --reset/ })

    await audit.forget()
    await copy.tasks.create(planner, { id: 'V', title: 'Other' })
    await assert.rejects(audit.checkpoint(), { message: /baton audit trust --reset --new-key/ })
    const vkey = await audit.renewKey(planner)
    const signed = await audit.checkpoint()

    assert.notEqual(vkey, old.vkey)
    assert.equal(signed.vkey, vkey)
    assert.deepEqual(await audit.root(planner), sealed)
    assert.equal((await audit.verifyChain(planner)).entries, sealed.n)
    assert.deepEqual(await audit.newestCheckpoint(), signed)
  })

  it('is refused by whoever remembers the old one, until they agree to it', async (t) => {
    const [owner, reader, heir] = [newKeys(t), newKeys(t), newKeys(t)]
    const w = await open(t, owner)
    await writeEntries(w, 1)
    await (await w.service.audit()).checkpoint()
    const seen = await elsewhere(w, reader)
    await seen.newestCheckpoint()
    // The first key is lost with its machine.
    const next = await elsewhere(w, heir)
    await assert.rejects(next.checkpoint(), { code: 'unmet', message: /baton audit trust --new-key/ })
    await next.renewKey(planner)
    const signed = await next.checkpoint()

    await assert.rejects(seen.newestCheckpoint(), { code: 'store_refused', message: /its key was/ })
    await seen.forget()

    assert.deepEqual(await seen.newestCheckpoint(), signed)
  })
})

describeOnEngines('what a user remembers of a log', (open) => {
  it('[T2] [S3-38] finds a log that was rolled back or rewritten, also when it was signed with the stolen key', async (t) => {
    const [owner, reader] = [newKeys(t), newKeys(t)]
    const w = await open(t, owner)
    await writeEntries(w, 3)
    await (await w.service.audit()).checkpoint()
    const old = await tampered(t, w, same, reader.keys)
    const forked = await tampered(t, w, same, reader.keys)
    await writeEntries(w, 2, 'U')
    await (await w.service.audit()).checkpoint()
    const seen = await (await elsewhere(w, reader)).newestCheckpoint()
    // Whoever stole the key has no memory that would stop them.
    const thief = newKeys(t)
    const { file } = await (await w.service.audit()).key()
    const stolen = await thief.keys()
    await stolen.makeKey(w.store.info.origin)
    writeFileSync(stolen.fileOf(w.store.info.origin), readFileSync(file))
    for (let i = 0; i < 6; i++) await forked.tasks.create(planner, { id: `V${i}`, title: 'Other' })
    await (await createService(forked.deps.store, { ...thief, now: w.clock.now }).audit()).checkpoint()

    assert.equal(seen.size, 6)
    await assert.rejects((await old.audit()).newestCheckpoint(), {
      code: 'store_refused',
      message: /it had 6 entries when you saw it last, and now has only 4/,
    })
    await assert.rejects((await forked.audit()).newestCheckpoint(), {
      code: 'store_refused',
      message: /it had 6 entries when you saw it last, and is another history now/,
    })
  })

  it('finds another key and another log in the same place, until a person begins anew', async (t) => {
    const [owner, reader] = [newKeys(t), newKeys(t)]
    const w = await open(t, owner)
    await writeEntries(w, 1)
    await (await w.service.audit()).checkpoint()
    const seen = await elsewhere(w, reader)
    await seen.newestCheckpoint()
    const kept = await (await reader.keys()).remembered(w.store.info.origin)
    const place = `${w.store.info.engine} ${w.store.info.location} ${w.store.info.workspace}`
    const replaced = { code: 'store_refused', message: /baton audit trust --reset/ }

    await (await reader.keys()).remember(place, { ...kept!, vkey: `${kept!.vkey.slice(0, -4)}AAA=` })
    await assert.rejects(seen.newestCheckpoint(), replaced)
    assert.deepEqual(await seen.forget(), { origin: w.store.info.origin, remembered: true })
    assert.ok(await seen.newestCheckpoint())
    await (await reader.keys()).remember(place, { ...kept!, origin: 'baton.local/another' })
    await assert.rejects(seen.newestCheckpoint(), {
      ...replaced,
      message: /the log in this place was called baton.local\/another/,
    })
    await seen.forget()

    assert.ok(await seen.newestCheckpoint())
  })
})
