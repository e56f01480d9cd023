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

/** What was handed over in the window that the address names; read again when something happens. */
export function useFlow(window: FlowWindow): UseQueryResult<Flow> {
  const happened = useSlowly(useRecent()[0]?.cursor ?? '')
  return useQuery({
    queryKey: ['flow', window, happened],
    queryFn: ({ signal }) => call('report_flow', { window }, { signal }),
    placeholderData: (before) => before,
    gcTime: LEAST_MS,
  })
}

/** The window is kept in the address, so that a view can be shared. */
export function useWindow(usual: FlowWindow): [FlowWindow, (next: FlowWindow) => void] {
  const [query, setQuery] = useSearchParams()
  const asked = FLOW_WINDOW_NAMES.find((name) => name === query.get('window')) ?? usual
  const choose = (next: FlowWindow) =>
    setQuery(
      (before) => {
        const changed = new URLSearchParams(before)
        changed.set('window', next)
        return changed
      },
      { replace: true },
    )
  return [asked, choose]
}

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
