import { BatonError, invalidInput } from '../../../domain/errors.ts'
import type { Session } from '../session/session.ts'

type Input = Record<string, unknown>

/** As many characters as a deliverable may have. */
const LONGEST_NAME = 2_000

/** Splits `deliverable=proof` by the handoff's own deliverables, because their names may hold `=`. */
export async function withEvidence(
  session: Session,
  input: Input,
  { field, option }: { readonly field: string; readonly option: string },
): Promise<Input> {
  const given = input[field]
  if (!Array.isArray(given) || !given.some((each) => typeof each === 'string')) return input
  const { package: pack } = await session.call('handoff_get', { id: input.id })
  const known = (pack.deliverables ?? []).map((deliverable) => deliverable.trim())
  const pairs = given.map((each) => (typeof each === 'string' ? toEvidence(each, known, option) : each))
  return { ...input, [field]: pairs }
}

/** A whole name wins over the beginning of one, and the longer over the shorter; a name alone proves nothing. */
export function toEvidence(text: string, known: readonly string[], option: string) {
  const pairs = [...text.slice(0, LONGEST_NAME + 2).matchAll(/=/g)]
    .map(({ index }) => ({
      deliverable: text.slice(0, index).trim(),
      evidence: text.slice(index + 1).trim(),
    }))
    .filter(({ deliverable, evidence }) => deliverable !== '' && evidence !== '')
  const begun = (name: string) => known.find((each) => each.toLowerCase().startsWith(name.toLowerCase()))
  const alone = text.trim().replace(/\s*=$/, '')
  const whole = pairs.findLast(({ deliverable }) => known.includes(deliverable))
  if (whole && !known.includes(alone)) return whole
  const name = begun(alone)
  const pair = pairs.findLast(({ deliverable }) => begun(deliverable)) ?? pairs[0]
  if (pair && name === undefined) return pair
  throw invalidInput(
    `--${option} ${JSON.stringify(text)} is not a pair, --${option} "${name ?? 'deliverable'}=…" with what shows that it is there`,
    { option, value: text },
  )
}

/** A refusal for want of evidence, with the words to type. */
export function withFix(error: unknown, option: string, fix: (options: string) => string): unknown {
  if (!(error instanceof BatonError) || error.code !== 'unmet') return error
  const wanted = missing(error.details.unmet)
  if (wanted.length === 0) return error
  const options = wanted.map((deliverable) => `--${option} "${deliverable}=…"`).join(' ')
  return new BatonError('unmet', `${error.message}; ${fix(options)}`, error.details, error)
}

/** Deliverables for which nothing was shown. */
function missing(unmet: unknown): readonly string[] {
  if (!Array.isArray(unmet)) return []
  return unmet.flatMap(({ code, message }: { code?: unknown; message?: unknown }) => {
    const [, deliverable] = /"(.*)"/s.exec(String(message)) ?? []
    return code === 'deliverable_without_evidence' && deliverable !== undefined ? [deliverable] : []
  })
}
