import type { PlacedProblem } from '../../domain/problem.ts'

export type Path = readonly (string | number)[]

export interface Position {
  readonly line: number
  readonly column: number
}

/** `value: undefined` takes the key away. A path whose parents are absent makes them. */
export interface Change {
  readonly path: Path
  readonly value: unknown
}

/**
 * One piece of structured data found in a text, parsed but not judged.
 *
 * - `json`: an object of a JSON file (comments and trailing commas are read too).
 * - `yaml`: a YAML document.
 * - `markdown`: front matter and the body below it; `value` is undefined where there is no front matter.
 * - `fence`: a fenced YAML (or JSON) block inside other text.
 */
export interface Source {
  readonly kind: 'json' | 'yaml' | 'markdown' | 'fence'
  /** All of the text that the piece was found in, as given. */
  readonly text: string
  /** Where it came from, with forward slashes; only a hint. */
  readonly path?: string
  /** The piece within the text. */
  readonly start: number
  readonly end: number
  /**
   * Plain data: own keys only, never a prototype's. Numbers and booleans as the format says; see `raw` for how
   * they were written. Undefined where nothing could be parsed.
   */
  readonly value: unknown
  /** Markdown only: what stands below the front matter. */
  readonly body: string | undefined
  /** Offset of the body in the text. */
  readonly bodyAt: number
  /** What was wrong with the notation itself. */
  readonly diagnostics: readonly PlacedProblem[]
  /** The place of a value, or of the nearest parent that is there. Worked out when asked for. */
  locate(path: Path, part?: 'key' | 'value'): Position
  /** The place of an offset of the text. */
  position(offset: number): Position
  /** A scalar as it was written, without quotes: `15.10` stays `15.10`. Undefined where no scalar is. */
  raw(path: Path): string | undefined
  /** The whole text with the changes made, and every other byte as it was. */
  edit(changes: readonly Change[]): string
}
