import type { Draft } from '../../dialects/draft.ts'
import { isSafePath } from '../../dialects/queue/names.ts'
import { valueAt } from '../../dialects/text/tree.ts'
import { coverageTarget, validationProblems } from '../../domain/guards.ts'
import type { ArtifactRef } from '../../domain/package.ts'
import { checkAgainstSchemaFile } from '../../service/schema-folder.ts'
import { sentenceOf } from '../../service/schema-problems.ts'
import type { ForeignChange, Plan, PlannedCall } from '../folder.ts'
import type { Tree } from '../tree.ts'
import { artifactFile, bytesAt, hashAt, isThere } from './artifacts.ts'
import { isArtifactPath } from './facts.ts'
import { failing } from './plan.ts'

type Planned = Plan & { readonly ok: true }
type Failure = NonNullable<Draft['error']>

/** Work whose input is wrong fails when it is picked up, and an output that does not do when it is handed in. */
export async function judge(plan: Planned, { handoff, file }: ForeignChange, tree: Tree): Promise<Planned> {
  const isAnswer = plan.calls.some(({ op }) => op === 'handoff_submit')
  const isPickUp = plan.calls.some(({ op }) => op === 'handoff_accept')
  const problem = isAnswer
    ? await outputProblem(file, tree)
    : isPickUp
      ? await inputProblem(file, tree)
      : undefined
  if (!problem) return isAnswer ? withHashes(plan, tree) : plan
  const fail: PlannedCall = failing(handoff.uid, handoff.to, problem)
  const calls = plan.calls.filter(({ op }) => op !== 'handoff_submit' && op !== 'handoff_fail')
  return { ...plan, calls: [...calls, fail] }
}

/** What was handed in is known by its bytes from then on. */
function withHashes(plan: Planned, tree: Tree): Planned {
  const calls = plan.calls.map((call) => {
    const { artifacts } = call.input as { readonly artifacts?: readonly ArtifactRef[] }
    if (call.op !== 'handoff_submit' || !artifacts) return call
    const hashed = artifacts.map((each) => ({ ...each, ...hashAt(tree, each.path) }))
    return { ...call, input: { ...call.input, artifacts: hashed } }
  })
  return { ...plan, calls }
}

/** What a request needs and what it brings, as it can be seen here. */
export async function inputProblem(file: Draft, tree: Tree): Promise<Failure | undefined> {
  const ids = (file.depends_on ?? []).filter((id) => id.startsWith('artifact-'))
  const inputs = (file.package?.artifacts ?? []).filter(({ role }) => role === 'input')
  const paths = inputs.map(({ path }) => path).filter(isArtifactPath)
  const missing = [
    ...ids.filter((id) => artifactFile(tree, id) === undefined),
    ...paths.filter((path) => !isThere(tree, path)),
  ]
  if (missing.length > 0)
    return { code: 'DEPENDENCY_MISSING', message: `Required artifact not found: ${missing.join(', ')}` }
  const { input_schema: name, package: travels } = file
  if (name === undefined) return undefined
  return schemaProblem('Input', name, travels?.input, tree)
}

const NO_PATH =
  'output has no artifact_path; write where the artifact lies, for example artifacts/phase-13-react/artifact-1.json'

async function outputProblem(file: Draft, tree: Tree): Promise<Failure | undefined> {
  const { result, output_schema: name } = file
  const path = result?.artifacts?.[0]?.path
  const no = (why: string): Failure => ({
    code: 'VALIDATION_FAILED',
    message: `Output validation failed: ${why}`,
  })
  const [unread] = validationProblems(
    { coverage_percentage: valueAt(file.extra, ['validation', 'coverage_percentage']) },
    coverageTarget(file.package?.input),
  )
  if (unread !== undefined) return no(unread)
  if (path === undefined && result?.output === undefined) return no(NO_PATH)
  if (path === undefined)
    return name === undefined ? undefined : schemaProblem('Output', name, result?.output, tree)
  if (!isSafePath(path)) return no(`artifact_path ${JSON.stringify(path)} leaves the project`)
  if (!isThere(tree, path)) return no(`there is no artifact at ${path}`)
  if (name === undefined) return undefined
  const bytes = bytesAt(tree, path)
  if (bytes === undefined) return no(`the artifact ${path} cannot be read, or is too large to be checked`)
  try {
    return await schemaProblem('Output', name, JSON.parse(bytes.toString('utf8')), tree)
  } catch (error) {
    if (error instanceof SyntaxError) return no(`the artifact ${path} is not JSON`)
    throw error
  }
}

/** A schema that is not there was never written: nothing fails because of it (A1-25). */
async function schemaProblem(
  side: 'Input' | 'Output',
  name: string,
  value: unknown,
  tree: Tree,
): Promise<Failure | undefined> {
  const answer = await checkAgainstSchemaFile({ root: tree.root, name, value })
  if ('skipped' in answer || answer.ok) return undefined
  return {
    code: side === 'Input' ? 'SCHEMA_VALIDATION_FAILED' : 'VALIDATION_FAILED',
    message: sentenceOf(side, answer.errors),
    details: answer.errors.map((each) => ({ ...each })),
  }
}
