import { inWords } from '../../../../src/domain/texts/visible.ts'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { Graph, type GraphEdge, type GraphNode } from '../../ui/graph.tsx'
import { spanOf } from '../../ui/span.ts'
import { STEP_TONES } from './run-tones.ts'

export type Run = OperationOutput<'workflow_status'>
type Step = Run['steps'][number]

/** The steps and gates of a run with how far each of them is. */
export function RunPicture({ run }: { readonly run: Run }) {
  const exit = (id: string): string =>
    run.steps.find((step) => step.id === id)?.gate_name === undefined ? id : gateId(id)
  const nodes = run.steps.flatMap((step) => [stepNode(step), ...gateNode(step)])
  const edges = run.steps.flatMap((step): GraphEdge[] => [
    ...step.needs.map((need) => ({
      from: exit(need),
      to: step.id,
      isDone: run.steps.some(({ id, state }) => id === need && state === 'completed'),
    })),
    ...(step.gate_name === undefined ? [] : [{ from: step.id, to: gateId(step.id) }]),
  ])
  const now = run.steps.find(({ state }) => state === 'failed' || state === 'active' || state === 'gate')
  return <Graph label={`The steps of ${run.id}`} nodes={nodes} edges={edges} look={now?.id} />
}

const gateId = (step: string): string => `${step}.gate`

function stepNode(step: Step): GraphNode {
  return {
    id: step.id,
    title: `${step.number}. ${step.title}`,
    line: [step.agent, stepWords(step), durationOf(step)].filter(Boolean).join(' · '),
    ...(step.state === 'failed' && step.error !== undefined && { reason: step.error }),
    tone: STEP_TONES[step.state],
    ...(step.handoff !== undefined && { href: `/handoffs/${encodeURIComponent(step.handoff)}` }),
  }
}

function gateNode(step: Step): GraphNode[] {
  if (step.gate_name === undefined) return []
  const isOpen = step.gate !== undefined
  return [
    {
      id: gateId(step.id),
      title: step.gate_name,
      line: gateWords(step),
      tone: isOpen ? 'wait' : step.decision?.choice === 'reject' ? 'bad' : step.decision ? 'good' : 'plain',
      note: 'gate',
      isGate: true,
      ...(step.gate !== undefined && { href: `/handoffs/${encodeURIComponent(step.gate)}` }),
    },
  ]
}

/** How long it took, or has taken so far. */
export function durationOf({ started_at, ended_at }: Step): string {
  if (started_at === undefined) return ''
  const until = ended_at === undefined ? Date.now() : Date.parse(ended_at)
  return spanOf(Math.max(0, (until - Date.parse(started_at)) / 1_000))
}

/** A step whose handoff is completed is done; what is left then is its gate. */
export const stepWords = ({ state, handoff_state, tries }: Step): string =>
  `${state === 'active' ? inWords(handoff_state ?? 'active') : state === 'gate' ? 'completed' : state}${tries > 1 ? `, try ${tries}` : ''}`

export function gateWords({ gate, decision }: Step): string {
  if (gate !== undefined) return 'waiting for a person'
  if (!decision) return 'not reached'
  if (decision.choice === 'auto') return 'approved without a person'
  return `${decision.choice === 'approve' ? 'approved' : 'rejected'}${decision.by === undefined ? '' : ` by ${decision.by}`}`
}
