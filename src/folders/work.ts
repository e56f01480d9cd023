import type { Document } from '../dialects/index.ts'
import type { RecentTexts } from '../dialects/text/sources.ts'
import { AgentName } from '../domain/agent.ts'
import { BatonError } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { kindOf } from '../domain/policy.ts'
import type { PlacedProblem } from '../domain/problem.ts'
import type { Call } from '../service/deps.ts'
import { draftOf } from '../service/documents/export.ts'
import type { Service } from '../service/service.ts'
import { COARSE_MS, type FolderStamp, type FoundFile, SAME_INSTANT_MS, type Tree } from './files/tree.ts'
import type { Acceptable, FolderKind, Git, Says } from './folder.ts'
import { saidOf } from './said.ts'
import type { FolderState } from './state.ts'

/** What became of one file in a pass. */
export interface Happened {
  readonly what: 'written' | 'moved' | 'taken_in' | 'created' | 'refused' | 'conflict' | 'put_back' | 'left'
  /** Relative to the project. */
  readonly path: string
  readonly id?: string
  readonly uid?: string
  readonly reason?: string
}

/** One live folder in one pass. */
export interface Work {
  readonly kind: FolderKind
  readonly tree: Tree
  readonly state: FolderState
  readonly service: Service
  readonly git?: Git | undefined
  readonly accept: ReadonlySet<Acceptable>
  /** Of the folder, relative to the project: `_handoffs`. */
  readonly path: string
  /** No pass over the folder has come to its end yet. */
  readonly isFirst: boolean
  /** Files lay there before Baton came: they were made elsewhere and are taken as they stand. */
  readonly isAdopting: boolean
  /** Every file is looked at again, and all that is derived is made anew. */
  readonly isThorough: boolean
  /** Git checked something out since the last pass. */
  readonly isMovedByGit: boolean
  readonly happened: Happened[]
  readonly recent: RecentTexts
  /** The work under way about handoffs of these names. */
  readonly turns: Map<string, Promise<unknown>>
  /** The kind's `read`, which takes no second time for the same text. */
  read(text: string, path: string): Says
}

export interface Author {
  readonly path: string
  readonly found: FoundFile
  readonly text: string
  readonly says: Says & { readonly is: 'handoff' }
}

export const note = (work: Work, happened: Happened): void => {
  work.happened.push({ ...happened, path: inProject(work, happened.path) })
}

/** Whether nothing came into a folder or went from it since it was looked at. */
export function isSameFolder(seen: { stamp: string; at: number } | undefined, now: FolderStamp): boolean {
  if (seen?.stamp !== now.stamp) return false
  const step = now.atNs % 1_000_000_000n === 0n ? COARSE_MS : SAME_INSTANT_MS
  return Number(now.atNs / 1_000_000n) + step < seen.at
}

/** The id of a handoff in the files of a format. */
export const aliasOf = ({ aliases, id }: Handoff, home: 'markdown' | 'queue' | 'package'): string =>
  aliases?.[home] ?? id

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const folderOf = (path: string): string =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''

/** A file that is there and can be read; the reason where it cannot. */
export const readQuietly = (work: Work, path: string, most?: number): FoundFile | string | undefined =>
  quietly(() => work.tree.read(path, most), String)

/** A link or an odd name in one place must not keep the others from being looked at. */
export function quietly<T, U = undefined>(look: () => T, refused?: (reason: string) => U): T | U | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof BatonError) return refused?.(error.message)
    throw error
  }
}

/** All errors of a document, in one line. */
export const problemsIn = (document: Document | undefined): string | undefined =>
  problemList(document?.diagnostics.filter(({ severity }) => severity === 'error') ?? [])

export const problemList = (problems: readonly PlacedProblem[]): string | undefined =>
  problems.map(({ line, message }) => `line ${line}: ${message}`).join('; ') || undefined

export const inProject = (work: Work, path: string): string =>
  work.path === '.' ? path : `${work.path}/${path}`

/** The text of a file; undefined where its bytes are none. */
export function utf8Text({ bytes }: FoundFile): string | undefined {
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined
}

/** Who a file says wrote it, as everybody is known by; undefined where nobody can have that name. */
export const authorIn = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : AgentName.safeParse(text).data

/** The call of whoever a file says wrote it. Nobody vouches for that, and the log says so. */
export async function claimed(work: Work, said: string): Promise<Call> {
  const { policy, store } = work.service.deps
  const name = authorIn(said)
  if (name === undefined) throw new BatonError('invalid_input', `${JSON.stringify(said)} ${NO_NAME}`)
  return { actor: { name, kind: kindOf(policy, name, await store.agent(name)), auth: 'file' } }
}

const NO_NAME = "cannot be an agent's name; write letters, digits, dots, dashes or underscores"

/** What the engine would write today, on top of a text that was agreed on; the reason where there can be no file. */
export async function textFor(work: Work, handoff: Handoff, base?: string): Promise<string | Unwritable> {
  const { deps } = work.service
  const { recent } = work
  const { draft, content, document } = await draftOf(deps, handoff, recent)
  const agreed = base === undefined ? undefined : work.state.file(work.path, handoff.uid)
  const thread = saidOf(handoff, content)
  const about = { handoff, draft, base, agreed, policy: deps.policy, thread, recent }
  const written = work.kind.write({ ...about, source: document })
  return written.ok ? written.text : new Unwritable(handoff, written.missing)
}

/** A handoff of this home that the dialect cannot write: it lives in the engine alone. */
class Unwritable extends BatonError {
  constructor({ id }: Handoff, missing: string) {
    super('unmet', `${id} has no file: its document also needs ${missing}`, { id, missing })
  }
}
