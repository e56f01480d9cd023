import { ANYONE } from '../../domain/actor.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Home } from '../../domain/home.ts'
import { OPEN_STATES } from '../../domain/lifecycle.ts'
import { hasRole } from '../../domain/policy.ts'
import { itemsOf } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'
import type { BlockSaid } from './found-blocks.ts'

/** The work that a block is about: its task, else what its agent does in the workflow. */
export interface Work {
  readonly task?: string | undefined
  readonly workflow: string
  /** uid of the run. */
  readonly run?: string | undefined
}

/** More open handoffs of one agent and one task than anybody has. */
const MAX_OPEN = 100
const HANDOFF_PAGE = 200

/** Handoffs that follow from blocks live in their format. */
export const BLOCK_HOME: Home = 'block'

/**
 * The open handoff of this work to an agent that a block may move: document 002's own, no other home's. What is being
 * retried goes before what came meanwhile, then the newest.
 */
export async function openWork(deps: ServiceDeps, work: Work, to: string): Promise<Handoff | undefined> {
  const { store } = deps
  const { task, run } = work
  const { items } = await store.handoffs(
    { to, state: OPEN_STATES, ...(run !== undefined ? { run } : task !== undefined && { task }) },
    { limit: MAX_OPEN },
  )
  for (const handoff of items.toSorted((a, b) => b.attempt - a.attempt)) {
    if (handoff.home !== BLOCK_HOME) continue
    // A handoff sent in a run belongs to the run, whatever task the block names.
    if (run !== undefined) return handoff
    if (handoff.task !== task) continue
    if (task !== undefined) return handoff
    const data = (await store.content(handoff.uid))?.package.data
    if (data?.workflow === work.workflow) return handoff
  }
  return undefined
}

/**
 * The receiver of an escalation (A2-09): an agent with the role delegator, else the sender of the work, else the
 * first author in the workflow. No agent escalates to itself: then the caller is asked, and at last any person.
 */
export async function delegatorFor(
  deps: ServiceDeps,
  { said, work, given, caller }: { said: BlockSaid; work: Work; given?: Handoff | undefined; caller: string },
): Promise<string> {
  const { store } = deps
  const { from } = said
  const agents = new Map((await store.agents()).map((agent) => [agent.name, agent]))
  const names = new Set([...agents.keys(), ...Object.keys(deps.policy.agents ?? {})])
  const configured = [...names].sort().find((name) => {
    const agent = agents.get(name)
    return name !== from && !agent?.removed && hasRole(deps.policy, 'delegator', name, agent)
  })
  if (configured !== undefined) return configured
  const sender =
    given?.from ??
    (work.task === undefined ? undefined : (await store.latest(work.task, undefined, from))?.from)
  if (sender !== undefined && sender !== from) return sender
  const first = await firstAgent(deps, work)
  return [first, caller].find((name) => name !== undefined && name !== from) ?? ANYONE
}

/** The author of the workflow's first block. */
async function firstAgent({ store }: ServiceDeps, work: Work): Promise<string | undefined> {
  const { task, run, workflow } = work
  const filter = run !== undefined ? { run } : task !== undefined ? { task } : {}
  for await (const block of itemsOf((page) => store.blocks(filter, page), HANDOFF_PAGE))
    if (run !== undefined || task !== undefined || block.workflow === workflow) return block.from
  return undefined
}
