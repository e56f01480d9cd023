import { visible } from './visible.ts'

/** A kind of key, and how its text looks. `also` must hold for what was found. */
interface SecretKind {
  readonly name: string
  readonly looks: RegExp
  readonly also?: (found: string) => boolean
  /** Text after the match that belongs to the secret; by default the rest of the word. */
  readonly rest?: RegExp
}

export interface FoundSecret {
  /** The path of the text: `summary`, `evidence[0].evidence`. */
  readonly field: string
  readonly kind: string
}

/** One of these stands in every text that holds a secret; a text without them is looked at once and left alone. */
const TRIGGER =
  /AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|xapp-|hooks\.slack\.com|AIza|GOCSPX-|k_live_|whsec_|sk-|-----BEGIN|eyJ|npm_|:\/\//
/** The shortest is a password in an address. */
const SHORTEST = 10

/** Real keys are random: they mix letters with digits and hold no word of a sample. */
const isRandom = (text: string): boolean =>
  /\d/.test(text) && /[A-Za-z]/.test(text) && new Set(text).size >= 10 && !SAMPLE.test(text)
const SAMPLE = /example|sample|placeholder|dummy|redacted|your[-_]?|changeme|xxxx|0{8}|1234567890abcdef/i

/** Each begins with something fixed, has bounded parts and ends where it begins again, so that no text makes it slow. */
// biome-ignore format: read as a table
const SECRET_KINDS: readonly SecretKind[] = [
  { name: 'an AWS access key',        looks: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,                                also: (t) => !SAMPLE.test(t) && /\d/.test(t) },
  { name: 'a GitHub token',           looks: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})\b/, also: isRandom },
  { name: 'a GitLab token',           looks: /\bglpat-[A-Za-z0-9_-]{20,200}/,                                also: isRandom },
  { name: 'a Slack token',            looks: /\b(?:xox[abeoprs]-[A-Za-z0-9-]{20,200}|xapp-\d-[A-Za-z0-9-]{20,200})/, also: isRandom },
  { name: 'a Slack webhook',          looks: /hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9]{6,20}\/[A-Za-z0-9]{6,20}\/[A-Za-z0-9]{16,64}/, also: isRandom },
  { name: 'a Google API key',         looks: /\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/,                     also: isRandom },
  { name: 'a Google client secret',   looks: /\bGOCSPX-[0-9A-Za-z_-]{28}(?![0-9A-Za-z_-])/,                  also: isRandom },
  { name: 'a Stripe key',             looks: /\b(?:[sr]k_live_[0-9A-Za-z]{16,200}|whsec_[0-9A-Za-z]{24,200})\b/, also: isRandom },
  { name: 'an API key of a model',    looks: /\bsk-(?:(?:ant|proj|svcacct|admin|or)-(?:(?!\bsk-[a-z]{2,7}-)[A-Za-z0-9_-]){24,300}|[A-Za-z0-9]{32,200})(?![A-Za-z0-9_-])/, also: isRandom },
  { name: 'a private key',            looks: /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----[\s\\rn]{0,8}(?:[A-Za-z-]{1,20}: [^\n]{0,200}\n\s*){0,8}[A-Za-z0-9+/=]{24}/, rest: /[\s\S]*?(?:-----END[^-]{0,60}-----|$)/ },
  { name: 'a JSON web token',         looks: /\beyJ(?:(?!\beyJ)[A-Za-z0-9_-]){10,4000}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{20,2000}/ },
  { name: 'an npm token',             looks: /\bnpm_[A-Za-z0-9]{36}\b/,                                      also: isRandom },
  { name: 'a password in an address', looks: /(?<=\b[a-z][a-z0-9+.-]{1,30}):\/\/[^\s:@/"'`<>]{0,100}:[^\s:@/"'`<>]{3,200}@[A-Za-z0-9[][^\s"'`<>]{0,10}/i, also: isRealPassword },
]

/** Words that stand where a password would: samples, variables and blanks. */
const STAND_IN =
  /^(?:pass(?:word|wd|phrase)?\d{0,4}|pw|pwd|secret|token|changeme|example|sample|test(?:ing)?\d{0,4}|admin|root|user(?:name)?|postgres|mysql|guest|dev|local|baton|[*.x•…]+|redacted|hidden|masked|your.*|my.*|.*[${}<>[\]%].*)$/i

function isRealPassword(found: string): boolean {
  const [, user = '', password = ''] = /:\/\/([^:]*):([^@]*)@/.exec(found) ?? []
  return password !== user && !STAND_IN.test(password)
}

/** The kind of key that a text holds; undefined where it holds none. It is never the value that is told. */
export function secretIn(text: string): string | undefined {
  if (text.length < SHORTEST) return undefined
  const shown = visible(text)
  return kindIn(text) ?? (shown === text ? undefined : kindIn(shown))
}

function kindIn(text: string): string | undefined {
  if (!TRIGGER.test(text)) return undefined
  return SECRET_KINDS.find(({ looks, also }) => {
    // Most texts hold none: this test is much cheaper than a search for all.
    if (!looks.test(text)) return false
    return !also || text.match(new RegExp(looks, `${looks.flags}g`))?.some(also)
  })?.name
}

/** A text with the kind of each key in its place, for texts that must be kept and cannot be asked for again. */
export function withoutSecrets(text: string): string {
  if (secretIn(text) === undefined) return text
  const masked = maskedIn(text)
  if (secretIn(masked) === undefined) return masked
  // Signs that nobody sees stand within it.
  const shown = maskedIn(visible(text))
  const left = secretIn(shown)
  return left === undefined ? shown : `[${left}]`
}

const REST = /[\w+/=.-]*/

const maskedIn = (text: string): string =>
  SECRET_KINDS.reduce(
    (before, { name, looks, also, rest = REST }) =>
      before.replace(new RegExp(`(${looks.source})${rest.source}`, `${looks.flags}g`), (whole, found) =>
        also && !also(found) ? whole : `[${name}]`,
      ),
    text,
  )

/** Every text of a value that holds a secret, by its field. Names of fields are texts too. */
export function secretsIn(value: unknown): readonly FoundSecret[] {
  const found: FoundSecret[] = []
  lookInto(value, '', found)
  return found
}

function lookInto(value: unknown, field: string, found: FoundSecret[]): void {
  if (typeof value === 'string') {
    const kind = secretIn(value)
    if (kind !== undefined) found.push({ field: field || 'input', kind })
  } else if (Array.isArray(value)) {
    for (const [i, each] of value.entries()) lookInto(each, `${field}[${i}]`, found)
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const [key, each] of Object.entries(value)) {
      const kind = secretIn(key)
      if (kind !== undefined) found.push({ field: `a name in ${field || 'the input'}`, kind })
      else lookInto(each, field === '' ? key : `${field}.${key}`, found)
    }
  }
}
