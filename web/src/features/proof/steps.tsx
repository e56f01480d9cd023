import type { ReactNode } from 'react'
import type { Step } from './verify.ts'

const MARKS = {
  good: ['✓', 'holds'],
  bad: ['✗', 'does not hold'],
  wait: ['?', 'cannot be checked here'],
} as const

/** What was checked, step by step, each with what it leaves open. */
export function Steps(props: {
  readonly steps: readonly Step[]
  readonly where?: string
  /** Beside the steps, for whoever opens them. */
  readonly children?: ReactNode
}) {
  const { steps, where = 'in this browser', children } = props
  const failed = steps.filter(({ ok }) => ok === false).length
  const open = steps.filter(({ ok }) => ok === undefined).length
  return (
    <details open={failed + open > 0}>
      <summary>
        <span role="status" className="verdict">
          <Verdict failed={failed} open={open} where={where} />
        </span>
      </summary>
      <ol className="steps">
        {steps.map((step) => (
          <StepRow key={step.title} step={step} />
        ))}
      </ol>
      {children}
    </details>
  )
}

function Verdict(props: { readonly failed: number; readonly open: number; readonly where: string }) {
  const { failed, open, where } = props
  if (failed > 0) return <span className="badge bad">The proof does not hold</span>
  if (open > 0) return <span className="badge wait">Not checked</span>
  return <span className="badge good">Verified {where}</span>
}

function StepRow({ step: { title, ok, says, doesNotProve } }: { readonly step: Step }) {
  const look = ok === undefined ? 'wait' : ok ? 'good' : 'bad'
  const [mark, word] = MARKS[look]
  return (
    <li>
      <span className={`mark ${look}`} role="img" aria-label={word}>
        {mark}
      </span>
      <div className="wrap">
        <b>{title}</b> {says}
        <br />
        <small>Does not prove {doesNotProve}.</small>
      </div>
    </li>
  )
}
