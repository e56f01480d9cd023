import type { Run } from './run.ts'
import type { WorkflowStep } from './workflow.ts'

export type Path = readonly (string | number)[]

export const fieldOf = (value: unknown, name: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** Results of earlier steps and the input of the run, by the names under which a step gets them. */
type References = readonly (readonly [name: string | undefined, reference: string])[]

/** A step's references; one without a name is its whole input. */
export function referencesOf({ input }: Pick<WorkflowStep, 'input'>): References {
  if (input === undefined) return []
  return typeof input === 'string' ? [[undefined, input]] : Object.entries(input)
}

/** `steps.plan.output.user` is the field `user` in the output of the step `plan`; `run.input` has no step. */
export function parsedReference(reference: string): { readonly step?: string; readonly path: Path } {
  const [root = '', name = '', ...path] = reference.split('.')
  return root === 'run' ? { path } : { step: name, path: path.slice(1) }
}

/** The parts of a run that its steps' input is made of. */
export type RunInput = Pick<Run, 'name' | 'workflow' | 'steps' | 'input'>

const valueIn = (data: unknown, path: Path): unknown => path.reduce<unknown>(fieldOf, data)

/** The parts of a step's output that later steps refer to, by their references. Nothing else of it is kept in the run. */
export function valuesFor(run: Run, step: string, output: unknown): Readonly<Record<string, unknown>> {
  const wanted = run.workflow.steps.flatMap((each) => referencesOf(each).map(([, reference]) => reference))
  const own = [...new Set(wanted)].filter((reference) => parsedReference(reference).step === step)
  return Object.fromEntries(
    own.flatMap((reference) => {
      const value = valueIn(output, parsedReference(reference).path)
      return value === undefined ? [] : [[reference, value]]
    }),
  )
}

/**
 * The input of a step as far as it is known, from the run and the values of the steps before it; `given` stands for a
 * step that hands in. `absent` are names whose source has ended, or is given, and lacks them.
 */
export function inputOf(
  run: RunInput,
  step: WorkflowStep,
  given?: { readonly step: string; readonly output: unknown },
) {
  const input: Record<string, unknown> = {}
  const absent: string[] = []
  let whole: unknown
  for (const [name, reference] of referencesOf(step)) {
    const { step: source, path } = parsedReference(reference)
    const from = run.steps.find(({ id }) => id === source)
    const isGiven = source === given?.step
    const value =
      source === undefined
        ? valueIn(run.input, path)
        : isGiven
          ? valueIn(given?.output, path)
          : from?.values?.[reference]
    if (value === undefined && (source === undefined || isGiven)) absent.push(reference)
    if (name === undefined) whole = value
    else if (value !== undefined) input[name] = value
  }
  return { value: whole ?? input, names: Object.keys(input), absent }
}

export const takesFrom = (step: WorkflowStep, source: string | undefined): boolean =>
  referencesOf(step).some(([, reference]) => parsedReference(reference).step === source)
