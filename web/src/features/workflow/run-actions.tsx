import { useState } from 'react'
import { useMay } from '../../api/session.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useAct } from '../handoff/use-act.ts'
import type { Run } from './run-picture.tsx'

type Asked = 'resume' | 'cancel'

/** What a person can do about a run that is not over: resume or cancel it. The server judges again. */
export function RunActions({ run }: { readonly run: Run }) {
  const [asked, ask] = useState<Asked>()
  const close = () => ask(undefined)
  const mayAct = useMay('workflow:write')
  const failed = run.steps.filter(({ state }) => state === 'failed')
  const isOver = run.state === 'completed' || run.state === 'cancelled' || !mayAct
  // A form that somebody writes into stays; the server says why it is too late.
  if (isOver && !asked) return null
  return (
    <section className="row" aria-label="What you can do">
      {failed.length > 0 && (
        <button
          type="button"
          className="main"
          aria-expanded={asked === 'resume'}
          onClick={() => ask('resume')}
        >
          Resume
        </button>
      )}
      {!isOver && (
        <button
          type="button"
          className="danger"
          aria-expanded={asked === 'cancel'}
          onClick={() => ask('cancel')}
        >
          Cancel the run
        </button>
      )}
      {asked === 'resume' && <Resume run={run} titles={failed.map(({ title }) => title)} close={close} />}
      {asked === 'cancel' && <Cancel run={run} close={close} />}
    </section>
  )
}

function Resume(props: {
  readonly run: Run
  readonly titles: readonly string[]
  readonly close: () => void
}) {
  const { run, titles, close } = props
  const act = useAct('workflow_resume', close)
  return (
    <Confirm
      label="Resume"
      isWordless
      about={`The failed ${titles.length === 1 ? 'step is' : 'steps are'} tried again: ${titles.join(', ')}.`}
      isPending={act.isPending}
      error={act.error}
      send={() => act.mutate({ id: run.id })}
      close={close}
    />
  )
}

function Cancel({ run, close }: { readonly run: Run; readonly close: () => void }) {
  const act = useAct('workflow_cancel', close)
  return (
    <Confirm
      label="Cancel the run"
      asks="Why?"
      about="Its open handoffs are cancelled, and their agents are told. A cancelled run cannot be resumed."
      isDanger
      keeps={run.id}
      isPending={act.isPending}
      error={act.error}
      send={(reason) => act.mutate({ id: run.id, reason })}
      close={close}
    />
  )
}
