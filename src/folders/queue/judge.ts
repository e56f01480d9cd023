import type { Draft } from '../../dialects/draft.ts'
import { valueAt } from '../../dialects/text/tree.ts'
import { coverageTarget, validationProblems } from '../../domain/handoffs/guards.ts'
import type { ArtifactRef } from '../../domain/handoffs/package.ts'
import type { Tree } from '../files/tree.ts'
import type { ForeignChange, Plan, PlannedCall } from '../folder.ts'
import { type Around, artifactFile, hashAt, isThere } from './artifacts.ts'
import { isArtifactPath } from './facts.ts'
import { outputProblem } from './output.ts'
import { failing } from './plan.ts'
import { type Failure, invalid, schemaProblem } from './schema-problem.ts'

type Planned = Plan & { readonly ok: true }

/** Work whose input is wrong fails when it is picked up, and an output that does not do when it is handed in. */
export async function judge(plan: Planned, change: ForeignChange, around: Around): Promise<Planned> {
  const { handoff, file } = change
  const { tree } = around
  const isAnswer = plan.calls.some(({ op }) => op === 'handoff_submit')
  const isPickUp = plan.calls.some(({ op }) => op === 'handoff_accept')
  const problem = isAnswer
    ? await answerProblem(change, around)
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

/** What a file says that hands work in, and then what it hands in. */
async function answerProblem({ handoff, file }: ForeignChange, around: Around): Promise<Failure | undefined> {
  const { result } = file
  const [unread] = validationProblems(
    { coverage_percentage: valueAt(file.extra, ['validation', 'coverage_percentage']) },
    coverageTarget(file.package?.input),
  )
  if (unread !== undefined) return invalid(unread)
  if (!result?.artifacts?.length && result?.output === undefined) return invalid(NO_PATH)
  return outputProblem(handoff.uid, file, around)
}
