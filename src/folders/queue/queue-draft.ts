import type { Draft } from '../../dialects/draft.ts'
import { DEFAULT_TIMEOUT_S, type QueueStatus, schemaName, stemOf } from '../../dialects/queue/names.ts'
import { errorOf, queueStatus } from '../../dialects/queue/table.ts'
import { isMapping } from '../../dialects/text/tree.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { delayBeforeAttempt, isKnownErrorCode, retryAvailable } from '../../domain/handoffs/retry.ts'
import { DEFAULT_RETRY } from '../../domain/home.ts'
import type { Policy } from '../../domain/policy.ts'

/** When work began and ended, where its worker says so. */
export type Times = Pick<Draft, 'started_at' | 'ended_at'>

/** The engine's handoff in document 001's words: phases, times, retries, and its reasons for ends it has no word for. */
export function queueDraft(handoff: Handoff, draft: Draft, policy?: Policy, said: Times = {}): Draft {
  const status = queueStatus(handoff)
  const { rejection: _rejection, progress: _progress, ack_deadline: _deadline, ...rest } = lifted(draft)
  return {
    ...rest,
    id: handoff.aliases?.queue ?? handoff.id,
    state: handoff.state,
    ...sides(handoff, draft, policy),
    input_schema: draft.input_schema ?? schemaName(handoff.to, 'input'),
    timeout_s: draft.timeout_s ?? handoff.timeout_s ?? DEFAULT_TIMEOUT_S,
    ...(status === 'failed' && failure(handoff, draft)),
    ...retries(handoff, status),
    ...begun(handoff, draft, status),
    ...said,
    ...duration(handoff, draft, status, said),
  }
}

/** Values that the document's own code writes for agents it knows nothing else of. */
const sides = ({ from, to }: Handoff, draft: Draft, policy?: Policy): Partial<Draft> => ({
  from_phase: draft.from_phase ?? policy?.agents?.[from]?.phase ?? 11,
  from_role: draft.from_role ?? 'orchestrator',
  to_phase: draft.to_phase ?? policy?.agents?.[to]?.phase ?? 13,
  to_role: draft.to_role ?? 'specialist',
})

/** What a request is called that has no title of its own: documents need not say it. */
export const requestTitle = (to: string): string => `Request to ${to}`

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Keys of `context` that a draft has fields for, and the copy of an artifact's name that a specialist hands in. */
function lifted(draft: Draft): Draft {
  const { data, ...travels } = draft.package ?? {}
  const { project_id: project, tech_stack_artifact_id: artifact, ...others } = data ?? {}
  const { output, ...result } = draft.result ?? {}
  const isCopy = isMapping(output) && typeof output.artifact_path === 'string' && result.artifacts?.length
  const { title, to } = draft
  const id = isCopy ? output.artifact_id : undefined
  const isNamed =
    isCopy && typeof id === 'string' && !UUID.test(id) && id !== stemOf(String(output.artifact_path))
  return {
    ...draft,
    ...(title === requestTitle(String(to)) && { title: undefined }),
    ...(isNamed && { extra: { ...draft.extra, output: { artifact_id: id } } }),
    ...(draft.package && {
      package: { ...travels, ...(Object.keys(others).length > 0 && { data: others }) },
    }),
    ...(draft.project === undefined && typeof project === 'string' && { project }),
    ...(draft.depends_on === undefined && typeof artifact === 'string' && { depends_on: [artifact] }),
    ...(draft.result && { result: isCopy || output === undefined ? result : { ...result, output } }),
  }
}

function failure({ state, rejection, error, ended_at, attempts, updated_at }: Handoff, draft: Draft): Draft {
  const severity = 'error'
  const usual = { code: 'PROCESSING_ERROR', message: 'failed', severity }
  const refused = { type: 'other', message: 'no reason given', ...rejection }
  return {
    ended_at: draft.ended_at ?? ended_at ?? attempts.at(-1)?.ended_at ?? updated_at,
    error: errorOf({ state, rejection: refused }) ?? error ?? draft.error ?? usual,
  }
}

/** Document 001 has five codes: another one is written in front of the message, unless it stands in the file already. */
export const inItsCodes = <E extends { readonly code: string; readonly message: string }>(
  error: E,
  said?: string,
): E =>
  isKnownErrorCode(error.code) || error.code === said
    ? error
    : { ...error, code: 'PROCESSING_ERROR', message: `${error.code}: ${error.message}` }

/** Work that was picked up before anybody looked began when it was seen, at the latest. */
function begun({ imported_at }: Handoff, draft: Draft, status: QueueStatus): Times {
  const started_at = draft.started_at ?? imported_at
  return status === 'in_progress' && started_at !== undefined ? { started_at } : {}
}

/** Retries made so far, the failures before this attempt, and from when on it may be taken. */
function retries(handoff: Handoff, status: QueueStatus): Partial<Draft> {
  const { attempt, attempts, retry = DEFAULT_RETRY, state, not_before, updated_at } = handoff
  const before = attempts.filter((each) => each.error !== undefined && each.attempt < attempt)
  const last = before.at(-1)?.ended_at
  const from = last && new Date(Date.parse(last) + delayBeforeAttempt(retry, attempt) * 1_000).toISOString()
  const since =
    not_before ?? (status === 'pending' && from !== undefined && from <= updated_at ? from : undefined)
  const isOver = state === 'rejected' || state === 'cancelled' || state === 'expired'
  return {
    retry_count: attempt - 1,
    ...(status === 'failed' && {
      retry_available: !isOver && retryAvailable(retry, attempt - 1),
      retry: { ...retry },
    }),
    ...(since !== undefined && { not_before: since }),
  }
}

/** How each attempt before this one failed (A1-16). */
export const historyOf = ({ attempt, attempts }: Handoff): readonly Record<string, unknown>[] =>
  attempts
    .filter((each) => each.error !== undefined && each.attempt < attempt)
    .map(({ attempt: n, started_at, ended_at, error }) => ({
      attempt: n,
      started_at,
      failed_at: ended_at,
      error: error && inItsCodes({ code: error.code, message: error.message }),
    }))

/** Computed from real times where the worker does not say it itself. */
function duration(handoff: Handoff, draft: Draft, status: QueueStatus, said: Times): Partial<Draft> {
  if (status !== 'completed' && status !== 'failed') return {}
  if (typeof draft.metrics?.execution_time_seconds === 'number') return {}
  const [from, to] = [handoff.started_at ?? draft.started_at, handoff.ended_at]
  const seconds = secondsBetween(said.started_at ?? from, said.ended_at ?? to) ?? secondsBetween(from, to)
  if (seconds === undefined) return {}
  return { metrics: { ...draft.metrics, execution_time_seconds: seconds } }
}

/** Undefined where one of them is not known, or the end lies before the beginning. */
function secondsBetween(from: string | undefined, to: string | undefined): number | undefined {
  const ms = from === undefined || to === undefined ? -1 : Date.parse(to) - Date.parse(from)
  return ms >= 0 ? ms / 1_000 : undefined
}
