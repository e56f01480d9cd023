import type { Story } from './stories.ts'

/** What one program showed in one story. A check that was not reached and a size that was not measured are failures. */
export function verdictOf(
  { checks, sizes = [] }: Pick<Story, 'checks' | 'sizes'>,
  cannot: Readonly<Record<string, string>> = {},
) {
  const row: Record<string, string> = {}
  const size: Record<string, string> = {}
  const failures: string[] = []
  const noteOf = (name: string): string | undefined => cannot[name.split(',')[0] ?? '']
  return {
    ...{ row, size, failures },
    check(name: string, holds: boolean, about = ''): void {
      const isExcused = noteOf(name) !== undefined
      row[name] = holds ? 'yes' : isExcused ? 'cannot' : 'NO'
      if (!holds && !isExcused) failures.push(`${name}: ${about}`)
    },
    measure(name: string, tokens: number, most: number): void {
      size[name] = `${tokens} of ${most}`
      if (tokens > most) failures.push(`${name}: ${tokens} tokens, at most ${most}`)
    },
    /** Judges what is missing, and answers why this program cannot pass some checks. */
    end(): readonly string[] {
      for (const name of checks.filter((each) => row[each] === undefined)) {
        row[name] = 'not reached'
        failures.push(`${name}: not reached`)
      }
      for (const name of sizes)
        if (size[name] === undefined && noteOf(name) === undefined) failures.push(`${name}: not measured`)
      return checks.flatMap((name) => (noteOf(name) === undefined ? [] : [`${name}: ${noteOf(name)}`]))
    },
  }
}
