import type { Redacted } from '../../../../domain/audit-answers.ts'
import { loadOperation } from '../../../../operations/index.ts'
import { checkedInput } from '../../../../operations/operation.ts'
import { demandRedactable } from '../../../../service/redaction/redact.ts'
import type { Extra } from '../../operation-command.ts'
import { demandYes, personHere } from '../../prompt.ts'
import { plainText } from '../../screen/plain-text.ts'
import type { Shell } from '../../shell.ts'
import { count } from '../../views/words.ts'

/** A person takes a text away for good: at a terminal after a confirmation, or with a person's token on a server. */
export const redact: Extra = {
  async before(shell, session, input) {
    // A server knows a person by the token and judges by itself.
    if (!session.context) return { input }
    const actor = await personHere(shell.io, await session.actor(), 'audit_redact', 'baton audit redact')
    // Nobody is asked about something that cannot be done.
    const { id, field } = checkedInput(await loadOperation('audit_redact'), input)
    await demandRedactable(session.context.service.deps, { id: String(id), field: String(field) })
    shell.say('If it is a key or a password, rotate it first: its readers still have it.')
    const question = `Remove ${input.field} of ${input.id} for good?`
    await demandYes(shell.io, question, `${input.id} is as it was: it was not confirmed`, { id: input.id })
    return { input, actor }
  },
  async after(shell, output) {
    shell.answer(output, () => redactedView(shell, output as Redacted))
    return true
  },
}

function redactedView(shell: Shell, redacted: Redacted): string {
  const { subject, field, already, disclosures, documents, files, unreachable } = redacted
  const { screen } = shell
  const name = `${field} of ${screen.bold(plainText(subject.id))}`
  const done = already
    ? `${screen.tick} ${name} was redacted before; nothing is left of it here`
    : `${screen.tick} ${name} is gone: ${count(disclosures, 'text')} of the log, ${count(documents, 'document')}`
  const lines = [
    done,
    ...files.map((path) => `  the stored file ${plainText(path)} is gone too`),
    'The log keeps that it was there, and every proof holds. Out of reach from here:',
    ...unreachable.map((place) => `  - ${place}`),
  ]
  return screen.fit(lines.join('\n'))
}
