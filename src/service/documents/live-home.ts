import { handoffId, isFileId, isTaskId } from '../../dialects/markdown/names.ts'
import { isSafeName as isPackageId } from '../../dialects/package/files/session.ts'
import { isSafeName as isQueueId } from '../../dialects/queue/names.ts'
import type { Package } from '../../domain/handoffs/package.ts'
import { HOME_RULES, type Home } from '../../domain/home.ts'
import type { ServiceDeps } from '../deps.ts'
import { refuse } from '../write.ts'

/** A handoff that gets a file, as its sender gives it. */
interface Said {
  readonly from: string
  readonly to: string
  readonly title: string
  readonly task?: string | undefined
  readonly package: Package
}

/** The option that people type for a field of the document. */
const TYPED: Readonly<Record<string, string>> = {
  task: '--task BPRD-YYYY-NNNN',
  'package.purpose': '--purpose',
  'package.context': '--context',
  'package.deliverables': '--deliverable',
  'package.criteria': '--criterion',
}

/** A handoff that lives in a file says all that its document demands, and hears of everything that is missing at once. */
export async function demandWritable({ live, now }: ServiceDeps, home: Home, said: Said): Promise<void> {
  if (!HOME_RULES[home].fullFile || !live?.has(home)) return
  // Loaded late: a command that needs no documents would take longer to load them than to run.
  const { toNative } = await import('../../dialects/markdown/write.ts')
  const { from, to, title, task, package: travels } = said
  const created_at = now().toISOString()
  const draft = { from, to, title, state: 'draft' as const, created_at, package: travels }
  const made = toNative(task === undefined ? draft : { ...draft, task })
  const missing = [
    ...(made.ok ? [] : made.missing.map(({ field }) => TYPED[field] ?? field)),
    ...(travels.links?.meeting ? [] : ['--meeting']),
    ...(travels.links?.skill ? [] : ['--skill']),
  ]
  if (missing.length > 0)
    refuse('invalid_input', `a handoff in the markdown format also needs ${missing.join(', ')}`, { missing })
}

/** A name that any folder can hold, and what to write instead of one that it cannot. */
const FILE_IDS: Partial<
  Record<Home, readonly [fits: (id: string) => boolean, form: (id: string) => string]>
> = {
  markdown: [isFileId, (id) => `an id like handoff-${id.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 100)}`],
  queue: [isQueueId, () => LETTERS],
  package: [isPackageId, () => LETTERS],
}
const LETTERS = 'letters, digits, dots, dashes and underscores, for example limits-1'

/** An id that the sender chose is the name of the file; one that cannot be would leave the handoff without a file. */
export function demandFileId({ live }: ServiceDeps, home: Home, id: string | undefined): void {
  const [fits, form] = FILE_IDS[home] ?? []
  if (id === undefined || !live?.has(home) || !fits || !form || fits(id)) return
  refuse('invalid_input', `${id} cannot be the name of its file; write ${form(id)}`, { id })
}

/** More than one task is handed over between two agents on one day. */
const MOST_A_DAY = 1_000

/**
 * Document 000's own id: sender, receiver, task and day, with a number from the second of a day on. Of two at once
 * the task's lock lets one in.
 */
export async function documentId(
  { store, now }: ServiceDeps,
  { home, from, to, task }: Pick<Said, 'from' | 'to' | 'task'> & { readonly home: Home },
): Promise<string | undefined> {
  if (HOME_RULES[home].ids !== 'parties' || task === undefined || !isTaskId(task)) return undefined
  const id = handoffId({ from, to, task, created_at: now().toISOString() })
  for (let n = 1; n <= MOST_A_DAY; n++) {
    const candidate = n === 1 ? id : `${id}-${n}`
    if (!(await store.handoff(candidate))) return candidate
  }
  return refuse('conflict', `${id} was used ${MOST_A_DAY} times today`, { id })
}
