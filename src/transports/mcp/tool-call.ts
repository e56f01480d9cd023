import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import type { Actor } from '../../domain/actor.ts'
import { keyProblem } from '../../domain/call-key.ts'
import { BatonError } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { invoke, type Operation } from '../../operations/operation.ts'
import type { Call } from '../../service/deps.ts'
import type { Service } from '../../service/service.ts'
import { parseJson } from '../shared/json-limits.ts'
import { isOfStore } from '../shared/problem.ts'
import { refusal, reply, result } from './reply.ts'
import { ASKED_BYTES, hasField, isPaged, isReadOn, REPLY_BYTES, SIZE_FIELDS } from './size.ts'

/** The needs of every call, whichever wire it came over. */
export interface World {
  readonly service: Service
  /** Identifies the caller; throws when it may not call this operation. */
  readonly admit: (op: Operation, context: ServerContext) => Actor
  /** Whether the caller's token has a scope; absent without tokens. */
  readonly may?: (scope: string, context: ServerContext) => boolean
  /** Counts an open call, and answers the function that ends it; throws when the caller has too many. */
  readonly enter?: (context: ServerContext) => () => void
  /** Runs around an operation on this wire, if the project is at hand. */
  readonly around?: Around | undefined
  /** Ends when the server stops: whoever waits is answered then. */
  readonly stopping?: AbortSignal | undefined
  /** How long a call is held at most. */
  readonly waitMs?: number | undefined
  /** How often a call that takes long says so. */
  readonly progressMs?: number | undefined
  /** Told of failures that are ours. */
  readonly onFailure?: ((error: unknown, operation: string) => void) | undefined
}

type Fields = Readonly<Record<string, unknown>>

export type Around = (op: Operation, call: Call, input: Fields, run: () => Promise<object>) => Promise<object>

/** Makes a repeated call harmless: the same key with the same input answers what the first call did. */
export const KEY = 'baton/idempotency_key'
/** Under the minute after which agents give up on a tool. */
export const WAIT_MS = 45_000
const EVERY_MS = 5_000
/** The cursor of a wait that goes on: until when. */
const UNTIL = /^until@(\d{1,15})$/
/** The size of an entry is soon known well enough; the last try takes one alone. */
const MOST_TRIES = 6

/** Calls an operation as a tool. Answers refusals as results, so that the agent reads them; throws nothing. */
export async function callTool(
  op: Operation,
  given: unknown,
  context: ServerContext,
  world: World,
): Promise<CallToolResult> {
  const stop = keepTelling(op, context, world.progressMs)
  let leave: (() => void) | undefined
  try {
    const actor = world.admit(op, context)
    leave = world.enter?.(context)
    const { may, stopping, waitMs: ms = WAIT_MS } = world
    const hold = { caller: context.mcpReq.signal, stopping, ms }
    const bounds = may && { may: (scope: string) => may(scope, context) }
    const call = { ...toCall(actor, context), ...bounds, hold }
    const { raw, cursor } = inputOf(op, given, world.service)
    const run = async (fields: Fields) => {
      const invoked = () => invoke(op, world.service, call, fields) as Promise<object>
      const answer = await (world.around?.(op, call, fields, invoked) ?? invoked())
      if (op.name !== 'handoff_accept') return answer
      const { withPackage } = await import('./package.ts')
      return withPackage(answer as { handoff: Handoff }, world.service)
    }
    return await answeredCall(op, async (fields) => goingOn(await run(fields), world.service), raw, cursor)
  } catch (error) {
    if (!(error instanceof BatonError) || error.code === 'internal' || isOfStore(error))
      world.onFailure?.(error, op.name)
    return refusal(error)
  } finally {
    leave?.()
    stop()
  }
}

/** A page that is too large is asked for again with fewer entries, so that its own cursor goes on where it ends. */
async function answeredCall(
  op: Operation,
  run: (fields: Fields) => Promise<object>,
  raw: Fields,
  cursor: string | undefined,
): Promise<CallToolResult> {
  const asked = Object.keys(SIZE_FIELDS).some((field) => raw[field] !== undefined)
  if (!isPaged(op)) {
    const filled = hasField(op, 'budget') ? { budget: SIZE_FIELDS.budget!.fill, ...raw } : raw
    return reply(op, await run(filled), { asked, cursor })
  }
  const most = asked ? ASKED_BYTES : REPLY_BYTES
  let fields: Fields = asked ? raw : { ...raw, limit: SIZE_FIELDS.limit!.fill }
  for (let tries = 1; ; tries++) {
    const page = await run(fields)
    const limit = Number(fields.limit)
    const text = JSON.stringify(page)
    const size = Buffer.byteLength(text)
    if (size <= most) return result(page, text)
    if (limit === 1 || tries === MOST_TRIES) return reply(op, page, { asked })
    const fitting = Math.max(1, Math.min(limit - 1, Math.floor((limit * most) / size)))
    fields = { ...raw, limit: tries === MOST_TRIES - 1 ? 1 : fitting }
  }
}

/** The fields of the operation, and the cursor where it is ours. */
function inputOf(op: Operation, given: unknown, service: Service): { raw: Fields; cursor?: string } {
  const raw = checkedInput(given)
  if (!isReadOn(op) || raw.cursor === undefined) return { raw }
  const { cursor, ...rest } = raw
  if (typeof cursor !== 'string' || cursor.length > 2_000)
    throw new BatonError('invalid_input', 'cursor: take it from the last reply, as it stands there')
  const until = UNTIL.exec(cursor)
  if (!until || !hasField(op, 'timeout_s')) return { raw: rest, cursor }
  const leftMs = Number(until[1]) - service.deps.now().getTime()
  return { raw: { ...rest, timeout_s: Math.max(0, leftMs / 1_000) } }
}

/** A client may send arguments of any depth or width, and their readers must not choke on them. */
function checkedInput(given: unknown): Fields {
  if (given === undefined) return {}
  let text: string
  try {
    text = JSON.stringify(given)
  } catch (error) {
    throw new BatonError('invalid_input', 'the arguments are nested too deeply', {}, error)
  }
  return parseJson(text) as Fields
}

function toCall(actor: Actor, context: ServerContext): Call {
  const key = context.mcpReq._meta?.[KEY]
  if (key === undefined) return { actor }
  const fault = keyProblem(`_meta ${KEY}`, key)
  if (fault !== undefined) throw new BatonError('invalid_input', fault)
  // It has no fault, so it is a text.
  return { actor, key: key as string }
}

/** A wait that was held as long as a call may be: the reply says how to go on. */
function goingOn(answer: object, service: Service): object {
  if (!('left_s' in answer)) return answer
  const until = Math.round(service.deps.now().getTime() + Number(answer.left_s) * 1_000)
  return {
    ...answer,
    cursor: `until@${until}`,
    next: 'To go on waiting, call again with the same id and this cursor. Or do other work and call handoff_inbox later.',
  }
}

/** Tells whoever asked to be told that a call is still at work, until the answered function is called. */
function keepTelling(op: Operation, { mcpReq }: ServerContext, everyMs = EVERY_MS): () => void {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => undefined
  const started = performance.now()
  const timer = setInterval(() => {
    const progress = (performance.now() - started) / 1_000
    const params = { progressToken, progress, message: `${op.name} is at work, ${Math.round(progress)} s` }
    // The client disconnected.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }, everyMs)
  return () => clearInterval(timer)
}
