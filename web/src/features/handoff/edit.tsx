import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { OperationInput, OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useDraft } from '../../ui/input/drafts.ts'
import { linesOf } from '../../ui/input/lines.ts'
import { say } from '../../ui/toast.tsx'
import { useAct } from './use-act.ts'

/** Changes what travels with a handoff. Only the fields that were changed are sent. */
export function Edit(props: { readonly full: OperationOutput<'handoff_get'>; readonly close: () => void }) {
  const { full } = props
  const { handoff } = full
  const current = fieldsOf(full)
  const [opened] = useState(current)
  // With a draft goes what it was begun from.
  const [draft, keep] = useDraft(`edit ${handoff.id}`)
  const { before, now }: { before: Fields; now: Fields } =
    draft === '' ? { before: opened, now: opened } : JSON.parse(draft)
  const close = () => {
    keep('')
    props.close()
  }
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const done = () => {
    say(`Changed “${now.title}”`, `/handoffs/${encodeURIComponent(handoff.id)}`)
    close()
  }
  // The form was compared with this revision.
  const act = useAct('handoff_amend', done, undefined, handoff.rev)
  type Name = keyof Fields
  const names = (Object.keys(current) as Name[]).filter((name) => now[name] !== before[name])
  const late = names.filter((name) => current[name] !== before[name])
  const isReady = names.length > 0 && late.length === 0 && now.title.trim() !== '' && !act.isPending
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return
    const change = names.map((name) => [name, LISTS.includes(name) ? linesOf(now[name]) : now[name].trim()])
    act.mutate({ id: handoff.id, ...Object.fromEntries(change) } as OperationInput<'handoff_amend'>)
  }
  const fieldOf = (name: Name) => ({
    dir: 'auto',
    value: now[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      keep(JSON.stringify({ before, now: { ...now, [name]: target.value } })),
  })
  return (
    <form className="card stack whole" aria-label="Edit" onSubmit={submit}>
      <label className="block">
        Title
        <input ref={first} required maxLength={300} {...fieldOf('title')} />
      </label>
      {TEXTS.map(([name, label, rows]) => (
        <label key={name} className="block">
          {label}
          <textarea rows={rows} {...fieldOf(name)} />
        </label>
      ))}
      <div className="row">
        <button type="submit" className="main" disabled={!isReady}>
          Save
        </button>
        <button type="button" className="quiet" onClick={close}>
          Back
        </button>
      </div>
      {late.length > 0 && (
        <p role="alert" className="failed">
          Somebody else changed meanwhile: {late.map((name) => LABELS[name]).join(', ')}. Go back to see it.
        </p>
      )}
      {act.error && (
        <p role="alert" className="failed">
          {act.error.message}
        </p>
      )}
    </form>
  )
}

const fieldsOf = ({ handoff, package: given }: OperationOutput<'handoff_get'>) => ({
  title: handoff.title,
  summary: given.summary ?? '',
  context: given.context ?? '',
  deliverables: (given.deliverables ?? []).join('\n'),
  criteria: (given.criteria ?? []).join('\n'),
  constraints: (given.constraints ?? []).join('\n'),
})

type Fields = ReturnType<typeof fieldsOf>

const TEXTS = [
  ['summary', 'Description', 3],
  ['context', 'Context', 4],
  ['deliverables', 'Deliverables, one a line', 3],
  ['criteria', 'Conditions for done, one a line', 2],
  ['constraints', 'Constraints, one a line', 2],
] as const
const LISTS: readonly string[] = ['deliverables', 'criteria', 'constraints']
const LABELS: Readonly<Record<string, string>> = Object.fromEntries([
  ['title', 'Title'],
  ...TEXTS.map(([name, label]) => [name, label.replace(/,.*/, '')]),
])
