import { canonicalJson } from '../../audit/canonical-json.ts'
import { sha256 } from '../../crypto/crypto.ts'
import { type Actor, ENGINE } from '../../domain/actor.ts'
import type { Block, Followed } from '../../domain/blocks/block.ts'
import type { RouteMode } from '../../domain/blocks/failure-routing.ts'
import { BatonError, unavailable } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { present } from '../../domain/present.ts'
import type { Needs, Reads, View } from '../../storage/store.ts'
import { agentReads, ensureAgents, kindHere, refuseUnlisted } from '../agents/agents.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { Receiver } from '../handoffs/receiver.ts'
import { Sender } from '../handoffs/sender.ts'
import { adminStream, enter } from '../log-record.ts'
import { refuseSecrets } from '../secrets.ts'
import { Together } from '../together.ts'
import { type BlockPlan, followedBy, planFor, retryBlock, type Situation } from './follow-up.ts'
import type { BlockSaid, FoundBlock } from './found-blocks.ts'
import { delegatorFor, openWork, type Work } from './work.ts'
import { receiverSteps } from './work-moves.ts'

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
  'invalid_input',
  'unmet',
  'wrong_state',
]
const MOST_TRIES = 10

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
  refuseSecrets({ ...found.draft?.package, block: found.raw })
  const digest = digestOf(found, recording)
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const before = await deps.store.transact({
      reads: { blocks: [digest] },
      at: deps.now().toISOString(),
      decide: (view) => view.block(digest),
    })
    if (before) return { outcome: 'unchanged', block: before }
    const { plan, write } = await prepare(deps, call, found, recording, digest)
    try {
      return { outcome: 'recorded', block: await kept(plan, write) }
    } catch (error) {
      if (!isOvertaken(error)) throw error
    }
  }
  throw unavailable('the handoff of this block is being changed by others; collect it again')
}

/** How much of what follows from a block is done. */
type Extent = Pick<BlockPlan, 'sends'> & { readonly moves: boolean }
type WriteBlock = (extent: Extent, problem: string | undefined) => Promise<Block>

/** With all that follows; where the workspace refuses some of it, with as much as it lets happen. */
async function kept({ sends }: BlockPlan, write: WriteBlock): Promise<Block> {
  const alone = sends.length > 1 ? sends.toReversed().map((one) => [one]) : []
  const fewer = [...alone, ...(sends.length > 0 ? [[]] : [])].map((some) => ({ moves: true, sends: some }))
  let problem: string | undefined
  for (const extent of [{ moves: true, sends }, ...fewer])
    try {
      return await write(extent, problem)
    } catch (error) {
      if (!(error instanceof BatonError) || !HELD_BACK.includes(error.code) || isOvertaken(error)) throw error
      problem ??= error.message
    }
  // A block that names an agent which is not listed is refused as a whole.
  return write({ moves: false, sends: [] }, problem)
}

/** Another call stored the block, or moved its handoff, since it was looked at. */
const OVERTAKEN = 'the handoff of this block was changed meanwhile'
const isOvertaken = (error: unknown): boolean => error instanceof BatonError && error.message === OVERTAKEN

/** The same words from the same place are the same block, however they are laid out. */
export function digestOf({ draft, ordinal }: FoundBlock, { source = '-', run }: Recording): string {
  const { body: _, ...said } = draft ?? {}
  const plain: unknown = JSON.parse(JSON.stringify(said))
  return sha256(canonicalJson([plain, source, ordinal, run?.uid ?? null]), 'hex')
}

/** Facts read before the transaction; it checks again those that may have changed. */
interface Look extends Pick<Situation, 'work' | 'given' | 'delegator' | 'isPerson' | 'waiting'> {
  readonly now: string
  /** Agents that take part. */
  readonly names: readonly string[]
  /** Agents that the block names, whether or not its status brings them in. */
  readonly named: readonly string[]
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
    given,
    delegator,
    isPerson: delegator !== undefined && (await kindHere(deps, delegator)) === 'human',
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
): Promise<{ readonly plan: BlockPlan; readonly write: WriteBlock }> {
  const { said, draft = {} } = found
  const seen = await look(deps, call, said, recording)
  const { now, work, given } = seen
  const [uid, madeUid] = [deps.newUid(), deps.newUid()]
  const block: Block = {
    uid,
    digest,
    ...said,
    ...present(work),
    at: said.at ?? now,
    stored_at: now,
    raw: found.raw,
    ...present({ source: recording.source }),
    ordinal: found.ordinal,
    line: found.line,
    by: call.actor.name,
  }
  const stream = recording.run?.uid ?? adminStream(deps)
  const situation: Situation = { ...seen, said, draft, mode: recording.mode, newUid: deps.newUid }
  const plan = planFor(block, situation)
  const author = await authorOf(deps, call.actor, said.from)

  /** One unit: the commands that the block stands for, between a look whether it still may and its own row. */
  const write: WriteBlock = async ({ moves, sends }, problem) => {
    const together = new Together(deps.store)
    const byAuthor = { actor: author, together }
    const byCaller = { actor: call.actor, together }
    const steps = moves && given ? receiverSteps(given, said, plan.retry) : []
    let stored = block
    await together.run([
      () => together.transact({ reads: readsFor(deps, seen, digest), at: now, decide: fence }),
      ...steps.map((step) => () => step(new Receiver(deps), byAuthor, given!.uid)),
      ...sends.map(({ by, input, ...made }) => () => {
        const document = { uid: made.uid, ...present({ run: work.run }), keep: withAttempt(made.attempt) }
        return new Sender(deps).sendDocument(by === 'author' ? byAuthor : byCaller, input, true, document)
      }),
      () => together.transact({ reads: { streams: [stream] }, at: now, decide: keepAll }),
    ])
    return stored

    function fence(view: View): Needs | undefined {
      if (view.block(digest) || (given && view.handoff(given.uid)?.rev !== given.rev))
        throw new BatonError('conflict', OVERTAKEN)
      const step: Step = { deps, view, actor: call.actor, at: now }
      for (const name of seen.named) refuseUnlisted(step, name)
      return ensureAgents(step, seen.names)
    }

    function keepAll(view: View): void {
      const step: Step = { deps, view, actor: call.actor, at: now }
      const followed = {
        ...(moves && followedBy(step, block, situation, { ...plan, sends })),
        ...present({ problem }),
      }
      stored = { ...block, ...(Object.keys(followed).length > 0 && { followed }) }
      keep(step, stream, stored)
      const { retry } = followed as Followed
      if (retry) keepRetry(step, stream, stored, madeUid, situation)
    }
  }
  return { plan, write }
}

const withAttempt =
  (attempt: number | undefined) =>
  (_: Step, made: Handoff): Handoff => ({ ...made, ...present({ attempt }) })

/** The block's author as its text claims it, acting through the caller that the log names. */
async function authorOf(deps: ServiceDeps, caller: Actor, name: string): Promise<Actor> {
  if (caller.name === name) return caller
  return { name, kind: await kindHere(deps, name), auth: 'file', broughtBy: caller }
}

function readsFor(deps: ServiceDeps, { work, given, names, named }: Look, digest: string): Reads {
  const { agents, streams } = agentReads(deps, [...new Set([...names, ...named])])
  return {
    blocks: [digest],
    agents,
    handoffs: given ? [given.uid] : [],
    streams,
    ...(work.run !== undefined && { runs: [work.run] }),
  }
}

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
function keep(step: Step, stream: string, block: Block): void {
  step.view.addBlock(block)
  enter(step, 'block.record', {
    k: 'record',
    id: block.uid,
    stream,
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
function keepRetry(step: Step, stream: string, failed: Block, uid: string, situation: Situation): void {
  const retry_count = failed.followed?.retry?.retry_count ?? 0
  const raw = retryBlock(step.at, situation, retry_count)
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
