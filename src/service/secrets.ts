import { isSeenPerson } from '../domain/actor.ts'
import { toError } from '../domain/errors.ts'
import { type FoundSecret, secretsIn } from '../domain/texts/secrets.ts'
import type { Call } from './deps.ts'
import type { Step } from './handoffs/moves.ts'
import { adminStream, enter } from './log-record.ts'

/** Prefixes that a use case of a known subject puts before the caller's own fields. */
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
  if (!notSecret || !isSeenPerson(actor)) refuseFound(found)
  return found
}

function find(input: unknown): readonly FoundSecret[] {
  const found = secretsIn(input)
  if (Object(input).uid === undefined) return found
  return found.map(({ field, kind }) => ({ field: field.replace(WRAPPED, ''), kind }))
}

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
  step: Step,
  operation: string,
  subject: string,
  passed: readonly FoundSecret[],
): void {
  const looks_like = passed.map(({ field, kind }) => `${field}: ${kind}`)
  const fields = { operation, subject, looks_like }
  enter(step, 'secret.pass', { k: 'workspace', id: adminStream(step.deps), subject, fields })
}
