import { hash } from 'node:crypto'
import { committedIn, isState, openDisclosure, stateText } from '../../audit/disclosure.ts'
import { recordIn } from '../../audit/entry.ts'
import type { LogEntry, Store } from '../../storage/store.ts'

export type Bound = 'handoff' | 'task' | 'run'

/** More than anything is handed on, worked on and asked about. */
const ALL_ENTRIES = 100_000

/**
 * Compares a row that is shown with what the newest entries about it commit to, and says when it is another. A second
 * look tells a row that was changed outside from one that was written meanwhile: together with its entry.
 */
export async function changedOutside(store: Store, kind: Bound, uid: string): Promise<string | undefined> {
  let seen = await look(store, kind, uid)
  for (;;) {
    const { id, stream, states } = seen
    const bound = boundIn(await store.timeline(stream, uid, ALL_ENTRIES, true))
    if (![...states].some(([name, state]) => (bound.get(name) ?? state) !== state)) return undefined
    seen = await look(store, kind, uid)
    if ([...seen.states].every(([name, state]) => states.get(name) === state))
      return `The row of ${id} was changed outside Baton: the log tells of another; see: baton doctor`
  }
}

async function look(store: Store, kind: Bound, uid: string) {
  const row = kind === 'task' ? (await store.task(uid))?.task : await store[kind](uid)
  const content = kind === 'handoff' ? await store.content(uid) : undefined
  const rows = Object.entries({ [kind]: row, content }).filter(([, found]) => found !== undefined)
  const states = rows.map(([table, found]) => [`${table} ${uid}`, stateIn(table, found!)] as const)
  return { id: row?.id ?? uid, stream: row && 'root' in row ? row.root : uid, states: new Map(states) }
}

const stateIn = (table: string, row: object): string => hash('sha256', stateText(table, row), 'base64url')

/** Nothing where an older program took the last step: the next one binds the rows again. */
function boundIn(entries: readonly LogEntry[]): ReadonlyMap<string, string> {
  const bound = new Map<string, string>()
  let [rev, silent] = [0, 0]
  for (const entry of entries.filter(({ body }) => body !== '')) {
    const { sub, sd = {} } = recordIn(entry)
    if (!Object.keys(sd).some(isState)) silent = sub.rev
    else rev = sub.rev
    for (const { name, value } of (entry.disclosures ?? []).map(openDisclosure))
      if (isState(name)) bound.set(...committedIn(value))
  }
  return silent > rev ? new Map() : bound
}
