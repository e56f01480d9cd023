import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { newKeys } from '../../../test/support/log/audit.ts'
import { liveThrough, openTampered, type Tampered } from '../../../test/support/log/tampering.ts'
import { run } from '../../../test/support/program/invoke.ts'
import { by, ENGINES, person } from '../../../test/support/program/workspace.ts'
import { verifyStates } from '../../archive/state-verify.ts'
import { createService } from '../../compose/main.ts'
import { leafHash } from '../../storage/working-set.ts'
import { compareAnchors } from './anchors.ts'
import { changedOutside } from './changed.ts'

const planner = by('planner')
const codex = by('codex')
const maria = person('maria')
const REFUSED = { code: 'store_refused', message: /is not the one it was/ }

/** An actor is exchanged in an entry, and the chain after it is hashed anew: nothing in the chain tells. */
async function rewrite({ store, sql }: Tampered, stream: string): Promise<void> {
  let prev: string | undefined
  for (const { id, seq, body } of await store.entries(stream, 0, 1_000)) {
    const lines = body.split('\n')
    const next =
      seq === 0
        ? body.replace('"id":"planner"', '"id":"grok"')
        : [...lines.slice(0, 4), prev, ...lines.slice(5)].join('\n')
    prev = leafHash(next)
    await sql.all('UPDATE entry SET body = $1, hash = $2 WHERE id = $3', [Buffer.from(next), prev, id])
  }
  await sql.all('UPDATE stream SET head = $1 WHERE uid = $2', [prev, stream])
}

for (const engine of ENGINES)
  describe(`a store that somebody wrote to, on ${engine}`, () => {
    it('is told by whatever shows a row: handoff, content, task and run', async (t) => {
      const w = await openTampered(t, engine)
      await liveThrough(w)
      const { service, store, sql } = w
      const shown = {
        handoff_get: 'HO-2026-001',
        task_get: 'P0.1.1',
        workflow_status: (await store.runs({}, { limit: 1 })).items[0]!.id,
      }
      const warnings = async () =>
        Promise.all(
          (Object.entries(shown) as ['handoff_get', string][]).map(
            async ([name, id]) => (await run<{ warning?: string }>(service, maria, name, { id })).warning,
          ),
        )
      assert.deepEqual(await warnings(), [undefined, undefined, undefined])

      for (const [i, table] of ['handoff', 'task', 'run'].entries()) {
        const before = await sql.all(`SELECT uid, doc FROM ${table}`)
        for (const { uid, doc } of before)
          await sql.all(`UPDATE ${table} SET doc = $1 WHERE uid = $2`, [
            JSON.stringify({ ...JSON.parse(String(doc)), verified_by: 'nobody' }),
            uid,
          ])
        const id = Object.values(shown)[i]
        assert.equal(
          (await warnings())[i],
          `The row of ${id} was changed outside Baton: the log tells of another; see: baton doctor`,
        )
        for (const { uid, doc } of before)
          await sql.all(`UPDATE ${table} SET doc = $1 WHERE uid = $2`, [doc, uid])
      }
      assert.deepEqual(await warnings(), [undefined, undefined, undefined])
      await sql.all(`UPDATE content SET doc = replace(doc, 'All of it', 'None of it')`)
      assert.match((await warnings())[0] ?? '', /HO-2026-001 was changed outside/)
    })

    it('is not suspected while others work on what is shown', async (t) => {
      const { service, store } = await openTampered(t, engine)
      const { handoff } = await service.sending.send(planner, { to: 'codex', title: 'Build it' })
      await service.receiving.accept(codex, handoff.uid)
      let isOver = false
      const working = (async () => {
        for (let progress = 1; progress <= 40; progress += 1)
          await service.receiving.heartbeat(codex, handoff.uid, { progress })
        isOver = true
      })()

      while (!isOver) {
        assert.equal(await changedOutside(store, 'handoff', handoff.uid), undefined)
        await turn()
      }
      await working
    })

    it('is refused by proof, trust, anchors and signing when its entries are not those of its tree', async (t) => {
      const w = await openTampered(t, engine)
      await liveThrough(w)
      const { service, store } = w
      const audit = await service.audit()
      const { note } = await audit.newestCheckpoint()
      const { root } = (await store.handoff('HO-2026-001'))!
      assert.equal((await audit.proof('HO-2026-001', 100)).pending, 0)

      await rewrite(w, root)

      await assert.rejects(audit.newestCheckpoint(), REFUSED)
      await assert.rejects(audit.proof('HO-2026-001', 100), REFUSED)
      await assert.rejects(compareAnchors(service.deps, [{ place: 'a commit', note }]), REFUSED)
      await assert.rejects(run(service, maria, 'audit_checkpoint'), REFUSED)
    })

    it('is another log where its checkpoints are gone and this user remembers one', async (t) => {
      const w = await openTampered(t, engine)
      await liveThrough(w)
      for (const table of ['tree', 'tile', 'checkpoint']) await w.sql.all(`DELETE FROM ${table}`)
      const stranger = createService(w.store, { keys: newKeys(t).keys })

      await assert.rejects((await w.service.audit()).newestCheckpoint(), {
        code: 'store_refused',
        message: /you have seen \d+ entries of it signed, and no checkpoint is here/,
      })
      await assert.rejects((await stranger.audit()).newestCheckpoint(), { code: 'wrong_state' })
    })

    it('is found out when a text was exchanged or deleted', async (t) => {
      const w = await openTampered(t, engine)
      await liveThrough(w)
      const [entry] = await w.sql.all(
        `SELECT id, disclosures FROM entry WHERE act = 'handoff.send' ORDER BY id`,
      )
      const texts: string[] = JSON.parse(String(entry!.disclosures))
      const put = (given: unknown) =>
        w.sql.all('UPDATE entry SET disclosures = $1 WHERE id = $2', [given, entry!.id])
      const wrong = async () => (await verifyStates(w.store)).wrong.join('\n')
      assert.equal(await wrong(), '')

      await put(JSON.stringify([texts[1], ...texts.slice(1)]))
      assert.match(await wrong(), /entry 0 of stream \S+ was changed outside Baton/)
      await put(null)
      assert.match(
        await wrong(),
        /The text title of entry 0 of stream \S+ is missing, and the log tells of it/,
      )
      await put('no list')
      assert.match(await wrong(), /was changed outside Baton/)
    })
  })
