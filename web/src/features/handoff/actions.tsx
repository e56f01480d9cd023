import { useState } from 'react'
import type { Handoff } from '../../../../src/domain/handoffs/handoff.ts'
import { type Command, TRANSITIONS } from '../../../../src/domain/lifecycle.ts'
import type { OperationName } from '../../../../src/runner/calls.ts'
import type { Me } from '../../api/session.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useAct } from './use-act.ts'

interface Action {
  readonly command: Command
  readonly label: string
  readonly operation: OperationName
  /** Words that the operation needs, and the field they go into. */
  readonly asks?: string
  readonly input: (id: string, words: string) => object
  readonly look?: string
}

/** What a person can do from here. Which of it is possible is asked of the lifecycle, not known here. */
const ACTIONS: readonly Action[] = [
  { command: 'accept', label: 'Accept', operation: 'handoff_accept', input: (id) => ({ id }), look: 'main' },
  {
    command: 'complete',
    label: 'Verify: it is done',
    operation: 'handoff_verify',
    input: (id, note) => ({ id, pass: true, ...(note && { note }) }),
    look: 'main',
  },
  {
    command: 'refuse',
    label: 'Give it back',
    operation: 'handoff_verify',
    asks: 'What is missing',
    input: (id, note) => ({ id, pass: false, note }),
  },
  {
    command: 'reject',
    label: 'Reject',
    operation: 'handoff_reject',
    asks: 'Why',
    input: (id, reason) => ({ id, reason }),
    look: 'danger',
  },
  { command: 'retry', label: 'Try again', operation: 'handoff_retry', input: (id) => ({ id }) },
  {
    command: 'cancel',
    label: 'Cancel',
    operation: 'handoff_cancel',
    asks: 'Why',
    input: (id, reason) => ({ id, reason }),
    look: 'danger',
  },
]

export function Actions({ handoff, me }: { readonly handoff: Handoff; readonly me: Me }) {
  const [asking, ask] = useState<Action>()
  const roles = rolesIn(handoff, me)
  const possible = ACTIONS.filter(({ command }) =>
    TRANSITIONS.some((each) => each.from === handoff.state && each.command === command && roles.has(each.by)),
  )
  // A form that somebody writes into stays when the handoff has moved on; the server says why it is too late.
  if (possible.length === 0 && !asking) return null
  return (
    <section className="row" aria-label="What you can do">
      {possible.map((action) => (
        <button key={action.label} type="button" className={action.look ?? ''} onClick={() => ask(action)}>
          {action.label}
        </button>
      ))}
      {asking && <Asking key={asking.label} action={asking} id={handoff.id} close={() => ask(undefined)} />}
    </section>
  )
}

function Asking(props: { readonly action: Action; readonly id: string; readonly close: () => void }) {
  const { action, id, close } = props
  const act = useAct(action.operation, close)
  return (
    <Confirm
      label={action.label}
      asks={action.asks}
      isDanger={action.look === 'danger'}
      isPending={act.isPending}
      error={act.error}
      // The table above makes the input of the operation that it names.
      send={(words) => act.mutate(action.input(id, words) as never)}
      close={close}
    />
  )
}

/** What this person is to this handoff, as far as it can be seen from here; the server judges again. */
function rolesIn({ from, to, waiting_for, state }: Handoff, { actor }: Me): ReadonlySet<string> {
  const roles = new Set<string>()
  if (actor.name === from) roles.add('sender')
  if (actor.name === to) roles.add('receiver')
  if (actor.name !== to && state === 'in_review' && (actor.kind === 'human' || waiting_for === actor.name)) {
    roles.add('completer')
    roles.add('verifier')
  }
  return roles
}
