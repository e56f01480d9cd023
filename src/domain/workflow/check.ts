import type * as z from 'zod'
import { ANYONE } from '../actor.ts'
import { checkSilence } from '../people/silence.ts'
import { present } from '../present.ts'
import { meant, problemAt, type WorkflowProblem, workflowProblems } from './problems.ts'
import { fieldOf, type Path, parsedReference, referencesOf } from './step-input.ts'
import { StepId, WORKFLOW_LIMITS, type Workflow, WorkflowFile, type WorkflowStep } from './workflow.ts'

export { meant, type WorkflowProblem } from './problems.ts'

export type CheckedWorkflow =
  | { readonly ok: true; readonly workflow: Workflow; readonly paths: ReadonlyMap<string, Path> }
  | { readonly ok: false; readonly problems: readonly WorkflowProblem[] }

type FileStep = z.infer<ReturnType<typeof WorkflowFile>>['steps'][number]

/** A definition as data, judged: the whole of it, so that one look mends everything. */
export function checkWorkflow(data: unknown): CheckedWorkflow {
  const parsed = WorkflowFile().safeParse(data)
  const names = namesIn(data)
  const naming = [...duplicates(names), ...unknownNeeds(names)]
  if (!parsed.success) {
    const wrong = parsed.error.issues.flatMap((issue) => workflowProblems(issue, data))
    return { ok: false, problems: [...wrong, ...problemsOf(flattened(readable(data))), ...naming] }
  }
  const found = flattened(parsed.data.steps)
  const steps = found.flatMap(({ step }) => (step ? [step] : []))
  const paths = new Map(found.flatMap(({ step, path }) => (step ? [[step.id, path] as const] : [])))
  const problems = [...problemsOf(found), ...naming]
  // Circles among names that do not exist would only repeat what was said.
  if (problems.length === 0) problems.push(...cycles(steps, paths))
  if (problems.length === 0) problems.push(...referenceProblems(steps, paths))
  if (problems.length > 0) return { ok: false, problems }
  const { name, description, home } = parsed.data
  return { ok: true, paths, workflow: { name, ...present({ description, home }), steps } }
}

interface FoundStep {
  readonly path: Path
  readonly step?: WorkflowStep
  readonly problem?: WorkflowProblem
}

const problemsOf = (found: readonly FoundStep[]): readonly WorkflowProblem[] =>
  found.flatMap(({ problem }) => (problem ? [problem] : []))

/** The steps that can be judged further where others cannot be read. */
const readable = (data: unknown): readonly (FileStep | undefined)[] =>
  stepsIn(data).map((step) => WorkflowFile().shape.steps.element.safeParse(step).data)

/** Steps in their order; what says nothing of its needs comes after what stands before it. */
function flattened(items: readonly (FileStep | undefined)[]): readonly FoundStep[] {
  const all: FoundStep[] = []
  let before: readonly string[] = []
  for (const [i, item] of items.entries()) {
    if (!item) continue
    const made = groupOf(item, ['steps', i]).map(
      ({ step, path, problem }): FoundStep => (problem ? { path, problem } : madeOf(step, path, before)),
    )
    all.push(...made)
    const ids = made.flatMap(({ step }) => (step ? [step.id] : []))
    if (ids.length > 0) before = ids
  }
  return all
}

function groupOf(
  item: FileStep,
  path: Path,
): readonly { readonly step: FileStep; readonly path: Path; readonly problem?: WorkflowProblem }[] {
  const { parallel, ...step } = item
  if (!parallel) return [{ step, path }]
  const other = Object.keys(step).find((key) => step[key as keyof typeof step] !== undefined)
  if (other !== undefined) {
    const message = `${other} stands beside parallel; write it in each of the steps below parallel`
    return [{ step, path, problem: problemAt('invalid', [...path, other], message, 'key') }]
  }
  return parallel.map((each, i) => ({ step: each, path: [...path, 'parallel', i] }))
}

function madeOf(step: FileStep, path: Path, before: readonly string[]): FoundStep {
  const { id, agent, role } = step
  if (id === undefined)
    return { path, problem: missingField(path, 'id', 'give the step a name, for example: id: review') }
  if (agent === undefined && role === undefined)
    return { path, problem: missingField(path, 'agent', `say who does ${id}, for example: agent: codex`) }
  if (agent !== undefined && role !== undefined) {
    const message = `${id} has both agent and role; keep one of them`
    return { path, problem: problemAt('invalid', [...path, 'role'], message, 'key') }
  }
  const silence = step.gate?.silence && checkSilence(step.gate.silence)
  if (silence && !silence.ok)
    return { path, problem: problemAt('invalid', [...path, 'gate', 'silence'], silence.message) }
  const { needs, timeout, gate, on_failure, title, parallel: _, ...rest } = step
  return {
    path,
    step: {
      ...(present(rest) as Partial<WorkflowStep>),
      id,
      title: title ?? id,
      needs: [...new Set(needs ?? before)],
      ...present({
        timeout_s: timeout,
        gate: gate && {
          type: gate.type ?? 'blocking',
          name: gate.name ?? id,
          items: gate.items ?? [],
          to: gate.to ?? ANYONE,
          ...present({ silence: gate.silence, remind_s: gate.remind }),
        },
        on_failure,
      }),
    },
  }
}

const missingField = (path: Path, field: string, message: string): WorkflowProblem =>
  problemAt('missing', path, `${field} is missing; ${message}`)

/** The names in a step, read even if other fields of it are wrong. */
interface Named {
  readonly path: Path
  readonly id?: string
  readonly needs: readonly unknown[]
}

/** Nothing where there are more steps than a definition may have. */
function stepsIn(data: unknown): readonly unknown[] {
  const steps = fieldOf(data, 'steps')
  return Array.isArray(steps) && steps.length <= WORKFLOW_LIMITS.steps ? steps : []
}

function namesIn(data: unknown): readonly Named[] {
  return stepsIn(data).flatMap((item, i) => {
    const parallel = fieldOf(item, 'parallel')
    if (!Array.isArray(parallel)) return [namedIn(item, ['steps', i])]
    const some = parallel.slice(0, WORKFLOW_LIMITS.parallel)
    return some.map((each, j) => namedIn(each, ['steps', i, 'parallel', j]))
  })
}

function namedIn(step: unknown, path: Path): Named {
  const [{ data: id }, said] = [StepId.safeParse(fieldOf(step, 'id')), fieldOf(step, 'needs')]
  const needs = Array.isArray(said) ? said.slice(0, WORKFLOW_LIMITS.needs) : []
  return { path, ...present({ id }), needs }
}

function duplicates(names: readonly Named[]): readonly WorkflowProblem[] {
  const seen = new Set<string>()
  return names.flatMap(({ id, path }) => {
    const isNew = id === undefined || !seen.has(id)
    if (id !== undefined) seen.add(id)
    const message = `there is already a step ${id}; give this one another name`
    return isNew ? [] : [problemAt('duplicate_step', [...path, 'id'], message)]
  })
}

function unknownNeeds(names: readonly Named[]): readonly WorkflowProblem[] {
  // A step without a name may be the one that is meant: that it has none is complained about once.
  if (names.some(({ id }) => id === undefined)) return []
  const known = new Set(names.map(({ id }) => id as string))
  return names.flatMap(({ id, path, needs }) =>
    needs.flatMap((need, i) => {
      if (typeof need !== 'string' || known.has(need) || needs.indexOf(need) !== i) return []
      const message = `${id} needs ${need}, and there is no such step${meant(need, [...known])}`
      return [problemAt('unknown_step', [...path, 'needs', i], message)]
    }),
  )
}

/** Circles by their steps, and what can never start because it comes after one. */
function cycles(
  steps: readonly WorkflowStep[],
  paths: ReadonlyMap<string, Path>,
): readonly WorkflowProblem[] {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const done = new Set<string>()
  for (let before = -1; before < done.size; ) {
    before = done.size
    for (const { id, needs } of steps) if (needs.every((need) => done.has(need))) done.add(id)
  }
  const stuck = steps.filter(({ id }) => !done.has(id))
  const told = new Set<string>()
  return stuck.flatMap(({ id, needs }): WorkflowProblem[] => {
    const circle = circleOf(id, byId)
    const at = [...paths.get(id)!, 'needs']
    if (!circle) {
      const need = needs.find((each) => !done.has(each))
      const message = `${id} can never start: it needs ${need}, which waits for a circle of steps`
      return [problemAt('unreachable', at, message)]
    }
    if (circle.some((each) => told.has(each))) return []
    for (const each of circle) told.add(each)
    const way = [...circle, circle[0]].join(' needs ')
    return [problemAt('cycle', at, `${way}; remove one of them from needs`)]
  })
}

/** The shortest way from a step along its needs back to it. */
function circleOf(id: string, byId: ReadonlyMap<string, WorkflowStep>): readonly string[] | undefined {
  const ways: (readonly string[])[] = [[id]]
  const seen = new Set<string>()
  for (let way = ways.shift(); way; way = ways.shift()) {
    for (const need of byId.get(way.at(-1)!)?.needs ?? []) {
      if (need === id) return way
      if (seen.has(need)) continue
      seen.add(need)
      ways.push([...way, need])
    }
  }
  return undefined
}

/** References to steps that are not there, or that need not be completed when the step begins. */
function referenceProblems(
  steps: readonly WorkflowStep[],
  paths: ReadonlyMap<string, Path>,
): readonly WorkflowProblem[] {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const before = (id: string, seen = new Set<string>()): ReadonlySet<string> => {
    for (const need of byId.get(id)?.needs ?? []) {
      if (seen.has(need)) continue
      seen.add(need)
      before(need, seen)
    }
    return seen
  }
  return steps.flatMap((step) =>
    referencesOf(step).flatMap(([name, reference]) => {
      const { step: source } = parsedReference(reference)
      const known = [...before(step.id)]
      if (source === undefined || known.includes(source)) return []
      const at = [...(paths.get(step.id) ?? []), 'input', ...(name === undefined ? [] : [name])]
      const message = `${step.id} takes ${reference}, and ${source} is not a step before it${meant(source, known)}`
      return [problemAt('unknown_step', at, message)]
    }),
  )
}
