import type { Command } from '../../command.ts'
import { badOption, CONSENT, flag, isConsented, textOf } from '../../input/args.ts'
import { toSeconds } from '../../screen/time.ts'
import { count } from '../../views/words.ts'

/** Idempotency keys are kept for seven days; nothing younger may go. */
const LEAST_S = 7 * 86_400

export const gc: Command = {
  name: 'gc',
  summary:
    'Clears away old idempotency keys, seen notices, sent messages and ended sessions; servers do it themselves. Never open work, the log or artifacts.',
  flags: [...CONSENT, flag('older-than <time>', 'How old: 30d, at least 7d (7d)')],
  examples: ['baton gc', 'baton gc --older-than 30d --yes'],
  async run(shell, args) {
    const given = textOf(args, 'older-than')
    const seconds = given === undefined ? LEAST_S : toSeconds(given)
    if (seconds === undefined || seconds < LEAST_S)
      throw badOption('older-than', `${given} is not a length of time of at least 7d`)
    const apply = isConsented(args)
    const { service } = await shell.openLocal({ write: apply })
    const before = new Date(Date.now() - seconds * 1_000).toISOString()
    const found = await service.deps.store.gc(before, apply)
    shell.answer({ before, applied: apply, ...found }, () => {
      const what = `${count(found.idem, 'idempotency key')}, ${count(found.notices, 'seen notice')}, ${count(found.deliveries, 'sent message')} and ${count(found.tokens, 'ended session')}`
      if (Object.values(found).every((rows) => rows === 0))
        return `${shell.screen.tick} nothing to clear away`
      return apply
        ? `${shell.screen.tick} cleared away ${what}`
        : shell.hint(`${what} can go; do it with: baton gc --yes`)
    })
  },
}
