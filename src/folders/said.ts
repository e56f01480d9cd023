import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Content } from '../domain/handoffs/package.ts'

/** What somebody said about the work: no document has keys for it, and whoever reads the file has to know it. */
export interface Said {
  readonly kind: 'question' | 'answer' | 'verified' | 'refused'
  readonly by: string
  readonly at: string
  readonly text: string
}

/** A file is read whole, so it has the newest of these, and the beginning of what is long. */
const MAX_SAID = 20
const MOST_LENGTH = 1_000

/** Questions, answers and verifiers' reasons, in their order. */
export function saidOf({ id }: Handoff, { thread, verifications }: Content): readonly Said[] {
  const asked = thread.flatMap(({ kind, by, at, text }): Said[] =>
    kind === 'question' || kind === 'answer' ? [{ kind, by, at, text }] : [],
  )
  const judged = verifications.flatMap(({ pass, note, verified_by, verified_at }): Said[] =>
    note ? [{ kind: pass ? 'verified' : 'refused', by: verified_by, at: verified_at, text: note }] : [],
  )
  return [...asked, ...judged]
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .slice(-MAX_SAID)
    .map((each) => ({ ...each, text: shortenedSaid(each.text, id) }))
}

const shortenedSaid = (text: string, id: string): string =>
  text.length > MOST_LENGTH ? `${text.slice(0, MOST_LENGTH)}… (baton show ${id})` : text
