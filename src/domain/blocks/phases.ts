/** Document 002's phases in their order. Values are case-sensitive. */
export const PHASES = [
  'Research',
  'Planning',
  'Infrastructure',
  'Implementation',
  'Testing',
  'Integration',
  'QA',
  'Complete',
] as const
export type Phase = (typeof PHASES)[number]

export const isPhase = (word: string): word is Phase => PHASES.some((phase) => phase === word)

/** Document 002's states of the sender's own work. */
export const STATUSES = ['pending', 'in_progress', 'complete', 'failed', 'blocked', 'retry'] as const
export type Status = (typeof STATUSES)[number]

/** How far a workflow is: Research is 1 of 8, Complete 8 of 8. */
export function phaseProgress(phase: Phase): { step: number; of: number; percent: number } {
  const step = PHASES.indexOf(phase) + 1
  return { step, of: PHASES.length, percent: (100 * step) / PHASES.length }
}

/** The next agent, as the block writes it; undefined when this branch ends. `@None` is an agent. */
export function nextAgent(block: { readonly to: string }): string | undefined {
  return block.to === 'None' ? undefined : block.to
}

/** A branch may end in any phase; the workflow is complete only where the block says so three times. */
export const isWorkflowComplete = (block: {
  readonly phase: string
  readonly status: string
  readonly to: string
}): boolean => nextAgent(block) === undefined && block.phase === 'Complete' && block.status === 'complete'
