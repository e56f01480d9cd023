import type { AuditRecord } from '../../../src/audit/entry.ts'
import type { Handoff } from '../../../src/domain/handoffs/handoff.ts'
import type { Content } from '../../../src/domain/handoffs/package.ts'
import type { Notice } from '../../../src/domain/people/notice.ts'
import type { Task, ThoughtRecord } from '../../../src/domain/tasks/task.ts'
import type {
  Append,
  DumpRow,
  Page,
  PageRequest,
  Reads,
  Store,
  Unit,
  View,
} from '../../../src/storage/store.ts'
import { aContent, aHandoff } from './builders.ts'

/** The instant of every call that does not name one; nothing that `offer` makes is due by then. */
export const AT = '2026-02-21T14:30:00.000Z'

let made = 0

/** A uid that is greater than every one made before. */
export function nextUid(): string {
  made += 1
  return `0198f000-0000-7000-8000-${String(process.pid % 100_000).padStart(5, '0')}${String(made).padStart(7, '0')}`
}

/** A handoff with ids of its own. */
export function freshHandoff(given: Partial<Handoff> = {}): Handoff {
  const uid = given.uid ?? nextUid()
  const to = given.to ?? 'codex'
  return aHandoff({ uid, id: `HO-${uid.slice(-9)}`, root: uid, waiting_for: to, ...given })
}

export function freshTask(id: string, given: Partial<Task> = {}): Task {
  return {
    uid: nextUid(),
    id,
    rev: 1,
    title: `Task ${id}`,
    status: 'todo',
    progress: 0,
    priority: 'normal',
    critical: false,
    level: 0,
    depends_on: [],
    criteria: [],
    created_at: AT,
    updated_at: AT,
    period_seq: 0,
    ...given,
  }
}

export const freshNotice = (given: Partial<Notice> = {}): Notice => ({
  uid: nextUid(),
  to: 'planner',
  kind: 'completed',
  about: nextUid(),
  about_id: 'HO-2026-001',
  text: 'Handoff HO-2026-001 is completed',
  created_at: AT,
  ...given,
})

export const freshRecord = (given: Partial<ThoughtRecord> = {}): ThoughtRecord => ({
  uid: nextUid(),
  task_id: 'T1',
  shape: 'completion',
  by: 'codex',
  tests_run: [],
  summary: '',
  blockers: [],
  files_changed: [],
  related_thought_records: [],
  created_at: AT,
  ...given,
})

/** An entry about this subject, in its own stream unless another is named. */
export function entryOf(subject: string, given: Partial<Append> & { readonly rev?: number } = {}): Append {
  const { rev = 1, ...rest } = given
  const record: Omit<AuditRecord, 'v' | 'sd'> = {
    act: 'handoff.send',
    actor: { id: 'planner' },
    auth: 'os-user',
    sub: { id: subject, k: 'handoff', rev },
    ts: AT,
  }
  return { stream: subject, subject, record, ...rest }
}

/** A unit that reads these keys and does this. */
export const unit = <T>(reads: Reads, decide: (view: View) => T, at: string = AT): Unit<T> => ({
  reads,
  at,
  decide,
})

export const run = <T>(store: Store, reads: Reads, decide: (view: View) => T, at: string = AT): Promise<T> =>
  store.transact(unit(reads, decide, at))

/** Puts a new handoff with its content and its first entry. */
export async function offer(
  store: Store,
  given: Partial<Handoff> = {},
  content: Content = aContent(),
): Promise<Handoff> {
  const handoff = freshHandoff(given)
  await run(store, { streams: [handoff.root] }, (view) => put(view, handoff, content))
  return handoff
}

/** What a decision does to make a handoff. */
export function put(view: View, handoff: Handoff, content: Content = aContent()): void {
  view.putHandoff(handoff)
  view.putContent(handoff.uid, content)
  view.append(entryOf(handoff.uid, { stream: handoff.root, rev: handoff.rev }))
}

/** Takes an offered handoff for this holder; answers nothing when somebody else has it. */
export function take(view: View, uid: string, holder: string): Handoff | undefined {
  const handoff = view.handoff(uid)
  if (handoff?.state !== 'offered') return undefined
  const taken: Handoff = { ...handoff, rev: handoff.rev + 1, state: 'in_progress', holder }
  view.putHandoff(taken)
  view.append(entryOf(uid, { stream: handoff.root, rev: taken.rev }))
  return taken
}

/** Follows the cursor to the last page. */
export async function allPages<T>(
  limit: number,
  read: (page: PageRequest) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await read({ limit, ...(cursor !== undefined && { cursor }) })
    items.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return items
}

export async function dumpOf(store: Store): Promise<readonly DumpRow[]> {
  const rows: DumpRow[] = []
  for await (const row of store.dump()) rows.push(row)
  return rows
}

/** Rows in one order and bytes as text. What a schema demands of its readers is not part of a copy. */
export const comparable = (rows: readonly DumpRow[]): readonly string[] =>
  rows
    .filter(({ table, row }) => !(table === 'meta' && String(row.key).startsWith('least_')))
    .map(({ table, row }) =>
      JSON.stringify([
        table,
        Object.entries(row)
          .map(([key, value]) => [
            key,
            value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
          ])
          .sort(),
      ]),
    )
    .sort()

/** Looks until it is so; fails loudly when it is not within the limit. */
export async function until(
  what: string,
  look: () => boolean | Promise<boolean>,
  limitMs = 30_000,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`waited ${limitMs} ms in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
