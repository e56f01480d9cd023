import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { aContent, anAgent } from '../../../test/support/store/builders.ts'
import {
  AT,
  entryOf,
  freshHandoff,
  freshNotice,
  freshRecord,
  freshTask,
  nextUid,
  offer,
  put,
  run,
} from '../../../test/support/store/store-units.ts'
import { verifyChain } from '../../audit/chain.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Content } from '../../domain/handoffs/package.ts'
import type { NewRoom } from '../store.contract.ts'
import type { Artifact, Token } from '../store.ts'
import { leafHash } from '../working-set.ts'

const ODD =
  'snow ☃, 手渡し, 🏃‍♀️, "quotes", \'single\', back\\slash, $1 ?2 :name, {a,b}, \t tab,\r\n lines, nul \u0000'

export function describeRows(newRoom: NewRoom): void {
  describe('what was put', () => {
    it('comes back field for field: a handoff with every field, and its content', async (t) => {
      const store = await newRoom(t).open()
      const handoff = fullHandoff()
      const content = fullContent()
      await run(store, { streams: [handoff.root] }, (view) => put(view, handoff, content))

      assert.deepEqual(await store.handoff(handoff.uid), handoff)
      assert.deepEqual(await store.handoff(handoff.id), handoff)
      const asked = [handoff.id, nextUid(), handoff.uid, 'nul \0', handoff.id]
      const found = await Promise.all(asked.map((ref) => store.handoff(ref)))
      assert.deepEqual(found, [handoff, undefined, handoff, undefined, handoff])
      assert.notEqual(found[0], found[4], 'nobody shares an answer')
      assert.deepEqual(await store.content(handoff.uid), content)
    })

    it('comes back whatever the content holds that JSON can hold', async (t) => {
      const store = await newRoom(t).open()
      const value = fc.jsonValue({ depthSize: 'small', stringUnit: 'binary' })

      await fc.assert(
        fc.asyncProperty(fc.dictionary(fc.string({ unit: 'binary' }), value), async (data) => {
          const content = JSON.parse(JSON.stringify(aContent({ package: { data } })))
          const { uid } = await offer(store, {}, content)
          assert.deepEqual(await store.content(uid), content)
        }),
        { numRuns: 30 },
      )
    })

    it('comes back when it is several megabytes long', async (t) => {
      const store = await newRoom(t).open()
      const content = aContent({ package: { context: 'ü'.repeat(3_000_000) } })

      const { uid } = await offer(store, {}, content)

      assert.deepEqual(await store.content(uid), content)
    })

    it('is changed by a later unit, and what was taken away is gone', async (t) => {
      const store = await newRoom(t).open()
      const { waiting_for: _, ...handoff } = await offer(store, { holder: 'codex', state: 'in_progress' })
      const next: Handoff = { ...handoff, rev: 2, state: 'completed', to: 'claude', priority: 'low' }
      delete next.holder

      await run(store, { handoffs: [next.uid], contents: [next.uid] }, (view) => {
        view.putHandoff(next)
        view.putContent(next.uid, aContent({ package: { summary: 'changed' } }))
        view.append(entryOf(next.uid, { stream: next.root, rev: 2 }))
      })

      assert.deepEqual(await store.handoff(next.uid), next)
      assert.deepEqual(await store.content(next.uid), aContent({ package: { summary: 'changed' } }))
      assert.deepEqual((await store.inbox('codex', { limit: 10 })).items, [])
    })

    it('is found by an id that its owner chose, also when that looks like a uid', async (t) => {
      const store = await newRoom(t).open()
      const id = '1b4e28ba-2fa1-11d2-883f-0016d3cca427'
      const handoff = await offer(store, { id })
      const task = freshTask(id)
      await run(store, { tasks: [id] }, (view) => view.putTask(task, { depends_on: [], open_deps: 0 }))

      assert.deepEqual(await store.handoff(id), handoff)
      assert.deepEqual(await store.task(id), { task, open_deps: 0 })
    })

    it('comes back field for field: agent, notice, record, token', async (t) => {
      const store = await newRoom(t).open()
      const agent = anAgent('codex', {
        roles: ['verifier'],
        limits: { incoming: 3 },
        capabilities: [ODD, ''],
      })
      const notice = freshNotice({ text: ODD, to: 'codex' })
      const record = freshRecord({ summary: ODD, files_changed: ['a b.ts'], blockers: [{ reason: ODD }] })
      const token: Token = { uid: nextUid(), hash: 'f00d', agent: 'codex', scopes: ['read'], created_at: AT }

      await run(store, { agents: ['codex'] }, (view) => {
        view.putAgent(agent)
        view.addNotice(notice)
        view.addRecord(record)
        view.putToken(token)
      })

      assert.deepEqual(await store.agents(), [agent])
      assert.deepEqual([await store.agent('codex'), await store.agent('CODEX')], [agent, undefined])
      assert.deepEqual((await store.notices('codex', { limit: 5 })).items, [notice])
      assert.deepEqual(await store.records('T1', 5), [record])
      assert.deepEqual(await store.record(record.uid), record)
      assert.deepEqual(await store.tokens(), [token])
      assert.deepEqual(await store.token('f00d'), token)
    })

    it('is replaced when an agent or a token is put again', async (t) => {
      const store = await newRoom(t).open()
      const token: Token = { uid: nextUid(), hash: 'f00d', agent: 'codex', scopes: [], created_at: AT }
      const revoked = { ...token, revoked_at: AT }
      for (const given of [token, revoked])
        await run(store, { agents: ['codex'] }, (view) => {
          view.putToken(given)
          view.putAgent(anAgent('codex', { rev: given === token ? 1 : 2 }))
        })

      assert.deepEqual(await store.tokens(), [revoked])
      assert.deepEqual(await store.agents(), [anAgent('codex', { rev: 2 })])
    })

    it('comes back byte for byte: an artifact and its blob, with nothing else in the unit', async (t) => {
      const store = await newRoom(t).open()
      const bytes = Uint8Array.from({ length: 1_024 }, (_, i) => i % 256)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const artifact = anArtifact({ sha256, size: bytes.length, stored: true, handoff: nextUid() })
      const twin = anArtifact({ sha256, path: ODD, handoff: artifact.handoff! })

      await run(store, {}, (view) => view.addArtifact(artifact, bytes))
      await run(store, {}, (view) => view.addArtifact(twin, bytes))

      assert.deepEqual(await store.artifact(artifact.uid), artifact)
      assert.deepEqual(await store.artifacts(artifact.handoff!), [artifact, twin])
      const found = await store.blob(sha256)
      assert.deepEqual(found && new Uint8Array(found), bytes)
    })

    it('is missed, not made up, when it is not there', async (t) => {
      const store = await newRoom(t).open()

      assert.equal(await store.handoff(nextUid()), undefined)
      assert.equal(await store.handoff('HO-2026-404'), undefined)
      assert.equal(await store.content(nextUid()), undefined)
      assert.equal(await store.task('T404'), undefined)
      assert.equal(await store.record(nextUid()), undefined)
      assert.equal(await store.artifact(nextUid()), undefined)
      assert.equal(await store.blob('00'), undefined)
      assert.equal(await store.token('00'), undefined)
      assert.equal(await store.latest('T404'), undefined)
      assert.deepEqual(await store.timeline(nextUid(), nextUid(), 5), [])
    })
  })

  describe('what a unit reads', () => {
    it('holds sender, receiver, task and stream of each handoff that it names', async (t) => {
      const store = await newRoom(t).open()
      const task = freshTask('T1')
      const handoff = freshHandoff({ task: 'T1', from: 'planner', to: 'codex' })
      await run(store, { tasks: ['T1'], agents: ['planner', 'codex'], streams: [handoff.root] }, (view) => {
        for (const name of ['planner', 'codex', 'stranger']) view.putAgent(anAgent(name))
        view.putTask(task, { depends_on: [], open_deps: 0 })
        view.append(entryOf(task.uid))
        put(view, handoff)
      })

      const seen = await run(store, { handoffs: [handoff.uid] }, (view) => ({
        handoff: view.handoff(handoff.uid),
        agents: ['planner', 'codex', 'stranger'].map((name) => view.agent(name)?.name),
        task: view.task('T1')?.task,
        streams: [view.stream(handoff.root)?.seq, view.stream(task.uid)?.seq],
        content: view.content(handoff.uid),
      }))

      assert.deepEqual(seen, {
        handoff,
        agents: ['planner', 'codex', undefined],
        task,
        streams: [0, 0],
        content: undefined,
      })
    })

    it('is what it staged itself, before anybody else sees it', async (t) => {
      const store = await newRoom(t).open()
      const handoff = freshHandoff()

      const seen = await run(store, { streams: [handoff.root] }, (view) => {
        put(view, handoff)
        const second = view.append(entryOf(handoff.uid, { stream: handoff.root }))
        return { handoff: view.handoff(handoff.uid), second, seq: view.stream(handoff.root)?.seq }
      })

      assert.deepEqual(seen, { handoff, second: 1, seq: 1 })
    })
  })

  describe('the log', () => {
    it('keeps an entry as it was hashed, with its disclosures, and tells the story of one subject', async (t) => {
      const store = await newRoom(t).open()
      const first = await offer(store)
      const second = await offer(store, { root: first.root, parent: first.uid, depth: 1 })
      await run(store, { handoffs: [first.uid] }, (view) =>
        view.append(
          entryOf(first.uid, { stream: first.root, rev: 2, fields: { summary: ODD }, progress: true }),
        ),
      )

      const entries = await store.entries(first.root, 0, 10)
      const verdict = verifyChain(
        entries.map((entry) => ({ entry: entry.body })),
        leafHash,
      )
      assert.deepEqual(
        entries.map(({ seq, subject, hash, body }) => [seq, subject, hash === leafHash(body)]),
        [
          [0, first.uid, true],
          [1, second.uid, true],
          [2, first.uid, true],
        ],
      )
      assert.ok(verdict.ok, 'the chain verifies')
      const disclosed = Buffer.from(entries[2]?.disclosures?.[0] ?? '', 'base64url').toString('utf8')
      assert.deepEqual(JSON.parse(disclosed).slice(1), ['summary', ODD])
      const story = await store.timeline(first.root, first.uid, 10)
      assert.deepEqual(
        story.map(({ seq }) => seq),
        [0, 2],
      )
      assert.deepEqual(
        (await store.entries(first.root, 1, 1)).map(({ seq }) => seq),
        [1],
      )
    })

    it('remembers how far the work had come', async (t) => {
      const store = await newRoom(t).open()
      const { uid, root } = await offer(store)
      await run(store, { streams: [root] }, (view) => view.append(entryOf(uid, { progress: true })))
      await run(store, { streams: [root] }, (view) => view.append(entryOf(uid)))

      const stream = await run(store, { streams: [root] }, (view) => view.stream(root))

      assert.deepEqual([stream?.seq, stream?.progress_seq], [2, 1])
    })
  })

  describe('counts', () => {
    it('are of open handoffs by agent, of all by state, of tasks by status and of entries', async (t) => {
      const store = await newRoom(t).open()
      await offer(store, { from: 'planner', to: 'codex' })
      await offer(store, { from: 'planner', to: 'claude', state: 'in_review' })
      await offer(store, { from: 'codex', to: 'planner', state: 'completed' })
      await run(store, {}, (view) => view.putTask(freshTask('T1'), { depends_on: [], open_deps: 0 }))

      assert.deepEqual(await store.counts(), {
        handoffs: { offered: 1, in_review: 1, completed: 1 },
        tasks: { todo: 1 },
        agents: {
          claude: { outgoing: 0, incoming: 1 },
          codex: { outgoing: 0, incoming: 1 },
          planner: { outgoing: 2, incoming: 0 },
        },
        entries: 3,
      })
    })

    it('are right after any changes of hands and states, with what is listed as open', async (t) => {
      const store = await newRoom(t).open()
      const agents = ['planner', 'codex', 'gemini']
      const uids = Array.from({ length: 4 }, nextUid)
      const change = fc.record({
        uid: fc.constantFrom(...uids),
        to: fc.constantFrom('codex', 'gemini'),
        state: fc.constantFrom('offered', 'in_progress', 'completed', 'cancelled'),
      })
      const batch = fc.array(change, { minLength: 1, maxLength: 4 })
      const rev = new Map<string, number>()
      await fc.assert(
        fc.asyncProperty(batch, async (changes) => {
          // In flight together, so that one transaction may make and end the same handoff.
          await Promise.all(
            changes.map(({ uid, to, state }) =>
              run(store, { handoffs: [uid], streams: [uid] }, (view) => {
                rev.set(uid, (rev.get(uid) ?? 0) + 1)
                const before = view.handoff(uid) ?? freshHandoff({ uid, root: uid })
                view.putHandoff({ ...before, to, state, rev: rev.get(uid)! } as Handoff)
                view.append(entryOf(uid, { rev: rev.get(uid)! }))
              }),
            ),
          )
          const { items } = await store.handoffs({ state: ['offered', 'in_progress'] }, { limit: 9 })
          const all = await Promise.all(uids.map((uid) => store.handoff(uid)))
          const ended = all.flatMap((one) => (one?.state === 'completed' ? [one] : [])).reverse()
          assert.deepEqual(await store.miscounted(), [])
          const counts = (await store.counts()).agents
          for (const name of agents) {
            const [outgoing, incoming] = [byUid(items, 'from', name), byUid(items, 'to', name)]
            assert.deepEqual(counts[name] ?? { outgoing: 0, incoming: 0 }, {
              outgoing: outgoing.length,
              incoming: incoming.length,
            })
            for (const [side, expected] of [
              ['from', outgoing],
              ['to', incoming],
            ] as const) {
              const filter = { [side]: name, state: ['offered', 'in_progress'] as const }
              assert.deepEqual(byUid((await store.handoffs(filter, { limit: 9 })).items), expected)
            }
            const done = { from: name, state: ['completed'] as const }
            assert.deepEqual(
              byUid((await store.handoffs(done, { limit: 9 })).items),
              byUid(ended, 'from', name),
            )
            const decided = await run(store, { counted: [name] }, (view) => [
              view.openOutgoing(name),
              view.openIncoming(name),
            ])
            assert.deepEqual(decided, [outgoing.length, incoming.length])
          }
        }),
        { numRuns: 25 },
      )
    })
  })
}

const byUid = (items: readonly Handoff[], side?: 'from' | 'to', name?: string): readonly string[] =>
  items.filter((handoff) => side === undefined || handoff[side] === name).map(({ uid }) => uid)

function fullHandoff(): Handoff {
  const at = '2026-02-21T15:00:00.000Z'
  return freshHandoff({
    rev: 7,
    home: 'queue',
    type: 'delegation',
    state: 'in_progress',
    title: ODD,
    task: 'P0.1.1',
    priority: 'critical',
    parent: nextUid(),
    depth: 3,
    supersedes: nextUid(),
    in_reply_to: nextUid(),
    sent_at: at,
    sent_seq: 0,
    ack_deadline: '2999-01-01T00:00:00.000Z',
    timeout_s: 0.5,
    lease_until: '2999-01-01T00:00:00.000Z',
    holder: 'codex',
    instance: 'i#1',
    accepted_at: at,
    accepted_by: 'codex',
    ack_notes: '',
    started_at: at,
    attempt: 2,
    retry: { max: 3, delay_s: 30, multiplier: 2 },
    not_before: at,
    attempts: [{ attempt: 1, holder: 'codex', started_at: at, ended_at: at, outcome: 'failed' }],
    resume: 'offered',
    need: 'clarification',
    progress: 12.5,
    blocked_on: ODD,
    error: { code: 'TIMEOUT', message: ODD, severity: 'error', details: [{ n: 1 }], recovery_actions: [''] },
    rejection: { type: 'skill_gap', message: ODD, by: 'codex', at },
    verified_by: 'planner',
    debt: 'open',
    deliverables: 2,
    aliases: { markdown: ODD, '': '' },
  })
}

const fullContent = (): Content => ({
  package: {
    summary: ODD,
    context: '',
    data: { nested: { list: [1, -0.5, 1e21, null, true, '', ODD] }, __proto: 'kept' },
    deliverables: [ODD],
    input: [],
  },
  result: { output: { ok: false }, evidence: [{ deliverable: ODD, evidence: '' }] },
  thread: [{ kind: 'question', by: 'codex', at: AT, text: ODD }],
  verifications: [{ verified_at: AT, verified_by: 'planner', pass: false, deliverable_checks: [] }],
})

const anArtifact = (given: Partial<Artifact> = {}): Artifact => ({
  uid: nextUid(),
  path: 'out.bin',
  stored: false,
  by: 'codex',
  created_at: AT,
  ...given,
})
