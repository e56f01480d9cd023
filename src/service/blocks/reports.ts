import { type Block, type HistoryFilter, type Progress, progressOf } from '../../domain/blocks/block.ts'
import { sumUsage } from '../../domain/handoffs/retry.ts'
import { present } from '../../domain/present.ts'
import {
  type Grouping,
  type MetricsGroup,
  MetricsReport,
  type MetricsSpan,
  type UsageTotal,
} from '../../domain/reports/metrics.ts'
import { compareIds } from '../../domain/tasks/task-order.ts'
import { type BlockFilter, itemsOf, type Page, type PageRequest, type Store } from '../../storage/store.ts'
import { refuse } from '../write.ts'

const BLOCK_PAGE = 2_000

/** Metrics of all blocks by agent, phase, task or workflow. Blocks that Baton wrote measure nothing. */
export async function metricsReport(
  store: Store,
  by: Grouping,
  filter: HistoryFilter = {},
  span?: MetricsSpan,
): Promise<{ readonly groups: readonly MetricsGroup[]; readonly usage?: UsageTotal }> {
  const report = new MetricsReport(by, span)
  for await (const block of historyOf(store, filter)) if (!block.made) report.add(block)
  let total: UsageTotal = { attempts: 0 }
  for (const used of await usageOf(store, filter)) {
    report.use(used)
    total = { ...sumUsage(total, used.run), attempts: total.attempts + 1 }
  }
  return { groups: report.groups(compareIds), ...(total.attempts > 0 && { usage: total }) }
}

/** Attempts whose program reported cost and tokens. A handoff has no phase and no name of a workflow. */
async function usageOf(store: Store, { phase, workflow, agent, ...rest }: HistoryFilter) {
  if (phase !== undefined || workflow !== undefined) return []
  const { task, run } = await filterOf(store, rest)
  const isWanted = (asked: string | undefined, is: string | undefined) => asked === undefined || asked === is
  const used = await store.usage()
  return used.filter(
    (each) => isWanted(agent, each.agent) && isWanted(task, each.task) && isWanted(run, each.of),
  )
}

/** The progress of every workflow or task, the one that moved last first. */
export async function progressReport(
  store: Store,
  by: 'task' | 'workflow',
  filter: HistoryFilter = {},
): Promise<readonly Progress[]> {
  const blocks: Block[] = []
  for await (const block of historyOf(store, filter)) blocks.push(block)
  const groups = Map.groupBy(blocks, (block) => block[by])
  groups.delete(undefined)
  return [...groups].map(([key, group]) => progressOf(key!, group)).reverse()
}

/** Blocks in the order in which they were stored. A page of one workflow may hold fewer than were asked for. */
export async function historyPage(
  store: Store,
  filter: HistoryFilter,
  page: PageRequest,
): Promise<Page<Block>> {
  const { workflow, ...rest } = filter
  const { items, ...more } = await store.blocks(await filterOf(store, rest), page)
  return { items: items.filter((block) => workflow === undefined || block.workflow === workflow), ...more }
}

async function* historyOf(store: Store, { workflow, ...filter }: HistoryFilter): AsyncGenerator<Block> {
  const wanted = await filterOf(store, filter)
  for await (const block of itemsOf((page) => store.blocks(wanted, page), BLOCK_PAGE))
    if (workflow === undefined || block.workflow === workflow) yield block
}

async function filterOf(store: Store, { run, ...rest }: Omit<HistoryFilter, 'workflow'>) {
  const filter: BlockFilter = present(rest)
  if (run === undefined) return filter
  const found = await store.run(run)
  if (!found) refuse('not_found', `there is no run ${run}`, { run })
  return { ...filter, run: found.uid }
}
