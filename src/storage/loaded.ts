import { STATE, stateText } from '../audit/disclosure.ts'
import { sha256 } from '../crypto/crypto.ts'
import type { Agent } from '../domain/agent.ts'
import type { AuditSession } from '../domain/audit-session.ts'
import type { Block } from '../domain/blocks/block.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Content } from '../domain/handoffs/package.ts'
import { isOpen } from '../domain/lifecycle.ts'
import type { Delivery } from '../domain/people/delivery.ts'
import type { Notice } from '../domain/people/notice.ts'
import type { Task, ThoughtRecord } from '../domain/tasks/task.ts'
import type { Run } from '../domain/workflow/run.ts'
import type { Changed } from './listeners.ts'
import type { Artifact, Idem, IdemKey, LogEntry, Pair, Stream, TaskRow, Token } from './store.ts'
import type { Redaction } from './view.ts'

/** A number of the workspace, and the id of the handoff that takes it: ids count anew every year. */
export interface Numbered {
  readonly number: number
  readonly id: string
}

/** Names the row that says how many numbers were given out before the year began. */
export const beforeYear = (year: string): string => `numbers_before_${year}`

/** Rows that a unit can read and change. */
export const emptyRows = () => ({
  handoffs: new Map<string, Handoff>(),
  contents: new Map<string, Content>(),
  agents: new Map<string, Agent>(),
  tasks: new Map<string, TaskRow>(),
  streams: new Map<string, Stream>(),
  sessions: new Map<string, AuditSession>(),
  runs: new Map<string, Run>(),
  /** By digest. */
  blocks: new Map<string, Block>(),
  deliveries: new Map<string, Delivery>(),
})

/** The rows that a transaction loaded, then as its units changed them. Engines fill and flush it. */
export type Loaded = Readonly<ReturnType<typeof emptyLoaded>>

export const emptyLoaded = () => ({
  ...emptyRows(),
  notices: new Map<string, Notice>(),
  /** uids of the gates and delegations below each handoff that has some. */
  gates: new Map<string, Set<string>>(),
  idems: new Map<string, Idem>(),
  /** Candidates for each claiming agent, best first. */
  claims: new Map<string, string[]>(),
  /** Claiming agents for whom something is offered that another transaction holds at the moment. */
  passed: new Set<string>(),
  /** uid of the newest handoff of each pair that was asked for. */
  latest: new Map<string, string>(),
  outgoing: new Map<string, number>(),
  incoming: new Map<string, number>(),
  numbers: [] as Numbered[],
})

export const pairKey = (p: Pair): string => `${p.task}\n${p.from}\n${p.to}`

export const idemKey = (k: IdemKey): string => `${k.actor}\n${k.op}\n${k.key}`

/** Keeps a row that was loaded and locked by name. */
export function takeLatest(loaded: Loaded, pair: Pair, doc: string): void {
  const handoff: Handoff = JSON.parse(doc)
  if (!loaded.handoffs.has(handoff.uid)) loaded.handoffs.set(handoff.uid, handoff)
  loaded.latest.set(pairKey(pair), handoff.uid)
}

/** Gates and delegations may hold up the work above them. */
const isHolding = ({ type }: Handoff): boolean => type === 'gate' || type === 'delegation'

/** Handoffs whose gates and delegations must be read too. */
export const gatedOf = (loaded: Loaded): readonly string[] =>
  [...loaded.handoffs.values()].flatMap(({ uid, gated }) => (gated ? [uid] : [])).sort()

/** Keeps a row that was loaded and locked by name. */
export function takeGates(loaded: Loaded, uid: string, docs: readonly string[]): void {
  const gates = docs.map((doc): Handoff => JSON.parse(doc))
  for (const gate of gates) if (!loaded.handoffs.has(gate.uid)) loaded.handoffs.set(gate.uid, gate)
  loaded.gates.set(uid, new Set(gates.map((gate) => gate.uid)))
}

/** The gates and delegations below a handoff, with what the unit itself made of them. */
export function gatesBelow(
  loaded: Loaded,
  own: ReadonlyMap<string, Handoff>,
  uid: string,
): readonly Handoff[] {
  const known = loaded.gates.get(uid) ?? []
  const made = [...own.values()].filter((each) => isHolding(each) && each.parent === uid)
  const all = new Set([...known, ...made.map((gate) => gate.uid)])
  return [...all].flatMap((gate) => own.get(gate) ?? loaded.handoffs.get(gate) ?? [])
}

/** Takes over what a unit made of a handoff: later units of the transaction are judged on what it left. */
export function follow(loaded: Loaded, before: Handoff | undefined, handoff: Handoff): void {
  loaded.handoffs.set(handoff.uid, handoff)
  if (isHolding(handoff) && handoff.parent !== undefined) {
    const below = loaded.gates.get(handoff.parent) ?? new Set()
    loaded.gates.set(handoff.parent, below.add(handoff.uid))
  }
  if (before && isOpen(before.state)) shiftCounts(loaded, before, -1)
  if (isOpen(handoff.state)) shiftCounts(loaded, handoff, 1)
}

/** Open handoffs of agents that are counted. */
function shiftCounts(loaded: Loaded, handoff: Handoff, by: number): void {
  const out = loaded.outgoing.get(handoff.from)
  if (out !== undefined) loaded.outgoing.set(handoff.from, out + by)
  const incoming = loaded.incoming.get(handoff.to)
  if (incoming !== undefined) loaded.incoming.set(handoff.to, incoming + by)
}

/** Later units of the transaction see the dependency closed or open again. */
export function shiftDependencies(loaded: Loaded, uid: string, by: number): void {
  const id = [...loaded.tasks.values()].find(({ task }) => task.uid === uid)?.task.id
  if (id === undefined) return
  for (const [key, row] of loaded.tasks) {
    if (row.task.depends_on.includes(id)) loaded.tasks.set(key, { ...row, open_deps: row.open_deps + by })
  }
}

/** The store numbers it. */
type NewEntry = Omit<LogEntry, 'id' | 'isArchived'>

/** The rows to write, each once and in its last form. */
export type Writes = Readonly<ReturnType<typeof noWrites>>

export const noWrites = () => ({
  handoffs: new Map<string, Handoff>(),
  newHandoffs: new Set<string>(),
  /** Changed handoffs as they were loaded: an engine need not write what is the same. */
  oldHandoffs: new Map<string, Handoff>(),
  contents: new Map<string, Content>(),
  newContents: new Set<string>(),
  agents: new Map<string, Agent>(),
  tasks: new Map<string, Task>(),
  newTasks: new Map<string, { readonly depends_on: readonly string[]; readonly open_deps: number }>(),
  /** To be applied before new tasks are inserted, whose counts are right already. */
  dependents: [] as { readonly uid: string; readonly by: -1 | 1 }[],
  streams: new Map<string, Stream>(),
  newStreams: new Set<string>(),
  entries: [] as NewEntry[],
  notices: [] as Notice[],
  seen: new Map<string, string>(),
  records: [] as ThoughtRecord[],
  artifacts: [] as Artifact[],
  blobs: new Map<string, Uint8Array>(),
  tokens: new Map<string, Token>(),
  sessions: new Map<string, AuditSession>(),
  runs: new Map<string, Run>(),
  blocks: [] as Block[],
  deliveries: new Map<string, Delivery>(),
  redactions: [] as Redaction[],
  idems: [] as Idem[],
})

/** The changes that others may wait for. */
export function changedBy({ handoffs, contents }: Writes): Changed {
  const names = new Set(handoffs.keys())
  const retries = new Set<string>()
  for (const { waiting_for, state, not_before } of handoffs.values()) {
    if (waiting_for !== undefined) names.add(waiting_for)
    if (state === 'retry_wait' && not_before !== undefined) retries.add(not_before)
  }
  return { names, handoffs, contents, retries }
}

/** A row that a unit leaves; an entry about its owner commits to it. */
export interface Left {
  readonly table: string
  readonly owner: string
  readonly row: object
}

/** Fields in which the entries of a unit commit to the rows that it leaves, each in the last one about its owner. */
export function statesIn<E extends { readonly subject: string }>(
  entries: readonly E[],
  left: ReadonlyMap<string, Left>,
): ReadonlyMap<E, Readonly<Record<string, string>>> {
  const states = new Map<E, Record<string, string>>()
  for (const [name, { table, owner, row }] of left) {
    const own = entries.findLast(({ subject }) => subject === owner)
    // A row that is its own owner and has no entry has changed only in what is outside.
    const entry = own ?? (name === `${table} ${owner}` ? undefined : entries.at(-1))
    if (!entry) continue
    const state = states.get(entry) ?? {}
    const count = Object.keys(state).length
    state[count === 0 ? STATE : `${STATE}.${count + 1}`] =
      `${name} ${sha256(stateText(table, row), 'base64url')}`
    states.set(entry, state)
  }
  return states
}
