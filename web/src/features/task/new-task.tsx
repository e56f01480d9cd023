import { type FormEvent, useState } from 'react'
import { PRIORITIES, type Priority } from '../../../../src/domain/priority.ts'
import { Panel } from '../../ui/lists/panel.tsx'
import { useAct } from '../handoff/use-act.ts'

const partsOf = (text: string, between: RegExp): string[] =>
  text
    .split(between)
    .map((part) => part.trim())
    .filter(Boolean)

/** A new task, with the tasks that it depends on. */
export function NewTask({
  close,
  created,
}: {
  readonly close: () => void
  readonly created: (id: string) => void
}) {
  const [given, setGiven] = useState({ id: '', title: '', needs: '', criteria: '', notes: '' })
  const [priority, setPriority] = useState<Priority>('normal')
  const create = useAct('task_create', undefined, ({ id }) => created(id))
  const isComplete = given.id.trim() !== '' && given.title.trim() !== '' && !create.isPending
  const fieldOf = (name: keyof typeof given) => ({
    value: given[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setGiven({ ...given, [name]: target.value }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isComplete) return
    const [depends_on, criteria] = [partsOf(given.needs, /[\s,]+/), partsOf(given.criteria, /\n/)]
    create.mutate({
      id: given.id.trim(),
      title: given.title.trim(),
      priority,
      ...(depends_on.length > 0 && { depends_on }),
      ...(criteria.length > 0 && { criteria }),
      ...(given.notes.trim() && { notes: given.notes.trim() }),
    })
  }
  return (
    <Panel label="New task" title="New task" close={close}>
      <form className="stack" aria-label="New task" onSubmit={submit}>
        <label className="block">
          Id, for example P1.2
          <input required autoComplete="off" {...fieldOf('id')} />
        </label>
        <label className="block">
          Title
          <input required maxLength={300} {...fieldOf('title')} />
        </label>
        <label className="block">
          Depends on, ids with commas
          <input autoComplete="off" {...fieldOf('needs')} />
        </label>
        <label className="block">
          Conditions for done, one a line
          <textarea rows={2} {...fieldOf('criteria')} />
        </label>
        <label className="block">
          Notes
          <textarea rows={2} {...fieldOf('notes')} />
        </label>
        <label>
          Priority{' '}
          <select value={priority} onChange={({ target }) => setPriority(target.value as Priority)}>
            {PRIORITIES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <button type="submit" className="main" disabled={!isComplete}>
          Create
        </button>
        {create.error && (
          <p role="alert" className="failed">
            {create.error.message}
          </p>
        )}
      </form>
    </Panel>
  )
}
