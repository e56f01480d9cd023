import type { ReactNode } from 'react'
import type { Tone } from './words.ts'

/** A word with the colour of what it means. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={tone === 'plain' ? 'badge' : `badge ${tone}`}>{children}</span>
}
