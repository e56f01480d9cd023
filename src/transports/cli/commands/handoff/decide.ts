import { BatonError, wrongState } from '../../../../domain/errors.ts'
import type { Handoff } from '../../../../domain/handoffs/handoff.ts'
import { isOpen } from '../../../../domain/lifecycle.ts'
import { CHOICES, choiceOf, ownOptions } from '../../../../domain/people/gate.ts'
import { confirmed } from '../../../../workspace/identity.ts'
import type { Extra } from '../../operation-command.ts'
import { askFor, demandYes, marked, personHere } from '../../prompt.ts'
import type { Shell } from '../../shell.ts'
import { evidenceView } from '../../views/dossier.ts'
import { pointOutNewName } from './send.ts'

/** A person decides: at a terminal after a confirmation, or with a person's token on a server. */
export const decide: Extra = {
  asks: ['choice'],
  async before(shell, session, input) {
    // A server knows a person by the token and judges by itself.
    if (!session.context) return { input }
    const actor = await personHere(shell.io, await session.actor(), 'gate_decide', 'baton decide')
    const { handoff, ...rest } = await session.call('handoff_get', { id: input.id })
    if (!isOpen(handoff.state))
      throw wrongState(`${handoff.id} is ${handoff.state} already; there is nothing left to decide`, {
        id: handoff.id,
        state: handoff.state,
      })
    shell.say(`${evidenceView(shell, { handoff, ...rest })}\n`)
    const options = rest.package.validation_request?.options
    const choice = await chosen(shell, handoff, options, input.choice)
    const asks = REASONS[choice]
    const comment = input.comment ?? (asks && (await askFor(shell.io, asks)))
    await confirm(shell, handoff, choice, actor.name)
    return { input: { ...input, choice, ...(comment && { comment }) }, actor }
  },
}

/** The same for one who lets a check go. */
export const waive: Extra = {
  async before(shell, session, input) {
    if (!session.context) return { input }
    const actor = await personHere(shell.io, await session.actor(), 'handoff_waive', 'baton handoff waive')
    const { handoff } = await session.call('handoff_get', { id: input.id })
    await confirm(shell, handoff, `waive ${JSON.stringify(input.check)} of`, actor.name)
    return { input, actor }
  },
}

/** A person at a terminal may move stuck work of others on, once it is confirmed. */
export const override = (verb: string): Extra => ({
  async before(shell, session, input) {
    const actor = await session.actor()
    const { io } = shell
    await pointOutNewName(shell, session, input.to)
    if (!session.context || actor.kind !== 'human' || !io.isTerminal || io.env.codingAgent) return { input }
    const { handoff } = await session.call('handoff_get', { id: input.id })
    if (handoff.from === actor.name) return { input }
    await confirm(shell, handoff, verb, `${actor.name}, in place of its sender ${handoff.from}`)
    return { input, actor: await marked(io, confirmed(actor)) }
  },
})

/** These answers need a text, or the receiver would not know what to do. */
const REASONS: Readonly<Record<string, string>> = {
  question: 'What do you want to know? ',
  reject: 'What has to change? ',
}

type Options = Readonly<Record<string, string>> | undefined

/** The typed choice, else the one asked for; an invalid word is refused before anybody confirms it. */
async function chosen(shell: Shell, handoff: Handoff, options: Options, typed: unknown): Promise<string> {
  const said = typed === undefined ? await askChoice(shell, handoff, options) : String(typed)
  const answer = choiceOf(handoff, options, said)
  if (answer.ok) return answer.choice
  throw new BatonError(answer.code, `${answer.message}; nothing was decided`, answer.details)
}

/** The first letters are enough where they mean one answer. */
async function askChoice(shell: Shell, { type }: Handoff, options: Options): Promise<string> {
  const own = type === 'escalation' ? ownOptions(options).map(([key]) => key) : []
  const words = [...own, ...Object.keys(CHOICES).filter((key) => own.length === 0 || key !== 'approve')]
  const answer = await askFor(shell.io, `${words.slice(0, -1).join(', ')} or ${words.at(-1)}? `)
  const meant = words.filter((each) => answer !== '' && each.toLowerCase().startsWith(answer.toLowerCase()))
  return meant.length === 1 ? meant[0]! : answer
}

async function confirm({ io }: Shell, { id }: Handoff, choice: string, name: string): Promise<void> {
  const refusal = `${id} is as it was: it was not confirmed`
  await demandYes(io, `${choice} ${id} as ${name}?`, refusal, { id, choice })
}
