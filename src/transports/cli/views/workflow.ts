import { inWords } from '../../../domain/texts/visible.ts'
import type { RunState, StepState } from '../../../domain/workflow/run.ts'
import type { RunView, StepView } from '../../../domain/workflow/run-view.ts'
import type { OperationOutput } from '../../../runner/operation-types.ts'
import { oneLine } from '../screen/plain-text.ts'
import type { Cell, Style } from '../screen/screen.ts'
import type { Shell } from '../shell.ts'
import { count, warned } from './words.ts'

const RUN_STYLES: Readonly<Record<RunState, Style>> = {
  running: 'cyan',
  waiting: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
}

const STEP_STYLES: Readonly<Record<StepState, Style>> = {
  waiting: 'dim',
  active: 'cyan',
  gate: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
}

export function runStatus(shell: Shell, run: RunView & { readonly warning?: string }): string {
  const { screen } = shell
  const { workflow_state: state } = run
  const head = `${screen.bold(run.id)}  ${screen.paint(RUN_STYLES[run.state], run.state)} · ${state.completed_steps.length} of ${run.steps.length} steps, ${run.percent} % · started by ${run.by} ${screen.when(run.started_at)}`
  const waits = run.waiting_for.map(({ who, what }) => `${screen.mark} waits for ${who}: ${what}`)
  return [
    ...warned(screen, run.warning),
    head,
    screen.table(run.steps.map((step) => row(step))),
    ...waits,
  ].join('\n')
}

function row(step: StepView): readonly Cell[] {
  const about = [
    step.error,
    step.decision &&
      `${step.decision.choice}${step.decision.by === undefined ? '' : ` by ${step.decision.by}`}`,
    step.delegations?.length ? `waits for ${step.delegations.join(', ')}` : undefined,
    step.state === 'gate' ? step.gate : step.handoff,
  ].filter((text) => text !== undefined)
  return [
    String(step.number),
    { text: step.id, style: 'bold' },
    { text: shownState(step), style: STEP_STYLES[step.state] },
    step.agent,
    { text: oneLine(about.join(' · ')), fill: true, style: 'dim' },
  ]
}

const shownState = ({ state, handoff_state }: StepView): string =>
  state === 'active' && handoff_state !== undefined ? inWords(handoff_state) : state

export const pictureView = (_: Shell, { text }: OperationOutput<'workflow_picture'>): string => text.trimEnd()

export const listView = (shell: Shell, page: OperationOutput<'workflow_list'>): string =>
  shell.list(page, 'No workflow has been started.', ['run', 'state', 'steps', 'by', 'started'], (run) => [
    { text: run.id, style: 'bold' },
    { text: run.state, style: RUN_STYLES[run.state] },
    `${run.workflow_state.completed_steps.length}/${run.workflow_state.completed_steps.length + run.workflow_state.remaining_steps.length}`,
    run.by,
    shell.screen.when(run.started_at),
  ])

export function checkView({ screen }: Shell, { name, steps }: OperationOutput<'workflow_check'>): string {
  return [
    `${screen.tick} ${screen.bold(name)} can be started: ${count(steps.length, 'step')}`,
    screen.table(
      steps.map(({ id, agent, needs }, i) => [
        String(i + 1),
        id,
        agent,
        needs.length > 0 ? `after ${needs.join(', ')}` : 'at once',
      ]),
    ),
  ].join('\n')
}
