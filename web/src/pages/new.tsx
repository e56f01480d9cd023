import { type FormEvent, useEffect, useRef } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { PRIORITIES, type Priority } from '../../../src/domain/priority.ts'
import { useOperation } from '../api/queries.ts'
import { useAct } from '../features/handoff/use-act.ts'
import { useFields } from '../ui/input/drafts.ts'
import { linesOf } from '../ui/input/lines.ts'
import { say } from '../ui/toast.tsx'

const EMPTY = {
  ...{ to: '', title: '', summary: '', deliverables: '', criteria: '', task: '' },
  priority: 'normal' as Priority,
}

/** A new handoff. The address may name its receiver and its task. */
export function NewHandoff() {
  const [query] = useSearchParams()
  const [, go] = useLocation()
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const form = useFields('new handoff', EMPTY, {
    ...(query.get('to') && { to: query.get('to')! }),
    ...(query.get('task') && { task: query.get('task')! }),
  })
  const { to, title, summary, deliverables, criteria, task, priority } = form.fields
  const agents = useOperation('agent_list', {})
  const send = useAct('handoff_send', undefined, ({ handoff }) => {
    const page = `/handoffs/${encodeURIComponent(handoff.id)}`
    form.forget()
    say(`Sent “${handoff.title}”`, page)
    go(page)
  })
  const isReady = to.trim() !== '' && title.trim() !== '' && !send.isPending
  const fieldOf = (name: keyof typeof EMPTY) => ({
    value: form.fields[name],
    dir: 'auto',
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      form.write({ [name]: target.value }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return
    send.mutate({
      to: to.trim(),
      title: title.trim(),
      priority,
      ...(summary.trim() && { summary: summary.trim() }),
      ...(linesOf(deliverables).length > 0 && { deliverables: linesOf(deliverables) }),
      ...(linesOf(criteria).length > 0 && { criteria: linesOf(criteria) }),
      ...(task.trim() && { task: task.trim() }),
    })
  }
  return (
    <form className="card stack narrow" onSubmit={submit} aria-label="New handoff">
      <h1>New handoff</h1>
      <label className="block">
        To
        <input list="agents" ref={first} autoComplete="off" required {...fieldOf('to')} />
      </label>
      <datalist id="agents">
        {(agents.data?.items ?? []).map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
      <label className="block">
        Title
        <input required maxLength={300} {...fieldOf('title')} />
      </label>
      <label className="block">
        Description
        <textarea rows={4} {...fieldOf('summary')} />
      </label>
      <label className="block">
        Deliverables, one a line
        <textarea rows={3} {...fieldOf('deliverables')} />
      </label>
      <label className="block">
        Conditions for done, one a line
        <textarea rows={2} {...fieldOf('criteria')} />
      </label>
      <div className="row">
        <label>
          Task <input {...fieldOf('task')} />
        </label>
        <label>
          Priority{' '}
          <select {...fieldOf('priority')}>
            {PRIORITIES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </div>
      <button type="submit" className="main" disabled={!isReady}>
        Send
      </button>
      {send.error && (
        <p role="alert" className="failed">
          {send.error.message}
        </p>
      )}
    </form>
  )
}
