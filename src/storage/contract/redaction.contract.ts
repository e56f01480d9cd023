import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  AT,
  comparable,
  dumpOf,
  entryOf,
  freshNotice,
  freshRecord,
  nextUid,
  offer,
  run,
} from '../../../test/support/store/store-units.ts'
import { verifyChain } from '../../audit/chain.ts'
import type { NewRoom } from '../store.contract.ts'
import type { Redaction, Store } from '../store.ts'
import { leafHash } from '../working-set.ts'

const NOTHING: Redaction = {
  entries: [],
  notices: [],
  records: [],
  artifacts: [],
  blocks: [],
  blobs: [],
  inputs: [],
}

export function describeRedaction(newRoom: NewRoom): void {
  describe('taking texts away', () => {
    it('leaves an entry as it was hashed, with the disclosures that stay', async (t) => {
      const store = await newRoom(t).open()
      const { uid } = await offer(store)
      const fields = { summary: 'the secret', title: 'the title' }
      await run(store, { streams: [uid] }, (view) => view.append({ ...entryOf(uid, { rev: 2 }), fields }))
      const [, before] = await store.entries(uid, 0, 9)
      const stay = before!.disclosures!.filter((text) => decoded(text).includes('title'))

      await redact(store, uid, { entries: [{ stream: uid, seq: 1, disclosures: stay }] })

      const [, after] = await store.entries(uid, 0, 9)
      assert.deepEqual(after, { ...before, disclosures: stay })
      await redact(store, uid, { entries: [{ stream: uid, seq: 1, disclosures: [] }] })
      const entries = await store.entries(uid, 0, 9)
      assert.deepEqual(entries[1]?.disclosures ?? [], [])
      const verdict = verifyChain(
        entries.map(({ body }) => ({ entry: body })),
        leafHash,
      )
      assert.ok(verdict.ok)
    })

    it('rewrites notices, records and artifacts, drops bytes, and touches no others', async (t) => {
      const store = await newRoom(t).open()
      const [notice, other] = [freshNotice({ text: 'the secret' }), freshNotice()]
      const record = freshRecord({ summary: 'the secret' })
      const artifact = { uid: nextUid(), path: 'a', sha256: 'ab', stored: true, by: 'x', created_at: AT }
      const kept = { ...artifact, uid: nextUid(), sha256: 'cd' }
      await run(store, {}, (view) => {
        for (const each of [notice, other]) view.addNotice(each)
        view.addRecord(record)
        for (const each of [artifact, kept]) view.addArtifact(each, Buffer.from('the secret'))
      })
      await run(store, {}, (view) => view.seeNotice(notice.uid, AT))
      const clean = {
        notices: [{ ...notice, text: 'gone' }],
        records: [{ ...record, summary: 'gone' }],
        artifacts: [{ ...artifact, stored: false }],
        blobs: ['ab'],
      }

      await run(store, {}, (view) => view.redact({ ...NOTHING, ...clean }))

      assert.deepEqual(await store.noticesAbout([notice.about, other.about]), [...clean.notices, other])
      assert.deepEqual(await store.record(record.uid), clean.records[0])
      assert.deepEqual(await store.artifact(artifact.uid), clean.artifacts[0])
      assert.equal(await store.blob('ab'), undefined)
      assert.equal(Buffer.from((await store.blob('cd')) ?? []).toString(), 'the secret')
      const seen = (await dumpOf(store)).find(({ row }) => row.uid === notice.uid)?.row.seen_at
      assert.equal(seen, AT)
    })

    it('forgets the hash of what was said, and the key stays taken', async (t) => {
      const store = await newRoom(t).open()
      const key = { actor: 'planner', op: 'handoff_send', key: nextUid() }
      const other = { ...key, key: nextUid() }
      const idem = { input_hash: 'abc', subject: 'uid', rev: 1, at: AT }
      await run(store, {}, (view) => view.addIdem({ ...key, ...idem }))
      await run(store, {}, (view) => view.addIdem({ ...other, ...idem, subject: 'else' }))

      await run(store, {}, (view) => view.redact({ ...NOTHING, inputs: ['uid'] }))

      const kept = (one: typeof key) => run(store, { idem: one }, (view) => view.idem()?.input_hash)
      assert.deepEqual([await kept(key), await kept(other)], ['', 'abc'])
    })

    it('takes nothing away when the decision is refused', async (t) => {
      const store = await newRoom(t).open()
      const notice = freshNotice()
      await run(store, {}, (view) => view.addNotice(notice))

      const refused = run(store, {}, (view) => {
        view.redact({ ...NOTHING, notices: [{ ...notice, text: 'gone' }] })
        throw new Error('not now')
      })

      await assert.rejects(refused, { message: 'not now' })
      assert.deepEqual(await store.noticesAbout([notice.about]), [notice])
    })

    it('scrubs while others are connected, and every row is as it was', async (t) => {
      const room = newRoom(t)
      const store = await room.open()
      const beside = await room.open()
      const { uid } = await offer(store)
      const before = comparable(await dumpOf(store))

      const left = await store.scrub()

      // The log of changes of a server that has much to do is left to its owner.
      assert.deepEqual(
        left.filter((place) => !/^old bytes in the write-ahead log/.test(place)),
        [],
      )
      assert.deepEqual(comparable(await dumpOf(beside)), before)
      await run(beside, { streams: [uid] }, (view) => view.append(entryOf(uid, { rev: 2 })))
      assert.equal((await store.entries(uid, 0, 9)).length, 2)
      const reader = await room.open({ readOnly: true })
      await assert.rejects(reader.scrub(), { code: 'unavailable' })
    })
  })
}

const redact = (store: Store, stream: string, redaction: Partial<Redaction>): Promise<void> =>
  run(store, { streams: [stream] }, (view) => view.redact({ ...NOTHING, ...redaction }))

const decoded = (disclosure: string): string => Buffer.from(disclosure, 'base64url').toString()
