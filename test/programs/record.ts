import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ProgramName } from './programs.ts'
import type { Recorded } from './stage.ts'

export const FIXTURES = resolve(import.meta.dirname, 'fixtures')

/** Keeps what a program said to hooks and server in its stories, for the tests that run without the programs. */
export function record(program: ProgramName, stories: readonly Recorded[]): void {
  const hooks: Record<string, unknown[]> = {}
  for (const [event, inputs] of stories.flatMap((story) => Object.entries(story.hooks))) {
    const kept = hooks[event] ?? []
    hooks[event] = kept
    const known = new Set(kept.map(formOf))
    for (const input of inputs) {
      if (known.has(formOf(input))) continue
      known.add(formOf(input))
      kept.push(input)
    }
  }
  const hello = stories.find((story) => story.hello.length > 0)?.hello ?? []
  mkdirSync(FIXTURES, { recursive: true })
  writeFileSync(join(FIXTURES, `${program}.json`), `${JSON.stringify({ hooks, hello }, null, 2)}\n`)
}

/** The words by which programs tell kinds of an event apart; of the others only the names count. */
const TELLING = ['stop_hook_active', 'source', 'trigger', 'agent_type', 'agent_name', 'tool_name', 'toolName']

/** Inputs of one form need to be kept once. */
const formOf = (input: unknown): string =>
  JSON.stringify(
    Object.entries(input as object).map(([key, value]) => [
      key,
      TELLING.includes(key) ? value : Array.isArray(value) && value.length > 0,
    ]),
  )
