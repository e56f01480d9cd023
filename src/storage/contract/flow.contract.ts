import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { query } from '../../../test/support/store/store-places.ts'
import { dumpOf, freshHandoff, put, run } from '../../../test/support/store/store-units.ts'
import type { StoreTarget } from '../../compose/main.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { State } from '../../domain/lifecycle.ts'
import { FLOW_WINDOWS, type FlowWindow, flowOf } from '../../domain/reports/flow.ts'
import { agedUid, uuid7 } from '../../service/uuid7.ts'
import type { FlowCount } from '../flow.ts'
import type { NewRoom } from '../store.contract.ts'

const HOUR_MS = 3_600_000
/** More than are rather counted each time. */
const MANY = 1_100
const WINDOWS: readonly FlowWindow[] = ['1d', '7d', '90d']

export function describeFlow(newRoom: NewRoom): void {
  describe('the flow of many handoffs', () => {
    it('is what the rows say, whatever changes in what was counted before', async (t) => {
      const room = newRoom(t)
      const [store, other] = [await room.open(), await room.open()]
      const now = new Date()
      const rows = new Map<string, Handoff>()
      const write = async (...handoffs: readonly Handoff[]) => {
        const written = handoffs.map((handoff) => {
          rows.set(handoff.uid, handoff)
          return run(other, { handoffs: [handoff.uid] }, (view) =>
            view.handoff(handoff.uid) ? view.putHandoff(handoff) : put(view, handoff),
          )
        })
        await Promise.all(written)
      }
      const check = async (what: string) => {
        for (const window of WINDOWS) isRight(await store.flow(window, now), [...rows.values()], window, what)
      }
      const made = (hours: number, given: Partial<Handoff> = {}, uidHours = hours) => {
        const at = new Date(now.getTime() - hours * HOUR_MS).toISOString()
        const uid = uuid7(now.getTime() - uidHours * HOUR_MS)
        return freshHandoff({ uid, created_at: at, updated_at: at, ...given })
      }
      const ended = (handoff: Handoff, state: State, hours: number): Handoff => {
        const at = new Date(now.getTime() - hours * HOUR_MS).toISOString()
        const { waiting_for: _none, ...rest } = handoff
        return { ...rest, state, rev: handoff.rev + 1, ended_at: at, updated_at: at }
      }
      const old = Array.from({ length: MANY }, (_, i) =>
        made(20 + (i % 50), { from: `sender-${i % 3}`, to: `receiver-${i % 4}` }),
      )
      await write(...old)
      const states: readonly State[] = [
        'completed',
        'completed',
        'failed',
        'rejected',
        'expired',
        'cancelled',
      ]
      await write(...old.slice(100).map((each, i) => ended(each, states[i % 6]!, 3 + (i % 60) / 5)))
      await check('counted for the first time')
      assert.deepEqual(await keptIn(room.target), ['flow 1 1d', 'flow 1 7d', 'flow 1 90d'])
      await check('counted before')

      const [open, failed] = [rows.get(old[5]!.uid)!, rows.get(old[102]!.uid)!]
      assert.equal(failed.state, 'failed')
      await write({ ...open, to: 'somebody', waiting_for: 'somebody', rev: 2 })
      await check('an old one was given to another')
      const { ended_at: _gone, ...again } = failed
      await write({ ...again, state: 'offered', rev: 3, waiting_for: failed.to })
      await check('an old one was tried again')
      await write(ended(rows.get(failed.uid)!, 'completed', 0))
      await check('and ended')
      await write(ended(open, 'completed', 6))
      await check('an end was told late')
      const found = made(40, { from: 'planner', to: 'codex' }, 0)
      await write(found)
      await write(ended(found, 'rejected', 30))
      await check('old work was taken over from elsewhere')
      await write(made(30, { uid: agedUid(uuid7(), now.getTime() - 30 * HOUR_MS) }))
      await check('an old request was found')
      await write(...old.slice(10, 90).map((each, i) => ended(each, states[i % 6]!, i / 90)))
      await check('more has ended')

      const copy = await newRoom(t).open()
      await copy.restore(
        (async function* () {
          yield* await dumpOf(store)
        })(),
      )
      isRight(await copy.flow('90d', now), [...rows.values()], '90d', 'a copy')
    })
  })
}

const ENDS: Partial<Record<State, number>> = { completed: 0, failed: 1, expired: 1, rejected: 2 }

function isRight(
  { tally, oldest }: FlowCount,
  rows: readonly Handoff[],
  window: FlowWindow,
  what: string,
): void {
  const { steps, edges, agents, ...all } = flowOf(window, tally, oldest, [])
  const { span_s, step_s } = FLOW_WINDOWS[window]
  const isIn = (at: string | undefined, from: string, seconds: number) =>
    at !== undefined && at >= from && Date.parse(at) < Date.parse(from) + seconds * 1_000
  /** Made, completed, failed and rejected from then on. */
  const counted = (some: readonly Handoff[], from = all.since, seconds: number = span_s) => {
    const counts = [some.filter(({ created_at }) => isIn(created_at, from, seconds)).length, 0, 0, 0]
    for (const { state, ended_at } of some) {
      const end = ENDS[state]
      if (end !== undefined && isIn(ended_at, from, seconds)) counts[end + 1]! += 1
    }
    return counts
  }
  const told = ({
    made,
    completed,
    failed,
    rejected,
  }: Record<'made' | 'completed' | 'failed' | 'rejected', number>) => [made, completed, failed, rejected]
  assert.deepEqual(told(all), counted(rows), `${window}: ${what}`)
  for (const step of steps)
    assert.deepEqual(told(step), counted(rows, step.at, step_s), `${window}, ${step.at}: ${what}`)
  const pairs = Map.groupBy(rows, ({ from, to }) => `${from} ${to}`)
  assert.deepEqual(
    Object.fromEntries(edges.map((edge) => [`${edge.from} ${edge.to}`, told(edge)])),
    Object.fromEntries(
      [...pairs].flatMap(([pair, some]) => {
        const counts = counted(some)
        return counts.some((count) => count > 0) ? [[pair, counts]] : []
      }),
    ),
    `${window}: ${what}`,
  )
  for (const { name, sent, received, median_s } of agents) {
    assert.equal(sent, counted(rows.filter(({ from }) => from === name))[0])
    const own = rows.filter(({ to }) => to === name)
    assert.equal(received, counted(own)[0])
    const times = own
      .filter(({ state, ended_at }) => state === 'completed' && isIn(ended_at, all.since, span_s))
      .map(({ created_at, ended_at }) => (Date.parse(ended_at!) - Date.parse(created_at)) / 1_000)
      .sort((a, b) => a - b)
    const middle = times[Math.ceil(times.length / 2) - 1]
    assert.equal(median_s === undefined, middle === undefined)
    if (middle !== undefined)
      assert.ok(Math.abs(median_s! - middle) <= middle / 100, `${median_s}, not ${middle}`)
  }
}

/** Names of counts that are kept. */
async function keptIn(target: StoreTarget): Promise<readonly unknown[]> {
  const sql = "SELECT key FROM baton.meta WHERE key LIKE 'flow %' ORDER BY key"
  if (target.engine === 'postgres') return (await query(target.url, sql)).map(({ key }) => key)
  const db = new DatabaseSync(target.path, { readOnly: true })
  const found = db.prepare(sql.replace('baton.', '')).all()
  db.close()
  return found.map(({ key }) => key)
}
