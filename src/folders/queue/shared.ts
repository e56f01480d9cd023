import { sourcesOf } from '../../dialects/text/sources.ts'
import { isMapping } from '../../dialects/text/tree.ts'
import { Tree } from '../files/tree.ts'
import { bytesAt } from './artifacts.ts'

/** `context/project-context.json` and `tech-stack.json`, as the `context` of a request has them (S1-03). */
export function sharedContext(root: string): Readonly<Record<string, unknown>> | undefined {
  const tree = new Tree(root)
  const project = contextIn(tree, 'project-context.json')
  const stack = contextIn(tree, 'tech-stack.json')
  const { project_id, tech_stack_artifact_id: named } = project ?? {}
  const { artifact_id, tech_stack_artifact_id = artifact_id ?? named, tech_stack = stack } = stack ?? {}
  const shared = { project_id, tech_stack_artifact_id, tech_stack }
  const said = Object.entries(shared).filter(([, value]) => value !== undefined && !isEmpty(value))
  return said.length > 0 ? Object.fromEntries(said) : undefined
}

const isEmpty = (value: unknown): boolean => isMapping(value) && Object.keys(value).length === 0

/** What cannot be read is not shared; whoever writes it finds that out with: baton check. */
function contextIn(tree: Tree, name: string): Record<string, unknown> | undefined {
  const bytes = bytesAt(tree, `context/${name}`)
  const [source] = bytes ? sourcesOf(bytes.toString('utf8'), { path: `context/${name}` }) : []
  return isMapping(source?.value) ? source.value : undefined
}
