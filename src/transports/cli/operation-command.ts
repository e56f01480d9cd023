import * as z from 'zod'
import type { Actor } from '../../domain/actor.ts'
import { BatonError } from '../../domain/errors.ts'
import { type Issue, issueSentence } from '../../domain/texts/issue-words.ts'
import { loadOperation, type OperationName } from '../../operations/index.ts'
import type { Operation } from '../../operations/operation.ts'
import { byHand, referencesOf, typedAs } from './catalog.ts'
import type { Command } from './command.ts'
import { type Arguments, incomplete, refuseMoreWords, textOf, typedOption } from './input/args.ts'
import { type FieldFlag, flagsOf, isRequired, TEXT } from './input/flags.ts'
import { toInput } from './input/values.ts'
import type { Live } from './session/live.ts'
import type { Session, SessionCallOptions } from './session/session.ts'
import type { Shell } from './shell.ts'
import { Interrupted } from './shell.ts'

type Input = Record<string, unknown>

/** The steps of a command beside calling its operation. */
export interface Extra {
  readonly flags?: (flags: readonly FieldFlag[]) => readonly FieldFlag[]
  /** Examples of what only the command line takes. */
  readonly examples?: readonly string[]
  /** Lasts until something happens. Ctrl-C ends every other command where it is. */
  readonly waits?: true
  /** Fields that are needed and that `before` asks for. */
  readonly asks?: readonly string[]
  /** Words beyond those of the operation. */
  readonly words?: (args: Arguments) => number
  /** The answer of a command that can do without a workspace and has none; undefined asks as usual. */
  readonly alone?: (shell: Shell, input: Input) => Promise<unknown>
  /** A refusal in the words of what was typed. */
  readonly refused?: (shell: Shell, error: unknown) => unknown
  /** Completes the input, asks the person, or says who the caller is after they answered. */
  readonly before?: (shell: Shell, session: Session, input: Input) => Promise<Prepared>
  /** Says something else than the usual view. */
  readonly after?: (shell: Shell, output: unknown, input: Input) => Promise<boolean>
}

export interface Prepared {
  readonly input: Input
  readonly actor?: Awaited<ReturnType<Session['actor']>>
}

/** The few operations that need a hand of their own; loaded with them. */
const EXTRAS: Readonly<Partial<Record<OperationName, () => Promise<Extra>>>> = {
  agent_add: async () => (await import('./commands/agent/person.ts')).person,
  agent_remove: async () => (await import('./commands/agent/person.ts')).removal,
  audit_checkpoint: async () => (await import('./commands/audit/anchor.ts')).checkpoint,
  handoff_send: async () => (await import('./commands/handoff/send.ts')).sendOn,
  handoff_create: async () => (await import('./commands/handoff/send.ts')).send,
  handoff_inbox: async () => (await import('./commands/handoff/inbox.ts')).inbox,
  handoff_accept: async () => (await import('./commands/handoff/accept.ts')).accept,
  handoff_claim: async () => (await import('./commands/handoff/accept.ts')).accept,
  handoff_submit: async () => (await import('./commands/handoff/submit.ts')).submit,
  handoff_verify: async () => (await import('./commands/handoff/verify.ts')).verify,
  handoff_cancel: async () => (await import('./commands/handoff/decide.ts')).override('cancel'),
  handoff_reassign: async () => (await import('./commands/handoff/decide.ts')).override('reassign'),
  handoff_resend: async () => (await import('./commands/handoff/decide.ts')).override('send again'),
  handoff_amend: async () => (await import('./commands/handoff/edit.ts')).edit(),
  notice_ack: async () => (await import('./commands/handoff/ack.ts')).ack,
  handoff_waive: async () => (await import('./commands/handoff/decide.ts')).waive,
  gate_decide: async () => (await import('./commands/handoff/decide.ts')).decide,
  handoff_wait: async () => (await import('./commands/handoff/wait.ts')).wait,
  task_start: async () => (await import('./commands/task/start.ts')).start,
  task_log: async () => (await import('./commands/task/log.ts')).log,
  audit_redact: async () => (await import('./commands/audit/redact.ts')).redact,
  report_metrics: async () => (await import('./commands/blocks/metrics.ts')).metrics,
  workflow_status: async () => (await import('./commands/workflow/status.ts')).status,
  workflow_start: async () => (await import('./commands/workflow/definition.ts')).fromFile,
  workflow_check: async () => (await import('./commands/workflow/check.ts')).check,
  workflow_picture: async () => (await import('./commands/workflow/picture.ts')).picture,
  artifact_put: async () => (await import('./commands/handoff/artifact.ts')).put,
  artifact_get: async () => (await import('./commands/handoff/artifact.ts')).get,
}

/** The command of an operation, with options from its input. */
export async function operationCommand(name: OperationName): Promise<Command> {
  const written = byHand(name)
  if (written) return (await import('./commands/index.ts')).loadCommand(written)
  // A command reads one input: to compile its schema first takes longer than to walk it.
  z.config({ jitless: true })
  const [op, extra] = await Promise.all([loadOperation(name), EXTRAS[name]?.()])
  const own = flagsOf(op)
  const flags = extra?.flags?.(own) ?? own
  const positional = op.positional ?? []
  const known = referencesOf(name)
  // An answer to something that was handed over before makes no workspace.
  const isAboutKnown = positional.some(
    (field) => field in known && isRequired(op.input.shape[field] as z.ZodType),
  )
  return {
    name: typedAs(name),
    summary: op.summary,
    words: flags
      .filter(({ isWord }) => isWord)
      .map(({ field, required }) => (required ? field.replace('_', '-') : `[${field}]`)),
    flags: flags
      .filter(({ isWord, name: each }) => !isWord || each === TEXT)
      .map((flag) =>
        flag.isWord ? { ...flag, required: false, about: `The same as <${flag.field}>` } : flag,
      ),
    examples: [...op.examples, ...(extra?.examples ?? [])],
    async run(shell, args) {
      refuseMoreWords(args.words, positional.length + (extra?.words?.(args) ?? 0), typedAs(name))
      let input: Input = await toInput(args, flags, positional, shell.io)
      demandRequired(op, flags, input, extra)
      const alone = await extra?.alone?.(shell, input)
      if (alone !== undefined) return show(await asShown(alone, op), input, shell)
      const session = await shell.open({ write: op.effect === 'write', existing: isAboutKnown })
      const live = op.effect === 'write' ? await liveFolders(shell, session) : undefined
      await live?.catchUp()
      input = await resolved(session, name, input)
      const signal = extra?.waits && shell.io.lasting()
      const prepared = (await extra?.before?.(shell, session, input).catch(refusedInput)) ?? { input }
      if (op.peopleOnly) await demandPerson(session, prepared, name)
      const output = await called(shell, session, name, { ...prepared, signal }, flags).catch(
        (error: unknown) => {
          throw extra?.refused?.(shell, error) ?? error
        },
      )
      await live?.catchUp()
      shell.live = live
      return show(output, input, shell, session)
    },
  }

  function refusedInput(error: unknown): never {
    throw inOptions(error, flags)
  }

  async function show(output: unknown, input: Input, shell: Shell, session?: Session): Promise<number> {
    if (await extra?.after?.(shell, output, input)) return 0
    const view = shell.isJson ? undefined : await (await import('./views/index.ts')).viewOf(name, session)
    shell.answer(output, () => view?.(shell, output as never) ?? '')
    return 0
  }
}

/** Most workspaces have no live folders, and most inputs name nothing that is there already. */
async function liveFolders(shell: Shell, session: Session): Promise<Live | undefined> {
  if (!session.context?.config?.folders?.length) return undefined
  return (await import('./session/live.ts')).liveOf(shell, session)
}

async function resolved(session: Session, name: OperationName, input: Input): Promise<Input> {
  if (!Object.keys(referencesOf(name)).some((field) => field in input)) return input
  return (await import('./session/references.ts')).resolveReferences(session, name, input)
}

/** An answer made here is shown as an operation's own answer would be. */
async function asShown(answer: unknown, { untrusted }: Operation): Promise<unknown> {
  const { visibleDeep } = await import('../../domain/texts/visible.ts')
  return visibleDeep(untrusted ? { ...(answer as object), untrusted } : answer)
}

/** Such an operation is never called here without a person's confirmation, whatever was asked before. */
async function demandPerson(session: Session, { actor }: Prepared, name: OperationName): Promise<void> {
  if (!session.context) return
  const { personOnly } = await import('../../workspace/identity.ts')
  personOnly(actor ?? (await session.actor()), name, `baton ${typedAs(name)}`)
}

async function called(
  shell: Shell,
  session: Session,
  name: OperationName,
  prepared: Prepared & { readonly signal: AbortSignal | undefined },
  flags: readonly FieldFlag[],
): Promise<unknown> {
  const call = (more: SessionCallOptions) => {
    const answer = session.call(name, prepared.input, { key: textOf(shell.args, 'key'), ...more })
    return prepared.signal ? Promise.race([answer, interruption(prepared.signal)]) : answer
  }
  try {
    return await call({ actor: prepared.actor })
  } catch (error) {
    const person = isSecret(error) ? await letPass(shell, session, error) : undefined
    if (!person) throw inOptions(error, flags)
    return call({ actor: person, notSecret: true })
  }
}

const isSecret = (error: unknown): error is BatonError =>
  error instanceof BatonError && Array.isArray(error.details.secrets)

/** A person at the terminal may say that a suspected secret is harmless; the log keeps that they did. */
async function letPass(shell: Shell, session: Session, error: BatonError): Promise<Actor | undefined> {
  if (!session.context || !shell.io.isTerminal || shell.io.env.codingAgent !== undefined) return undefined
  const [{ askYesNo, marked }, { confirmed }] = await Promise.all([
    import('./prompt.ts'),
    import('../../workspace/identity.ts'),
  ])
  const actor = await session.actor()
  if (actor.kind !== 'human') return undefined
  shell.warn(error.message)
  shell.say('The text stays in the log, for all its readers. You confirm that it is not a secret.')
  return (await askYesNo(shell.io, 'Is it not a secret, and should it be written?', false))
    ? marked(shell.io, confirmed(actor))
    : undefined
}

/** Ends what waits when the person presses Ctrl-C. */
function interruption(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Interrupted()), { once: true })
  })
}

/** A refused field as the option that people typed. */
function inOptions(error: unknown, flags: readonly FieldFlag[]): unknown {
  if (!(error instanceof BatonError) || error.code !== 'invalid_input') return error
  if (Array.isArray(error.details.missing)) {
    const named = (text: string, { field, name }: FieldFlag) =>
      text.replace(`${field} is missing`, `${typedOption(name)} is missing`)
    return new BatonError(error.code, flags.reduce(named, error.message), error.details, error)
  }
  if (!Array.isArray(error.details.issues)) return error
  const lines = (error.details.issues as Issue[]).map((issue) =>
    issueSentence(inChoices(issue, flags), (path) => typedField(path, flags)),
  )
  return new BatonError('invalid_input', lines.join('; '), error.details, error)
}

/** The option, and what is wrong inside of it: `--retry: multiplier`. */
function typedField([field, ...below]: readonly PropertyKey[], flags: readonly FieldFlag[]): string {
  const flag = flags.find((each) => each.field === field && each.part === undefined)
  if (!flag) return [field, ...below].join('.')
  const inside = below.filter((part) => typeof part !== 'number').join('.')
  const option = flag.isWord ? `<${flag.field}>` : typedOption(flag.name)
  return inside === '' ? option : `${option}: ${inside}`
}

/** A schema for one word or a list of them has an issue that names neither; this adds the choices. */
function inChoices(issue: Issue, flags: readonly FieldFlag[]): Issue {
  const flag = flags.find(({ field, part }) => field === issue.path[0] && part === undefined)
  if (!flag?.choices || !/^Invalid (input|option)/.test(issue.message)) return issue
  return { code: 'invalid_value', path: issue.path, message: issue.message, values: flag.choices }
}

function demandRequired(op: Operation, flags: readonly FieldFlag[], input: Input, extra?: Extra): void {
  const asked = new Set(extra?.asks)
  const missing = flags.filter(
    ({ field, required, part }) => required && part === undefined && !(field in input) && !asked.has(field),
  )
  if (op.name === 'handoff_send' && !('id' in input))
    missing.push(...flags.filter(({ field }) => (field === 'to' || field === 'title') && !(field in input)))
  if (missing.length === 0) return
  throw incomplete(
    { name: typedAs(op.name as OperationName), examples: op.examples },
    missing.map(({ field, name, isWord }) => (isWord ? `<${field.replace('_', '-')}>` : typedOption(name))),
    missing.map(({ field }) => field),
  )
}
