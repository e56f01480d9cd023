import type { Readable } from 'node:stream'
import { BatonError } from '../../domain/errors.ts'

/** The programs whose hooks are known. Their inputs differ less than their answers. */
export const PROGRAMS = ['claude-code', 'codex', 'gemini', 'copilot', 'qwen', 'cursor'] as const
export type Program = (typeof PROGRAMS)[number]

export const EVENTS = [
  'session-start',
  'stop',
  'subagent-stop',
  'pre-compact',
  'task-completed',
  'news',
] as const
export type HookEvent = (typeof EVENTS)[number]

/** The fields that Baton reads from a hook's input; everything else is left alone. */
export interface HookInput {
  readonly sessionId: string | undefined
  readonly cwd: string | undefined
  /** The agent goes on only because a hook has refused already. */
  readonly isContinued: boolean
  readonly trigger: string | undefined
  readonly subagent: { readonly id: string | undefined; readonly type: string } | undefined
  /** It stops below another agent: Copilot CLI has one event for both. */
  readonly isBelow: boolean
  /** Id and words of a task of the agent's own list. */
  readonly task: { readonly id: string; readonly text: string } | undefined
  readonly isCursor: boolean
  /** Ended by the person or by an error, not by the agent. */
  readonly isAborted: boolean
  /** A background job still runs; the program wakes the agent when it ends. */
  readonly isWaiting: boolean
  /** The tool before this failed. */
  readonly isFailed: boolean
}

/** The spellings of each agent, without their capitals and dashes. */
const SPELLINGS: Readonly<Record<string, HookEvent>> = {
  sessionstart: 'session-start',
  stop: 'stop',
  afteragent: 'stop',
  agentstop: 'stop',
  subagentstop: 'subagent-stop',
  precompact: 'pre-compact',
  precompress: 'pre-compact',
  taskcompleted: 'task-completed',
  news: 'news',
  posttooluse: 'news',
  aftertool: 'news',
}

export function eventOf(word: string): HookEvent | undefined {
  const key = word.toLowerCase().replaceAll(/[^a-z]/g, '')
  return Object.hasOwn(SPELLINGS, key) ? SPELLINGS[key] : undefined
}

/**
 * Whether the agent may stop regardless of its work. A refusal could repeat for ever when the agent goes on because of
 * a hook already. A person ended it, or it waits for a job in the background. A subagent without a type is the
 * program's own, such as the one that summarises before a compaction.
 */
export const maySimplyStop = (event: HookEvent, input: HookInput): boolean =>
  (event === 'stop' || event === 'subagent-stop') &&
  (input.isContinued ||
    input.isAborted ||
    input.isWaiting ||
    (event === 'subagent-stop' && input.subagent === undefined))

/** Programs say more than anyone needs here; nobody sends this much. */
const MAX_HOOK_BYTES = 16 * 1024 * 1024

/** Reads what the agent says. Ends with the object, also when the pipe is left open behind it. */
export async function readHookInput(
  from: (Readable & { readonly isTTY?: boolean }) | (() => Uint8Array | undefined),
): Promise<HookInput> {
  if ('isTTY' in from && from.isTTY) return toHookInput({})
  let bytes = Buffer.alloc(0)
  let text = ''
  for await (const piece of typeof from === 'function' ? pulled(from) : from) {
    bytes = Buffer.concat([bytes, Buffer.from(piece)])
    if (bytes.length > MAX_HOOK_BYTES)
      throw new BatonError('too_large', 'the input of the hook is over 16 MB')
    text = bytes.toString()
    if (text.trimEnd().endsWith('}')) {
      const read = parsedInput(text)
      if (read !== undefined) return toHookInput(read)
    }
  }
  if (text.trim() === '') return toHookInput({})
  throw new BatonError('invalid_input', 'the input of the hook is not a JSON object; nothing was done')
}

function* pulled(pull: () => Uint8Array | undefined): Generator<Uint8Array> {
  for (let piece = pull(); piece !== undefined; piece = pull()) yield piece
}

function parsedInput(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    // Some programs begin with a byte order mark.
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>
  } catch {
    // Not all of it is there yet, or it never will be: the caller knows.
  }
  return undefined
}

export function toHookInput(said: Readonly<Record<string, unknown>>): HookInput {
  const text = (key: string): string | undefined => {
    const value = said[key]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const roots = said.workspace_roots
  const root: unknown = Array.isArray(roots) ? roots[0] : undefined
  const type = text('agent_type') ?? text('agentType')
  const task = text('task_id')
  const jobs: readonly unknown[] = Array.isArray(said.background_tasks) ? said.background_tasks : []
  return {
    sessionId: text('session_id') ?? text('sessionId') ?? text('conversation_id'),
    cwd: text('cwd') ?? (typeof root === 'string' ? root : undefined),
    isContinued:
      said.stop_hook_active === true || (typeof said.loop_count === 'number' && said.loop_count > 0),
    trigger: text('source') ?? text('trigger'),
    subagent: type === undefined ? undefined : { id: text('agent_id') ?? text('agentId'), type },
    isBelow: text('parentAgentId') !== undefined,
    task:
      task === undefined
        ? undefined
        : { id: task, text: `${text('task_subject') ?? ''}\n${text('task_description') ?? ''}` },
    isCursor: text('cursor_version') !== undefined,
    isAborted: said.status === 'aborted' || said.status === 'error',
    isFailed: Boolean(Object(said.tool_response).error),
    // A subagent that stops is in the list itself.
    isWaiting: jobs.some((job) => Object(job).status === 'running' && Object(job).id !== text('agent_id')),
  }
}
