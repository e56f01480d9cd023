import { present } from '../domain/present.ts'
import type { Run, StepState } from '../domain/workflow/run.ts'
import type { Workflow } from '../domain/workflow/workflow.ts'

/** A step or a gate as a picture shows it. */
export interface PictureNode {
  readonly id: string
  readonly kind: 'step' | 'gate'
  readonly title: string
  /** The agent or role that does the step, or the agent that decides the gate. */
  readonly who: string
  /** One more line: retries, a phase. */
  readonly note?: string
  readonly state?: StepState | 'open'
  /** An advisory gate: nothing waits for it. */
  readonly loose?: boolean
}

export interface Picture {
  readonly title: string
  readonly nodes: readonly PictureNode[]
  readonly edges: readonly (readonly [from: string, to: string])[]
}

/** A workflow as nodes and edges; with a run, as far as that is. */
export function pictureOf(workflow: Workflow, run?: Run): Picture {
  const states = new Map(run?.steps.map((step) => [step.id, step]))
  const nodes = workflow.steps.flatMap((step, i): PictureNode[] => {
    const at = states.get(step.id)
    const own: PictureNode = {
      id: step.id,
      kind: 'step',
      title: `${i + 1}. ${step.title}`,
      who: at?.agent ?? step.agent ?? `role ${step.role}`,
      ...noteOf(step.on_failure, step.phase, step.title),
      ...present({ state: at?.state === 'gate' ? ('completed' as const) : at?.state }),
    }
    if (!step.gate) return [own]
    const { name, to, type } = step.gate
    return [
      own,
      {
        id: `${step.id}.gate`,
        kind: 'gate',
        title: name,
        who: type === 'auto' ? `checks, else ${to}` : to,
        ...(type === 'advisory' && { loose: true }),
        ...present({ state: at && gateState(at.state, at.advisory !== undefined) }),
      },
    ]
  })
  // A step that needs this one waits for its gate, unless the gate is advisory.
  const exit = (id: string): string => {
    const gate = workflow.steps.find((step) => step.id === id)?.gate
    return gate && gate.type !== 'advisory' ? `${id}.gate` : id
  }
  const edges = workflow.steps.flatMap((step) => [
    ...step.needs.map((need) => [exit(need), step.id] as const),
    ...(step.gate ? [[step.id, `${step.id}.gate`] as const] : []),
  ])
  return { title: run ? `${run.id} · ${run.state}` : workflow.name, nodes, edges }
}

function gateState(step: StepState, asks: boolean): NonNullable<PictureNode['state']> {
  if (step === 'gate' || asks) return 'open'
  return step === 'completed' || step === 'cancelled' ? step : 'waiting'
}

function noteOf(rules: Workflow['steps'][number]['on_failure'], phase: string | undefined, title: string) {
  const parts = [
    phase === undefined || phase === title ? '' : phase,
    rules?.retry ? `retry ${rules.retry}` : '',
    rules?.route_to === undefined ? '' : `then ${rules.route_to}`,
    rules?.escalate_after === undefined ? '' : `escalate at ${rules.escalate_after}`,
  ].filter((part) => part !== '')
  return parts.length === 0 ? {} : { note: parts.join(', ') }
}

/** Colours of the states, for light and dark grounds alike. */
// biome-ignore format: read as a table
export const STATE_COLOURS: Readonly<Record<NonNullable<PictureNode['state']>, { readonly fill: string; readonly line: string; readonly text: string }>> = {
  waiting:   { fill: '#e5e7eb', line: '#9ca3af', text: '#374151' },
  active:    { fill: '#bfdbfe', line: '#2563eb', text: '#1e3a8a' },
  gate:      { fill: '#fde68a', line: '#d97706', text: '#78350f' },
  open:      { fill: '#fde68a', line: '#d97706', text: '#78350f' },
  completed: { fill: '#bbf7d0', line: '#16a34a', text: '#14532d' },
  failed:    { fill: '#fecaca', line: '#dc2626', text: '#7f1d1d' },
  cancelled: { fill: '#e5e7eb', line: '#6b7280', text: '#6b7280' },
}

/** The picture as Mermaid text, for pages that draw it themselves. */
export function toMermaid({ title, nodes, edges }: Picture): string {
  const name = new Map(nodes.map(({ id }, i) => [id, `n${i + 1}`]))
  const used = [...new Set(nodes.flatMap(({ state }) => (state ? [state] : [])))]
  return `${[
    '---',
    `title: ${JSON.stringify(title)}`,
    '---',
    'flowchart TB',
    ...nodes.map((node) => `  ${name.get(node.id)}${shape(node)}${node.state ? `:::${node.state}` : ''}`),
    ...edges.map(([from, to]) => {
      const isLoose = nodes.find(({ id }) => id === to)?.loose
      return `  ${name.get(from)} ${isLoose ? '-.->' : '-->'} ${name.get(to)}`
    }),
    ...used.map((state) => {
      const { fill, line, text } = STATE_COLOURS[state]
      return `  classDef ${state} fill:${fill},stroke:${line},color:${text}`
    }),
  ].join('\n')}\n`
}

function shape({ kind, title, who, note }: PictureNode): string {
  const lines = [title, who, ...(note === undefined ? [] : [note])].map(mermaidText).join('<br/>')
  return kind === 'gate' ? `{{"${lines}"}}` : `["${lines}"]`
}

/** Foreign text inside Mermaid's quotes: nothing in it may end them or begin a tag. */
const mermaidText = (text: string): string =>
  text.replace(/[#&<>"\n\r`]/g, (sign) => `#${sign.charCodeAt(0)};`)
