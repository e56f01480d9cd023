import type { Command } from '../../command.ts'

/** The verbs of `task` that work on files and on the repository. */
const TASK_COMMANDS = {
  audit: async () => (await import('./audit.ts')).audit,
  clean: async () => (await import('./clean.ts')).clean,
  finish: async () => (await import('./finish.ts')).finish,
  import: async () => (await import('./import.ts')).importing,
  prompt: async () => (await import('./prompt.ts')).prompt,
} satisfies Record<string, () => Promise<Command>>

export const taskCommand = (verb: keyof typeof TASK_COMMANDS): Promise<Command> => TASK_COMMANDS[verb]()
