import type { Command } from '../../command.ts'

/** The verbs of `audit` that are not operations: they are about this user and this machine, or about files. */
const COMMANDS = {
  trust: async () => (await import('./trust.ts')).trust,
} satisfies Record<string, () => Promise<Command>>

export const auditCommand = (verb: keyof typeof COMMANDS): Promise<Command> => COMMANDS[verb]()
