import { lstatSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { INDEX_PATH, ROOT } from '../dialects/markdown/home.ts'
import { notAllowed } from '../domain/errors.ts'
import { applyEdits } from '../setup/file-edit.ts'
import type { MigrationPlan } from './plan.ts'
import { planSummary } from './summary.ts'

/** Whether there is anything to do. */
export const hasWork = ({ moves, duplicates, drafts, index }: MigrationPlan): boolean =>
  moves.length + duplicates.length + drafts.length > 0 || index !== undefined

/**
 * Does what a plan says: copies of everything that goes, then the handoffs in their places, the index, and at last
 * the old files. Cut off anywhere, nothing is lost, and the next plan finishes the rest. A file that changed since
 * the plan was made stops it.
 */
export async function applyMigration(plan: MigrationPlan, backup: string): Promise<void> {
  const place = (path: string): string => join(plan.root, path)
  for (const { to } of plan.moves) demandNoLink(plan.root, to)
  if (plan.index) demandNoLink(plan.root, INDEX_PATH)
  // A file may hold several handoffs, and goes once.
  const textAt = new Map([
    ...plan.moves.map(({ from, before }) => [from, before] as const),
    ...plan.duplicates.map(({ path, before }) => [path, before] as const),
  ])
  const going = [...textAt].map(([path, before]) => ({ path, before }))
  const targets = new Set(plan.moves.map(({ to }) => to))

  await applyEdits([
    ...going.map(({ path, before }) => {
      const copy = join(backup, 'files', path)
      return { path: copy, before: undefined, after: before, why: 'a copy of what goes' }
    }),
    {
      path: join(backup, 'report.json'),
      before: undefined,
      after: `${JSON.stringify(planSummary(plan), undefined, 2)}\n`,
      why: 'the report',
    },
  ])
  const why = 'the handoff in its place'
  await applyEdits(
    plan.moves.map(({ to, after }) => ({ path: place(to), before: textAt.get(to), after, why })),
  )
  if (plan.index) await applyEdits([{ path: place(INDEX_PATH), ...plan.index, why: 'made from the files' }])
  const gone = going.filter(({ path }) => !targets.has(path))
  await applyEdits(
    gone.map(({ path, before }) => {
      return { path: place(path), before, after: undefined, why: 'moved, or an older copy' }
    }),
  )
  for (const path of plan.drafts) rmSync(place(path), { force: true })
}

/** A file written below a link lands somewhere else. */
function demandNoLink(root: string, path: string): void {
  for (let at = path; at !== '.'; at = dirname(at))
    if (lstatSync(join(root, at), { throwIfNoEntry: false })?.isSymbolicLink())
      throw notAllowed(
        `${join(root, at)} is a link, and ${ROOT}/ must be a real folder; replace it and run the same command again`,
        { path: at },
      )
}
