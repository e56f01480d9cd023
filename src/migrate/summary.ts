import type { MigrationPlan } from './plan.ts'

/** A plan for programs: everything but the texts. */
export function planSummary(plan: MigrationPlan) {
  const { seen, moves, duplicates, undecided, left, index } = plan
  return {
    ...plan,
    seen: {
      ...seen,
      moves: moves.length,
      duplicates: duplicates.length,
      undecided: undecided.reduce((sum, { paths }) => sum + paths.length, 0),
      left: left.length,
    },
    moves: moves.map(({ from, to, id, status, notes }) => ({ from, to, id, status, notes })),
    duplicates: duplicates.map(({ path, kept, differs }) => ({ path, kept, differs })),
    index: index ? ('written' as const) : ('unchanged' as const),
  }
}
export type PlanSummary = ReturnType<typeof planSummary>
