import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { addNews } from '../../workspace/news.ts'
import type { Session } from '../cli/session/session.ts'

/** Work that can be changed under its holder; one page is more than a session holds. */
const AT_WORK = ['accepted', 'in_progress', 'blocked', 'needs_input', 'in_review']
const MOST_HELD = 100

/**
 * Keeps the news file of a session while others write to the same store from elsewhere: only this process stands in
 * the workspace of the session. Runs until the signal.
 */
export async function keepNews(
  session: Session,
  dir: string,
  agent: string,
  instance: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  // A program with such a hook has made the folder at its start; nobody else reads.
  if (!existsSync(join(dir, 'news'))) return
  const held = new Set<string>()
  const note = (now: Handoff) => {
    if (now.holder === agent && (now.instance ?? instance) === instance) held.add(now.uid)
    else held.delete(now.uid)
  }
  const { promise: begun, resolve: onReady } = Promise.withResolvers<void>()
  const look = async () => {
    await begun
    const { items } = await session.call('handoff_list', { to: agent, state: AT_WORK, limit: MOST_HELD })
    items.forEach(note)
  }
  // A store that is away for a moment ends neither the news nor the server of the agent.
  const looked = look().catch(() => undefined)
  for await (const { subject, id, act, by } of session.events({ kind: 'handoff', signal, onReady })) {
    await looked
    if (id === undefined) continue
    if (by !== agent) {
      if (held.has(subject)) addNews(dir, { agent, instance, id, act, by })
      continue
    }
    const found = await session.call('handoff_get', { id: subject }).catch(() => undefined)
    if (found) note(found.handoff)
  }
}
