import type { Program } from './hook-input.ts'

/** The answer to the agent. Without `stdout` nothing is written there. */
export interface HookAnswer {
  readonly exit: 0 | 2
  readonly stdout?: Readonly<Record<string, unknown>>
  readonly stderr?: string
}

export const NOTHING: HookAnswer = { exit: 0 }

/** Lets the agent go on instead of stopping, with this to do. */
export function refuseStop(program: Program, reason: string): HookAnswer {
  if (program === 'cursor') return { exit: 0, stdout: { followup_message: reason } }
  return { exit: 0, stdout: { decision: program === 'gemini' ? 'deny' : 'block', reason } }
}

/** Puts a text before the agent when its session begins. */
export function tellAtStart(program: Program, text: string): HookAnswer {
  if (program === 'cursor') return { exit: 0, stdout: { additional_context: text } }
  return {
    exit: 0,
    stdout: { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } },
  }
}

/** Claude Code has no JSON for this one: the code refuses, and the agent reads what stands in the error stream. */
export const refuseTask = (reason: string): HookAnswer => ({ exit: 2, stderr: reason })
