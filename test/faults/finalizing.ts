import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { verifyTree } from '../../src/archive/tree-verify.ts'
import { createService, openStore, type StoreTarget } from '../../src/compose/main.ts'
import type { Sealed } from '../../src/domain/audit-answers.ts'
import type { Service } from '../../src/service/service.ts'
import type { StorePlace } from '../../src/storage/store.contract.ts'
import { openLogKeys } from '../../src/workspace/log-keys.ts'
import { workedSession } from '../support/log/audit.ts'
import { by } from '../support/program/workspace.ts'
import { newPostgresPlace, newSqlitePlace } from '../support/store/store-places.ts'
import { Pool, type Worker } from './pool.ts'

const ENGINES = {
  sqlite: (): StorePlace => newSqlitePlace(),
  postgres: (): StorePlace => newPostgresPlace(),
}
type Engine = keyof typeof ENGINES

/** How long a finalize takes at most, give or take: it is killed somewhere in between. */
const LONGEST_MS = 200
/** Beyond the lease of whoever was killed: the document's retry comes later still. */
const LATER_MS = 9_000

interface Desk {
  readonly target: StoreTarget
  readonly home: string
  readonly service: Service
  /** The same store for whoever asks when the lease of the dead has lapsed. */
  readonly later: Service
}

/** Lets two processes finalize the same session at once, so many times; then kills as many in the middle of it. */
export function describeFinalizing(
  engines: readonly Engine[],
  trials: { races: number; kills: number },
): void {
  describe('processes that finalize', () => {
    const pool = new Pool()
    after(() => pool.close())

    for (const engine of engines) {
      it(`[S3-93] at once seal once and get the same answer: ${engine}, ${trials.races} times`, async (t) => {
        const desk = await open(t, engine)
        const workers = await Promise.all([ready(pool, desk), ready(pool, desk)])
        for (let trial = 0; trial < trials.races; trial++) {
          const { uid } = await workedSession(desk, 'codex', `P${trial}`)

          const replies = await Promise.all(
            workers.map((worker, i) =>
              worker.call('audit', 'finalize', by(i === 0 ? 'codex' : 'gemini'), uid),
            ),
          )

          const answers = replies.map((reply) => {
            assert.ok(reply.ok, JSON.stringify(reply))
            return reply.value
          })
          assert.deepEqual(answers[1], answers[0])
          await checkSealed(desk, uid)
        }
        assert.deepEqual(await verifyTree(desk.service.deps.store), [])
      })

      it(`[S3-97] are killed in the middle of it and leave one seal or none: ${engine}, ${trials.kills} times`, async (t) => {
        const desk = await open(t, engine)
        let sealedByDead = 0
        for (let trial = 0; trial < trials.kills; trial++) {
          const worker = await ready(pool, desk)
          const { uid } = await workedSession(desk, 'codex', `P${trial}`)

          const dying = worker.call('audit', 'finalize', by('codex'), uid)
          await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS))
          await worker.kill()

          const reply = await dying
          const seals = (await desk.service.deps.store.entries(uid, 1, 9)).length
          assert.ok(seals <= 1, `${seals} seals`)
          sealedByDead += seals
          const answer = await (await desk.later.audit()).finalize(by('gemini'), uid)
          if (reply.ok) assert.deepEqual(answer, reply.value as Sealed)
          assert.deepEqual(await (await desk.service.audit()).root(by('gemini'), uid), answer)
          await checkSealed(desk, uid)
        }
        t.diagnostic(`${sealedByDead} of ${trials.kills} had sealed before they died`)
        assert.deepEqual(await verifyTree(desk.service.deps.store), [])
      })
    }
  })
}

async function checkSealed({ service }: Desk, uid: string): Promise<void> {
  const { store } = service.deps
  assert.deepEqual(
    (await store.entries(uid, 0, 9)).map(({ act }) => act),
    ['audit_session_start', 'session.seal'],
  )
  assert.equal((await store.session(uid))?.state, 'sealed')
  assert.equal((await (await service.audit()).verifyChain(by('codex'), uid)).ok, true)
}

async function open(t: TestContext, engine: Engine): Promise<Desk> {
  const { target, remove } = ENGINES[engine]()
  const home = mkdtempSync(join(tmpdir(), 'baton-home-'))
  const store = await openStore(target)
  t.after(async () => {
    await store.close()
    await remove()
    rmSync(home, { recursive: true, force: true })
  })
  const keys = async () => openLogKeys({ home })
  const later = createService(store, { keys, now: () => new Date(store.now().getTime() + LATER_MS) })
  // Made last: what is due is settled by the clock of now.
  return { target, home, later, service: createService(store, { keys }) }
}

async function ready(pool: Pool, { target, home }: Desk): Promise<Worker> {
  const worker = await pool.start()
  const reply = await worker.tell({ do: 'open', target, home })
  assert.ok(reply.ok, JSON.stringify(reply))
  return worker
}
