import type { OTHER_COMMANDS } from '../../catalog.ts'
import type { Command } from '../../command.ts'

type Verb = (typeof OTHER_COMMANDS)['folders'][number]

const FOLDER_COMMANDS: Readonly<Record<Verb, () => Promise<Command>>> = {
  sync: async () => (await import('./sync.ts')).sync,
  watch: async () => (await import('./watch.ts')).watch,
  doctor: async () => (await import('./doctor.ts')).doctor,
}

export const foldersCommand = (verb: Verb): Promise<Command> => FOLDER_COMMANDS[verb]()
