import { type Flow, FlowReport, type FlowWindow } from '../domain/flow.ts'
import type { ServiceDeps } from './deps.ts'
import type { Looking } from './inbox.ts'

const PAGE = 500
/** Ten reads by key at most, whatever the history holds. */
const MOST = 5_000

export interface FlowAnswer extends Flow {
  /** False where the window holds more than is looked at: then the numbers are those of the newest. */
  readonly whole: boolean
}

/**
 * Reads handoffs from the newest on until a page has nothing of the window in it. One that was made long before and
 * ended in the window is found while it is among the newest that are looked at.
 */
export async function flowReport(
  { now }: Pick<ServiceDeps, 'now'>,
  looking: Pick<Looking, 'list'>,
  window: FlowWindow,
): Promise<FlowAnswer> {
  const report = new FlowReport(window, now())
  let seen = 0
  for (let cursor: string | undefined; ; ) {
    const page = await looking.list({}, { limit: PAGE, ...(cursor !== undefined && { cursor }) })
    const counted = page.items.filter((handoff) => report.add(handoff)).length
    seen += page.items.length
    if (page.next === undefined || counted === 0) return { ...report.toFlow(), whole: true }
    if (seen >= MOST) return { ...report.toFlow(), whole: false }
    cursor = page.next
  }
}
