import { type IndexEntry, printIndex } from '../../dialects/markdown/index-file.ts'
import { type BodySection, onlyHere } from '../../dialects/markdown/render.ts'
import { seconds } from '../../dialects/text/time.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { markdownStatus } from '../../domain/handoffs/markdown-status.ts'
import { isEnd } from '../../domain/lifecycle.ts'
import { DEFAULT_LIMITS } from '../../domain/limits.ts'
import type { Store } from '../../service/service.ts'
import type { About, Extra } from '../folder.ts'

const INDEX = '_index.yaml'
const WEEK_MS = 7 * 86_400_000
/** Among the newest ended ones are those that were completed; more than the index shows. */
const ENDED_IN_INDEX = 500

/** What is known of a file beside its text: its line in the index, and what Baton wrote into its body alone. */
export interface Facts extends IndexEntry {
  /** Not in what was kept before it was asked for. */
  readonly made?: readonly BodySection[]
}

/** What the index says of a handoff, as exactly as its file does: from the files alone it is made in the same order. */
export async function facts(handoff: Handoff, _text: string, store: Store): Promise<Facts> {
  const { from, to, task, created_at, ended_at, state } = handoff
  const made = isEnd(state) ? [] : onlyHere((await store.content(handoff.uid))?.package ?? {})
  return {
    made,
    id: handoff.aliases?.markdown ?? handoff.id,
    from,
    to,
    task: task ?? '',
    status: markdownStatus(handoff),
    created_at: seconds(created_at),
    ...(state === 'completed' && ended_at !== undefined && { completed_at: seconds(ended_at) }),
  }
}

/** The registry of document 000. It names only files that are there. */
export function extras({ files, now, policy }: About): readonly Extra[] {
  const since = new Date(Date.parse(now) - WEEK_MS).toISOString()
  const entries = [...files({ since, limit: ENDED_IN_INDEX })]
    .filter(({ kept }) => kept !== 'absent')
    .map((row) => row.facts as IndexEntry)
  const agents = Object.keys(policy.agents ?? DEFAULT_LIMITS)
  const text = printIndex(entries, { now, agents })
  return [{ path: INDEX, text, same: (other) => undated(other) === undated(text) }]
}

const undated = (text: string): string => text.replace(/^last_updated:.*$/m, '')
