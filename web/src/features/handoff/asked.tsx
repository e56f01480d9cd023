import type { OperationOutput } from '../../../../src/runner/calls.ts'
import type { Me } from '../../api/session.ts'
import { useKept } from '../../ui/use-kept.ts'
import { Decision } from '../gate/decision.tsx'
import { Answer } from './answer.tsx'
import { isAsked, settledBy } from './meanwhile.tsx'

/** What this person is asked about a handoff, and room for the answer. */
export function AskedOf({ full, me }: { readonly full: OperationOutput<'handoff_get'>; readonly me: Me }) {
  const isKept = !isAsked(full.handoff, me)
  const { shown, keeping } = useKept(isKept ? [] : [full.handoff])
  const [handoff] = shown
  if (!handoff) return null
  const isQuestion = handoff.need === 'clarification'
  return (
    <section
      id={handoff.uid}
      className="card"
      aria-label={isQuestion ? 'A question for you' : 'Your decision'}
    >
      {isQuestion ? (
        <>
          <h2>A question for you</h2>
          <Answer handoff={handoff} me={me} isKept={isKept} keeping={keeping} />
        </>
      ) : (
        <Decision
          handoff={handoff}
          options={full.package.validation_request?.options}
          isActive
          settled={settledBy(full, me)}
          keeping={keeping}
        />
      )}
    </section>
  )
}
