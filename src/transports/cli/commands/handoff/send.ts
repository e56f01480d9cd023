import type { Handoff } from '../../../../domain/handoffs/handoff.ts'
import { newName } from '../../../../domain/texts/nearest.ts'
import { type Arguments, flag } from '../../input/args.ts'
import { added } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'
import { demandYes } from '../../prompt.ts'
import type { Session } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'

const CHECK_FILES = added(
  flag(
    'check-files <since>',
    'Point out files changed since this commit or branch that are not among the artifacts',
  ),
)

/** Git knows which files were made; the sender need not list them twice. */
export const send: Extra = {
  flags: (flags) => [...flags, CHECK_FILES],
  async before(shell, session, { check_files, ...input }) {
    await pointOutNewName(shell, session, input.to)
    if (typeof check_files !== 'string') return { input }
    const { changedSince } = await import('../documents/changed-files.ts')
    const made = await changedSince(shell.io.cwd, check_files, CHECK_FILES.name)
    const names = made.map(({ name }) => name)
    const given = Array.isArray(input.created_files) ? (input.created_files as readonly string[]) : []
    return { input: { ...input, created_files: [...new Set([...given, ...names])] } }
  },
  async after(shell, output) {
    const { handoff } = output as { readonly handoff: Handoff }
    const left = (await shell.live?.leftOut(handoff)) ?? []
    if (left.length > 0)
      shell.warn(
        `the file does not say ${left.join(', ')}: its format has no place for it; the receiver sees it with: baton show ${handoff.id}`,
      )
    return false
  },
}

const THEN = added(
  flag('then <agent>', 'Hand the result on to this agent; its task follows in quotes', { repeats: true }),
)
const followers = ({ texts }: Arguments): readonly string[] => texts.get(THEN.name) ?? []

export const sendOn: Extra = {
  ...send,
  flags: (flags) => [...flags, CHECK_FILES, THEN],
  examples: ['baton send --to claude --title "Add rate limiting" --then codex "Review it"'],
  words: (args) => followers(args).length,
  alone: async (shell, input) =>
    followers(shell.args).length === 0
      ? undefined
      : (await import('./send-then.ts')).sendThen(shell, followers(shell.args), input),
}

/** A slip in a name would hand the work to somebody who is never there. In a pipe the answer warns. */
export async function pointOutNewName(shell: Shell, { context }: Session, to: unknown) {
  if (typeof to !== 'string' || !context || !shell.io.isTerminal || shell.isJson) return
  const name = to.replace(/^@/, '').toLowerCase()
  const advice = newName(name, await context.service.deps.store.agents())
  const refusal = `nothing was sent: ${name} was not confirmed`
  if (advice) await demandYes(shell.io, `${advice} Go on with ${name}?`, refusal, { to: name })
}
