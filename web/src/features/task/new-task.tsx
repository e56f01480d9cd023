import type { FormEvent } from 'react'
import { PRIORITIES, type Priority } from '../../../../src/domain/priority.ts'
import { useFields } from '../../ui/input/drafts.ts'
import { Panel } from '../../ui/lists/panel.tsx'
import { useAct } from '../handoff/use-act.ts'

const partsOf = (text: string, between: RegExp): string[] =>
  text
    .split(between)
    .map((part) => part.trim())
    .filter(Boolean)

const EMPTY = { id: '', title: '', needs: '', criteria: '', priority: 'normal' as Priority }

/** A new task, with the tasks that it depends on. */
export function NewTask({
  close,
  created,
}: {
  readonly close: () => void
  readonly created: (id: string) => void
}) {
  const form = useFields('new task', EMPTY)
  const given = form.fields
  const create = useAct('task_create', form.forget, ({ id }) => created(id))
  const isComplete = given.id.trim() !== '' && given.title.trim() !== '' && !create.isPending
  const fieldOf = (name: keyof typeof EMPTY) => ({
    dir: 'auto',
    value: given[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      form.write({ [name]: target.value }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isComplete) return
    const [depends_on, criteria] = [partsOf(given.needs, /[\s,]+/), partsOf(given.criteria, /\n/)]
    create.mutate({
      id: given.id.trim(),
      title: given.title.trim(),
      priority: given.priority,
      ...(depends_on.length > 0 && { depends_on }),
      ...(criteria.length > 0 && { criteria }),
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
        <div className="row">
          <label>
            Priority{' '}
            <select {...fieldOf('priority')}>
              {PRIORITIES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        </div>
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
