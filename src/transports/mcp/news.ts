import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Actor } from '../../domain/agent.ts'
import type { Service } from '../../service/service.ts'
import { addNews } from '../../workspace/news.ts'

/** Work that can be changed under its holder; one page is more than a session holds. */
const AT_WORK = { state: ['accepted', 'in_progress', 'blocked', 'needs_input', 'in_review'] } as const
const MOST_HELD = 100

/**
 * Keeps the news file of a session while others write to the same database from elsewhere: only this process stands in
 * the workspace of the session. Runs until the signal.
 */
export async function keepNews(
  service: Service,
  dir: string,
  actor: Actor,
  signal: AbortSignal,
): Promise<void> {
  // A program with such a hook has made the folder at its start; nobody else reads.
  if (!existsSync(join(dir, 'news'))) return
  const { name: agent, instance } = actor
  const { store } = service.deps
  const held = new Set<string>()
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const look = async () => {
    await begun
    const { items } = await store.handoffs({ ...AT_WORK, to: agent }, { limit: MOST_HELD })
    for (const each of items)
      if (each.holder === agent && (each.instance ?? instance) === instance) held.add(each.uid)
  }
  const looked = look()
  for await (const { kind, subject, id, act, by } of (await service.events()).follow({
    signal,
    onReady: resolve,
  })) {
    await looked
    if (kind !== 'handoff' || id === undefined) continue
    if (by !== agent) {
      if (held.has(subject)) addNews(dir, { agent, instance, id, act, by })
      continue
    }
    const now = await store.handoff(subject)
    if (now?.holder === agent && (now.instance ?? instance) === instance) held.add(subject)
    else held.delete(subject)
  }
}
