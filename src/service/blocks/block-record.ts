import { canonicalJson } from '../../audit/canonical-json.ts'
import { sha256 } from '../../crypto/crypto.ts'
import { ENGINE } from '../../domain/actor.ts'
import type { Block } from '../../domain/blocks/block.ts'
import type { RouteMode } from '../../domain/blocks/failure-routing.ts'
import { BatonError } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { present } from '../../domain/present.ts'
import type { Reads } from '../../storage/store.ts'
import { agentReads, ensureAgents, refuseUnlisted } from '../agents/agents.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { refuseRoute } from '../handoffs/admission.ts'
import type { Step } from '../handoffs/moves.ts'
import { adminStream, logRecord } from '../log-record.ts'
import { refuseSecrets } from '../secrets.ts'
import { decideFor, type FollowUp, follow, type Situation } from './follow-up.ts'
import type { BlockSaid, FoundBlock } from './found-blocks.ts'
import { delegatorFor, openWork, type Work } from './work.ts'

/** The caller's settings for all blocks of a call. */
export interface Recording {
  /** The source of the text; it tells apart two blocks with the same content. */
  readonly source?: string | undefined
  readonly workflow?: string | undefined
  /** The run that the blocks belong to. */
  readonly run?: { readonly uid: string; readonly id: string } | undefined
  readonly mode: RouteMode
}

export interface Recorded {
  readonly outcome: 'recorded' | 'unchanged'
  readonly block: Block
}

/** Large enough for any block that an agent writes, too small for a file that was taken for one. */
const MOST_CHARACTERS = 256_000
/** Refusals of what follows from a block: it is true all the same and is kept. */
const HELD_BACK: readonly string[] = [
  'limit_exceeded',
  'conflict',
  'not_allowed',
  'not_found',
  'unmet',
  'wrong_state',
]
/** How much is done with a block: everything, all but handing it on, or only keeping it. */
const EXTENTS = ['all', 'moved', 'kept'] as const
type Extent = (typeof EXTENTS)[number]

/** Stores a block as history and does what follows from it, all of it or nothing, and only once. */
export async function recordBlock(
  deps: ServiceDeps,
  call: Call,
  found: FoundBlock & { readonly said: BlockSaid },
  recording: Recording,
): Promise<Recorded> {
  if (found.raw.length > MOST_CHARACTERS)
    throw new BatonError(
      'too_large',
      `the block has ${found.raw.length} characters; ${MOST_CHARACTERS} are the most`,
    )
  refuseSecrets({ block: found.raw })
  const digest = digestOf(found, recording)
  const before = await deps.store.transact({
    reads: { blocks: [digest] },
    at: deps.now().toISOString(),
    decide: (view) => view.block(digest),
  })
  if (before) return { outcome: 'unchanged', block: before }
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const recorded = await kept(await prepare(deps, call, found, recording, digest))
    if (recorded) return recorded
  }
  throw new BatonError(
    'unavailable',
    'the handoff of this block is being changed by others; collect it again',
  )
}

/** With all that follows; where the workspace refuses some of it, with as much as it lets happen. */
async function kept(write: WriteBlock): Promise<Recorded | undefined> {
  let problem: string | undefined
  for (const extent of EXTENTS)
    try {
      return await write(extent, problem)
    } catch (error) {
      // A block that names an agent which is not listed is refused as a whole.
      if (!(error instanceof BatonError) || !HELD_BACK.includes(error.code) || extent === 'kept') throw error
      problem = error.message
    }
  return undefined
}

const MOST_TRIES = 10

/** How many handoffs may be made of a block, so that no number is taken that nobody gets. */
function numbersFor(
  situation: Pick<Situation, 'said' | 'mode' | 'delegator' | 'waiting'>,
  given: Handoff | undefined,
  handsOn: boolean,
): number {
  if (situation.said.status !== 'failed') return handsOn ? 1 : 0
  const { retry, route_to, escalate_to } = decideFor(situation, given)
  const isNew = retry !== undefined && !(retry.agent === 'same' && given)
  const placed = [route_to, escalate_to].filter((to) => to !== undefined && !situation.waiting.has(to))
  return placed.length + (isNew ? 1 : 0)
}

/** The same words from the same place are the same block, however they are laid out. */
export function digestOf({ draft, ordinal }: FoundBlock, { source = '-', run }: Recording): string {
  const { body: _, ...said } = draft ?? {}
  const plain: unknown = JSON.parse(JSON.stringify(said))
  return sha256(canonicalJson([plain, source, ordinal, run?.uid ?? null]), 'hex')
}

/** Nothing is written when the handoff of the block was moved since it was looked at. */
type WriteBlock = (extent: Extent, problem: string | undefined) => Promise<Recorded | undefined>

/** Facts read before the transaction; it checks again those that may have changed. */
interface Look {
  readonly now: string
  readonly work: Work
  /** Somebody is next. */
  readonly isPassed: boolean
  readonly given?: Handoff | undefined
  readonly delegator?: string | undefined
  /** Agents that take part. */
  readonly names: readonly string[]
  /** Agents that the block names, whether or not its status brings them in. */
  readonly named: readonly string[]
  readonly waiting: ReadonlyMap<string, string>
}

async function look(deps: ServiceDeps, call: Call, said: BlockSaid, recording: Recording): Promise<Look> {
  const { run } = recording
  const now = deps.now().toISOString()
  const work: Work = {
    task: said.task,
    workflow: said.workflow ?? recording.workflow ?? run?.id ?? now.slice(0, 10),
    run: run?.uid,
  }
  const isPassed = said.status === 'complete' && said.to !== 'None'
  const given = await openWork(deps, work, said.from)
  const rules = said.status === 'failed' ? (said.on_failure ?? {}) : {}
  const delegator =
    rules.escalate_after === undefined
      ? undefined
      : await delegatorFor(deps, { said, work, given, caller: call.actor.name })
  const receivers = distinct([isPassed ? said.to : undefined, rules.route_to, delegator])
  const names = distinct([said.from, ...receivers, rules.notify, call.actor.name])
  const { route_to, notify } = said.on_failure ?? {}
  return {
    now,
    work,
    isPassed,
    given,
    delegator,
    names,
    named: distinct([said.to === 'None' ? undefined : said.to, route_to, notify]),
    waiting: await waitingFor(deps, work, said.from, receivers),
  }
}

const distinct = (names: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(names.filter((name) => name !== undefined)),
]

async function prepare(
  deps: ServiceDeps,
  call: Call,
  found: FoundBlock & { readonly said: BlockSaid },
  recording: Recording,
  digest: string,
): Promise<WriteBlock> {
  const { said, draft = {} } = found
  const seen = await look(deps, call, said, recording)
  const { now, work, given } = seen
  const [uid, madeUid] = [deps.newUid(), deps.newUid()]
  const block: Block = {
    uid,
    digest,
    ...factsOf(said, work),
    at: said.at ?? now,
    stored_at: now,
    raw: found.raw,
    ...present({ source: recording.source }),
    ordinal: found.ordinal,
    line: found.line,
    by: call.actor.name,
  }
  const stream = recording.run?.uid ?? adminStream(deps)
  const situation: Situation = {
    ...seen,
    said,
    draft,
    mode: recording.mode,
    given: given?.uid,
    uids: [deps.newUid(), deps.newUid(), deps.newUid(), deps.newUid()],
    handsOn: false,
  }
  return (extent, problem) =>
    deps.store.transact<Recorded | undefined>({
      reads: readsFor(deps, seen, situation, { extent, digest, stream }),
      at: now,
      decide: (view) => {
        const before = view.block(digest)
        if (before) return { outcome: 'unchanged', block: before }
        if (given && view.handoff(given.uid)?.rev !== given.rev) return undefined
        const step: Step = { deps, view, actor: call.actor, at: now }
        for (const name of seen.named) refuseUnlisted(step, name)
        const more = ensureAgents(step, seen.names)
        if (more) return more
        const handsOn = extent === 'all'
        if (handsOn && seen.isPassed) refuseRoute(deps, said.from, said.to)
        const following: FollowUp =
          extent === 'kept' ? { followed: {} } : follow(step, block, { ...situation, handsOn })
        const followed = { ...following.followed, ...present({ problem }) }
        const stored: Block = { ...block, ...(Object.keys(followed).length > 0 && { followed }) }
        keep(step, stream, stored)
        if (following.retry) keepRetry(step, stream, stored, madeUid, following.retry)
        return { outcome: 'recorded', block: stored }
      },
    })
}

function readsFor(
  deps: ServiceDeps,
  { work, isPassed, given, names, named }: Look,
  situation: Situation,
  { extent, digest, stream }: { readonly extent: Extent; readonly digest: string; readonly stream: string },
): Reads {
  const { from, to } = situation.said
  const { task, run } = work
  const { agents, streams } = agentReads(deps, [...new Set([...names, ...named])])
  return {
    blocks: [digest],
    agents,
    ...(extent === 'all' && isPassed && { counted: [from, to] }),
    handoffs: given ? [given.uid] : [],
    contents: given ? [given.uid] : [],
    ...(task !== undefined && { tasks: [task] }),
    ...(task !== undefined && isPassed && { latest: { task, from, to } }),
    streams: [...new Set([...situation.uids.slice(0, 3), stream, ...streams])],
    ...(run !== undefined && { runs: [run] }),
    numbers: extent === 'kept' ? 0 : numbersFor(situation, given, isPassed),
  }
}

const factsOf = (said: BlockSaid, work: Work) =>
  present({
    from: said.from,
    to: said.to,
    phase: said.phase,
    status: said.status,
    task: work.task,
    run: work.run,
    workflow: work.workflow,
    retry_count: said.retry_count,
    metrics: said.metrics,
    dependencies: said.dependencies,
    on_failure: said.on_failure,
    defaulted: said.defaulted,
  })

async function waitingFor(
  deps: ServiceDeps,
  work: Work,
  from: string,
  receivers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const waiting = new Map<string, string>()
  for (const to of new Set(receivers)) {
    const open = await openWork(deps, work, to)
    if (open?.from === from) waiting.set(to, open.id)
  }
  return waiting
}

/** The log holds who brought it and who it claims to be of; the text itself is in the history, bound by its hash. */
function keep({ view, actor, at }: Step, stream: string, block: Block): void {
  view.addBlock(block)
  view.append({
    stream,
    subject: block.uid,
    record: logRecord('block.record', actor, { id: block.uid, k: 'record', rev: 1 }, at),
    fields: {
      claimed_author: block.from,
      to: block.to,
      phase: block.phase,
      status: block.status,
      workflow: block.workflow,
      task: block.task,
      file: block.source,
      raw_sha256: sha256(block.raw, 'hex'),
    },
  })
}

/** Newest of a failure that is retried: who looks at the history sees that the work is open. */
function keepRetry(
  step: Step,
  stream: string,
  failed: Block,
  uid: string,
  { retry_count, raw }: NonNullable<FollowUp['retry']>,
): void {
  const made: Block = {
    ...failed,
    uid,
    digest: sha256(`retry ${failed.digest}`, 'hex'),
    status: 'retry',
    retry_count,
    metrics: {},
    at: step.at,
    raw,
    by: ENGINE.name,
    made: true,
  }
  keep({ ...step, actor: ENGINE }, stream, made)
}
