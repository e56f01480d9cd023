import type { Draft } from '../dialects/draft.ts'
import { BatonError } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoff.ts'
import { kindOf } from '../domain/policy.ts'
import type { Call } from '../service/deps.ts'
import { draftOf } from '../service/document-export.ts'
import type { Service } from '../service/service.ts'
import type { Acceptable, FolderKind, Git, Says } from './folder.ts'
import type { FolderState } from './state.ts'
import type { Found, Tree } from './tree.ts'

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
  /** The folder is seen for the first time: what lies there was made elsewhere and is taken as it stands. */
  readonly isFirst: boolean
  /** Git checked something out since the last pass. */
  readonly isMovedByGit: boolean
  readonly happened: Happened[]
}

export interface Author {
  readonly path: string
  readonly found: Found
  readonly text: string
  readonly says: Says & { readonly is: 'handoff' }
}

export const note = (work: Work, happened: Happened): void => {
  work.happened.push({ ...happened, path: inProject(work, happened.path) })
}

export const inProject = (work: Work, path: string): string =>
  work.path === '.' ? path : `${work.path}/${path}`

/** The text of a file; undefined where its bytes are none. */
export function textOf({ bytes }: Found): string | undefined {
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined
}

/** Who a file says wrote it. Nobody vouches for that, and the log says so. */
export async function claimed(work: Work, name: string): Promise<Call> {
  const { policy, store } = work.service.deps
  const agent = (await store.agents()).find((each) => each.name === name)
  return { actor: { name, kind: kindOf(policy, name, agent), auth: 'file' } }
}

export const engineDraft = async (work: Work, handoff: Handoff): Promise<Draft> =>
  (await draftOf(work.service.deps, handoff)).draft

/** What the engine would write today, on top of a text that was agreed on. */
export async function textFor(work: Work, handoff: Handoff, base?: string): Promise<string> {
  const draft = await engineDraft(work, handoff)
  const written = work.kind.write({ handoff, draft, base, policy: work.service.deps.policy })
  if (written.ok) return written.text
  throw new Unwritable(handoff, written.missing)
}

/** A handoff of this home that the dialect cannot write: it lives in the engine alone. */
export class Unwritable extends BatonError {
  constructor({ id }: Handoff, missing: string) {
    super('unmet', `${id} has no file: its document also needs ${missing}`, { id, missing })
  }
}
