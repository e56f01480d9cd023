import type { Page } from 'playwright-core'

/** Runs in the page: when the last thing was done that a person does. */
export const NOTE_EVENTS = `window.acted = 0
for (const kind of ['change', 'input', 'click', 'keydown', 'popstate'])
  addEventListener(kind, (event) => { window.acted = event.timeStamp }, true)`

const PATIENCE_MS = 30_000

/** The first frame in which it is so, in milliseconds since the page began to load. */
export async function when(page: Page, shown: string): Promise<number> {
  const at = await page.evaluate<number | string>(`new Promise((resolve) => {
    const began = performance.now()
    const look = () => {
      if (document.body && (${shown})) return resolve(performance.now())
      if (performance.now() - began > ${PATIENCE_MS}) return resolve(location + ' shows ' + document.body.innerText)
      requestAnimationFrame(look)
    }
    look()
  })`)
  if (typeof at === 'string')
    throw new Error(`not so within ${PATIENCE_MS} ms: ${shown}\n${at.slice(0, 2_000)}`)
  return at
}

/** Milliseconds from the last event until the first frame in which it is so. */
export const afterEvent = async (page: Page, shown: string): Promise<number> =>
  (await when(page, shown)) - (await page.evaluate<number>('window.acted'))

/** Starts noting long tasks, and answers those noted since the last call that no look at the heap has caused. */
export const longTasks = (page: Page): Promise<readonly number[]> =>
  page.evaluate(`(() => {
    if (!window.longTasks) {
      window.longTasks = []
      window.looks ??= []
      new PerformanceObserver((list) => window.longTasks.push(...list.getEntries())).observe({ entryTypes: ['longtask'] })
    }
    return window.longTasks.splice(0)
      .filter(({ startTime, duration }) =>
        !window.looks.some(([from, to]) => startTime < to && from < startTime + duration))
      .map(({ duration }) => duration)
  })()`)

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds in which the processor worked at it. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/**
 * The longest task of pages in processor time: what it would have taken at least on a machine of its own. The browser
 * tells only the time of day, in which others may have had the processor.
 */
export async function longestWork(page: Page, during: () => Promise<void>): Promise<number> {
  const browser = page.context().browser()!
  await browser.startTracing(page, { categories: ['toplevel'] })
  await during()
  const text = (await browser.stopTracing()).toString()
  const events: readonly TraceEvent[] = JSON.parse(text).traceEvents
  const place = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const threads = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(place),
  )
  const work = events.flatMap((event) =>
    event.name.endsWith('RunTask') && threads.has(place(event)) ? [(event.tdur ?? 0) / 1_000] : [],
  )
  return work.reduce((most, each) => Math.max(most, each), 0)
}

export interface Heap {
  /** Milliseconds since the page began to load. */
  readonly at: number
  readonly bytes: number
  readonly nodes: number
}

/** What is left after the garbage is collected. */
export async function heapOf(page: Page): Promise<Heap> {
  const session = await page.context().newCDPSession(page)
  const from = await page.evaluate<number>('performance.now()')
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const { nodes } = await session.send('Memory.getDOMCounters')
  await session.detach()
  const at = await page.evaluate<number>(`(() => {
    window.looks = [...(window.looks ?? []), [${from}, performance.now()]]
    return performance.now()
  })()`)
  return { at, bytes: usedSize, nodes }
}

/** Bytes a minute, by least squares. */
export function slopeOf(heap: readonly Heap[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(heap.map(({ at }) => at)), mean(heap.map(({ bytes }) => bytes))]
  const over = heap.reduce((sum, { at, bytes }) => sum + (at - x) * (bytes - y), 0)
  const under = heap.reduce((sum, { at }) => sum + (at - x) ** 2, 0)
  return (over / under) * 60_000
}
