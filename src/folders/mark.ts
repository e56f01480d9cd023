import { own, valueAt } from '../dialects/difference.ts'
import type { Document } from '../dialects/index.ts'
import type { Handoff } from '../domain/handoff.ts'

/** Live files carry which handoff they are and its revision, and nothing else of the engine's. */
export interface Mark {
  on(text: string, handoff: Handoff): string
  off(text: string): string
}

/** The mark in files that have it below these keys of their document. */
export function markBelow(keys: readonly string[], documentIn: (text: string) => Document | undefined): Mark {
  const path = [...keys, 'x_baton']
  return {
    on: (text, { uid, rev }) => documentIn(text)?.source.edit([{ path, value: { uid, rev } }]) ?? text,
    off(text) {
      const source = documentIn(text)?.source
      const isMarked = source !== undefined && own(valueAt(source.value, keys), 'x_baton') !== undefined
      return isMarked ? source.edit([{ path, value: undefined }]) : text
    },
  }
}
