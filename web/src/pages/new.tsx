import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { PRIORITIES, type Priority } from '../../../src/domain/priority.ts'
import { useOperation } from '../api/queries.ts'
import { useAct } from '../features/handoff/use-act.ts'

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** A new handoff. The address may name its receiver and its task. */
export function NewHandoff() {
  const [query] = useSearchParams()
  const [, go] = useLocation()
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const [given, setGiven] = useState({
    to: query.get('to') ?? '',
    title: '',
    summary: '',
    deliverables: '',
    criteria: '',
    task: query.get('task') ?? '',
  })
  const [priority, setPriority] = useState<Priority>('normal')
  const agents = useOperation('agent_list', {})
  const send = useAct('handoff_send', undefined, ({ handoff }) =>
    go(`/handoffs/${encodeURIComponent(handoff.id)}`),
  )
  const isReady = given.to.trim() !== '' && given.title.trim() !== '' && !send.isPending
  const fieldOf = (name: keyof typeof given) => ({
    value: given[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setGiven({ ...given, [name]: target.value }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return
    const { to, title, summary, deliverables, criteria, task } = given
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
        <datalist id="agents">
          {(agents.data?.items ?? []).map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </datalist>
      </label>
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
          <select value={priority} onChange={({ target }) => setPriority(target.value as Priority)}>
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
