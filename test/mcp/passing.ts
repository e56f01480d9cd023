import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { openStore, toStoreTarget } from '../../src/compose/main.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { folders } from '../support/documents/folders.ts'
import { checkLog } from '../support/log/log.ts'
import type { Where } from '../support/program/command.ts'
import { newDatabase } from '../support/store/store-places.ts'
import { type Agent, overStdio } from './agents.ts'

export interface Place {
  readonly where: Where
  /** What `--store` says. */
  readonly store: string
}

/** A store of its own, as agents name it, and a folder to start them in. */
export async function newPlace(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<Place> {
  const made = folders(t)
  const where = { cwd: made.repository('project'), env: { BATON_HOME: made.folder('home') } }
  return { where, store: engine === 'sqlite' ? made.path('baton.db') : await newDatabase() }
}

export const agentAt = (t: TestContext, { where, store }: Place, name: string): Promise<Agent> =>
  overStdio(t, where, ['--agent', name, '--tools', 'default,handoff_list', '--store', store])

/** Every handoff of the store, read past the agents; its log is checked on the way. */
export async function allHandoffs(store: string): Promise<readonly Handoff[]> {
  const opened = await openStore(toStoreTarget(store))
  try {
    await checkLog(opened)
    const found: Handoff[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await opened.handoffs({}, { limit: 200, ...(cursor !== undefined && { cursor }) })
      found.push(...page.items)
      if (page.next === undefined) return found
      cursor = page.next
    }
  } finally {
    await opened.close()
  }
}

/** Two agents in two processes hand work to each other so many times, half of them each way. */
export function describePassing(times: number): void {
  for (const engine of ['sqlite', 'postgres'] as const)
    describe(`two agents in two processes on ${engine}`, () => {
      it(`hand work to each other ${times} times, and each piece is done once`, async (t) => {
        const place = await newPlace(t, engine)
        const [ana, ben] = await Promise.all([agentAt(t, place, 'ana'), agentAt(t, place, 'ben')])
        const each = times / 2

        const done = await Promise.all([
          sending(ana, 'ben', each),
          sending(ben, 'ana', each),
          working(ana, each),
          working(ben, each),
        ])

        const [sentByAna, sentByBen, doneByAna, doneByBen] = done
        assert.deepEqual([...doneByBen].sort(), [...sentByAna].sort())
        assert.deepEqual([...doneByAna].sort(), [...sentByBen].sort())
        const all = await allHandoffs(place.store)
        assert.equal(all.length, times)
        assert.deepEqual(
          all.filter(({ state, attempts }) => state !== 'completed' || attempts.length !== 1),
          [],
        )
      })
    })
}

/** Sends, and verifies what comes back; answers the ids. */
async function sending(agent: Agent, to: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const work = { to, title: `Piece ${i}`, deliverables: ['a result'] }
    const { handoff } = await agent.call<{ handoff: Handoff }>('handoff_send', work)
    ids.push(handoff.id)
  }
  for (const id of ids) {
    await until(agent, async () => {
      const { items } = await inbox(agent)
      return items.some((item) => item.id === id && item.state === 'in_review')
    })
    await agent.call('handoff_verify', { id, pass: true })
  }
  return ids
}

/** Takes on what is offered until it has done so many; answers their ids. */
async function working(agent: Agent, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const { items } = await inbox(agent)
    const offered = items.filter(({ state }) => state === 'offered')
    if (offered.length === 0) await later()
    for (const { id } of offered) {
      await agent.call('handoff_accept', { id })
      const evidence = [{ deliverable: 'a result', evidence: 'here' }]
      await agent.call('handoff_submit', { id, evidence })
      ids.push(id)
    }
  }
  return ids
}

const inbox = (agent: Agent) => agent.call<{ items: Handoff[] }>('handoff_inbox', { limit: 200 })

/** Another look a little later: what is waited for is done by another process. */
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

async function until(agent: Agent, holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    assert.ok(agent.pid !== undefined)
    await later()
  }
}
