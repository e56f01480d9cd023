import { incomplete, isOn } from '../../input/args.ts'
import { added } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'
import { count } from '../../views/words.ts'

/** One notice, or every one that the inbox shows. */
export const ack: Extra = {
  asks: ['uid'],
  flags: (flags) => [...flags, added({ name: 'all', about: 'Every notice of your inbox' })],
  examples: ['baton notice ack --all'],
  async alone(shell, { uid }) {
    if (!isOn(shell.args, 'all')) {
      if (uid !== undefined) return undefined
      throw incomplete({ name: 'notice ack', examples: ack.examples! }, ['<uid>'])
    }
    const session = await shell.open({ write: true, existing: true })
    const seen: string[] = []
    for (;;) {
      const { notices } = await session.call('handoff_inbox', { limit: 200 })
      if (notices.length === 0) return { seen }
      for (const notice of notices) seen.push((await session.call('notice_ack', { uid: notice.uid })).uid)
    }
  },
  async after(shell, output) {
    if (!('seen' in (output as object))) return false
    const { seen } = output as { readonly seen: readonly string[] }
    shell.answer(output, () => `${shell.screen.tick} ${count(seen.length, 'notice')} marked as seen`)
    return true
  },
}
