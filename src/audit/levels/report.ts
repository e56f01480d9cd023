export const LEVELS = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5', 'L6'] as const
export type Level = (typeof LEVELS)[number]

/**
 * The result of a level. `not_asked`: the verifier was given nothing to compare with. `nothing`: there is nothing of
 * its kind in the log. `unverifiable`: what it needs is missing, so nothing is known either way.
 */
export type Verdict = 'ok' | 'failed' | 'unverifiable' | 'not_asked' | 'nothing'

export interface Bad {
  /** `entry 12 (3 of stream 018f…)`, or the name of a file. */
  readonly where: string
  readonly reason: string
  /** Index in the log, where it is about an entry. */
  readonly entry?: number
}

export interface LevelReport {
  readonly level: Level
  readonly title: string
  readonly verdict: Verdict
  readonly summary: string
  readonly counts: Readonly<Record<string, number>>
  readonly first_bad?: Bad
  /** How many places are bad, as far as it was looked. */
  readonly bad: number
  readonly does_not_prove: string
}

export interface Verification {
  readonly verdict: 'ok' | 'tampered' | 'unverifiable'
  readonly origin?: string
  readonly size?: number
  /** Base64 of the root that was computed from the entries. */
  readonly root?: string
  readonly levels: readonly LevelReport[]
  /** Files beside the export that were not looked at. */
  readonly ignored: readonly string[]
}

export const EXIT = { ok: 0, tampered: 1, unverifiable: 2, usage: 3 } as const

const TITLES: Readonly<Record<Level, string>> = {
  L0: 'chains',
  L1: 'signed checkpoints',
  L2: 'your checkpoint',
  L3: 'witnesses',
  L4: 'agents’ signatures',
  L5: 'disclosures',
  L6: 'replay',
}

const DOES_NOT_PROVE: Readonly<Record<Level, string>> = {
  L0: 'that these are the entries first written. A person with write access to the database can rewrite or shorten every chain',
  L1: 'that this is the only history its key has signed, nor that nothing newer was dropped. Compare the key with one from another source',
  L2: 'anything about entries newer than the checkpoint that you kept, nor that others were shown the same log',
  L3: 'that the witnesses are honest or independent of the log; they saw a tree head, not what the entries say',
  L4: 'that what an agent signed is true, nor who held its key; records without a signature may be anybody’s',
  L5: 'that the texts are true; redacted ones cannot be read again, only that they once were there is kept',
  L6: 'that the work was done, the tests were run or the times are right. The log proves statements, not their truth',
}

/** Collects what one level finds: the first bad place in full, of the others the number. */
export class Tally {
  readonly counts: Record<string, number> = {}
  #first: Bad | undefined
  #bad = 0

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by
  }

  bad(where: string, reason: string, entry?: number): void {
    this.#first ??= { where, reason, ...(entry !== undefined && { entry }) }
    this.#bad += 1
  }

  /** Failed where anything bad was found, else what is given. */
  report(level: Level, verdict: Exclude<Verdict, 'failed'>, summary: string): LevelReport {
    return {
      level,
      title: TITLES[level],
      verdict: this.#first ? 'failed' : verdict,
      summary: this.#first ? `${this.#first.where}: ${this.#first.reason}${more(this.#bad)}` : summary,
      counts: this.counts,
      ...(this.#first && { first_bad: this.#first }),
      bad: this.#bad,
      does_not_prove: DOES_NOT_PROVE[level],
    }
  }
}

/** A level that could not be judged. */
export const withoutVerdict = (
  level: Level,
  verdict: 'unverifiable' | 'not_asked',
  summary: string,
): LevelReport => new Tally().report(level, verdict, summary)

export function verdictOf(levels: readonly LevelReport[]): Verification['verdict'] {
  if (levels.some(({ verdict }) => verdict === 'failed')) return 'tampered'
  return levels.some(({ verdict }) => verdict === 'unverifiable') ? 'unverifiable' : 'ok'
}

const more = (bad: number): string => (bad > 1 ? `, and ${bad - 1} more` : '')

/** `1,234 entries`, `1 entry`. */
export function amount(count: number, one: string, many = `${one}s`): string {
  return `${String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')} ${count === 1 ? one : many}`
}
