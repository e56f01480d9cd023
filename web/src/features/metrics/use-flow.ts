import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { FLOW_WINDOW_NAMES, type FlowWindow } from '../../../../src/domain/flow.ts'
import type { OperationOutput } from '../../../../src/runner/calls.ts'
import { call } from '../../api/call.ts'
import { useRecent } from '../../api/live.ts'

export type Flow = OperationOutput<'report_flow'>

/** The server counts up to 5000 handoffs for one answer, so a busy workspace is asked no more often than this. */
const LEAST_MS = 2_000

/** What the server answers for this window; read again when something happens. */
function useAnswer(window: FlowWindow, enabled: boolean): UseQueryResult<Flow> {
  const happened = useSlowly(useRecent()[0]?.cursor ?? '')
  return useQuery({
    queryKey: ['flow', window, happened],
    queryFn: ({ signal }) => call('report_flow', { window }, { signal }),
    placeholderData: (before) => (before?.window === window ? before : undefined),
    gcTime: LEAST_MS,
    enabled,
  })
}

/**
 * What was handed over in the window that the address names, so that a view can be shared. Without one it is the week,
 * and in a workspace in which all of that stands in one step of the week, the last hour.
 */
export function useFlow(): { readonly flow: UseQueryResult<Flow>; choose: (window: FlowWindow) => void } {
  const [query, setQuery] = useSearchParams()
  const asked = FLOW_WINDOW_NAMES.find((name) => name === query.get('window'))
  const answer = useAnswer(asked ?? '7d', true)
  const isYoung = asked === undefined && answer.data !== undefined && busySteps(answer.data) === 1
  const hour = useAnswer('1h', isYoung)
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

/** Follows a value, and changes at most once in `LEAST_MS`, however often it changes. */
function useSlowly(value: string): string {
  const [slow, setSlow] = useState(value)
  const latest = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    latest.current = value
    if (slow === value || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      setSlow(latest.current)
    }, LEAST_MS)
  }, [slow, value])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return slow
}
