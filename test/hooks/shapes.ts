import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { quick, type Where } from '../support/program/command.ts'

/** What a program tells its hooks, and the keys that it takes from them, as its documentation has it. */
export interface Shapes {
  readonly program: string
  readonly inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The program's own word for stopping. */
  readonly stop: string
  readonly answers: Readonly<Record<string, readonly string[]>>
}

export const PROGRAMS = ['claude-code', 'codex', 'gemini', 'cursor'] as const

export const shapesOf = (program: string): Shapes =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', `${program}.json`), 'utf8'))

export interface Heard {
  readonly exit: number | null
  readonly answer: Readonly<Record<string, unknown>> | undefined
  readonly stderr: string
}

/** What a program leaves in the environment of the commands it runs. */
const ENVIRONMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'claude-code': { CLAUDECODE: '1' },
  codex: { CODEX_SANDBOX: 'seatbelt' },
  gemini: { GEMINI_CLI: '1' },
  cursor: { CURSOR_AGENT: '1' },
}

/** Calls a hook as the program does, and refuses an answer that the program would not read. */
export async function called(
  where: Where,
  shapes: Shapes,
  event: string,
  more: Readonly<Record<string, unknown>> = {},
  ...flags: readonly string[]
): Promise<Heard> {
  const said = JSON.stringify({ ...shapes.inputs[event], ...more }).replaceAll(
    '"CWD"',
    JSON.stringify(where.cwd),
  )
  const words = ['hook', event, '--agent', 'codex', '--for', shapes.program, ...flags]
  const { code, stdout, stderr } = await quick(
    { ...where, env: { ...where.env, ...ENVIRONMENTS[shapes.program] }, input: said },
    ...words,
  )
  if (stdout === '') return { exit: code, answer: undefined, stderr }
  const answer = JSON.parse(stdout) as Readonly<Record<string, unknown>>
  for (const key of Object.keys(answer))
    assert.ok(
      shapes.answers[event]?.includes(key),
      `${shapes.program} does not know ${key} in answer to ${event}`,
    )
  return { exit: code, answer, stderr }
}

/** How an answer keeps the agent: by a decision, or in Claude Code by words that it goes on with. */
export function keptBy({ answer }: Heard): unknown {
  const specific = answer?.hookSpecificOutput as { readonly hookEventName?: string } | undefined
  return answer?.decision ?? specific?.hookEventName
}

/** The words that reach the agent, wherever its program wants them. */
export function wordsOf({ answer }: Heard): string {
  const specific = answer?.hookSpecificOutput as { readonly additionalContext?: string } | undefined
  const words = [
    answer?.reason,
    answer?.followup_message,
    answer?.additional_context,
    specific?.additionalContext,
  ]
  return words.filter((each) => typeof each === 'string').join('\n')
}
