import type { UseQueryResult } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { FLOW_WINDOW_NAMES, type FlowWindow } from '../../../../src/domain/reports/flow.ts'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useOperation } from '../../api/queries.ts'

export type Flow = OperationOutput<'report_flow'>

/**
 * What was handed over in the window that the address names, so that a view can be shared. Without one it is the week,
 * and in a workspace in which all of that stands in one step of the week, the last hour.
 */
export function useFlow(): { readonly flow: UseQueryResult<Flow>; choose: (window: FlowWindow) => void } {
  const [query, setQuery] = useSearchParams()
  const asked = FLOW_WINDOW_NAMES.find((name) => name === query.get('window'))
  const answer = useOperation('report_flow', { window: asked ?? '7d' })
  const isYoung = asked === undefined && answer.data !== undefined && busySteps(answer.data) === 1
  const hour = useOperation('report_flow', { window: '1h' }, { enabled: isYoung })
  const choose = (window: FlowWindow) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        next.set('window', window)
        return next
      },
      { replace: true },
    )
  return { flow: isYoung && hour.data && busySteps(hour.data) > 0 ? hour : answer, choose }
}

const busySteps = ({ steps }: Flow): number =>
  steps.filter(({ made, completed, failed }) => made + completed + failed > 0).length
