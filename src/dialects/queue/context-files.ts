import { present } from '../../domain/present.ts'
import type { PlacedProblem } from '../../domain/problem.ts'
import { type Data, keysOf, own } from '../difference.ts'
import { fieldsOf } from '../fields.ts'
import type { Source } from '../text/source.ts'
import { isMapping, setOwn } from '../text/tree.ts'
import { CONTEXT_FILES, type ContextFile, STATUS_WORDS, type StatusWord } from './names.ts'

/** What `phase-status.json` says of one phase. */
export interface PhaseStatus {
  readonly status?: StatusWord
  readonly handoff_id?: string
  readonly updated_at?: string
}

export interface ContextReading {
  readonly file?: ContextFile
  /** The whole file: the document leaves its content open. */
  readonly value?: Readonly<Data>
  /** Of `phase-status.json` alone, by the number of the phase. */
  readonly phases?: ReadonlyMap<number, PhaseStatus>
  readonly diagnostics: readonly PlacedProblem[]
}

/** One of the three files under `context/`. They are read as they are; only `phase-status.json` has a form. */
export function contextOf(source: Source): ContextReading {
  const file = CONTEXT_FILES.find((name) => source.path?.replaceAll('\\', '/').split('/').at(-1) === name)
  const root = fieldsOf(source)
  if (!root || !isMapping(source.value)) {
    const message = `${file ?? 'a context file'} is one JSON object; write {} while there is nothing to say`
    return { diagnostics: [{ severity: 'error', code: 'not_an_object', message, ...source.locate([]) }] }
  }
  const found = { ...present({ file }), value: source.value }
  const phases = file === 'phase-status.json' ? root.below('phases') : undefined
  if (!phases) return { ...found, diagnostics: root.diagnostics }
  const read = new Map<number, PhaseStatus>()
  for (const key of keysOf(own(source.value, 'phases') as Data)) {
    const fields = /^\d{1,3}$/.test(key) ? phases.below(key) : undefined
    const message = `"${key}" is not the number of a phase; write for example "13"`
    if (!/^\d{1,3}$/.test(key)) phases.report('warning', 'phase_key', message, key)
    if (!fields) continue
    const status = fields.word(STATUS_WORDS, 'status')
    const handoff = fields.text('handoff_id')
    const updated = fields.time('updated_at')
    read.set(Number(key), {
      ...present({ status }),
      ...(handoff && { handoff_id: handoff }),
      ...(updated && { updated_at: updated }),
    })
  }
  return { ...found, phases: read, diagnostics: root.diagnostics }
}

/** `phase-status.json` with one phase set and every other key as it was. */
export function withPhase(value: Readonly<Data>, phase: number, status: Required<PhaseStatus>): Data {
  const phases = own(value, 'phases')
  const old = isMapping(phases) ? phases : {}
  const before = own(old, String(phase))
  const result: Data = { ...value }
  setOwn(result, 'phases', { ...old, [String(phase)]: { ...(isMapping(before) ? before : {}), ...status } })
  return result
}

export const printContext = (value: Readonly<Data>): string => `${JSON.stringify(value, undefined, 2)}\n`
