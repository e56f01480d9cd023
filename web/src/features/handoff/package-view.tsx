import type { Check, CheckResult, Package, Result } from '../../../../src/domain/handoffs/package.ts'
import { itemLine, shownFields } from '../../../../src/domain/handoffs/package-fields.ts'
import { useBeginning } from '../../ui/folded.tsx'
import { Prose } from '../../ui/prose.tsx'
import { Scroll } from '../../ui/scroll.tsx'
import { Linked } from '../../ui/text/linked.tsx'
import { Files, type StoredFile } from './files.tsx'

interface Titled {
  readonly title: string
  /** Only its beginning is shown until somebody asks for the rest. */
  readonly folds?: boolean | undefined
}

/** A heading and a list, or nothing where there is nothing. */
export function Points(props: Titled & { readonly items: readonly string[] }) {
  const { title, items, folds = false } = props
  const { shown, more } = useBeginning(items, folds, 'points')
  if (items.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {shown.map((item, i) => (
          <li key={i} className="wrap" dir="auto">
            <Linked text={item} />
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

/** A heading and what an agent wrote, or nothing where there is nothing. */
export function Said(props: Titled & { readonly text: string | undefined }) {
  const { title, text = '', folds = false } = props
  const { shown, more } = useBeginning(text.split('\n'), folds, 'lines')
  if (text === '') return null
  return (
    <>
      <h3>{title}</h3>
      <Prose text={shown.join('\n')} below={3} />
      {more}
    </>
  )
}

/** What travels with the handoff. */
export function PackageView(props: {
  readonly package: Package
  readonly files?: readonly StoredFile[] | undefined
  /** Long parts show their beginning; a person who decides sees all of them. */
  readonly folds?: boolean
}) {
  const { package: given, files = [], folds } = props
  const shown = shownFields(given)
  const { validation_request: asked, artifacts = [] } = given
  if (shown.length + artifacts.length + files.length + (asked?.items ?? []).length === 0)
    return <p className="soft">No description.</p>
  return (
    <div className="stack">
      {shown.map(({ label, value }) =>
        typeof value === 'string' ? <Said key={label} title={label} text={value} folds={folds} /> : null,
      )}
      <Points title="Points to validate" items={asked?.items ?? []} />
      {shown.map(({ label, value, lines = [] }) =>
        typeof value === 'string' ? null : <Points key={label} title={label} items={lines} folds={folds} />,
      )}
      <Files named={artifacts} stored={files} />
      {shown.map(({ label, value, lines }) =>
        lines ? null : <Raw key={label} title={label} value={value} />,
      )}
    </div>
  )
}

/** What the receiver wrote beside the evidence. */
export function ResultView(props: {
  readonly result: Result
  readonly files?: readonly StoredFile[] | undefined
}) {
  const { result, files = [] } = props
  const { note, decisions = [], next_steps = [], artifacts = [], output, validation, metadata } = result
  return (
    <div className="stack">
      <Said title="Note" text={note} />
      <Points title="Decided on the way" items={decisions.map((each) => itemLine(each, 'decision'))} />
      <Points title="Next steps" items={next_steps} />
      <Files named={artifacts} stored={files} />
      <Raw title="Output" value={output} />
      <Raw title="Validation" value={validation} />
      <Raw title="Metadata" value={metadata} />
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
  readonly declared: readonly Check[]
  readonly result?: Result | undefined
}) {
  const { wanted, declared, result } = props
  const given = new Map((result?.evidence ?? []).map(({ deliverable, evidence }) => [deliverable, evidence]))
  const names = [...new Set([...wanted, ...given.keys()])]
  const checks =
    result?.checks ?? declared.map((check) => ({ name: toName(check), detail: 'runs when it is submitted' }))
  if (names.length + checks.length === 0) return <p className="soft">No deliverables.</p>
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
              <td className="wrap" dir="auto">
                {name}
              </td>
              <td className="wrap" dir="auto">
                <Linked text={given.get(name) ?? ''} />
              </td>
              <td>
                <span className={`badge ${given.has(name) ? 'good' : 'wait'}`}>
                  {given.has(name) ? 'provided' : 'open'}
                </span>
              </td>
            </tr>
          ))}
          {checks.map(({ name, ok, detail }: CheckResult) => (
            <tr key={name}>
              <td className="wrap">{name}</td>
              <td className="wrap">
                <Linked text={detail ?? ''} />
              </td>
              <td>
                <span className={`badge ${ok === undefined ? '' : ok ? 'good' : 'bad'}`}>
                  {ok === undefined ? 'not run' : ok ? 'passed' : 'failed'}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function toName(check: Check): string {
  switch (check.kind) {
    case 'file_exists':
      return `${check.path} exists`
    case 'sha256':
      return `${check.path} has its SHA-256`
    case 'json_schema':
      return 'output matches its JSON Schema'
    case 'command':
      return `${check.command} exits with 0`
    case 'evidence':
      return `evidence for ${check.deliverable}`
  }
}
