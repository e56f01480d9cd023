import { Lines } from '../../dialects/text/lines.ts'
import { entryOf, type Tree, treeAt } from '../../dialects/text/tree.ts'
import { readYaml } from '../../dialects/text/yaml/yaml.ts'
import { byPlace, type PlacedProblem } from '../../domain/problem.ts'
import { checkWorkflow, type WorkflowProblem } from '../../domain/workflow/check.ts'
import type { Workflow } from '../../domain/workflow/workflow.ts'
import { refuse } from '../write.ts'

/** One thing that is wrong with a definition, where it stands, with the way to mend it. */
export type DefinitionProblem = Omit<PlacedProblem, 'severity'>

export type ReadDefinition =
  | {
      readonly ok: true
      readonly workflow: Workflow
      /** Adds the line and column of a problem in the text. */
      readonly placed: (problem: WorkflowProblem) => DefinitionProblem
      /** The path of a step in the text. */
      readonly pathOf: (step: string) => readonly (string | number)[]
    }
  | { readonly ok: false; readonly problems: readonly DefinitionProblem[] }

/** A definition from its text, in YAML or JSON. */
export function readDefinition(text: string): ReadDefinition {
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
  return { ok: true, workflow: checked.workflow, placed, pathOf: (step) => checked.paths.get(step) ?? [] }
}

/** The same, where the workflow must be called as its file is. */
export function readNamed(text: string, name: string | undefined): ReadDefinition {
  const read = readDefinition(text)
  if (!read.ok || name === undefined || read.workflow.name === name) return read
  const message = `the file is called ${name} and the workflow ${read.workflow.name}; give both one name`
  return { ok: false, problems: [read.placed({ code: 'invalid', path: ['name'], part: 'value', message })] }
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
  refuse('invalid_input', [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'), {
    file,
    problems,
  })
}
