import type { DialectId } from './dialect.ts'
import { Reading } from './markdown/reading.ts'
import type { Document } from './read.ts'
import type { Path } from './text/source.ts'

/** Where a dialect keeps its word for the state. */
// biome-ignore format: read as a table
const STATUS_PATHS: Readonly<Record<DialectId, readonly Path[]>> = {
  markdown:  [['status']],
  queue:     [['status']],
  block:     [['handoff', 'status']],
  writeback: [['status'], ['task_update', 'status'], ['thought_record', 'status']],
  package:   [['handoff', 'status'], ['status']],
}

/** Fields that a person looks for first in a document. `status` is its own word, `state` is Baton's; `to` is null for nobody. */
export function summaryOf(document: Document) {
  const { id, from, to, state, task, title, created_at: createdAt } = document.draft ?? {}
  return { id, from, to, status: statusIn(document), state, task, title, createdAt }
}

function statusIn({ dialect, source, places }: Document): string | undefined {
  if (dialect === undefined) return undefined
  for (const path of STATUS_PATHS[dialect]) {
    const word = source.raw(places.get(path.join('.')) ?? path)
    if (word !== undefined) return word
  }
  // People who write markdown by hand keep it in a line of the body.
  return dialect === 'markdown' ? new Reading(source).index.line('status')?.value : undefined
}
