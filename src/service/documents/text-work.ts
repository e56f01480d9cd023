import { toError } from '../../domain/errors.ts'
import { askApart } from '../apart.ts'
import type { Call } from '../deps.ts'
import type { JobAnswer, Jobs, TextJob } from './text-jobs.ts'

/** No text up to this length takes longer than 50 ms. The largest real document has 31 KB. */
const SHORT = 16 * 1024
const TIME_LIMIT_MS = 10_000

/** The end of the last job of each agent, whatever its tokens: many at once must not keep others waiting. */
const turns = new Map<string, Promise<unknown>>()

/**
 * Does one of the jobs on a text of this length. A call over a wire shares its process with others' calls, so a long
 * text is worked on in a thread with a limit, one of each agent at a time.
 */
export async function workOn<N extends keyof Jobs>(
  { actor, hold }: Call,
  name: N,
  input: Parameters<Jobs[N]>[0],
  { length, timeLimitMs = TIME_LIMIT_MS }: { readonly length: number; readonly timeLimitMs?: number },
): Promise<Awaited<ReturnType<Jobs[N]>>> {
  type Done = Awaited<ReturnType<Jobs[N]>>
  const { JOBS, JOBS_URL, JOB_ROLE } = await import('./text-jobs.ts')
  if (!hold || length <= SHORT)
    return (JOBS[name] as (input: unknown) => Promise<unknown>)(input) as Promise<Done>
  const job: TextJob = { role: JOB_ROLE, name, input }
  const turn = (turns.get(actor.name) ?? Promise.resolve()).then(() =>
    askApart<JobAnswer>(JOBS_URL, job, timeLimitMs, hold.caller),
  )
  const ended = turn
    .catch(() => undefined)
    .then(() => {
      if (turns.get(actor.name) === ended) turns.delete(actor.name)
    })
  turns.set(actor.name, ended)
  const answer = await turn
  if (!answer) throw toError('too_large', EXHAUSTED, { length, limit_s: timeLimitMs / 1_000 })
  if ('refused' in answer) throw toError(...answer.refused)
  return answer.done as Done
}

const EXHAUSTED =
  'the document takes too much time or memory; split it, or use the command line beside the store'
