import type { Result } from '../../domain/handoffs/package.ts'
import type { Problem } from '../../domain/problem.ts'
import { inputOf, type RunInput, takesFrom } from '../../domain/workflow/step-input.ts'
import type { WorkflowStep } from '../../domain/workflow/workflow.ts'
import type { ServiceDeps } from '../deps.ts'
import { checkForeign } from '../schema/foreign-schema.ts'
import { refuse } from '../write.ts'

/** Lists the parts of a result that later steps of its run lack. Looked up before the transaction: a schema may take seconds. */
export async function nextInputs(
  { store }: ServiceDeps,
  uid: string,
  given: Result | undefined,
): Promise<readonly Problem[]> {
  const result = given ?? (await store.content(uid))?.result
  const handoff = await store.handoff(uid)
  const run = handoff?.run === undefined ? undefined : await store.run(handoff.run)
  const step = handoff?.step
  if (!run || step === undefined || handoff?.type !== 'sequential') return []
  return judged(run, { step, output: result?.output })
}

/** A run whose steps cannot get their input is not started. */
export async function refuseRunInput(run: RunInput): Promise<void> {
  const [problem] = await judged(run)
  if (problem) refuse('invalid_input', `${problem.message}; give it as input`, { name: run.name })
}

/** The output of a step that is handed in. */
type GivenOutput = { readonly step: string; readonly output: unknown }

async function judged(run: RunInput, given?: GivenOutput): Promise<readonly Problem[]> {
  const takers = run.workflow.steps.filter((step) => takesFrom(step, given?.step))
  return (await Promise.all(takers.map((step) => fits(run, step, given)))).flat()
}

/** Names that are not known yet are not required yet: the step that brings the last one is judged by all. */
async function fits(run: RunInput, step: WorkflowStep, given?: GivenOutput): Promise<readonly Problem[]> {
  const { value, names, absent } = inputOf(run, step, given)
  const lacks = absent.map((reference) => `the step ${step.id} needs ${reference}`)
  const told = lacks.length > 0 || !step.input_schema ? lacks : await misfits(step, value, names)
  return told.map((message) => ({ code: 'next_input', message }))
}

async function misfits(
  { id, input, input_schema: schema = {} }: WorkflowStep,
  value: unknown,
  names: readonly string[],
): Promise<readonly string[]> {
  const { required } = schema
  const isPart = typeof input === 'object' && Array.isArray(required)
  const known = isPart ? { ...schema, required: required.filter((name) => names.includes(name)) } : schema
  const problems = await checkForeign(known, value)
  return problems.slice(0, 3).map(({ field, error }) => `the input of the step ${id}: ${field}: ${error}`)
}
