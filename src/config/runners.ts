import * as z from 'zod'
import { optional } from '../domain/once.ts'
import { matching, text } from '../domain/schema-parts.ts'
import { isDuration } from './policy.ts'

const DURATION = 'write a duration such as 90s, 15m or 4h'
const VARIABLE = 'write the name of an environment variable, for example ANTHROPIC_API_KEY'

/** How the brief of a handoff reaches the program. */
export const BRIEF_WAYS = ['stdin', 'file'] as const
/** How the answer of the program comes back. */
export const ANSWER_WAYS = ['calls', 'block', 'exit'] as const

/** One agent whose program `baton run` starts. */
export const Runner = (agentName: z.ZodType<string>) =>
  z
    .strictObject({
      command: optional(
        z.array(text(2_000)).min(1).max(100),
        'The program and its arguments, never a shell; left out: the known one of this name',
      ),
      brief: optional(
        z.enum(BRIEF_WAYS),
        'How the brief goes in: stdin (default), or a file whose path is the last argument',
      ),
      answer: optional(
        z.enum(ANSWER_WAYS),
        'How the answer comes back: calls (known programs), a handoff block in the output, or the exit code (others)',
      ),
      worktree: optional(z.boolean(), 'Works in a git worktree and on a branch of its own (false)'),
      concurrency: optional(z.int().min(1).max(50), 'How many run at the same time (1)'),
      timeout: optional(
        z.string().refine((text) => isDuration(text, 7 * 86_400_000), { error: DURATION }),
        'How long a program may take (1h)',
      ),
      output_kb: optional(
        z.int().min(1).max(10_000),
        'How much it may print, in kilobytes (5000); more ends it',
      ),
      env: optional(
        z.array(matching(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, VARIABLE)).max(100),
        'Variables of your environment that it may see, besides PATH, HOME and the language',
      ),
      from: optional(
        z.array(agentName).min(1),
        'Senders whose work starts it; left out: everyone that routes allow',
      ),
      starts_per_hour: optional(z.int().min(1).max(10_000), 'How often it may start in an hour (60)'),
    })
    .describe('One agent whose program baton run starts; may be empty for a known program')

export type Runner = z.output<ReturnType<typeof Runner>>
