import { useMemo } from 'react'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useOperation } from '../../api/queries.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Steps } from '../proof/steps.tsx'
import { useHeadVerdict } from '../proof/use-verdict.ts'
import type { ToldHead } from '../proof/verify.ts'

/** The newest checkpoint: the whole log in three signed lines, checked in this browser. */
export function Head() {
  const key = useOperation('audit_key', {})
  const told = useMemo(() => headIn(key.data), [key.data])
  const steps = useHeadVerdict(told)
  const head = key.data?.head
  return (
    <section className="card" aria-label="Checkpoint">
      <h2>The signed head of the log</h2>
      {key.isPending && <Loading what="the checkpoint" />}
      {key.error && !key.data && <Failed error={key.error} again={key.refetch} />}
      {key.data && !head && (
        <Empty>Nothing is signed yet. A server signs the log a moment after it grows.</Empty>
      )}
      {head && (
        <>
          <p className="soft">
            {head.size.toLocaleString('en')} entries, signed <Time at={head.at} />. Keep it: with{' '}
            <code>baton audit verify log/ --seen FILE</code> it shows later that nothing of them is gone.
          </p>
          <pre>{head.note}</pre>
          {steps && <Steps steps={steps} />}
        </>
      )}
    </section>
  )
}

/** The root stands in the third line of the note, and nowhere else. */
function headIn(key: OperationOutput<'audit_key'> | undefined): ToldHead | undefined {
  if (!key?.head) return undefined
  const { size, note } = key.head
  return { origin: key.origin, vkey: key.vkey, size, checkpoint: note, root: note.split('\n')[2] ?? '' }
}
