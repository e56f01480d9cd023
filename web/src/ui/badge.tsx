import type { State } from '../../../src/domain/lifecycle.ts'
import { spoken, TONES } from './words.ts'

export function StateBadge({ state }: { readonly state: State }) {
  return <span className={`badge ${TONES[state]}`}>{spoken(state)}</span>
}
