import { useMemo } from 'react'
import { Refusal } from '../../api/call.ts'
import { useOperation } from '../../api/queries.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Steps } from '../proof/steps.tsx'
import { useHeadVerdict } from '../proof/use-verdict.ts'

/** The newest checkpoint: the whole log in three signed lines, checked in this browser. */
export function Head() {
  const newest = useOperation('audit_checkpoint', { show: true })
  const told = useMemo(() => newest.data && { ...newest.data, checkpoint: newest.data.note }, [newest.data])
  const steps = useHeadVerdict(told)
  return (
    <section className="card" aria-label="Checkpoint">
      <h2>The signed head of the log</h2>
      {newest.isPending && <Loading what="the checkpoint" />}
      {newest.error && !newest.data && <NoHead error={newest.error} again={newest.refetch} />}
      {newest.data && (
        <>
          <p className="soft">
            {newest.data.size} entries, signed <Time at={newest.data.at} />. Keep it: with{' '}
            <code>baton audit verify log/ --seen FILE</code> it shows later that nothing of them is gone.
          </p>
          <pre>{newest.data.note}</pre>
          {steps && <Steps steps={steps} />}
        </>
      )}
    </section>
  )
}

function NoHead({ error, again }: { readonly error: Error; readonly again: () => unknown }) {
  if (error instanceof Refusal && error.status === 404)
    return <Empty>Nothing is signed yet. A server signs the log a moment after it grows.</Empty>
  return <Failed error={error} again={again} />
}
