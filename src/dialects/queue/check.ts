import { coverageTarget, validationProblems } from '../../domain/handoffs/guards.ts'
import { isKnownErrorCode } from '../../domain/handoffs/retry.ts'
import type { GradedProblem } from '../../domain/problem.ts'
import { type Data, isData, own, valueAt } from '../difference.ts'
import { lackingIn } from '../table/write.ts'
import { quotedText } from '../text/quoted.ts'
import type { Path } from '../text/source.ts'
import {
  DEFAULT_TIMEOUT_S,
  type HandoffForm,
  isHandoffId,
  isSafeName,
  isSafePath,
  PHASES_OF,
  schemaName,
  stemOf,
} from './names.ts'
import { queueTable } from './table.ts'

/** Something that breaks a rule of the document, at a key of the document. */
export interface PathProblem extends GradedProblem {
  readonly path: Path
}

export interface Circumstances {
  readonly form: HandoffForm
  /** The name of the file without `.json`, where there is a file. */
  readonly stem?: string | undefined
}

type Rule = (native: Readonly<Data>, circumstances: Circumstances) => readonly PathProblem[]

/** All rules about one handoff in the document's own keys. They look at values only. */
export const checkNative: Rule = (native, circumstances) =>
  NATIVE_RULES.flatMap((rule) => rule(native, circumstances))

const required: Rule = (native, { form }) =>
  lackingIn(queueTable(), native, form).map(({ key, example }) => {
    const path = key.split('.')
    const message = `${key} is missing; a ${form} needs it, for example "${path.at(-1)}": ${JSON.stringify(example)}`
    return { severity: 'error', code: 'missing_field', message, path }
  })

const id: Rule = (native, { stem }) => {
  const path = ['handoff_id']
  const found = textAt(native, path)
  if (found === undefined) return []
  const name = `handoff_id ${quotedText(found)}`
  const unsafeName = `${name} cannot be the name of a file; use letters, digits, dots, dashes and underscores`
  if (!isSafeName(found)) return [error('unsafe_name', unsafeName, path)]
  const form = `${name} does not begin with hoff-; write for example "hoff-001-1705147200000"`
  const file = `the file is called ${quotedText(`${stem}.json`)} and handoff_id is ${quotedText(found)}, which counts; rename the file to ${quotedText(`${found}.json`)}`
  return [
    ...(isHandoffId(found) ? [] : [warning('id_form', form, path)]),
    ...(stem === undefined || stem === found ? [] : [warning('id_file_mismatch', file, path)]),
  ]
}

const phases: Rule = (native) =>
  ['source', 'target'].flatMap((side): PathProblem[] => {
    const path = [side, 'phase']
    const phase = valueAt(native, path)
    if (typeof phase !== 'number') return []
    if (!Number.isInteger(phase))
      return [warning('phase_range', `${side}.phase is ${phase}; write a whole number`, path)]
    const type = textAt(native, [side, 'agent_type']) ?? (side === 'source' ? 'orchestrator' : 'specialist')
    const range = Object.hasOwn(PHASES_OF, type) ? PHASES_OF[type as keyof typeof PHASES_OF] : undefined
    if (!range || (phase >= range.from && phase <= range.to)) return []
    const message = `${side}.phase is ${phase}; the phases of ${type}s are ${range.from} to ${range.to}`
    return [warning('phase_range', message, path)]
  })

const agentTypes: Rule = (native) =>
  ['source', 'target'].flatMap((side): PathProblem[] => {
    const path = [side, 'agent_type']
    const type = textAt(native, path)
    if (type === undefined || Object.hasOwn(PHASES_OF, type)) return []
    const message = `${side}.agent_type is ${quotedText(type)}; the document has "orchestrator" and "specialist"`
    return [warning('agent_type', message, path)]
  })

const schemaNames: Rule = (native) => {
  const target = textAt(native, ['target', 'agent_id'])
  return (['input', 'output'] as const).flatMap((side): PathProblem[] => {
    const path = [side === 'input' ? 'input' : 'expected_output', 'schema']
    const name = textAt(native, path)
    if (name === undefined) return []
    if (!isSafePath(name)) return [unsafe(path, name)]
    if (target === undefined || name === schemaName(target, side)) return []
    const message = `${path.join('.')} is ${quotedText(name)}; by the document it is called "${schemaName(target, side)}"`
    return [warning('schema_name', message, path)]
  })
}

const destination: Rule = (native) => {
  const path = ['expected_output', 'destination']
  const found = textAt(native, path)
  if (found === undefined) return []
  if (!isSafePath(found)) return [unsafe(path, found)]
  if (found.includes('{timestamp}')) return []
  const message = `${path.join('.')} has no {timestamp}, so a second attempt writes over the first one's artifact`
  return [graded('info')('destination_fixed', message, path)]
}

const artifact: Rule = (native) => {
  const path = ['output', 'artifact_path']
  const [file, artifactId] = [textAt(native, path), textAt(native, ['output', 'artifact_id'])]
  if (file === undefined) return []
  if (!isSafePath(file)) return [unsafe(path, file)]
  if (artifactId === undefined || stemOf(file) === artifactId) return []
  const message = `output.artifact_id is ${quotedText(artifactId)} and the file is ${quotedText(file)}; the file is named after the id`
  return [warning('artifact_name', message, path)]
}

const compliance: Rule = (native, { form }) => {
  const path = ['output', 'schema_compliance']
  if (form !== 'response' || valueAt(native, path) !== 'invalid') return []
  const message =
    'output.schema_compliance is "invalid", so the work is not completed; correct the output or fail the handoff with VALIDATION_FAILED'
  return [error('schema_invalid', message, path)]
}

/** Failing tests, type errors or coverage under the target cannot pass. */
const validation: Rule = (native, { form }) => {
  const report = own(native, 'validation')
  if (form !== 'response' || !isData(report)) return []
  const problems = validationProblems(report, coverageTarget(valueAt(native, ['input', 'data'])))
  if (problems.length === 0) return []
  const message = `the handoff is completed, but ${problems.join(', ')}; correct the work, or fail it with VALIDATION_FAILED`
  return [error('validation_failed', message, ['validation', 'status'])]
}

const duration: Rule = (native, { form }) => {
  const path = ['execution_time_seconds']
  const took = valueAt(native, path)
  const given = own(native, 'timeout_seconds')
  const limit = typeof given === 'number' ? given : DEFAULT_TIMEOUT_S
  if (form !== 'response' || typeof took !== 'number' || took <= limit) return []
  const which = typeof given === 'number' ? 'timeout_seconds is' : 'the default timeout is'
  const message = `it took ${took} s and ${which} ${limit} s. It counts as completed, but its sender may have stopped waiting`
  return [warning('exceeded_timeout', message, path)]
}

/** An attempt is made, started and ended, in this order. */
const times: Rule = (native) => {
  const steps = ['timestamp', 'started_at', 'timestamp_completed', 'timestamp_failed'].flatMap((key) => {
    const text = textAt(native, [key])
    const at = text === undefined ? Number.NaN : Date.parse(text)
    return Number.isNaN(at) ? [] : [{ key, text, at }]
  })
  return steps.slice(1).flatMap((step, i): PathProblem[] => {
    const before = steps[i]!
    if (step.at >= before.at) return []
    const message = `${step.key} (${step.text}) is before ${before.key} (${before.text}); correct the one that is wrong`
    return [warning('time_order', message, [step.key])]
  })
}

const failure: Rule = (native) => {
  const path = ['error', 'code']
  const code = textAt(native, path)
  if (code === undefined || isKnownErrorCode(code)) return []
  const message = `error.code ${quotedText(code)} is kept; the document has SCHEMA_VALIDATION_FAILED, PROCESSING_ERROR, TIMEOUT, DEPENDENCY_MISSING and VALIDATION_FAILED`
  return [warning('unknown_error_code', message, path)]
}

// biome-ignore format: read as a table
const NATIVE_RULES: readonly Rule[] = [
  required, id, agentTypes, phases, schemaNames, destination, artifact, compliance, validation, duration, times, failure,
]

function unsafe(path: Path, value: string): PathProblem {
  const message = `${path.join('.')} ${quotedText(value)} leaves the project; write a path below its root, with / and without ..`
  return error('unsafe_path', message, path)
}

const graded =
  (severity: PathProblem['severity']) =>
  (code: string, message: string, path: Path): PathProblem => ({ severity, code, message, path })
const [error, warning] = [graded('error'), graded('warning')]

function textAt(native: Readonly<Data>, path: Path): string | undefined {
  const value = valueAt(native, path)
  return typeof value === 'string' ? value : undefined
}
