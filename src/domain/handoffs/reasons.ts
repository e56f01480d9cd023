import type { Handoff } from './handoff.ts'

type Reason = NonNullable<Handoff['rejection']>

/** Reasons that are kept with the refusals and end nothing: the work went to another, or back to its receiver. */
const GOES_ON: readonly string[] = ['reassigned', 'given_back']

/** Why it was refused or cancelled. */
export const endReason = ({ rejection }: Handoff): Reason | undefined =>
  rejection && !GOES_ON.includes(rejection.type) ? rejection : undefined

/** Why the verifier gave it back, until it is handed in again. */
export const givenBack = ({ rejection }: Handoff): Reason | undefined =>
  rejection?.type === 'given_back' ? rejection : undefined
