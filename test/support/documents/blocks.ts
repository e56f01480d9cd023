import type { Block, Collected, Progress } from '../../../src/domain/blocks/block.ts'
import type { Handoff } from '../../../src/domain/handoffs/handoff.ts'
import type { Notice } from '../../../src/domain/people/notice.ts'
import type { Call } from '../../../src/service/deps.ts'
import type { Service } from '../../../src/service/service.ts'
import { run } from '../program/invoke.ts'
import { by } from '../program/workspace.ts'

export interface BlockFacts {
  readonly phase?: string
  readonly from?: string
  readonly to?: string
  readonly status?: string
  readonly retry_count?: number
  readonly task?: string
  readonly workflow?: string
  readonly dependencies?: readonly string[]
  readonly metrics?: Readonly<Record<string, unknown>>
  readonly on_failure?: Readonly<Record<string, unknown>>
  readonly timestamp?: string
}

/** A summary with one block as an agent writes it; JSON is YAML too. */
export function summary(facts: BlockFacts, above = '# Done'): string {
  const { task, workflow, ...rest } = facts
  const handoff = {
    phase: 'Testing',
    from: '@tester',
    to: 'None',
    status: 'complete',
    ...rest,
    ...((task ?? workflow) !== undefined && {
      context: { ...(task && { task_id: task }), ...(workflow && { workflow_id: workflow }) },
    }),
  }
  const lines = Object.entries(handoff).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`)
  return `${above}\n\n\`\`\`yaml\nhandoff:\n${lines.join('\n')}\n\`\`\`\n`
}

export const ci = by('ci')

/** What an agent says in a file of this name, collected as every transport does it. */
export function collect(
  service: Service,
  texts: Readonly<Record<string, string>>,
  more: Readonly<Record<string, unknown>> = {},
  call: Call = ci,
): Promise<Collected> {
  const documents = Object.entries(texts).map(([path, text]) => ({ path, text }))
  return run<Collected>(service, call, 'document_collect', { documents, ...more })
}

export const historyOf = async (service: Service, filter = {}): Promise<readonly Block[]> =>
  (await run<{ items: readonly Block[] }>(service, ci, 'report_history', { limit: 200, ...filter })).items

export const progressOf = async (service: Service, input = {}): Promise<readonly Progress[]> =>
  (await run<{ items: readonly Progress[] }>(service, ci, 'report_progress', input)).items

/** What an agent sees: handoffs as `title state attempt`, notices as their texts. */
export async function seenBy(service: Service, agent: string) {
  const { items, notices } = await run<{ items: Handoff[]; notices: Notice[] }>(
    service,
    by(agent),
    'handoff_inbox',
    {},
  )
  return {
    handoffs: items.map(({ title, state, attempt }) => `${title} ${state} ${attempt}`),
    notices: notices.map(({ kind, text }) => `${kind}: ${text}`),
  }
}
