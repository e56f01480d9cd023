import { holderKey } from '../domain/actor.ts'
import type { AuditSession } from '../domain/audit-session.ts'
import type { Block } from '../domain/blocks/block.ts'
import { dueOf } from '../domain/handoffs/due.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { isOpen } from '../domain/lifecycle.ts'
import type { Delivery } from '../domain/people/delivery.ts'
import { RANK } from '../domain/priority.ts'
import type { Task } from '../domain/tasks/task.ts'
import type { Run } from '../domain/workflow/run.ts'

/** The longest text that an engine keeps in memory for the next call; what is longer is read again. */
export const MOST_REMEMBERED = 16_384

export type Cell = string | number | null | Uint8Array

/** The columns that an engine keeps beside the document, because an index or a lock needs them. */
export interface HandoffColumns {
  readonly uid: string
  readonly id: string
  readonly root: string
  readonly parent: string | null
  readonly from_agent: string
  readonly to_agent: string
  readonly task: string | null
  readonly state: string
  /** 1 until the handoff has ended. Indexes of what is open name this column, which seldom changes. */
  readonly open: number
  readonly rank: number
  readonly waiting_for: string | null
  readonly holder: string | null
  readonly due_at: string | null
  readonly due_kind: string | null
  readonly run: string | null
  readonly doc: string
}

export const handoffColumns = (h: Handoff): HandoffColumns => ({ ...placeOf(h), doc: JSON.stringify(h) })

/** The columns without the document. */
export function placeOf(h: Handoff): Omit<HandoffColumns, 'doc'> {
  const due = dueOf(h)
  return {
    uid: h.uid,
    id: h.id,
    root: h.root,
    parent: h.parent ?? null,
    from_agent: h.from,
    to_agent: h.to,
    task: h.task ?? null,
    state: h.state,
    open: isOpen(h.state) ? 1 : 0,
    rank: RANK[h.priority],
    waiting_for: h.waiting_for ?? null,
    holder: h.holder === undefined ? null : holderKey(h.holder, h.instance),
    due_at: due?.at ?? null,
    due_kind: due?.kind ?? null,
    run: h.run ?? null,
  }
}

export interface TaskColumns {
  readonly uid: string
  readonly id: string
  readonly status: string
  readonly owner: string | null
  readonly rank: number
  readonly critical: number
  readonly level: number
  readonly sort_key: string
  readonly doc: string
}

export const taskColumns = (t: Task): TaskColumns => ({
  uid: t.uid,
  id: t.id,
  status: t.status,
  owner: t.owner ?? null,
  rank: RANK[t.priority],
  critical: t.critical ? 1 : 0,
  level: t.level,
  sort_key: naturalKey(t.id),
  doc: JSON.stringify(t),
})

/** Sorts as people count: every run of digits is padded, so that P0.1.10 comes after P0.1.2. */
const naturalKey = (id: string): string => id.replace(/\d+/g, (digits) => digits.padStart(8, '0'))

export const runColumns = (run: Run) => ({
  uid: run.uid,
  id: run.id,
  name: run.name,
  state: run.state,
  doc: JSON.stringify(run),
})

export const blockColumns = (block: Block) => ({
  digest: block.digest,
  from_agent: block.from,
  phase: block.phase,
  task: block.task ?? null,
  run: block.run ?? null,
  doc: JSON.stringify(block),
})

export const deliveryColumns = (delivery: Delivery) => ({
  uid: delivery.uid,
  due_at: delivery.due_at ?? null,
  doc: JSON.stringify(delivery),
})

export const sessionColumns = (session: AuditSession) => ({
  uid: session.uid,
  id: session.id,
  by_agent: session.by,
  state: session.state,
  doc: JSON.stringify(session),
})

/** Tables in the order in which a copy writes them; columns are the same in both engines. */
export const TABLES: Readonly<Record<string, readonly string[]>> = {
  meta: ['key', 'value'],
  counter: ['name', 'value'],
  agent: ['name', 'doc'],
  task: [
    'uid',
    'id',
    'status',
    'owner',
    'rank',
    'critical',
    'level',
    'sort_key',
    'open_deps',
    'height',
    'doc',
  ],
  task_dep: ['task', 'depends_on'],
  handoff: [
    'uid',
    'id',
    'root',
    'parent',
    'from_agent',
    'to_agent',
    'task',
    'state',
    'open',
    'rank',
    'waiting_for',
    'holder',
    'due_at',
    'due_kind',
    'run',
    'doc',
  ],
  content: ['uid', 'doc'],
  stream: ['uid', 'seq', 'head', 'progress_seq'],
  entry: ['id', 'stream', 'seq', 'subject', 'act', 'at', 'hash', 'body', 'disclosures'],
  notice: ['uid', 'to_agent', 'about', 'seen_at', 'doc'],
  idem: ['actor', 'op', 'key', 'input_hash', 'subject', 'rev', 'at'],
  record: ['seq', 'uid', 'task', 'doc'],
  artifact: ['uid', 'handoff', 'doc'],
  blob: ['sha256', 'bytes'],
  token: ['hash', 'doc'],
  audit_session: ['uid', 'id', 'by_agent', 'state', 'doc'],
  tree: ['size', 'last', 'edge'],
  tile: ['level', 'n', 'first', 'bytes'],
  checkpoint: ['size', 'at', 'note'],
  run: ['uid', 'id', 'name', 'state', 'doc'],
  block: ['seq', 'digest', 'from_agent', 'phase', 'task', 'run', 'doc'],
  delivery: ['uid', 'due_at', 'doc'],
}
