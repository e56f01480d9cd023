import type { Draft } from '../draft.ts'

/** Why nobody could finish what a file says is Acknowledged: completion asks who acknowledged it, and when. */
export function acknowledgmentGap({ state, to, accepted_by, accepted_at }: Draft): string | undefined {
  if (state !== 'accepted') return undefined
  const missing = [
    ...(accepted_by === undefined ? [['acknowledged_by', to ?? 'the receiver']] : []),
    ...(accepted_at === undefined ? [['acknowledged_at', 'the time, such as 2026-02-21T15:00:00Z']] : []),
  ]
  if (missing.length === 0) return undefined
  const names = missing.map(([key]) => key).join(' and ')
  const fix = missing.map(([key, value]) => `${key}: ${value}`).join(' and ')
  return `it is Acknowledged, but ${names} ${missing.length > 1 ? 'are' : 'is'} empty; write ${fix}, or status: Active`
}
