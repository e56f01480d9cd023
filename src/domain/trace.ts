import { once } from './once.ts'
import { present } from './present.ts'

/** The place of a call in a distributed trace, as the W3C recommendation Trace Context writes it. */
export interface Trace {
  readonly traceparent: string
  readonly tracestate?: string | undefined
}

const PARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-[\x21-\x7e]*)?$/
const TRACE_KEY = String.raw`(?:[a-z][a-z\d_*/-]{0,255}|[a-z\d][a-z\d_*/-]{0,240}@[a-z][a-z\d_*/-]{0,13})`
const member = once(
  () =>
    new RegExp(
      String.raw`^(${TRACE_KEY})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$`,
    ),
)
const MAX_PARENT = 200
const MAX_STATE = 512
const MAX_MEMBERS = 32

/** Reads the two headers. A broken one is not an error: it counts as not sent. */
export function readTrace(traceparent: string | null, tracestate: string | null): Trace | undefined {
  if (traceparent === null || !isParent(traceparent)) return undefined
  const state = tracestate === null ? undefined : readState(tracestate)
  return { traceparent, ...present({ tracestate: state }) }
}

function isParent(text: string): boolean {
  if (text.length > MAX_PARENT) return false
  const [, version, trace, parent, more] = PARENT.exec(text) ?? []
  if (version === undefined || version === 'ff') return false
  // Later versions may say more; the first one ends here.
  if (version === '00' && more !== undefined) return false
  return !/^0+$/.test(trace ?? '') && !/^0+$/.test(parent ?? '')
}

function readState(text: string): string | undefined {
  if (text.length > MAX_STATE) return undefined
  const members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
  const keys = members.map((text) => member().exec(text)?.[1])
  if (members.length === 0 || members.length > MAX_MEMBERS || keys.includes(undefined)) return undefined
  return new Set(keys).size === keys.length ? members.join(',') : undefined
}
