import { Lines } from '../../dialects/text/lines.ts'
import { entryOf, type Tree, treeAt } from '../../dialects/text/tree.ts'
import { readYaml } from '../../dialects/text/yaml/yaml.ts'
import { byPlace, type PlacedProblem } from '../../domain/problem.ts'
import { checkWorkflow, type WorkflowProblem } from '../../domain/workflow/check.ts'
import type { Workflow } from '../../domain/workflow/workflow.ts'
import { refuse } from '../write.ts'

/** One thing that is wrong with a definition, where it stands, with the way to mend it. */
export type DefinitionProblem = Omit<PlacedProblem, 'severity'>

/** Fields of a step that name somebody. */
const FAILURE_NAMES = ['on_failure.route_to', 'on_failure.notify'] as const
const NAMING = ['role', 'agent', ...FAILURE_NAMES, 'gate.to', 'gate.silence.to'] as const
export type NamingField = (typeof NAMING)[number]
type LineColumn = Pick<DefinitionProblem, 'line' | 'column'>

/** Data alone, so that a thread can answer it. */
export type ReadDefinition =
  | {
      readonly ok: true
      readonly workflow: Workflow
      /** Lines and columns of the naming fields, by step. */
      readonly places: ReadonlyMap<string, Readonly<Record<NamingField, LineColumn>>>
    }
  | { readonly ok: false; readonly problems: readonly DefinitionProblem[] }

/** A definition from its text, in YAML or JSON. A workflow with a file must be called as its file is. */
export function readDefinition(text: string, name?: string): ReadDefinition {
  const reading = readYaml(text)
  const lines = new Lines(text)
  const tree = reading.tree()
  const broken = reading.notes.filter(({ severity }) => severity === 'error')
  if (broken.length > 0)
    return {
      ok: false,
      problems: broken.map(({ at, code, message, other }) => ({
        ...lines.position(at),
        code,
        message: message.replace('{line}', String(lines.position(other ?? at).line)),
      })),
    }
  const placed = ({ path, part, code, message }: WorkflowProblem): DefinitionProblem => ({
    ...lines.position(offsetOf(tree, path, part)),
    code,
    message,
  })
  const checked = checkWorkflow(reading.value)
  if (!checked.ok) return { ok: false, problems: checked.problems.map(placed).sort(byPlace) }
  const { workflow, paths } = checked
  if (name !== undefined && workflow.name !== name) {
    const message = `the file is called ${name} and the workflow ${workflow.name}; give both one name`
    return { ok: false, problems: [placed({ code: 'invalid', path: ['name'], part: 'value', message })] }
  }
  const placesOf = (step: string) =>
    Object.fromEntries(
      NAMING.map((field) => {
        const path = [...(paths.get(step) ?? []), ...field.split('.')]
        return [field, lines.position(offsetOf(tree, path, 'value'))]
      }),
    ) as Record<NamingField, LineColumn>
  return { ok: true, workflow, places: new Map(workflow.steps.map(({ id }) => [id, placesOf(id)])) }
}

/** The place that a path leads to, or as near to it as the text goes. */
function offsetOf(
  tree: Tree | undefined,
  path: readonly (string | number)[],
  part: WorkflowProblem['part'],
): number {
  if (!tree) return 0
  for (let length = path.length; length > 0; length--) {
    const parent = treeAt(tree, path.slice(0, length - 1))
    const entry = parent && entryOf(parent, path[length - 1]!)
    if (!entry) continue
    return part === 'key' || length < path.length || entry.node.kind !== 'scalar'
      ? entry.start
      : entry.node.start
  }
  return tree.start
}

/** Refuses a definition with every problem by its line. */
export function refuseDefinition(file: string, problems: readonly DefinitionProblem[]): never {
  const lines = problems.slice(0, 20).map(({ line, message }) => `${file}:${line}: ${message}`)
  const more = problems.length - lines.length
  const all = [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
  refuse('invalid_input', all, { file, problems })
}
