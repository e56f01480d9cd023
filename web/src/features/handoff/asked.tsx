import { useMemo } from 'react'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useKept } from '../../ui/input/use-kept.ts'
import { Decision } from '../gate/decision.tsx'
import { AboutWork, useIsWorkThere } from './about-work.tsx'
import { Answer } from './answer.tsx'
import { isAsked, settledBy } from './meanwhile.tsx'

/** What this person is asked about a handoff, and room for the answer. */
export function AskedOf({ full }: { readonly full: OperationOutput<'handoff_get'> }) {
  const isKept = !isAsked(full)
  const waiting = useMemo(() => (isKept ? [] : [full.handoff]), [isKept, full.handoff])
  const { shown, keeping } = useKept(waiting)
  const isWorkThere = useIsWorkThere(full)
  const [handoff] = shown
  if (!handoff) return null
  const isQuestion = handoff.need === 'clarification'
  return (
    <section
      id={handoff.uid}
      className="card"
      aria-label={isQuestion ? 'A question for you' : 'Your decision'}
      {...keeping.around(handoff.uid)}
    >
      {isQuestion ? (
        <>
          <h2>A question for you</h2>
          <Answer handoff={handoff} isKept={isKept} keeping={keeping} isActive />
        </>
      ) : (
        <>
          {full.about !== undefined && <AboutWork id={full.about} />}
          {isWorkThere && (
            <Decision
              handoff={handoff}
              options={full.package.validation_request?.options}
              isActive
              settled={settledBy(full)}
              keeping={keeping}
            />
          )}
        </>
      )}
    </section>
  )
}
