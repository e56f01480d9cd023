import { flowReport } from '../../src/service/flow.ts'
import type { Service } from '../../src/service/service.ts'

export interface Summary {
  readonly numbers: Readonly<
    Record<'made' | 'completed' | 'rejected' | 'retries' | 'tasks_done' | 'entries', number>
  >
  readonly text: string
}

/** What happened, in a line. */
export async function summaryOf(service: Service): Promise<Summary> {
  const [flow, counts] = await Promise.all([flowReport(service, '1h'), service.looking.counts()])
  const numbers = {
    made: flow.made,
    completed: flow.completed,
    rejected: flow.rejected,
    retries: flow.agents.reduce((sum, { retries }) => sum + retries, 0),
    tasks_done: counts.tasks.done ?? 0,
    entries: counts.entries,
  }
  const { made, completed, rejected, retries, tasks_done, entries } = numbers
  return {
    numbers,
    text: `${made} handoffs in five dialects: ${completed} completed, ${rejected} declined, ${retries} tried again; ${tasks_done} tasks done; every step is in the log (${entries} entries).`,
  }
}
