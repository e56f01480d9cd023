import { openDisclosure } from '../../audit/disclosure.ts'
import { recordIn } from '../../audit/entry.ts'
import type { Store } from '../../storage/store.ts'

const DOUBTS_PAGE = 1_000

/** Entries after a cursor whose caller is in doubt, each as a sentence, and where the log ends. */
export async function doubtsIn(
  store: Store,
  after = '0',
): Promise<{ readonly doubts: readonly string[]; readonly end: string }> {
  const doubts: string[] = []
  for (let cursor = after; ; ) {
    const { entries, cursor: end } = await store.changes(cursor, DOUBTS_PAGE, true)
    for (const { act, subject, at, body, disclosures = [] } of entries) {
      if (!body.includes('"doubt":"')) continue
      const why = disclosures.map(openDisclosure).find(({ name }) => name === 'doubt')?.value
      const { id = subject } = (await store.handoff(subject)) ?? {}
      doubts.push(
        `${act} of ${id} as ${recordIn({ body }).actor.id} at ${at}: ${why ?? 'the reason was removed'}`,
      )
    }
    if (entries.length < DOUBTS_PAGE) return { doubts, end }
    cursor = end
  }
}
