import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One line of a result: a ratio, what it is of, and the bound that the project sets itself. */
export interface Finding {
  readonly question: string
  readonly ratio: number
  readonly detail: string
  /** `at least` or `at most` the bound. */
  readonly bound?: { readonly sign: '>=' | '<='; readonly value: number }
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export const holds = ({ ratio, bound }: Finding): boolean =>
  bound === undefined || (bound.sign === '>=' ? ratio >= bound.value : ratio <= bound.value)

/** Operations a second of `callers` concurrent loops that together make `total` calls. */
export async function throughput(
  callers: number,
  total: number,
  work: (index: number, caller: number) => Promise<unknown>,
): Promise<number> {
  let next = 0
  const started = performance.now()
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (next < total) await work(next++, caller)
    }),
  )
  return (total / (performance.now() - started)) * 1_000
}

/** Alternates the sides within each round, so that a noisy disk or neighbour hits both; answers medians. */
export async function interleaved<K extends string>(
  rounds: number,
  sides: Readonly<Record<K, () => Promise<number> | number>>,
): Promise<Record<K, number>> {
  const seen = Object.fromEntries(Object.keys(sides).map((key) => [key, []])) as unknown as Record<
    K,
    number[]
  >
  for (let round = 0; round < rounds; round++)
    for (const key of Object.keys(sides) as K[]) seen[key].push(await sides[key]())
  return Object.fromEntries(
    Object.entries<number[]>(seen).map(([key, values]) => [key, median(values)]),
  ) as Record<K, number>
}

/** The rates of each round, whose sides take turns slice by slice: what slows the machine for a moment slows them all. */
export async function slices<K extends string>(
  rounds: number,
  count: number,
  sides: Readonly<Record<K, () => Promise<number> | number>>,
): Promise<readonly Readonly<Record<K, number>>[]> {
  const seen: Record<K, number>[] = []
  for (let round = 0; round < rounds; round++) {
    const times = new Map<K, number>()
    for (let slice = 0; slice < count; slice++)
      for (const key of Object.keys(sides) as K[])
        times.set(key, (times.get(key) ?? 0) + 1 / (await sides[key]()))
    seen.push(Object.fromEntries([...times].map(([key, time]) => [key, count / time])) as Record<K, number>)
  }
  return seen
}

/** A folder of its own that is gone afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`
