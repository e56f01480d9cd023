import { Link } from 'wouter'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useOperation } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Deliverables, ResultView } from './package-view.tsx'

/** Whether the work that a decision is about is on the screen. Nobody decides before; it moves the buttons, too. */
export function useIsWorkThere(full: OperationOutput<'handoff_get'> | undefined): boolean {
  const about = full?.about
  const work = useOperation('handoff_get', { id: about ?? '' }, { enabled: about !== undefined })
  return about === undefined || (work.data !== undefined && !work.isPlaceholderData)
}

/** The work that a gate is about: its evidence, its checks with their results, its files. */
export function AboutWork({ id }: { readonly id: string }) {
  const work = useOperation('handoff_get', { id })
  if (!work.data)
    return work.error ? <Failed error={work.error} again={work.refetch} /> : <Loading what={id} />
  const { handoff, package: given, result, files } = work.data
  return (
    <section className="about-work" aria-label={`Work of ${handoff.id}`}>
      <h3 className="wrap">
        About the work of {handoff.to}:{' '}
        <Link href={`/handoffs/${encodeURIComponent(handoff.id)}`} dir="auto">
          {handoff.title}
        </Link>{' '}
        <StateBadge state={handoff.state} />
      </h3>
      <Deliverables wanted={given.deliverables ?? []} declared={given.checks ?? []} result={result} />
      <ResultView result={result ?? {}} files={files} />
    </section>
  )
}
