import { BatonError } from '../../../domain/errors.ts'
import type { Handoff } from '../../../domain/handoff.ts'
import { confirmed, personOnly } from '../../../identity.ts'
import type { Extra } from '../operation-command.ts'
import { askFor, askYesNo } from '../prompt.ts'
import type { Shell } from '../shell.ts'
import { type Dossier, evidenceView } from '../views/dossier.ts'

const CHOICES = ['approve', 'reject', 'question']

/** A person decides: at a terminal after a confirmation, or with a person's token on a server. */
export const decide: Extra = {
  asks: ['choice'],
  async before(shell, session, input) {
    // A server knows a person by the token and judges by itself.
    if (!session.context) return { input }
    const actor = await session.actor()
    personOnly(
      shell.io.isTerminal && shell.io.env.codingAgent === undefined ? confirmed(actor) : actor,
      'gate_decide',
    )
    const { handoff, ...rest } = (await session.call('handoff_get', { id: input.id })) as Dossier
    shell.say(`${evidenceView(shell, { handoff, ...rest })}\n`)
    const choice = input.choice ?? (await askChoice(shell))
    const comment =
      input.comment ??
      (choice === 'question' ? await askFor(shell.io, 'What do you want to know? ') : undefined)
    await confirm(shell, handoff, String(choice), actor.name)
    return { input: { ...input, choice, ...(comment !== undefined && { comment }) }, actor: confirmed(actor) }
  },
}

async function askChoice(shell: Shell): Promise<string> {
  const answer = (await askFor(shell.io, 'approve, reject or question? ')).toLowerCase()
  const choice = CHOICES.find((each) => answer !== '' && each.startsWith(answer))
  if (choice) return choice
  throw new BatonError(
    'invalid_input',
    'the answer was not approve, reject or question, so nothing was decided',
  )
}

async function confirm(shell: Shell, handoff: Handoff, choice: string, name: string): Promise<void> {
  if (await askYesNo(shell.io, `${choice} ${handoff.id} as ${name}?`, false)) return
  throw new BatonError('not_allowed', `${handoff.id} is as it was: it was not confirmed`, {
    id: handoff.id,
    choice,
  })
}
