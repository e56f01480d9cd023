import type { DialectId } from './dialect.ts'
import { Reading } from './markdown/reading.ts'
import type { Document } from './read.ts'
import type { Path } from './text/source.ts'

export interface Summary {
  readonly id: string | undefined
  readonly from: string | undefined
  /** null: the document says that it goes to nobody. */
  readonly to: string | null | undefined
  /** The document's own word. */
  readonly status: string | undefined
  /** Baton's word for it. */
  readonly state: string | undefined
  readonly task: string | undefined
  readonly title: string | undefined
  readonly createdAt: string | undefined
}

/** Where a dialect keeps its word for the state. */
// biome-ignore format: read as a table
const STATUS_PATHS: Readonly<Record<DialectId, readonly Path[]>> = {
  markdown:  [['status']],
  queue:     [['status']],
  block:     [['handoff', 'status']],
  writeback: [['status'], ['task_update', 'status'], ['thought_record', 'status']],
  package:   [['handoff', 'status'], ['status']],
}

/** What a person looks for first in a document. */
export function summaryOf(document: Document): Summary {
  const { draft } = document
  return {
    id: draft?.id,
    from: draft?.from,
    to: draft?.to,
    status: statusIn(document),
    state: draft?.state,
    task: draft?.task,
    title: draft?.title,
    createdAt: draft?.created_at,
  }
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
