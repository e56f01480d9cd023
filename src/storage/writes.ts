import type { Agent } from '../domain/agent.ts'
import type { AuditSession } from '../domain/audit-session.ts'
import type { Block } from '../domain/blocks/block.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Content } from '../domain/handoffs/package.ts'
import type { Delivery } from '../domain/people/delivery.ts'
import type { Notice } from '../domain/people/notice.ts'
import type { Task, ThoughtRecord } from '../domain/tasks/task.ts'
import type { Run } from '../domain/workflow/run.ts'
import type { Artifact, Idem, Stream, Token } from './store.ts'
import type { Redaction } from './view.ts'

export interface NewEntry {
  readonly stream: string
  readonly seq: number
  readonly subject: string
  readonly act: string
  readonly at: string
  readonly hash: string
  readonly body: string
  readonly disclosures?: readonly string[]
}

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
