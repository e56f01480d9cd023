import type { GoodEntry } from './read-entry.ts'
import { Findings, type LevelReport } from './report.ts'

/** L4: what agents signed themselves. */
export class AgentCheck {
  readonly #findings = new Findings()

  check(_index: number, _entry: GoodEntry): void {}

  report(): LevelReport {
    return this.#findings.report('L4', 'nothing', 'no record in this log is signed by an agent')
  }
}
