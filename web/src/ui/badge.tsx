import type { ReactNode } from 'react'
import type { State } from '../../../src/domain/lifecycle.ts'
import { inWords } from '../../../src/domain/texts/visible.ts'
import { TONES, type Tone } from './words.ts'

/** A word with the colour of what it means. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={tone === 'plain' ? 'badge' : `badge ${tone}`}>{children}</span>
}

export function StateBadge({ state }: { readonly state: State }) {
  return <Badge tone={TONES[state]}>{inWords(state)}</Badge>
}
