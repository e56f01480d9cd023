import type { Package } from '../handoffs/package.ts'
import { once } from '../once.ts'
import type { FieldProblem } from '../problem.ts'

/** Words that sound like a criterion and name nothing that could be measured. Lower case. */
const VAGUE: ReadonlySet<string> = new Set(
  `good nice great clean cleanly neat tidy elegant beautiful quick quickly fast faster soon asap proper
  properly better appropriate appropriately adequate adequately sufficient sufficiently reasonable
  reasonably acceptable decent robust robustly reliably efficient efficiently optimal optimally scalable
  maintainable intuitive easy easily seamless seamlessly smoothly gracefully user-friendly high-quality
  well-written well-structured well-designed production-ready state-of-the-art`.split(/\s+/),
)

/**
 * Signs that a sentence with a vague word is measurable all the same. Case matters where a tool or a standard is
 * spelt like a word. Each is a plain list: none backtracks.
 */
const MEASURES: readonly RegExp[] = [
  // A number of its own; the digits of an id (P0.1.2, OAuth2, BPRD-2026-0042) measure nothing.
  /(?:^|[\s(<>=≤≥~:+±$€])\d/,
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|half|twice)\b/i,
  /[<>=≤≥]|\bthan\b|\bat (?:least|most)\b|\bequals?\b|\bexactly\b/i,
  /\bpass(?:es|ed|ing)?\b|\b(?:none|no|zero|nothing|never|without)\b/i,
  /`[^`]+`|\b(?:npm|npx|pnpm|tsc|eslint|biome|prettier|jest|vitest|mocha|pytest|mypy|ruff|cargo)\b/i,
  /\b(?:clippy|docker|git|lint|linter|playwright|cypress|lighthouse|semgrep|codeql|sonarqube|snyk|axe|k6)\b/i,
  /\b(?:CI|OWASP|WCAG|RFC|ISO|IEEE|NIST|GDPR|HIPAA|PCI|SOC|CVE|CWE|CVSS|ARIA|POSIX|SemVer|MISRA|PEP|PSR)\b/,
]

/** Words that tell nothing of the work. A summary made of them alone is empty, in whatever order. */
const EMPTY: ReadonlySet<string> = new Set(
  `done finished finish finally completed complete ok okay ready wip fixed works working good fine great
  all everything it its thats is was are be been has have had the a an this that these those i we you im ive
  were youre now already just so and with my our your here there task tasks work job thing things stuff
  part step phase as discussed agreed planned requested asked described mentioned see look check above
  below before earlier previous previously attached please thanks in on of for to by at from up
  progress`.split(/\s+/),
)

const LEAST_WORDS = 4
/** Scripts that put no spaces between words: there every sign counts as a word. */
const word = once(
  () => /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}]|[\p{L}\p{N}\p{M}]+/gu,
)

/**
 * The first vague word, as written, of a text that gives nothing to measure it by; undefined when the text
 * can stand as a criterion. It is a lint and no judge: doubtful sentences pass.
 */
export function vagueWord(text: string): string | undefined {
  const words = text.match(/\p{L}[\p{L}\p{M}-]*/gu) ?? []
  const vague = words.find((word) => VAGUE.has(word.toLowerCase()))
  return vague === undefined || MEASURES.some((measure) => measure.test(text)) ? undefined : vague
}

/** Whether a summary tells its reader nothing: "It's done", "see above", or fewer than four words at all. */
export function isVacuousSummary(text: string): boolean {
  const words =
    text
      .toLowerCase()
      .replace(/['’‘ʼ`´]/g, '')
      .match(word()) ?? []
  return words.length < LEAST_WORDS || words.every((word) => EMPTY.has(word))
}

/** Findings that hold for every format: a summary that says nothing, criteria without a measure. */
export function vagueIn({ summary, criteria = [], constraints = [] }: Package): readonly FieldProblem[] {
  const found: FieldProblem[] = []
  if (summary !== undefined && isVacuousSummary(summary)) {
    const message = `"${summary}" tells the receiver nothing; say what was done and what is needed`
    found.push({ severity: 'error', code: 'vacuous_summary', field: 'package.summary', message })
  }
  const measured = (list: readonly string[], name: string, say: (text: string, word: string) => string) => {
    for (const [i, text] of list.entries()) {
      const word = vagueWord(text)
      if (word === undefined) continue
      const message = `${say(text, word)}; name a number, a tool or a test that decides it`
      found.push({ severity: 'warning', code: 'not_measurable', field: `package.${name}.${i}`, message })
    }
  }
  measured(criteria, 'criteria', (text, word) => `criterion "${text}" is not measurable ("${word}")`)
  measured(constraints, 'constraints', (_, word) => constraintNotMeasurable(word))
  return found
}

/** Document 004 quotes the word, not the sentence. */
export const constraintNotMeasurable = (word: string): string => `Constraint '${word}' not measurable`
