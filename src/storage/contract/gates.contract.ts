import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { freshHandoff, put, run } from '../../../test/support/store/store-units.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { NewRoom } from '../store.contract.ts'
import type { Store } from '../store.ts'

const aGate = (work: Handoff, more: Partial<Handoff> = {}): Handoff =>
  freshHandoff({ type: 'gate', state: 'needs_input', parent: work.uid, root: work.root, ...more })

const gatesOf = (store: Store, uid: string) =>
  run(store, { handoffs: [uid] }, (view) => view.gates(uid).map((gate) => `${gate.uid} ${gate.state}`))

export function describeGates(newRoom: NewRoom): void {
  describe('gates', () => {
    it('come with the handoff that they are about, as delegations do, whatever became of them, and nothing else', async (t) => {
      const store = await newRoom(t).open()
      const work = freshHandoff({ gated: true })
      const [open, ended] = [aGate(work), aGate(work, { state: 'rejected' })]
      const others = [
        freshHandoff({ parent: work.uid, root: work.root }),
        aGate(freshHandoff()),
        freshHandoff({ type: 'gate' }),
      ]
      const part = freshHandoff({ type: 'delegation', parent: work.uid, root: work.root })
      for (const each of [work, open, ended, part, ...others])
        await run(store, { streams: [each.root] }, (view) => put(view, each))

      const found = await gatesOf(store, work.uid)

      assert.deepEqual(
        [...found].sort(),
        [`${open.uid} needs_input`, `${ended.uid} rejected`, `${part.uid} ${part.state}`].sort(),
      )
    })

    it('are not looked for where a handoff has none', async (t) => {
      const store = await newRoom(t).open()
      const work = freshHandoff()
      for (const each of [work, aGate(work)])
        await run(store, { streams: [each.root] }, (view) => put(view, each))

      assert.deepEqual(await gatesOf(store, work.uid), [])
    })

    it('are seen as the unit itself and the ones before it in the transaction left them', async (t) => {
      const store = await newRoom(t).open()
      const work = freshHandoff()
      await run(store, {}, (view) => put(view, work))
      const [first, second] = [aGate(work), aGate(work)]

      const seen = await Promise.all([
        run(store, { handoffs: [work.uid] }, (view) => {
          view.putHandoff({ ...work, gated: true })
          put(view, first)
          return view.gates(work.uid).length
        }),
        run(store, { handoffs: [work.uid] }, (view) => {
          put(view, second)
          return view.gates(work.uid).length
        }),
        gatesOf(store, work.uid),
      ])
      const closed = await run(store, { handoffs: [work.uid, first.uid] }, (view) => {
        view.putHandoff({ ...first, state: 'completed' })
        return view.gates(work.uid).map(({ state }) => state)
      })

      assert.deepEqual(seen, [1, 2, [`${first.uid} needs_input`, `${second.uid} needs_input`]])
      assert.deepEqual(closed, ['completed', 'needs_input'])
    })

    it('are what the last commit of another process left, when the stream of the chain was waited for', async (t) => {
      const room = newRoom(t)
      const stores = [await room.open(), await room.open()] as const
      const work = freshHandoff({ gated: true })
      await run(stores[0], {}, (view) => put(view, work))
      const gates = Array.from({ length: 20 }, () => aGate(work))

      const counts = await Promise.all(
        gates.map((gate, i) =>
          run(stores[i % 2]!, { handoffs: [work.uid] }, (view) => {
            put(view, gate)
            return view.gates(work.uid).length
          }),
        ),
      )

      assert.deepEqual(
        counts.sort((a, b) => a - b),
        gates.map((_, i) => i + 1),
      )
    })
  })
}
