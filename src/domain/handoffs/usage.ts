import type { Usage } from './handoff.ts'

/** The sum of two usages, without the last digits of decimal fractions; a number that nobody reported stays absent. */
export const sumUsage = (sum: Usage, used: Usage): Usage => ({
  ...sum,
  ...Object.fromEntries(
    (Object.keys(used) as (keyof Usage)[]).map((name) => [
      name,
      Number(((sum[name] ?? 0) + (used[name] ?? 0)).toPrecision(12)),
    ]),
  ),
})
