import * as z from 'zod'
import { Note } from '../domain/handoffs/inputs.ts'
import { optional } from '../domain/once.ts'
import { present } from '../domain/present.ts'
import { text } from '../domain/schema-parts.ts'
import { RUN_STATES, type Run } from '../domain/workflow/run.ts'
import { RunView, runView } from '../domain/workflow/run-view.ts'
import { StepId, type Workflow, WorkflowName } from '../domain/workflow/workflow.ts'
import type { Service } from '../service/service.ts'
import { CHANGE_ERRORS, mutable } from './handoff/fields.ts'
import { defineOperation, PAGE, pageOf, WARNING } from './operation.ts'

const RunId = text(200).describe('Run of a workflow, for example feature-1')

const definition = () => ({
  name: optional(WorkflowName, 'Workflow in workflows/<name>.yaml of the project; phases comes with Baton'),
  definition: optional(text(500_000), 'The text of a definition, in place of a file'),
})

/** The fields of operations that change a run and answer it. */
const CHANGED_RUN = { scope: 'workflow:write', output: RunView, errors: CHANGE_ERRORS } as const

async function shownRun(service: Service, ref: string): Promise<z.infer<ReturnType<typeof RunView>>> {
  const { run, handoffs } = await (await service.workflows()).status(ref)
  return mutable(runView(run, handoffs))
}

const start = defineOperation({
  name: 'workflow_start',
  summary: 'Start a workflow: its steps are handed to their agents in order, and gates to people.',
  ...CHANGED_RUN,
  positional: ['name'],
  input: () => ({
    ...definition(),
    input: optional(z.unknown(), 'Structured input of the run, for steps that take run.input'),
  }),
  examples: [
    'baton workflow start feature --as orchestrator',
    'baton workflow start phases',
    `baton workflow start feature --input '{"ticket": 42}'`,
  ],
  run: async (service, call, input) =>
    shownRun(service, (await (await service.workflows()).start(call, input)).uid),
})

const status = defineOperation({
  name: 'workflow_status',
  summary: 'How far a run of a workflow is, step by step, and whose move it is.',
  scope: 'workflow:read',
  positional: ['id'],
  input: () => ({ id: RunId }),
  output: () => RunView().extend(WARNING()),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  examples: ['baton workflow status feature-1', 'baton workflow status @'],
  run: async (service, _, { id }) => {
    const run = await shownRun(service, id)
    return { ...run, ...present({ warning: await service.changedOutside('run', run.uid) }) }
  },
})

const list = defineOperation({
  name: 'workflow_list',
  summary: 'Runs of workflows, newest first.',
  scope: 'workflow:read',
  input: () => ({
    state: z.union([z.enum(RUN_STATES).transform((s) => [s]), z.array(z.enum(RUN_STATES))]).optional(),
    name: WorkflowName.optional(),
    ...PAGE(),
  }),
  output: () =>
    z.object({
      items: z.array(RunView().omit({ steps: true, waiting_for: true })),
      next: z.string().optional(),
    }),
  errors: ['invalid_input', 'unavailable'],
  untrusted: ['items'],
  examples: ['baton workflow list --state waiting'],
  run: async (service, _, { state, name, limit, cursor }) => {
    const page = await (await service.workflows()).list(present({ state, name }), pageOf({ limit, cursor }))
    const items = page.items.map((run) => {
      const { steps: _steps, waiting_for: _waiting, ...rest } = mutable(runView(run))
      return rest
    })
    return { items, ...present({ next: page.next }) }
  },
})

const resume = defineOperation({
  name: 'workflow_resume',
  summary: 'Retry the failed steps of a run; if none failed, nothing changes.',
  ...CHANGED_RUN,
  positional: ['id'],
  input: () => ({ id: RunId }),
  examples: ['baton workflow resume feature-1'],
  run: async (service, call, { id }) =>
    shownRun(service, (await (await service.workflows()).resume(call, id)).uid),
})

const cancel = defineOperation({
  name: 'workflow_cancel',
  summary: 'End a run and cancel its open handoffs; their receivers are told.',
  ...CHANGED_RUN,
  positional: ['id'],
  input: () => ({ id: RunId, reason: Note.optional() }),
  examples: ['baton workflow cancel feature-1 -m "no longer needed"'],
  run: async (service, call, { id, reason }) =>
    shownRun(service, (await (await service.workflows()).cancel(call, id, reason)).uid),
})

const check = defineOperation({
  name: 'workflow_check',
  summary: 'Check a definition without starting it: each problem with its line and a fix.',
  scope: 'workflow:read',
  positional: ['name'],
  input: definition,
  output: () =>
    z.object({
      name: z.string(),
      steps: z.array(z.object({ id: StepId, agent: z.string(), needs: z.array(z.string()) })),
    }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  examples: ['baton workflow check feature'],
  run: async (service, call, input) => {
    const { refuseDefinition } = await import('../service/workflows/definition.ts')
    const { file, read } = await (await service.workflows()).check(call, input)
    return toChecked(read.ok ? read.workflow : refuseDefinition(file, read.problems))
  },
})

/** The answer for a definition that can be started. */
export const toChecked = ({ name, steps }: Workflow) => ({
  name,
  steps: steps.map(({ id, agent, role, needs }) => ({
    id,
    agent: agent ?? `role ${role}`,
    needs: [...needs],
  })),
})

const picture = defineOperation({
  name: 'workflow_picture',
  summary: 'A workflow, or a run with the states of its steps, as Mermaid or SVG.',
  scope: 'workflow:read',
  positional: ['name'],
  input: () => ({
    ...definition(),
    run: optional(RunId, 'Draw this run'),
    format: optional(z.enum(['mermaid', 'svg']), 'mermaid by default'),
  }),
  output: () => z.object({ format: z.enum(['mermaid', 'svg']), text: z.string() }),
  errors: ['invalid_input', 'not_found', 'unavailable'],
  untrusted: ['text'],
  examples: [
    'baton workflow picture feature',
    'baton workflow picture --run feature-1 --format svg --out feature.svg',
  ],
  run: async (service, call, { format = 'mermaid', ...input }) => {
    const { workflow, run } = await (await service.workflows()).workflow(call, input)
    return draw(workflow, format, run)
  },
})

/** A workflow, or a run of it, as a picture. */
export async function draw(workflow: Workflow, format: 'mermaid' | 'svg', run?: Run) {
  const { pictureOf, toMermaid } = await import('../pictures/workflow-picture.ts')
  const drawn = pictureOf(workflow, run)
  if (format === 'mermaid') return { format, text: toMermaid(drawn) }
  const { toSvg } = await import('../pictures/workflow-svg.ts')
  return { format, text: toSvg(drawn) }
}

export const WORKFLOW_OPERATIONS = [start, status, list, resume, cancel, check, picture] as const
