import { DEFAULT_LIMITS } from '../../domain/limits.ts'

/** Document 000 wants four digits; a fifth comes after task 9999 of a year. */
const TASK_ID = /^BPRD-\d{4}-\d{4,}$/
const TAIL = /-(BPRD-\d{4}-\d{4,})-(\d{8})(?:-(\d{1,6}))?$/
/** What copies of a file are called: the same name and a time of day. */
const COPY = /_\d{6}$/
const FOLDER_PART = /^.*\//s
const ENDING = /\.(?:md|markdown|mdx)$/i

/** What document 000 says in a file name. */
export interface NameParts {
  readonly from: string
  readonly to: string
  readonly task: string
  /** `YYYYMMDD`, the day of creation in UTC. */
  readonly date: string
  /** From 2: the same sender, receiver, task and day once more. */
  readonly copy?: number
}

export type ParsedName =
  | { readonly ok: true; readonly parts: NameParts }
  | {
      readonly ok: false
      /** `shape`: no such name at all. `ambiguous`: hyphens leave several ways to read the agents. */
      readonly reason: 'shape' | 'ambiguous'
      readonly task?: string
      readonly date?: string
    }

/** A name that can stand in any folder: what is made of agents, a task and a day is never longer. */
const FILE_ID = /^handoff-[A-Za-z0-9][A-Za-z0-9._-]{0,190}$/

export const isFileId = (id: string): boolean => FILE_ID.test(id)

export const isTaskId = (text: string): boolean => TASK_ID.test(text)

/** The name of a file without folders and ending. */
export const stemOf = (path: string): string => path.replace(FOLDER_PART, '').replace(ENDING, '')

/** The name that a copy was made of. */
export const originalOf = (stem: string): string => stem.replace(COPY, '')

/**
 * The components of a handoff id. Agents may have hyphens in their names, so the known ones decide where the
 * first ends; where they leave more than one way, none is taken.
 */
export function parseName(
  id: string,
  agents: ReadonlySet<string> = new Set(Object.keys(DEFAULT_LIMITS)),
): ParsedName {
  const tail = TAIL.exec(id)
  const date = tail?.[2]
  if (!tail || !id.startsWith('handoff-') || !isDay(date!)) return { ok: false, reason: 'shape' }
  const task = tail[1]!
  const left = id.slice('handoff-'.length, tail.index)
  const splits = splitsOf(left)
  if (splits.length === 0) return { ok: false, reason: 'shape', task, date: date! }
  const known = (count: number) =>
    splits.filter((names) => names.filter((name) => agents.has(name)).length >= count)
  const fitting = [known(2), known(1), splits].find((ways) => ways.length > 0)!
  if (fitting.length > 1) return { ok: false, reason: 'ambiguous', task, date: date! }
  const [from, to] = fitting[0]!
  return { ok: true, parts: { from, to, task, date: date!, ...(tail[3] && { copy: Number(tail[3]) }) } }
}

/** The id that document 000 gives to a handoff. */
export const handoffId = (
  parts: Pick<NameParts, 'from' | 'to' | 'task'> & { readonly created_at: string },
): string =>
  `handoff-${parts.from}-${parts.to}-${parts.task}-${parts.created_at.slice(0, 10).replaceAll('-', '')}`

/** The last eight digits of a name, where they are a day: `2026-02-18`. */
export function dayInName(stem: string): string | undefined {
  const digits = /(?:^|[-_])(\d{8})(?:-\d{1,6})?$/.exec(originalOf(stem))?.[1]
  return digits !== undefined && isDay(digits) ? dayOfDigits(digits) : undefined
}

const dayOfDigits = (digits: string): string =>
  `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`

function isDay(digits: string): boolean {
  const at = Date.parse(`${dayOfDigits(digits)}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(dayOfDigits(digits))
}

/** Names have few hyphens; a name with a hundred is nobody's. */
function splitsOf(left: string): (readonly [string, string])[] {
  const words = left.split('-')
  if (words.length > 20 || words.some((word) => word === '')) return []
  return words
    .slice(1)
    .map((_, i) => [words.slice(0, i + 1).join('-'), words.slice(i + 1).join('-')] as const)
}
