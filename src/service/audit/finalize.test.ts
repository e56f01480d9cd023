import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newKeys, workedSession } from '../../../test/support/log/audit.ts'
import { by, describeOnEngines, type Workspace } from '../../../test/support/program/workspace.ts'
import { run } from '../../../test/support/store/store-units.ts'
import { BatonError } from '../../domain/errors.ts'
import type { Store } from '../../storage/store.ts'

const TRIALS = 20
const codex = by('codex')
const gemini = by('gemini')

/** Another process is sealing, for so long as its lease says. */
const hold = ({ store, clock }: Workspace, uid: string, forMs: number) =>
  run(store, { sessions: [uid] }, (view) => {
    const until = new Date(clock.now().getTime() + forMs).toISOString()
    view.putSession({ ...view.session(uid)!, state: 'sealing', lease: { id: 'another', until } })
  })

describeOnEngines('finalizing', (open) => {
  it(`[S3-93] [S3-96] by two agents at once seals once and answers both the same, ${TRIALS} times`, async (t) => {
    const w = await open(t, newKeys(t))
    const [audit, beside] = await Promise.all([w.service.audit(), (await w.beside()).audit()])
    for (let trial = 0; trial < TRIALS; trial++) {
      const { uid } = await workedSession(w, 'codex', `P${trial}`)

      const [first, second] = await Promise.all([audit.finalize(codex, uid), beside.finalize(gemini, uid)])

      assert.deepEqual(first, second)
      const seals = (await w.store.entries(uid, 0, 9)).filter(({ act }) => act === 'session.seal')
      assert.equal(seals.length, 1)
    }
  })

  it('[S3-94] [S3-97] while another does waits and says when to retry; a lease of the dead lapses', async (t) => {
    const w = await open(t, newKeys(t))
    const audit = await w.service.audit()
    const { uid, id } = await workedSession(w)
    await hold(w, uid, 8_000)
    const began = performance.now()

    await assert.rejects(audit.finalize(gemini, uid), {
      code: 'unavailable',
      message: 'Merkle finalization in progress. Retry in 5s.',
      details: { session: id, retry_after_s: 5 },
    })
    assert.ok(performance.now() - began >= 4_000)
    // What the waiting and the document's five seconds come to.
    w.clock.pass(9_000)

    assert.equal((await audit.finalize(gemini, uid)).session, id)
  })

  it('[S3-97] that died after the seal is finished by whoever asks next, with the seal that is there', async (t) => {
    let isBroken = false
    const breaking = (store: Store): Store =>
      new Proxy(store, {
        get(target, name) {
          if (name === 'addCheckpoint' && isBroken)
            return () => Promise.reject(new BatonError('unavailable', 'the machine went away'))
          const value = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    const w = await open(t, { ...newKeys(t), wrap: breaking })
    const { uid } = await workedSession(w)
    await (await w.service.audit()).checkpoint()
    isBroken = true
    await assert.rejects((await w.service.audit()).finalize(codex, uid), { message: 'the machine went away' })
    const [, seal] = await w.store.entries(uid, 0, 9)
    isBroken = false

    const sealed = await (await (await w.beside()).audit()).root(gemini, uid)

    assert.equal((await w.store.session(uid))?.state, 'sealed')
    assert.equal(seal?.act, 'session.seal')
    assert.deepEqual(await (await w.service.audit()).finalize(codex, uid), sealed)
    assert.equal((await w.store.entries(uid, 0, 9)).length, 2)
  })

  it('[S3-93] by one whose lease was taken over does not seal behind the other’s back', async (t) => {
    const w = await open(t, newKeys(t))
    const { uid } = await workedSession(w)
    await (await w.service.audit()).checkpoint()
    let calls = 0
    const taken = Promise.withResolvers<void>()
    const overtaken = new Proxy(w.store, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (name !== 'transact') return typeof value === 'function' ? value.bind(target) : value
        return async (...args: Parameters<Store['transact']>) => {
          calls += 1
          // The first takes the lease, the second would seal.
          if (calls !== 2) return target.transact(...args)
          await hold(w, uid, 8_000)
          return target.transact(...args).finally(() => taken.resolve())
        }
      },
    })
    const { Service } = await import('../service.ts')
    const late = (await new Service({ ...w.service.deps, store: overtaken }).audit()).finalize(codex, uid)
    await taken.promise
    assert.deepEqual((await w.store.session(uid))?.lease?.id, 'another')
    // The other's lease lapses too; now both ask again, and one of them seals.
    w.clock.pass(8_000)
    const sealed = await (await (await w.beside()).audit()).finalize(gemini, uid)

    assert.deepEqual(await late, sealed)
    assert.equal((await w.store.entries(uid, 0, 9)).length, 2)
  })

  it('[S3-94] is a wait, not an error, when the other ends in time', async (t) => {
    const w = await open(t, newKeys(t))
    const { uid } = await workedSession(w)
    await hold(w, uid, 8_000)
    const waiting = (await w.service.audit()).finalize(gemini, uid)
    // The other gives up, as one does whose own checks fail.
    await run(w.store, { sessions: [uid] }, (view) => {
      const { lease: _, ...session } = view.session(uid)!
      view.putSession({ ...session, state: 'open' })
    })

    assert.equal((await waiting).sealed_by, 'gemini')
  })

  it('costs as much as the session has entries, not as much as the log', async (t) => {
    const w = await open(t, newKeys(t))
    await Promise.all(
      Array.from({ length: 700 }, (_, i) =>
        w.service.tasks.create(gemini, { id: `X${i}`, title: 'Another' }),
      ),
    )
    const audit = await w.service.audit()
    await audit.sequence()
    const { uid } = await workedSession(w)
    let read = 0
    const counting = new Proxy(w.store, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (name !== 'changes') return typeof value === 'function' ? value.bind(target) : value
        return async (...args: Parameters<Store['changes']>) => {
          const page = await target.changes(...args)
          read += page.entries.length
          return page
        }
      },
    })
    const { Service } = await import('../service.ts')

    await (await new Service({ ...w.service.deps, store: counting }).audit()).finalize(codex, uid)

    assert.ok(read < 600, `${read} entries were read to seal a session of four`)
  })
})
