import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import { aContent, anAgent } from '../../test/support/store/builders.ts'
import {
  AT,
  entryOf,
  freshHandoff,
  freshNotice,
  freshRecord,
  freshTask,
  nextUid,
} from '../../test/support/store/store-units.ts'
import { decodeEntry, ZERO_HASH } from '../audit/entry.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { emptyLoaded, idemKey, type Loaded } from './loaded.ts'
import type { View } from './store.ts'
import { leafHash, WorkingSet } from './working-set.ts'

const ORIGIN = 'baton.local/test'

const setOf = (given: Partial<Loaded> = {}): WorkingSet =>
  new WorkingSet({ ...emptyLoaded(), ...given }, ORIGIN)

const loadedWith = (...handoffs: readonly Handoff[]): Partial<Loaded> => ({
  handoffs: new Map(handoffs.map((handoff) => [handoff.uid, handoff])),
})

describe('the working set', () => {
  it('has something to write after every kind of write, and nothing before', () => {
    const writes: Readonly<Record<string, (view: View) => void>> = {
      handoff: (view) => view.putHandoff(freshHandoff()),
      content: (view) => view.putContent(nextUid(), aContent()),
      agent: (view) => view.putAgent(anAgent('codex')),
      task: (view) => view.putTask(freshTask('T1'), { depends_on: [], open_deps: 0 }),
      dependents: (view) => view.shiftDependents(nextUid(), 1),
      notice: (view) => view.addNotice(freshNotice()),
      seen: (view) => view.seeNotice(nextUid(), AT),
      record: (view) => view.addRecord(freshRecord()),
      artifact: (view) =>
        view.addArtifact({ uid: nextUid(), path: 'a', stored: false, by: 'codex', created_at: AT }),
      token: (view) => view.putToken({ uid: nextUid(), hash: 'h', agent: 'a', scopes: [], created_at: AT }),
      idem: (view) =>
        view.addIdem({ actor: 'a', op: 'o', key: 'k', input_hash: '', subject: '', rev: 1, at: AT }),
      entry: (view) => view.append(entryOf(nextUid())),
    }

    assert.equal(setOf().isDirty, false)
    for (const [name, write] of Object.entries(writes)) {
      const set = setOf()
      set.decide({}, write)
      assert.equal(set.isDirty, true, name)
    }
  })

  it('keeps nothing of a decision that throws, whatever it staged before', () => {
    const handoff = freshHandoff()
    const set = setOf(loadedWith(handoff))

    assert.throws(() =>
      set.decide({}, (view) => {
        view.putHandoff({ ...handoff, rev: 2 })
        view.append(entryOf(handoff.uid))
        view.addNotice(freshNotice())
        throw new Error('refused')
      }),
    )

    assert.equal(set.isDirty, false)
    assert.equal(set.loaded.handoffs.get(handoff.uid), handoff)
    assert.equal(set.loaded.streams.size, 0)
  })

  it('writes a row once, in its last form, and knows an insert from an update', () => {
    const [old, made] = [freshHandoff(), freshHandoff()]
    const set = setOf(loadedWith(old))

    set.decide({}, (view) => {
      view.putHandoff({ ...old, rev: 2 })
      view.putHandoff(made)
    })
    set.decide({}, (view) => {
      view.putHandoff({ ...old, rev: 3 })
      view.putHandoff({ ...made, rev: 2 })
    })

    assert.deepEqual(
      [...set.writes.handoffs.values()].map(({ rev }) => rev),
      [3, 2],
    )
    assert.deepEqual([...set.writes.newHandoffs], [made.uid])
  })

  it('follows the counts of agents that are counted, and of no others', () => {
    const handoff = freshHandoff({ from: 'planner', to: 'codex' })
    const set = setOf({
      ...loadedWith(handoff),
      outgoing: new Map([['planner', 4]]),
      incoming: new Map([
        ['codex', 2],
        ['claude', 0],
      ]),
    })
    const counts = () =>
      set.decide({}, (view) => [
        view.openOutgoing('planner'),
        view.openIncoming('codex'),
        view.openIncoming('claude'),
        view.openOutgoing('codex'),
      ])

    assert.deepEqual(counts(), [4, 2, 0, undefined])
    set.decide({}, (view) => view.putHandoff({ ...handoff, to: 'claude' }))
    assert.deepEqual(counts(), [4, 1, 1, undefined])
    set.decide({}, (view) => view.putHandoff({ ...handoff, to: 'claude', state: 'completed' }))
    assert.deepEqual(counts(), [3, 1, 0, undefined])
    set.decide({}, (view) => view.putHandoff({ ...handoff, to: 'claude', state: 'offered' }))
    assert.deepEqual(counts(), [4, 1, 1, undefined])
    set.decide({}, (view) => view.putHandoff(freshHandoff({ from: 'codex', to: 'claude' })))
    assert.deepEqual(counts(), [4, 1, 2, undefined])
  })

  it('offers a claimed handoff only while it is offered to that agent', () => {
    const [first, second] = [freshHandoff(), freshHandoff()]
    const set = setOf({ ...loadedWith(first, second), claims: new Map([['codex', [first.uid, second.uid]]]) })

    set.decide({}, (view) => view.putHandoff({ ...first, to: 'claude' }))
    assert.equal(
      set.decide({}, (view) => view.claimed('codex')?.uid),
      second.uid,
    )
    set.decide({}, (view) => view.putHandoff({ ...second, state: 'in_progress' }))
    assert.equal(
      set.decide({}, (view) => view.claimed('codex')),
      undefined,
    )
  })

  it('links entries: seq, previous hash, origin and stream are the engine’s, not the caller’s', () => {
    const [stream, subject] = [nextUid(), nextUid()]
    const set = setOf()

    set.decide({}, (view) => view.append(entryOf(subject, { stream })))
    set.decide({}, (view) => view.append(entryOf(subject, { stream, rev: 2, progress: true })))

    const [first, second] = set.writes.entries.map((entry) => decodeEntry(entry.body))
    assert.ok(first?.ok && second?.ok)
    assert.deepEqual([first.origin, first.stream, first.seq, first.prev], [ORIGIN, stream, 0, ZERO_HASH])
    assert.deepEqual([second.seq, second.prev], [1, leafHash(set.writes.entries[0]!.body)])
    assert.deepEqual(set.writes.streams.get(stream), {
      uid: stream,
      seq: 1,
      head: leafHash(set.writes.entries[1]!.body),
      progress_seq: 1,
    })
  })

  it('commits fields by a salted digest and keeps what was said beside it', () => {
    const set = setOf()
    const fields = { summary: 'secret', note: undefined, list: [1, 'two'] }

    set.decide({}, (view) => view.append(entryOf(nextUid(), { fields })))
    set.decide({}, (view) => view.append(entryOf(nextUid(), { fields })))

    const [first, second] = set.writes.entries
    const decoded = decodeEntry(first!.body)
    assert.ok(decoded.ok)
    assert.equal(first!.body.includes('secret'), false)
    const said = first!.disclosures!.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()))
    assert.deepEqual(
      said.map(([, name, value]) => [name, value]),
      [
        ['summary', 'secret'],
        ['list', [1, 'two']],
      ],
    )
    assert.deepEqual(decoded.record.sd, {
      summary: hash('sha256', first!.disclosures![0]!, 'base64url'),
      list: hash('sha256', first!.disclosures![1]!, 'base64url'),
    })
    assert.notEqual(first!.disclosures![0], second!.disclosures![0], 'each has a salt of its own')
  })

  it('refuses a record that would put free text into the log', () => {
    const set = setOf()

    assert.throws(() =>
      set.decide({}, (view) =>
        view.append({ ...entryOf(nextUid()), record: { ...entryOf('x').record, act: 'free text !' } }),
      ),
    )
    assert.equal(set.isDirty, false)
  })

  it('shows a later unit the idempotency row of an earlier one', () => {
    const key = { actor: 'a', op: 'o', key: 'k' }
    const idem = { ...key, input_hash: '', subject: '', rev: 1, at: AT }
    const set = setOf()

    set.decide({ idem: key }, (view) => view.addIdem(idem))

    assert.equal(
      set.decide({ idem: key }, (view) => view.idem()),
      idem,
    )
  })

  it('keeps idempotency keys apart that only look alike when they are joined', () => {
    const keys = [
      { actor: 'a', op: 'b', key: 'c' },
      { actor: 'a', op: 'c', key: 'b' },
      { actor: 'b', op: 'a', key: 'c' },
    ]

    assert.equal(new Set(keys.map(idemKey)).size, 3)
  })
})
