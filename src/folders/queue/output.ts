import { existsSync } from 'node:fs'
import type { Draft } from '../../dialects/draft.ts'
import { artifactPaths, namedArtifact } from '../../dialects/queue/handed-in.ts'
import { isSafePath } from '../../dialects/queue/names.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Result } from '../../domain/handoffs/package.ts'
import type { Problem } from '../../domain/problem.ts'
import type { ServiceDeps } from '../../service/deps.ts'
import { draftOf } from '../../service/documents/export.ts'
import { Tree } from '../files/tree.ts'
import { type Around, artifactBytes, liesAt } from './artifacts.ts'
import { type Failure, invalid, schemaProblem } from './schema-problem.ts'

/** What is handed in, and the schema that the request names for it. */
type HandedIn = Pick<Draft, 'result' | 'output_schema'>

/**
 * What document 001 holds against an output, whoever hands it in and by whatever way: an artifact that is not there
 * (S1-48) or is outside of the project (S1-121), and one that does not match the schema that the request wants.
 */
export async function outputProblem(
  uid: string,
  { result = {}, output_schema: name }: HandedIn,
  around: Around,
): Promise<Failure | undefined> {
  const paths = artifactPaths(result)
  const outside = paths.find((path) => !isSafePath(path))
  if (outside !== undefined) return invalid(`the artifact ${JSON.stringify(outside)} leaves the project`)
  for (const path of paths)
    if (!(await liesAt(path, uid, around)))
      return invalid(`there is no artifact at ${path}; write it before the work is handed in`)
  const path = namedArtifact(result.artifacts)?.path ?? paths[0]
  if (name === undefined || (path === undefined && result.output === undefined)) return undefined
  if (path === undefined) return schemaProblem('Output', name, result.output, around.tree)
  const bytes = await artifactBytes(path, uid, around)
  if (bytes === undefined)
    return invalid(`the artifact ${path} cannot be read, or is too large to be checked`)
  try {
    return await schemaProblem('Output', name, JSON.parse(bytes.toString('utf8')), around.tree)
  } catch (error) {
    if (error instanceof SyntaxError) return invalid(`the artifact ${path} is not JSON`)
    throw error
  }
}

/** The same for whoever hands in by an operation. Nothing is held against it where the folder is not. */
export async function judgeOutput(
  root: string,
  deps: ServiceDeps,
  handoff: Handoff,
  result: Result,
): Promise<readonly Problem[]> {
  if (!existsSync(root)) return []
  const around = { tree: new Tree(root), store: deps.store }
  const { output_schema } = (await draftOf(deps, handoff)).draft
  const problem = await outputProblem(handoff.uid, { result, output_schema }, around)
  return problem ? [{ code: 'VALIDATION_FAILED', message: problem.message }] : []
}
