/** Seconds as people say them. */
export function spanOf(seconds: number): string {
  if (seconds > 0 && seconds < 0.95) return seconds < 0.05 ? '<0.1 s' : `${Math.round(seconds * 10) / 10} s`
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

export const percentOf = (share: number | undefined): string =>
  share === undefined ? '–' : `${Math.round(share * 100)}%`
