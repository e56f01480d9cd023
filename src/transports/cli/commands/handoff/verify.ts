import { BatonError, invalidInput } from '../../../../domain/errors.ts'
import { HOME_RULES, HOMES } from '../../../../domain/home.ts'
import { confirmed } from '../../../../workspace/identity.ts'
import { withEvidence, withFix } from '../../input/evidence.ts'
import type { FieldFlag } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'
import { askFor, askYesNo, marked } from '../../prompt.ts'
import { evidenceView } from '../../views/dossier.ts'

const PASS: FieldFlag = { name: 'pass', field: 'pass', kind: 'switch', about: 'It is as it should be' }
const FAIL: FieldFlag = {
  name: 'fail',
  field: 'fail',
  kind: 'text',
  placeholder: 'why',
  optional: true,
  about: 'Give it back; the receiver corrects it',
}
const GIVE_BACK = 'give it back with --fail -m "why"'
const NOTE = 'The reason, for the receiver; with --pass a note'

const CHECK = {
  short: 'evidence',
  placeholder: 'deliverable=proof',
  about: 'The evidence you saw for a deliverable; by default the evidence that was handed in',
} as const

/** Shows what was handed in; the judgement comes from an option, or from the person at the terminal. */
export const verify: Extra = {
  flags: (flags) => [
    PASS,
    FAIL,
    ...flags
      .filter(({ field }) => field !== 'pass')
      .map((flag) => ({
        ...flag,
        ...(flag.field === 'checks' ? CHECK : flag.field === 'note' && { about: NOTE }),
      })),
  ],
  asks: ['pass'],
  async before(shell, session, { fail, ...typed }) {
    const input = await withEvidence(session, typed, { field: 'checks', option: 'check' })
    if (fail !== undefined && input.pass === true)
      throw new BatonError('invalid_input', '--pass and --fail contradict each other; give one of them')
    const why = [fail === true ? '' : fail, input.note].filter(Boolean).join('\n')
    if (fail !== undefined && why) return { input: { ...withChecks(input, false), pass: false, note: why } }
    if (input.pass === true) return { input: withChecks(input, true) }
    if (!shell.io.isTerminal)
      throw invalidInput(
        fail
          ? '--fail needs the reason: -m "why" (a terminal would ask)'
          : 'say what you judge: --pass, or --fail -m "why" (a terminal would ask)',
        { missing: [fail ? 'note' : 'pass'] },
      )
    const dossier = await session.call('handoff_get', { id: input.id })
    shell.say(`${evidenceView(shell, dossier)}\n`)
    const pass = fail === undefined && (await askYesNo(shell.io, 'Does it pass?'))
    const note = pass ? input.note : await askFor(shell.io, `What must ${dossier.handoff.to} correct? `)
    const actor = await session.actor()
    return {
      input: { ...withChecks(input, pass), pass, ...(note !== undefined && note !== '' && { note }) },
      ...(actor.kind === 'human' &&
        actor.auth === 'os-user' && { actor: await marked(shell.io, confirmed(actor)) }),
    }
  },
  refused(_, error) {
    if (!(error instanceof BatonError)) return error
    if ([error.details.unmet].flat().some((each) => Object(each).code === 'check_failed'))
      return new BatonError(error.code, `${error.message}; ${GIVE_BACK}`, error.details, error)
    // Elsewhere the evidence is the receiver's, and no check stands for it.
    const home = HOMES.find((each) => each === error.details.home)
    if (!home || HOME_RULES[home].lastWord !== 'verifier') return error
    return withFix(error, 'check', (options) => `say what you saw with ${options}, or ${GIVE_BACK}`)
  },
}

/** `--check "Deliverable=evidence"` says of one deliverable what the judgement says of all. */
function withChecks(input: Record<string, unknown>, pass: boolean): Record<string, unknown> {
  if (!Array.isArray(input.checks)) return input
  const status = pass ? 'verified' : 'refused'
  return { ...input, checks: input.checks.map((check: object) => ({ status, ...check })) }
}
