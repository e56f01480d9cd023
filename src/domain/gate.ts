import type { Refusal } from './errors.ts'
import type { Handoff } from './handoff.ts'
import { isOpen } from './lifecycle.ts'

/** `advisory` asks and holds nothing up; `auto` opens by itself when its checks pass and is blocking when they do not. */
export const GATE_TYPES = ['blocking', 'advisory', 'auto'] as const
export type GateType = (typeof GATE_TYPES)[number]

/** The answers that document 004 knows, with the words it writes beside them. */
export const CHOICES = {
  approve: 'Continue with next step',
  reject: 'Adjustments required',
  question: 'Clarification needed',
} as const
export type Choice = keyof typeof CHOICES

/** A type that nobody knows holds the work up: a gate is never passed because of a spelling. */
export const gateTypeOf = (said: string | undefined): GateType =>
  GATE_TYPES.find((type) => type === said?.trim().toLowerCase()) ?? 'blocking'

/** Whether this gate stands, or stood, in the way of the work above it. */
const guards = (gate: Handoff, work: string): boolean =>
  gate.type === 'gate' && gate.gate?.guards === work && gate.gate.type !== 'advisory'

/**
 * The gates that hold the work up: those that wait for an answer, and those that were not passed and not asked
 * again under the same name. One that its sender took back holds nothing. What a person did not open is asked of a
 * person again: checks, which the sender chooses, do not open it.
 */
export function shutGates(gates: readonly Handoff[], work: string): readonly Handoff[] {
  const asked = gates
    .filter((gate) => guards(gate, work) && gate.state !== 'draft' && gate.state !== 'cancelled')
    .sort((a, b) => (a.uid < b.uid ? -1 : 1))
  const newest = new Map(
    asked.filter((gate) => gate.gate?.type !== 'auto').map((gate) => [gate.gate?.name ?? '', gate]),
  )
  return asked.filter(
    (gate) =>
      isOpen(gate.state) || (gate.state !== 'completed' && newest.get(gate.gate?.name ?? '') === gate),
  )
}

/** One shut gate as a reason. */
export function shutReason(gate: Handoff): string {
  const name = gate.gate?.name === undefined ? gate.id : `${gate.gate.name} (${gate.id})`
  if (isOpen(gate.state)) return `the gate ${name} waits for ${gate.waiting_for ?? gate.to}`
  return `the gate ${name} ${gate.state === 'expired' ? 'has expired' : `was ${gate.state}`}; mend the work and send the gate again`
}

export type Chosen = { readonly ok: true; readonly choice: string; readonly option?: string } | Refusal

/**
 * What a person's answer means. A gate knows the three answers of document 004; an escalation that offers options
 * takes those instead of a bare approval. Upper and lower case are the same, and nothing else is guessed.
 */
export function choiceOf(
  { id, type }: Handoff,
  options: Readonly<Record<string, string>> | undefined,
  said: string,
): Chosen {
  const wanted = said.trim().toLowerCase()
  const own = type === 'escalation' ? ownOptions(options) : []
  const chosen = own.find(([key]) => key.trim().toLowerCase() === wanted)
  if (chosen) return { ok: true, choice: chosen[0], option: chosen[1] }
  const usual = (Object.keys(CHOICES) as Choice[]).filter((key) => own.length === 0 || key !== 'approve')
  const choice = usual.find((key) => key === wanted)
  if (choice) return { ok: true, choice }
  const known = [...own.map(([key]) => key), ...usual]
  return {
    ok: false,
    code: 'invalid_input',
    message: `${JSON.stringify(said)} is no answer to ${id}; answer with ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`,
    details: { id, choice: said, options: known },
  }
}

/** The options of an escalation beside the three answers that every question to a person has. */
export const ownOptions = (
  options: Readonly<Record<string, string>> | undefined,
): readonly (readonly [string, string])[] =>
  Object.entries(options ?? {}).filter(([key]) => !Object.hasOwn(CHOICES, key.trim().toLowerCase()))
