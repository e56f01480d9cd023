import { usePause } from '../../ui/input/pause.ts'

/** One box for words and filters. It asks once for each pause in typing. */
export function QueryBox(props: {
  readonly text: string
  readonly problem: string | undefined
  readonly change: (text: string) => void
}) {
  const { text, problem, change } = props
  const { value, onChange } = usePause(text, change)
  return (
    <search className="query">
      <label>
        <span className="unseen">Search and filter</span>
        <input
          type="search"
          autoComplete="off"
          spellCheck={false}
          placeholder="Words, or to:codex  state:failed  since:friday"
          aria-describedby="query-help"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
      <p id="query-help" className={problem === undefined ? 'unseen' : 'failed'}>
        {problem ??
          'Filters: to, from, with, state, since, kind, task, type. For example with:me state:open since:3d'}
      </p>
    </search>
  )
}
