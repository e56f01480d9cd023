import type { Command } from '../../command.ts'

/** The verbs of `audit` that are not operations: they are about this user and this machine, or about files. */
const AUDIT_COMMANDS = {
  anchor: async () => (await import('./anchor.ts')).anchor,
  export: async () => (await import('./export.ts')).exporting,
  trust: async () => (await import('./trust.ts')).trust,
  verify: async () => (await import('./verify.ts')).verifying,
} satisfies Record<string, () => Promise<Command>>

export const auditCommand = (verb: keyof typeof AUDIT_COMMANDS): Promise<Command> => AUDIT_COMMANDS[verb]()
