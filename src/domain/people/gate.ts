import type * as z from 'zod'
import { type Refusal, refusalOf } from '../errors.ts'
import type { Handoff } from '../handoffs/handoff.ts'
import { isOpen } from '../lifecycle.ts'
import { present } from '../present.ts'
import { quoted } from '../texts/visible.ts'
import type { TaskGates } from './people-schema.ts'

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
export const shutReason = ({ id, state, gate, waiting_for, to }: Handoff): string =>
  gateReason({ id, state, name: gate?.name, waiting_for: waiting_for ?? to })

function gateReason({ id, name, state, waiting_for }: Omit<TaskGate, 'uid'>): string {
  const called = name === undefined ? id : `${quoted(name)} (${id})`
  if (isOpen(state)) return `the gate ${called} waits for ${waiting_for ?? 'a person'}`
  return `the gate ${called} ${state === 'expired' ? 'has expired' : `was ${state}`}; correct the work and send the gate again`
}

/** A gate that was asked about a task and is not passed, as the task keeps it. */
export type TaskGate = Readonly<z.infer<ReturnType<typeof TaskGates>>[number]>

/**
 * The gates of a task after one of them has moved. An ended gate removes older ended ones of its name; a passed one
 * is not kept. One that its sender took back is forgotten, and a refused one before it counts again.
 */
export function gatesAfter(before: readonly TaskGate[], after: Handoff): readonly TaskGate[] {
  const { uid, id, state, gate, waiting_for } = after
  const others = before.filter((other) => other.uid !== uid)
  if (state === 'draft' || state === 'cancelled') return others
  const settles = !isOpen(state) && gate?.type !== 'auto'
  const kept = others.filter(
    (other) => !settles || isOpen(other.state) || other.name !== gate?.name || other.uid > uid,
  )
  if (state === 'completed') return kept
  const name = gate?.name
  const now = { uid, id, ...present({ name }), state, ...(waiting_for && { waiting_for }) }
  return [...kept, now].sort((a, b) => (a.uid < b.uid ? -1 : 1))
}

/** Why a task cannot be done: its gates that wait for an answer, and those that were not passed and not asked again. */
export const taskReasons = (gates: readonly TaskGate[] = []): readonly string[] =>
  gates
    .filter(
      ({ uid, name, state }) =>
        isOpen(state) || !gates.some((other) => other.name === name && other.uid > uid),
    )
    .map(gateReason)

export type Chosen = { readonly ok: true; readonly choice: string; readonly option?: string } | Refusal

/**
 * The meaning of a person's answer. A gate knows the three answers of document 004; an escalation with options
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
  return refusalOf(
    'invalid_input',
    `${JSON.stringify(said)} is not an answer to ${id}; answer with ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`,
    { id, choice: said, options: known },
  )
}

/** The options of an escalation beside the three answers that every question to a person has. */
export const ownOptions = (
  options: Readonly<Record<string, string>> | undefined,
): readonly (readonly [string, string])[] =>
  Object.entries(options ?? {}).filter(([key]) => !Object.hasOwn(CHOICES, key.trim().toLowerCase()))
