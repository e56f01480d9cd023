import type { DialectId } from '../dialects/dialect.ts'
import type { Draft } from '../dialects/draft.ts'
import type { Document } from '../dialects/index.ts'
import type { RecentTexts } from '../dialects/text/sources.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Policy } from '../domain/policy.ts'
import type { OperationName } from '../operations/index.ts'
import type { Store } from '../service/service.ts'
import type { Tree } from './files/tree.ts'
import type { Said } from './said.ts'
import type { FileRow } from './state.ts'

/** What a file may decide beside a handoff's daily steps; only where `baton.yaml` lists it. */
export const ACCEPTABLE = ['verification', 'gate'] as const
export type Acceptable = (typeof ACCEPTABLE)[number]

/** What a file says, whoever wrote it. */
export type Says =
  | {
      readonly is: 'handoff'
      readonly draft: Draft
      /** Of `x_baton`: which handoff, and which revision of it the text was made from. */
      readonly uid?: string
      readonly rev?: number
      /** It looks like one of two steps of its author: a moment later it may say more. */
      readonly isHalf?: boolean
      /** Its word for its state is not the one that Baton writes: its folder's counts, or it is spelt otherwise. */
      readonly isBehind?: boolean
    }
  /** A file that is no handoff is nobody's business. */
  | { readonly is: 'nothing' }
  /** `author`: who the file says wrote it; `uid`: its handoff; both where that much can be read. */
  | {
      readonly is: 'unreadable'
      readonly reason: string
      readonly author?: string | undefined
      readonly uid?: string
    }

/** A handoff as the engine has it, and the text that its file had when both last agreed. */
export interface KnownHandoff {
  readonly handoff: Handoff
  readonly draft: Draft
  readonly base?: string | undefined
  /** The document that the handoff was made of. */
  readonly source?: Document | undefined
  /** The text that Baton last agreed on, which an author may have changed to `base`, and the kind's facts then. */
  readonly agreed?: { readonly text?: string | undefined; readonly facts: unknown } | undefined
  readonly policy?: Policy
  /** What was said about the work and the document has no key for. */
  readonly thread?: readonly Said[] | undefined
  readonly recent?: RecentTexts | undefined
}

export type FileText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: string }

/** An author's version of a file. All three drafts were read from texts of this dialect, so they can be compared. */
export interface ForeignChange {
  readonly handoff: Handoff
  /** Where the file was found, relative to the live folder. */
  readonly path: string
  /** Where Baton keeps it. */
  readonly place: string
  /** What was agreed on before; what the engine says now; what the file says. */
  readonly base: Draft
  readonly now: Draft
  readonly file: Draft
  readonly accept: ReadonlySet<Acceptable>
}

/** One operation that a file asks for, in the name of whoever it says wrote it. */
export interface PlannedCall {
  readonly actor: string
  readonly op: OperationName
  readonly input: Readonly<Record<string, unknown>>
  /** What is called instead where the guard of the home is not met. */
  readonly orElse?: (reason: string) => PlannedCall
}

export type Plan =
  /** No calls: only text changed that the engine has no field for, and it is kept. */
  | { readonly ok: true; readonly author: string; readonly calls: readonly PlannedCall[] }
  | { readonly ok: false; readonly author: string; readonly reason: string }

/** A file that is made from all the others, such as an index. */
export interface Extra {
  readonly path: string
  readonly text: string
  /** Whether a text says the same, whenever it was made. */
  same(text: string): boolean
  /** It was made on top of what is there: nothing of others is lost by it. */
  readonly keeps?: boolean
  /** Why what is there cannot be written over. */
  readonly problem?: string
  /** What a doctor says about it, though nothing can be mended. */
  readonly remarks?: readonly { readonly path: string; readonly message: string }[]
}

export interface About {
  readonly files: (ended: { readonly since: string; readonly limit: number }) => Iterable<FileRow>
  readonly now: string
  readonly policy: Policy
  /** Everything is looked at again, not only what is new. */
  readonly isWhole: boolean
  /** The text of an extra file as it is there. */
  read(path: string): string | undefined
  /** What a file beside the handoffs hashes to; undefined where there is none. */
  hash(path: string): string | undefined
  /** Names in a folder beside the handoffs, at most so many; undefined where there are more. */
  names(folder: string, most: number): readonly string[] | undefined
}

/** How one dialect lives in a folder. Everything here is pure but what is given a tree, a store or an `About`. */
export interface FolderKind {
  readonly dialect: DialectId
  /** Folders that are there from the start. */
  readonly made: readonly string[]
  /** The files that `extras` makes. */
  readonly extraPaths: readonly string[]
  /** The folders that others write into, each flat, relative to the live folder: these are scanned and watched. */
  flat(tree: Tree): readonly string[]
  /** The folders of ended handoffs, which grow: looked into when something came or went there. */
  archives?(tree: Tree): readonly string[]
  /** These and the archives, for a first pass and for the doctor. */
  every(tree: Tree): Iterable<string>
  /** Folders around these in which a file is looked for that was moved out of its place. */
  around?(tree: Tree): readonly string[]
  /** Whether a file in one of them can be a handoff, by its name. */
  isCandidate(name: string): boolean

  /** Where the file of a handoff lies; undefined for a handoff that has none in this dialect. */
  place(handoff: Handoff): string | undefined
  /** Whether it may as well lie there. */
  fits(handoff: Handoff, path: string): boolean
  /** The whole text of the file. What the base says beside the engine's fields stays. */
  write(known: KnownHandoff): FileText
  /** What the index and other extra files need of it. */
  facts(handoff: Handoff, text: string, store: Store, recent?: RecentTexts): unknown

  read(text: string, path: string, recent?: RecentTexts): Says
  /** Why a file cannot be the beginning of a handoff; undefined when it can. */
  refusesNew(draft: Draft, path: string): string | undefined
  plan(change: ForeignChange): Plan

  extras(about: About): readonly Extra[]
  /** Folders beside the handoffs that `extras` speaks of: a change in one of them makes those files anew. */
  beside?(tree: Tree): readonly string[]

  /** To move a file to another folder is a step of its author's, also while git is at work. */
  readonly movesAreSteps?: boolean
  /** Whether a second file there is a later step of the handoff whose file lies at `own`. */
  isLater?(path: string, own: string): boolean
  /** A path of the base in a team's own format. */
  at?(path: string): string
  /** Within what a handoff's id is unique, where that is not the whole folder. */
  scope?(path: string): string
  /** Looks at what lies beside the file before its steps are taken: may answer other calls. */
  judge?(
    plan: Plan & { readonly ok: true },
    change: ForeignChange,
    at: { readonly tree: Tree; readonly store: Store },
  ): Promise<Plan>
  /** Puts in place what a file speaks of, before it does. */
  prepare?(handoff: Handoff, at: { readonly tree: Tree; readonly store: Store }): Promise<void>
}

/** What git knows of the checkout that the folder lies in. */
export interface Git {
  /** Changes with every checkout, commit, reset and stash. */
  head(): string
  /** Git is in the middle of changing files. */
  isBusy(): boolean
  /** Whether the checked out commit has exactly these bytes there; the path is relative to the project. */
  holds(path: string, bytes: Uint8Array): Promise<boolean>
}
