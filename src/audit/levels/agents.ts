import { AgentSignatures } from '../agent-signatures.ts'
import { entryPlace } from './chains.ts'
import { utf8 } from './files.ts'
import type { Platform } from './platform.ts'
import type { GoodEntry } from './read-entry.ts'
import { amount, type LevelReport, Tally } from './report.ts'

interface Noted {
  readonly index: number
  readonly entry: GoodEntry
  readonly disclosures: readonly Uint8Array[]
}

/** The acts that give an agent a key, and those that agents sign. */
const ACTS = new Set(['agent.key', 'thought_record', 'task.reinstate'])

/** L4: what agents signed themselves, with keys that the log gave them before. */
export class AgentCheck {
  readonly #findings = new Tally()
  readonly #signatures: AgentSignatures
  #noted: Noted[] = []
  #unsigned: Noted | undefined

  constructor({ sha256, isSigned }: Platform) {
    this.#signatures = new AgentSignatures(sha256, isSigned)
  }

  /** Whether the texts of an entry matter here. */
  wants({ record }: GoodEntry): boolean {
    return record !== undefined && ACTS.has(record.act)
  }

  note(index: number, entry: GoodEntry, disclosures: readonly Uint8Array[]): void {
    this.#noted.push({ index, entry, disclosures })
  }

  /** Judges what was noted, in its order: a browser takes its time over a signature. */
  async judge(): Promise<void> {
    for (const noted of this.#noted) {
      const { index, entry, disclosures } = noted
      const sd = Object.fromEntries(entry.digests.map(({ name, digest }) => [name, digest]))
      const verdict = await this.#signatures.check({
        origin: entry.origin,
        record: { ...entry.record, sd },
        disclosed: new Map(disclosures.flatMap(opened)),
      })
      if (verdict.is === 'bad')
        this.#findings.bad(entryPlace(index, entry.stream, entry.seq), verdict.reason, index)
      else if (verdict.is !== 'none') this.#findings.count(verdict.is)
      if (verdict.is === 'unsigned') this.#unsigned ??= noted
    }
    this.#noted = []
  }

  report(): LevelReport {
    const { signed = 0, unsigned = 0, redacted = 0, key = 0 } = this.#findings.counts
    const gone = redacted === 0 ? '' : `, ${redacted} redacted`
    const report = (verdict: 'ok' | 'nothing' | 'unverifiable', summary: string) =>
      this.#findings.report('L4', verdict, summary)
    if (this.#unsigned) {
      const { index, entry } = this.#unsigned
      const place = entryPlace(index, entry.stream, entry.seq)
      const more = `${place} and ${unsigned - 1} more`
      return report(
        'unverifiable',
        `${more} are not signed, though their agents have keys: they may be anybody’s`,
      )
    }
    if (signed + redacted > 0)
      return report('ok', `${amount(signed, 'record')} signed by ${amount(key, 'key')} of agents${gone}`)
    return key === 0
      ? report('nothing', 'no agent has a key, so anybody may have written their records')
      : report('nothing', 'no record is signed yet')
  }
}

/** Name and value of a disclosure; nothing where it is not one, which L5 says. */
function opened(disclosure: Uint8Array): readonly (readonly [string, unknown])[] {
  try {
    const coded = utf8(disclosure)!.replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(coded), (letter) => letter.charCodeAt(0))
    const [, name, value] = JSON.parse(utf8(bytes)!) as unknown[]
    return [[String(name), value]]
  } catch {
    return []
  }
}
