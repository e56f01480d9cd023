import { type Actor, newAgent } from '../../../src/domain/actor.ts'
import type { Agent } from '../../../src/domain/agent.ts'
import type { Handoff } from '../../../src/domain/handoffs/handoff.ts'
import type { Content } from '../../../src/domain/handoffs/package.ts'

const AT = '2026-02-21T14:30:00.000Z'

/** An open native handoff of planner to codex; a test names only what it is about. */
export function aHandoff(given: Partial<Handoff> = {}): Handoff {
  return {
    uid: '0198f000-0000-7000-8000-000000000001',
    id: 'HO-2026-001',
    rev: 1,
    home: 'native',
    type: 'sequential',
    state: 'offered',
    from: 'planner',
    to: 'codex',
    title: 'Add rate limiting',
    priority: 'normal',
    root: '0198f000-0000-7000-8000-000000000001',
    depth: 0,
    created_at: AT,
    updated_at: AT,
    attempt: 1,
    attempts: [],
    deliverables: 0,
    ...given,
  }
}

/** What travels with a handoff, and what came of it. */
export function aContent(given: Partial<Content> = {}): Content {
  return { package: {}, thread: [], verifications: [], ...given }
}

export function anAgent(name: string, given: Partial<Agent> = {}): Agent {
  return { ...newAgent(name, 'agent', AT), ...given }
}

export function anActor(name: string, given: Partial<Actor> = {}): Actor {
  return { name, kind: 'agent', auth: 'os-user', ...given }
}
