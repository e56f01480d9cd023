import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  AT,
  dumpOf,
  entryOf,
  freshHandoff,
  offer,
  put,
  run,
} from '../../../test/support/store/store-units.ts'
import type { NewRoom } from '../store.contract.ts'
import type { DumpRow, Store } from '../store.ts'

const BEFORE = '2026-01-01T00:00:00.000Z'
const LATER = '2027-01-01T00:00:00.000Z'

export function describeLive(newRoom: NewRoom): void {
  describe('the output of a running program', () => {
    it('is one row for each attempt, read by every process, with the text of the handoff that is asked for', async (t) => {
      const room = newRoom(t)
      const [store, other] = [await room.open(), await room.open()]
      await store.keepLive({ uid: 'a', attempt: 1, at: AT, text: 'one' }, BEFORE)
      await other.keepLive({ uid: 'a', attempt: 1, at: LATER, text: 'one\ntwo ü' }, BEFORE)
      await store.keepLive({ uid: 'b', attempt: 2, at: AT, text: '' }, BEFORE)

      assert.deepEqual(await other.live(BEFORE, 'a'), [
        { uid: 'a', attempt: 1, at: LATER, text: 'one\ntwo ü' },
        { uid: 'b', attempt: 2, at: AT, text: '' },
      ])
      assert.deepEqual(
        (await store.live(AT)).map(({ uid, text }) => [uid, text]),
        [['a', '']],
      )
      await assert.rejects(
        (await room.open({ readOnly: true })).keepLive({ uid: 'a', attempt: 1, at: AT, text: '' }, BEFORE),
        { code: 'unavailable' },
      )
    })

    it('goes with the end of its program, and takes rows along that nobody renewed', async (t) => {
      const store = await newRoom(t).open()
      for (const [uid, attempt, at] of [
        ['a', 1, LATER],
        ['a', 2, LATER],
        ['b', 1, AT],
      ] as const)
        await store.keepLive({ uid, attempt, at, text: 'x' }, BEFORE)

      await store.keepLive({ uid: 'a', attempt: 1, at: LATER }, '2026-12-01T00:00:00.000Z')

      assert.deepEqual(
        (await store.live(BEFORE)).map(({ uid, attempt }) => [uid, attempt]),
        [['a', 2]],
      )
    })

    it('is in no entry, signals nobody, is not copied, and goes with a redaction of its handoff', async (t) => {
      const store = await newRoom(t).open()
      const { uid } = await offer(store)
      const before = await dumpOf(store)
      await store.keepLive({ uid, attempt: 1, at: AT, text: 'the secret' }, BEFORE)
      await store.keepLive({ uid: 'other', attempt: 1, at: AT, text: 'stays' }, BEFORE)

      assert.deepEqual(await dumpOf(store), before)
      const entry = entryOf(uid, { rev: 2 })
      await run(store, { streams: [uid] }, (view) =>
        view.append({ ...entry, record: { ...entry.record, act: 'audit.redact' } }),
      )

      assert.deepEqual(
        (await store.live(BEFORE)).map((row) => row.uid),
        ['other'],
      )
    })
  })

  describe('cost and tokens of attempts', () => {
    it('are listed as they were reported last, in a copy too, and without those of other handoffs', async (t) => {
      const store = await newRoom(t).open()
      const begun = { attempt: 1, holder: 'codex', started_at: AT }
      const { uid } = freshHandoff()
      const report = (cost_usd: number, also: object[] = []) =>
        run(store, { handoffs: [uid], streams: [uid] }, (view) => {
          const before = view.handoff(uid)!
          const attempts = [...also, { ...begun, usage: { cost_usd, input_tokens: 7 } }]
          view.putHandoff({ ...before, rev: before.rev + 1, attempts } as typeof before)
          const entry = entryOf(uid, { rev: before.rev + 1 })
          view.append({ ...entry, record: { ...entry.record, act: 'handoff.usage' } })
        })
      await offer(store, { attempts: [begun] })
      await run(store, { streams: [uid] }, (view) =>
        put(view, {
          ...freshHandoff({ task: 'T1', run: 'a-run', attempts: [begun], title: 'a \\u0000 "usage":{' }),
          uid,
          root: uid,
        }),
      )

      assert.deepEqual(await store.usage(), [])
      await report(0.1)
      await report(0.30000000000000004, [begun])

      const kept = [
        {
          agent: 'codex',
          at: AT,
          run: { cost_usd: 0.30000000000000004, input_tokens: 7 },
          task: 'T1',
          of: 'a-run',
        },
      ]
      assert.deepEqual(await store.usage(), kept)
      const copy = await newRoom(t).open()
      await copy.restore(from(await dumpOf(store)))
      assert.deepEqual(await copy.usage(), kept)
    })
  })
}

async function* from(rows: readonly DumpRow[]): ReturnType<Store['dump']> {
  yield* rows
}
