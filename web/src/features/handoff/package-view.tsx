import { lazy, Suspense } from 'react'
import type { Package, Result } from '../../../../src/domain/package.ts'
import { Scroll } from '../../ui/scroll.tsx'

const Markdown = lazy(async () => ({ default: (await import('../../ui/markdown.tsx')).Markdown }))

/** A heading and a list, or nothing where there is nothing. */
export function Points({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {items.map((item) => (
          <li key={item} className="wrap">
            {item}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Text that an agent wrote, with markdown and without anything that could act. */
export function Said({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  if (!text) return null
  return (
    <>
      <h3>{title}</h3>
      <Suspense fallback={<p className="wrap">{text}</p>}>
        <Markdown text={text} />
      </Suspense>
    </>
  )
}

/** What travels with the handoff. */
export function PackageView({ package: given }: { readonly package: Package }) {
  const { decisions = [], open_questions = [], artifacts = [], data, input } = given
  return (
    <div className="stack">
      <Said title="Summary" text={given.summary} />
      <Said title="Purpose" text={given.purpose} />
      <Said title="Background" text={given.context} />
      <Points title="Criteria" items={given.criteria ?? []} />
      <Points title="Constraints" items={given.constraints ?? []} />
      <Points
        title="Decisions"
        items={decisions.map(({ id, decision, rationale }) =>
          [id && `${id}: `, decision, rationale && `, because ${rationale}`].filter(Boolean).join(''),
        )}
      />
      <Points
        title="Open questions"
        items={open_questions.map(({ question, priority }) =>
          priority ? `${question} (${priority})` : question,
        )}
      />
      <Points
        title="Artifacts"
        items={artifacts.map(({ path, description }) => (description ? `${path}: ${description}` : path))}
      />
      <Raw title="Data" value={data} />
      <Raw title="Input" value={input} />
    </div>
  )
}

export function Raw({ title, value }: { readonly title: string; readonly value: unknown }) {
  if (value === undefined) return null
  return (
    <details>
      <summary>{title}</summary>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </details>
  )
}

/** What must be handed in, what was, and how the declared checks came out. */
export function Deliverables(props: {
  readonly wanted: readonly string[]
  readonly result?: Result | undefined
}) {
  const { wanted, result } = props
  const given = new Map((result?.evidence ?? []).map(({ deliverable, evidence }) => [deliverable, evidence]))
  const names = [...new Set([...wanted, ...given.keys()])]
  const checks = result?.checks ?? []
  if (names.length + checks.length === 0) return <p className="soft">Nothing was asked for by name.</p>
  return (
    <Scroll label="Deliverables and checks">
      <table>
        <thead>
          <tr>
            <th scope="col">Deliverable or check</th>
            <th scope="col">Evidence</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <td className="wrap">{name}</td>
              <td className="wrap">{given.get(name) ?? ''}</td>
              <td>
                <span className={`badge ${given.has(name) ? 'good' : 'wait'}`}>
                  {given.has(name) ? 'given' : 'open'}
                </span>
              </td>
            </tr>
          ))}
          {checks.map(({ name, ok, detail }) => (
            <tr key={name}>
              <td className="wrap">{name}</td>
              <td className="wrap">{detail ?? ''}</td>
              <td>
                <span className={`badge ${ok === undefined ? '' : ok ? 'good' : 'bad'}`}>
                  {ok === undefined ? 'not evaluated' : ok ? 'passed' : 'failed'}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
