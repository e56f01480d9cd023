import { useState } from 'react'
import type { Permitted } from '../../../../src/domain/handoffs/permitted.ts'
import type { OperationName, OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useOperation } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { keyLabel, SHORTCUTS, type ShortcutName, useShortcuts } from '../../ui/input/shortcuts.ts'
import { later } from '../../ui/later.tsx'
import { say } from '../../ui/toast.tsx'
import { useAct } from './use-act.ts'

const Edit = later(async () => (await import('./edit.tsx')).Edit)

interface Action {
  readonly step: Permitted
  readonly key?: ShortcutName
  /** How it is told afterwards. */
  readonly told: string
  readonly label: string
  readonly operation: OperationName
  /** Words that the operation needs. */
  readonly asks?: string
  /** The receiver is chosen here; `same` allows the one that it had. */
  readonly receiver?: 'other' | 'same'
  readonly input: (id: string, words: string, to: string) => object
  readonly look?: string
}

/** The steps of a page. Which of them are possible is said by the server. */
const ACTIONS: readonly Action[] = [
  {
    ...{ step: 'accept', key: 'accept', told: 'Accepted' },
    label: 'Accept',
    operation: 'handoff_accept',
    input: (id) => ({ id }),
    look: 'main',
  },
  {
    ...{ step: 'complete', key: 'complete', told: 'Accepted as done:' },
    label: 'Accept as done',
    operation: 'handoff_verify',
    input: (id, note) => ({ id, pass: true, ...(note && { note }) }),
    look: 'main',
  },
  {
    ...{ step: 'refuse', key: 'refuse', told: 'Requested changes to' },
    label: 'Request changes',
    operation: 'handoff_verify',
    asks: 'What needs to change?',
    input: (id, note) => ({ id, pass: false, note }),
  },
  {
    ...{ step: 'reject', key: 'decline', told: 'Rejected' },
    label: 'Reject',
    operation: 'handoff_reject',
    asks: 'Why?',
    input: (id, reason) => ({ id, reason }),
    look: 'danger',
  },
  {
    ...{ step: 'retry', key: 'again', told: 'Offered again:' },
    label: 'Try again',
    operation: 'handoff_retry',
    input: (id) => ({ id }),
  },
  {
    ...{ step: 'resend', key: 'again', told: 'Sent again:' },
    label: 'Send again',
    operation: 'handoff_resend',
    receiver: 'same',
    input: (id, _, to) => ({ id, to }),
  },
  {
    ...{ step: 'reassign', key: 'reassign', told: 'Reassigned' },
    label: 'Reassign',
    operation: 'handoff_reassign',
    receiver: 'other',
    input: (id, reason, to) => ({ id, to, ...(reason && { reason }) }),
  },
  {
    ...{ step: 'cancel', told: 'Cancelled' },
    label: 'Cancel',
    operation: 'handoff_cancel',
    asks: 'Why?',
    input: (id, reason) => ({ id, reason }),
    look: 'danger',
  },
]

export function Actions({ full }: { readonly full: OperationOutput<'handoff_get'> }) {
  const { handoff, may, result } = full
  const [asking, ask] = useState<Action>()
  const [isEditing, edit] = useState(false)
  const failed = (result?.checks ?? []).filter(({ ok }) => ok === false)
  const isHeldBack = ({ step }: Action) => step === 'complete' && failed.length > 0
  const mayWrite = useMay('handoff:write')
  const possible = ACTIONS.filter(
    ({ step }) => mayWrite && may.includes(step) && (step !== 'complete' || handoff.state === 'in_review'),
  )
  const lookOf = (action: Action) =>
    isHeldBack(action) ? '' : action.step === 'refuse' && failed.length > 0 ? 'main' : (action.look ?? '')
  const mayEdit = mayWrite && may.includes('amend')
  useShortcuts({
    ...Object.fromEntries(
      possible
        .filter((action) => action.key !== undefined && !isHeldBack(action))
        .map((action) => [action.key, () => ask(action)]),
    ),
    ...(mayEdit && { edit: () => edit(true) }),
  })
  // A form that somebody writes into stays when the handoff has moved on; the server says why it is too late.
  if (possible.length === 0 && !mayEdit && !asking && !isEditing) return null
  return (
    <section className="row" aria-label="What you can do">
      {possible.map((action) => (
        <button
          key={action.label}
          type="button"
          className={lookOf(action)}
          disabled={isHeldBack(action)}
          onClick={() => ask(action)}
        >
          {action.label} {action.key && <kbd>{keyLabel(SHORTCUTS[action.key].keys[0])}</kbd>}
        </button>
      ))}
      {mayEdit && (
        <button type="button" onClick={() => edit(true)}>
          Edit <kbd>{SHORTCUTS.edit.keys[0]}</kbd>
        </button>
      )}
      {isEditing && <Edit full={full} close={() => edit(false)} />}
      {possible.some(isHeldBack) && (
        <p className="failed whole wrap">Check failed: {failed.map(({ name }) => name).join(', ')}</p>
      )}
      {asking && <Asking key={asking.label} action={asking} full={full} close={() => ask(undefined)} />}
    </section>
  )
}

function Asking(props: {
  readonly action: Action
  readonly full: OperationOutput<'handoff_get'>
  readonly close: () => void
}) {
  const { action, close } = props
  const { handoff, may } = props.full
  const agents = useOperation('agent_list', {}, { enabled: action.receiver !== undefined })
  const names = (agents.data?.items ?? []).map(({ name }) => name).filter((name) => name !== handoff.to)
  const [to, choose] = useState(action.receiver === 'same' ? handoff.to : '')
  const act = useAct(
    action.operation,
    () => {
      say(`${action.told} “${handoff.title}”`, `/handoffs/${encodeURIComponent(handoff.id)}`)
      close()
    },
    undefined,
    // Work that goes on beats its heart; a judgement is about what was on the screen.
    JUDGED.includes(action.step) ? handoff.rev : undefined,
  )
  const isOver = may.includes('override') && OF_SENDER.includes(action.step)
  return (
    <Confirm
      label={action.label}
      asks={action.asks}
      about={isOver ? `${handoff.from} sent it. The log will say that you did this in its place.` : undefined}
      isDanger={action.look === 'danger'}
      isWordless={action.step === 'resend'}
      isPending={act.isPending}
      isReady={action.receiver === undefined || to !== ''}
      error={act.error}
      keeps={handoff.id}
      // The table above makes the input of the operation that it names.
      send={(words) => act.mutate(action.input(handoff.id, words, to) as never)}
      close={close}
    >
      {action.receiver !== undefined && (
        <label>
          <span className="soft">To </span>
          <select value={to} onChange={({ target }) => choose(target.value)}>
            {action.receiver === 'same' ? <option>{handoff.to}</option> : <option value="">choose …</option>}
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
    </Confirm>
  )
}

const JUDGED: readonly Permitted[] = ['accept', 'complete', 'refuse']
const OF_SENDER: readonly Permitted[] = ['cancel', 'reassign', 'resend']
