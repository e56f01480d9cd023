import * as z from 'zod'
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
      command: z
        .array(z.string().min(1).max(2_000))
        .min(1)
        .max(100)
        .optional()
        .describe('The program and its arguments, never a shell; left out: the known one of this name'),
      brief: z
        .enum(BRIEF_WAYS)
        .optional()
        .describe('How the brief goes in: stdin (default), or a file whose path is the last argument'),
      answer: z
        .enum(ANSWER_WAYS)
        .optional()
        .describe(
          'How the answer comes back: calls (known programs), a handoff block in the output, or the exit code (others)',
        ),
      worktree: z.boolean().optional().describe('Works in a git worktree and on a branch of its own (false)'),
      concurrency: z.int().min(1).max(50).optional().describe('How many run at the same time (1)'),
      timeout: z
        .string()
        .refine((text) => isDuration(text, 7 * 86_400_000), { error: DURATION })
        .optional()
        .describe('How long a program may take (1h)'),
      output_kb: z
        .int()
        .min(1)
        .max(10_000)
        .optional()
        .describe('How much it may print, in kilobytes (5000); more ends it'),
      env: z
        .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, { error: VARIABLE }))
        .max(100)
        .optional()
        .describe('Variables of your environment that it may see, besides PATH, HOME and the language'),
      from: z
        .array(agentName)
        .min(1)
        .optional()
        .describe('Senders whose work starts it; left out: everyone that routes allow'),
      starts_per_hour: z
        .int()
        .min(1)
        .max(10_000)
        .optional()
        .describe('How often it may start in an hour (60)'),
    })
    .describe('One agent whose program baton run starts; may be empty for a known program')

export type Runner = z.output<ReturnType<typeof Runner>>
