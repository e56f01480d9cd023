import { own, valueAt } from '../dialects/difference.ts'
import type { Document } from '../dialects/index.ts'
import type { KnownHandoff } from './folder.ts'

/** Live files carry which handoff they are, its revision and what was said about it, and nothing else of the engine's. */
export interface Mark {
  on(text: string, known: Pick<KnownHandoff, 'handoff' | 'thread'>): string
  off(text: string): string
}

/** The mark in files that have it below these keys of their document. */
export function markBelow(keys: readonly string[], documentIn: (text: string) => Document | undefined): Mark {
  const path = [...keys, 'x_baton']
  return {
    on(text, { handoff: { uid, rev }, thread = [] }) {
      const value = { uid, rev, ...(thread.length > 0 && { thread }) }
      return documentIn(text)?.source.edit([{ path, value }]) ?? text
    },
    off(text) {
      const source = documentIn(text)?.source
      const isMarked = source !== undefined && own(valueAt(source.value, keys), 'x_baton') !== undefined
      return isMarked ? source.edit([{ path, value: undefined }]) : text
    },
  }
}
