/**
 * Every step that a handoff can take, as the log names it: the states before and after. Written down a second time,
 * apart from the program that takes the steps, so that the one cannot hide a mistake of the other. A test compares.
 */
// biome-ignore format: read as a table
export const HANDOFF_STEPS: Readonly<Record<string, readonly string[]>> = {
  'handoff.send':           ['draft>offered'],
  'handoff.amend':          ['draft>draft', 'offered>offered', 'needs_input>offered'],
  'handoff.expire':         ['draft>expired', 'offered>expired', 'needs_input>expired'],
  'handoff.time_out':       ['offered>failed', 'accepted>failed', 'in_progress>failed', 'blocked>failed'],
  'handoff.accept':         ['offered>accepted', 'offered>in_progress'],
  'handoff.revive':         ['offered>in_progress', 'retry_wait>in_progress'],
  'handoff.start':          ['accepted>in_progress'],
  'handoff.ask':            ['offered>needs_input', 'accepted>needs_input', 'in_progress>needs_input'],
  'handoff.accept_partial': ['offered>needs_input', 'accepted>needs_input', 'in_progress>needs_input'],
  'handoff.await_person':   ['offered>needs_input'],
  'handoff.answer':         ['needs_input>offered', 'needs_input>accepted', 'needs_input>in_progress', 'needs_input>needs_input'],
  'gate.approve':           ['needs_input>completed'],
  'gate.question':          ['needs_input>needs_input'],
  'gate.reject':            ['needs_input>rejected'],
  'handoff.reject':         ['offered>rejected', 'accepted>rejected', 'in_progress>rejected', 'blocked>rejected', 'needs_input>rejected', 'in_review>rejected'],
  'handoff.block':          ['in_progress>blocked'],
  'handoff.unblock':        ['blocked>in_progress'],
  'handoff.submit':         ['accepted>in_review', 'in_progress>in_review', 'in_progress>completed', 'in_review>completed'],
  'handoff.complete':       ['in_progress>completed', 'in_review>completed'],
  'handoff.verify_pass':    ['in_progress>completed', 'in_review>completed'],
  'handoff.verify_fail':    ['in_review>in_progress'],
  'handoff.fail':           ['in_progress>failed', 'blocked>failed'],
  'handoff.retry_later':    ['accepted>retry_wait', 'in_progress>retry_wait', 'blocked>retry_wait'],
  'handoff.retry':          ['retry_wait>offered', 'failed>offered'],
  'handoff.reassign':       ['offered>offered', 'accepted>offered', 'in_progress>offered', 'blocked>offered', 'failed>offered'],
  'handoff.release':        ['accepted>offered', 'in_progress>offered', 'blocked>offered', 'needs_input>needs_input'],
  'handoff.cancel':         ['draft>cancelled', 'offered>cancelled', 'accepted>cancelled', 'in_progress>cancelled', 'blocked>cancelled', 'needs_input>cancelled', 'in_review>cancelled', 'retry_wait>cancelled'],
}

/** How a handoff comes into being, and in which state. A document from elsewhere is taken as it stands. */
export const HANDOFF_BIRTHS: Readonly<Record<string, readonly string[]>> = {
  'handoff.create': ['draft'],
  'handoff.return': ['offered'],
  'handoff.imported': [],
}

/** States in which a sign of life makes sense. */
export const UNDER_WAY: readonly string[] = ['accepted', 'in_progress', 'blocked']

/** Whether the step is in the table; a name that the table does not know may take any step that some name may. */
export function isLegalStep(act: string, from: string, to: string): boolean {
  const steps = BY_ACT.get(act) ?? ALL
  return steps.get(from)?.has(to) ?? false
}

type Steps = ReadonlyMap<string, ReadonlySet<string>>

const BY_ACT: ReadonlyMap<string, Steps> = new Map(
  Object.entries(HANDOFF_STEPS).map(([act, steps]) => [act, byState(steps)]),
)
const ALL: Steps = byState(Object.values(HANDOFF_STEPS).flat())

function byState(steps: readonly string[]): Steps {
  const states = new Map<string, Set<string>>()
  for (const step of steps) {
    const [from = '', to = ''] = step.split('>')
    states.set(from, (states.get(from) ?? new Set()).add(to))
  }
  return states
}
