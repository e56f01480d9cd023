import type { UseQueryResult } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { FLOW_WINDOW_NAMES, type FlowWindow } from '../../../../src/domain/reports/flow.ts'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useOperation } from '../../api/queries.ts'

export type Flow = OperationOutput<'report_flow'>

/** What was handed over in the window that the address names, so that a view can be shared. Without one it is the week. */
export function useFlow(): {
  readonly flow: UseQueryResult<Flow>
  readonly window: FlowWindow
  choose: (window: FlowWindow) => void
} {
  const [query, setQuery] = useSearchParams()
  const window = FLOW_WINDOW_NAMES.find((name) => name === query.get('window')) ?? '7d'
  const flow = useOperation('report_flow', { window })
  const choose = (next: FlowWindow) =>
    setQuery(
      (before) => {
        const changed = new URLSearchParams(before)
        changed.set('window', next)
        return changed
      },
      { replace: true },
    )
  return { flow, window, choose }
}
