import type { PlacedProblem } from '../../domain/problem.ts'
import { type Data, isData, keysOf, own, put } from '../difference.ts'
import { fieldsOf } from '../fields.ts'
import type { Source } from '../text/source.ts'
import { CONTEXT_FILES, STATUS_WORDS, type StatusWord } from './names.ts'

/** What `phase-status.json` says of one phase. */
interface PhaseStatus {
  readonly status: StatusWord
  readonly handoff_id: string
  readonly updated_at: string
}

/** One of the three files under `context/`. The document leaves open what they say; only `phase-status.json` has a form. */
export function contextProblems(source: Source): readonly PlacedProblem[] {
  const file = CONTEXT_FILES.find((name) => source.path?.replaceAll('\\', '/').split('/').at(-1) === name)
  const root = fieldsOf(source)
  if (!root) {
    const message = `${file ?? 'a context file'} is one JSON object; write {} while there is nothing to say`
    return [{ severity: 'error', code: 'not_an_object', message, ...source.locate([]) }]
  }
  const phases = file === 'phase-status.json' ? root.below('phases') : undefined
  for (const key of phases ? keysOf(own(source.value, 'phases') as Data) : []) {
    const isNumber = /^\d{1,3}$/.test(key)
    const message = `"${key}" is not the number of a phase; write for example "13"`
    if (!isNumber) phases?.report('warning', 'phase_key', message, key)
    const fields = isNumber ? phases?.below(key) : undefined
    fields?.word(STATUS_WORDS, 'status')
    fields?.text('handoff_id')
    fields?.time('updated_at')
  }
  return root.diagnostics
}

/** `phase-status.json` with one phase set and every other key as it was. */
export function withPhase(value: Readonly<Data>, phase: number, status: PhaseStatus): Data {
  const phases = own(value, 'phases')
  const old = isData(phases) ? phases : {}
  const before = own(old, String(phase))
  const result: Data = { ...value }
  put(result, 'phases', { ...old, [String(phase)]: { ...(isData(before) ? before : {}), ...status } })
  return result
}
