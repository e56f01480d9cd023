import type { PlacedProblem } from '../domain/problem.ts'
import type { Draft } from './draft.ts'
import type { Source } from './text/source.ts'

export const DIALECTS = ['markdown', 'queue', 'block', 'writeback', 'package'] as const
export type DialectId = (typeof DIALECTS)[number]

export interface Interpretation {
  /** Absent when the text says nothing that could be used, or nothing of a single handoff (an index, a state file). */
  readonly draft?: Draft
  readonly diagnostics: readonly PlacedProblem[]
  /**
   * Where the document keeps a value that the dialect would write elsewhere, for example under a capitalised
   * or old key: native path, joined with dots, to the path found. A later change goes there.
   */
  readonly places?: ReadonlyMap<string, readonly (string | number)[]>
}

/** Something that the draft says and the written text does not. */
export interface Loss {
  /** A field of the draft, for example `priority` or `package.summary`. */
  readonly field: string
  readonly reason: string
}

/** Something that the dialect demands and the draft does not say. It is asked for, never made up. */
export type DraftProblem = Loss

/** All that a draft says in the keys of a dialect, whether or not it is enough for a document. */
export type Native = { readonly value: Record<string, unknown>; readonly body?: string } & (
  | { readonly ok: true }
  | { readonly ok: false; readonly missing: readonly DraftProblem[] }
)

/**
 * One handoff format. Reading never throws: whatever an agent wrote, the answer says what could be understood,
 * what was wrong and where. Writing gives one strict form.
 */
export interface Dialect {
  readonly id: DialectId
  readonly title: string
  /** Which of this dialect's forms a parsed text has, if any. Cheap: it looks at the path and a few keys. */
  formOf(source: Source): string | undefined
  interpret(source: Source, form: string): Interpretation
  /** A draft in the dialect's own keys, in their order. */
  toNative(draft: Draft): Native
  /** The text of a native value, in the strict form. */
  print(native: { readonly value: Record<string, unknown>; readonly body?: string }): string
  /** Why the text does not say a field such as `priority` or `package.summary`, where the dialect has a reason. */
  reasonFor(field: string, draft: Draft): string | undefined
  /** Where the `x_baton` slot stands among the native keys, for example `['context', 'x_baton']`. */
  readonly slot: readonly string[]
}
