import { type FormEvent, useState } from 'react'
import { useFields } from '../../ui/input/drafts.ts'
import { Panel } from '../../ui/lists/panel.tsx'
import { useAct } from '../handoff/use-act.ts'

const EMPTY = { name: '', input: '' }

/** Starts a workflow of the project by its name, with input for the steps that take it. */
export function StartRun(props: {
  readonly names: readonly string[]
  readonly close: () => void
  readonly started: (id: string) => void
}) {
  const { names, close, started } = props
  const form = useFields('start a workflow', EMPTY)
  const { name, input } = form.fields
  const [problem, setProblem] = useState<string>()
  const start = useAct('workflow_start', form.forget, ({ id }) => started(id))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setProblem(undefined)
    if (input.trim() === '') return start.mutate({ name: name.trim() })
    try {
      start.mutate({ name: name.trim(), input: JSON.parse(input) })
    } catch {
      setProblem('The input is not valid JSON, for example {"ticket": 42}.')
    }
  }
  return (
    <Panel label="Start a workflow" title="Start a workflow" close={close}>
      <form className="stack" aria-label="Start a workflow" onSubmit={submit}>
        <label className="block">
          Name, of a file in workflows/
          <input
            required
            list="workflows"
            autoComplete="off"
            value={name}
            onChange={({ target }) => form.write({ name: target.value })}
          />
          <datalist id="workflows">
            {names.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </datalist>
        </label>
        <label className="block">
          Input as JSON (optional)
          <textarea rows={3} value={input} onChange={({ target }) => form.write({ input: target.value })} />
        </label>
        <button type="submit" className="main" disabled={name.trim() === '' || start.isPending}>
          Start
        </button>
        {(problem !== undefined || start.error) && (
          <p role="alert" className="failed wrap">
            {problem ?? start.error?.message}
          </p>
        )}
      </form>
    </Panel>
  )
}
