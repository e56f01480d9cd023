import { STATE_OF } from '../../dialects/block/words.ts'
import type { Draft } from '../../dialects/draft.ts'
import { dialectOf, readDocuments } from '../../dialects/index.ts'
import { AgentName } from '../../domain/agent.ts'
import type { OnFailure } from '../../domain/blocks/block.ts'
import { isPhase, PHASES, STATUSES } from '../../domain/blocks/phases.ts'
import { BatonError } from '../../domain/errors.ts'
import { present } from '../../domain/present.ts'
import { isWrong } from '../documents/check.ts'
import type { BlockSaid } from './found-blocks.ts'

/** The block that an agent writes at the end of its work, as input. `to` is `None` where nobody is next. */
type BlockInput = Record<'phase' | 'from' | 'to' | 'status' | 'at', string> & {
  readonly [K in 'retry_count' | 'metrics' | 'dependencies' | 'on_failure' | 'task' | 'workflow']?:
    | BlockSaid[K]
    | undefined
} & { readonly context?: Readonly<Record<string, unknown>> | undefined }

/** The block for the end of a summary. Refuses what a reader of it would refuse. */
export function writeBlock(input: BlockInput): string {
  const { phase, status, retry_count, metrics, dependencies, on_failure, task, workflow, context } = input
  if (!isPhase(phase)) throw notOne('phase', phase, PHASES)
  const known = STATUSES.find((each) => each === status)
  if (!known) throw notOne('status', status, STATUSES)
  const draft: Draft = {
    phase,
    from: agentOf('from', input.from),
    to: input.to === 'None' ? null : agentOf('to', input.to),
    state: STATE_OF[known],
    ...present({
      retry_count,
      metrics: metrics && { ...metrics },
      depends_on: dependencies && [...dependencies],
      on_failure: on_failure && rulesOf(on_failure),
    }),
    created_at: input.at,
    ...present({
      task,
      workflow: workflow === undefined ? workflow : { id: workflow },
      package: context && { data: { ...context } },
    }),
  }
  const read = readDocuments(blockText(draft))
  const wrong = read.find(isWrong)?.diagnostics.find(({ severity }) => severity === 'error')
  if (wrong) throw new BatonError('invalid_input', wrong.message, { code: wrong.code })
  // As it is read, so that writing it again gives the same bytes.
  const { body: _, ...said } = read[0]?.draft ?? draft
  return blockText(said)
}

function blockText(draft: Draft): string {
  const dialect = dialectOf('block')
  const native = dialect.toNative(draft)
  if (native.ok) return dialect.print(native)
  throw new BatonError('invalid_input', native.missing.map(({ reason }) => reason).join('; '))
}

const rulesOf = ({ retry, route_to, notify, escalate_after, context }: OnFailure): OnFailure =>
  present({
    retry,
    route_to: route_to === undefined ? route_to : agentOf('on_failure.route_to', route_to),
    notify: notify === undefined ? notify : agentOf('on_failure.notify', notify),
    escalate_after,
    context,
  })

function agentOf(field: string, name: string): string {
  const parsed = AgentName.safeParse(name)
  if (parsed.success) return parsed.data
  throw new BatonError('invalid_input', `${field}: ${parsed.error.issues[0]?.message}`, { field })
}

const notOne = (field: string, given: string, known: readonly string[]): BatonError =>
  new BatonError('invalid_input', `Invalid ${field}: ${given}; write one of ${known.join(', ')}`, {
    field,
    known,
  })
