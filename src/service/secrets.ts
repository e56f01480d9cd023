import { toError } from '../domain/errors.ts'
import { type FoundSecret, secretsIn } from '../domain/texts/secrets.ts'
import type { View } from '../storage/store.ts'
import type { Call, ServiceDeps } from './deps.ts'
import { adminStream, logRecord } from './log-record.ts'

/** Prefixes that a use case puts before the caller's own fields. */
const WRAPPED = /^(?:input|change)\./

/** A key that stands in the log is there for all who may read it: it is refused before anything is written. */
export function refuseSecrets(input: unknown): void {
  refuseFound(find(input))
}

/**
 * The same, unless a person who is there has checked the text and says that it is not a secret. Returns the texts
 * that were found, so that the log can say who let them pass.
 */
export function passedSecrets({ actor, notSecret }: Call, input: unknown): readonly FoundSecret[] {
  const found = find(input)
  const isThere = actor.kind === 'human' && (actor.auth === 'tty' || actor.auth === 'token')
  if (!notSecret || !isThere) refuseFound(found)
  return found
}

const find = (input: unknown): readonly FoundSecret[] =>
  secretsIn(input).map(({ field, kind }) => ({ field: field.replace(WRAPPED, ''), kind }))

function refuseFound(secrets: readonly FoundSecret[]): void {
  const [first] = secrets
  if (first)
    throw toError(
      'invalid_input',
      `${first.field} holds what looks like ${first.kind}; remove it, and name the secret store or variable that holds it`,
      { secrets },
    )
}

/** Logs the person who let a text pass, its field and the kind of secret; never the text. */
export function notePassed(
  deps: ServiceDeps,
  view: View,
  { actor }: Call,
  {
    op,
    at,
    subject,
    passed,
  }: {
    readonly op: string
    readonly at: string
    readonly subject: string
    readonly passed: readonly FoundSecret[]
  },
): void {
  const stream = adminStream(deps)
  view.append({
    stream,
    subject,
    record: logRecord('secret.pass', actor, { id: stream, k: 'workspace', rev: 1 }, at),
    fields: { operation: op, subject, looks_like: passed.map(({ field, kind }) => `${field}: ${kind}`) },
  })
}
