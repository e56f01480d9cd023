import { FLOW_WINDOW_NAMES, type FlowWindow } from '../../../../src/domain/reports/flow.ts'

const WORDS: Readonly<Record<FlowWindow, string>> = {
  '1h': 'hour',
  '1d': 'day',
  '7d': 'week',
  '30d': '30 days',
  '90d': '90 days',
}

export const windowWords = (window: FlowWindow): string => `the last ${WORDS[window]}`

export function WindowChoice(props: {
  readonly value: FlowWindow | undefined
  readonly choose: (window: FlowWindow) => void
}) {
  return (
    <fieldset className="choice">
      <legend className="unseen">How far back</legend>
      {FLOW_WINDOW_NAMES.map((name) => (
        <label key={name} className={name === props.value ? 'chosen' : ''}>
          <input
            type="radio"
            name="window"
            className="unseen"
            checked={name === props.value}
            onChange={() => props.choose(name)}
          />
          {WORDS[name]}
        </label>
      ))}
    </fieldset>
  )
}
