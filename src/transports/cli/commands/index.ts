import type { OTHER_COMMANDS, OtherCommand } from '../catalog.ts'
import type { Command } from '../command.ts'
import { incomplete, refuseMoreWords, typedOption } from '../input/args.ts'

type Load = (verb: string) => Promise<Command>
type Verbs<Noun extends OtherCommand> = Record<(typeof OTHER_COMMANDS)[Noun][number], () => Promise<Command>>

const byVerb =
  <Noun extends OtherCommand>(verbs: Verbs<Noun>): Load =>
  (verb) =>
    verbs[verb as keyof Verbs<Noun>]()

/** Every command that is not an operation; each is loaded when it is typed. */
const COMMANDS: Readonly<Record<Exclude<OtherCommand, 'help'>, Load>> = {
  init: async () => (await import('./workspace/init.ts')).init,
  run: async () => (await import('./programs/run.ts')).run,
  serve: async () => (await import('./programs/serve.ts')).serve,
  login: async () => (await import('./agent/login.ts')).login,
  demo: async () => (await import('../../../../examples/demo/demo.ts')).demo,
  mcp: async () => (await import('./programs/mcp.ts')).mcp,
  setup: async () => (await import('./workspace/setup.ts')).setup,
  hook: async () => (await import('./programs/hook.ts')).hook,
  whoami: async () => (await import('./agent/whoami.ts')).whoami,
  find: async () => (await import('./handoff/find.ts')).find,
  watch: async () => (await import('./handoff/watch.ts')).watch,
  trust: async () => (await import('./workspace/trust.ts')).trust,
  check: async () => (await import('./documents/check.ts')).check,
  convert: async () => (await import('./documents/convert.ts')).convert,
  import: async () => (await import('./documents/import.ts')).importing,
  export: async () => (await import('./documents/export.ts')).exporting,
  collect: async () => (await import('./blocks/collect.ts')).collect,
  block: async () => (await import('./blocks/block.ts')).block,
  agent: async () => (await import('./agent/agent-key.ts')).key,
  audit: byVerb<'audit'>({
    anchor: async () => (await import('./audit/anchor.ts')).anchor,
    archive: async () => (await import('./audit/archive.ts')).archiving,
    export: async () => (await import('./audit/export.ts')).exporting,
    trust: async () => (await import('./audit/trust.ts')).trust,
    verify: async () => (await import('./audit/verify.ts')).verifying,
  }),
  folders: byVerb<'folders'>({
    sync: async () => (await import('./folders/sync.ts')).sync,
    watch: async () => (await import('./folders/watch.ts')).watch,
    doctor: async () => (await import('./folders/doctor.ts')).doctor,
  }),
  gc: async () => (await import('./workspace/gc.ts')).gc,
  doctor: async () => (await import('./workspace/doctor.ts')).doctor,
  uninstall: async () => (await import('./workspace/uninstall.ts')).uninstall,
  notify: async () => (await import('./programs/notify.ts')).notify,
  migrate: async () => (await import('./workspace/migrate.ts')).migrate,
  'merge-check': async () => (await import('./task/merge-check.ts')).mergeCheck,
  task: byVerb<'task'>({
    audit: async () => (await import('./task/audit.ts')).audit,
    clean: async () => (await import('./task/clean.ts')).clean,
    finish: async () => (await import('./task/finish.ts')).finish,
    import: async () => (await import('./task/import.ts')).importing,
    prompt: async () => (await import('./task/prompt.ts')).prompt,
  }),
  workflow: async () => (await import('./workflow/init.ts')).workflowInit,
  store: async (verb) => (await import('./workspace/store.ts')).STORE_COMMANDS[verb as 'info'],
  token: async (verb) => (await import('./agent/token.ts')).TOKEN_COMMANDS[verb as 'list'],
  completion: async (verb) => (await import('./programs/completion.ts')).completionFor(verb as 'bash'),
}

/** The command, which runs only when its words and the options that it needs are there. */
export async function loadCommand(name: OtherCommand, verb = ''): Promise<Command> {
  const command = await COMMANDS[name as keyof typeof COMMANDS](verb)
  const { words = [], flags = [], takesMore } = command
  return {
    ...command,
    async run(shell, args) {
      const missing = [
        ...words
          .filter((word, i) => !word.startsWith('[') && !args.words[i]?.trim())
          .map((word) => `<${word}>`),
        ...flags
          .filter((flag) => flag.required && !args.texts.has(flag.name))
          .map((flag) => typedOption(flag.name)),
      ]
      if (missing.length > 0) throw incomplete(command, missing)
      if (!takesMore) refuseMoreWords(args.words, words.length, command.name)
      return command.run(shell, args)
    },
  }
}
