import { ANYONE } from '../../domain/actor.ts'
import { type Data, isData } from '../difference.ts'
import type { Draft } from '../draft.ts'
import type { Fields } from '../fields.ts'
import { keepRest } from './extra.ts'
import { filled, isBlank } from './filled.ts'

type StepRef = string | number | null

const PERSON = [ANYONE, 'humain']
const AGENT_KEYS = ['agent', 'agent_id', 'name', 'id']

export function readFrom(handoff: Fields, extra: Data): Partial<Draft> {
  const end = readEnd(handoff, 'from', extra)
  if (end.agent === undefined && end.isAbsent)
    handoff.report('error', 'missing_from', 'nobody sends this package; write the sender as from.agent')
  return filled({ from: end.agent, from_step: end.step, from_role: end.role })
}

export function readTo(handoff: Fields, extra: Data): Partial<Draft> {
  const end = readEnd(handoff, 'to', extra)
  if (end.agent === undefined && end.isAbsent)
    handoff.report('error', 'missing_to', 'the package goes to nobody; write the receiver as to.agent')
  const isPerson = end.agent !== undefined && PERSON.includes(end.agent.toLowerCase())
  if (isPerson && end.agent !== ANYONE)
    handoff.report('warning', 'odd_human', `${end.agent} is read as ${ANYONE}; write ${ANYONE}`, 'to')
  return filled({
    to: isPerson ? ANYONE : end.agent,
    to_reason: end.reason,
    to_step: end.step,
    to_role: end.role,
  })
}

interface End {
  readonly agent: string | undefined
  readonly reason: string | undefined
  readonly step: StepRef | undefined
  readonly role: string | undefined
  /** Nothing stands there, not even something wrong. */
  readonly isAbsent: boolean
}

/** A mapping, or only the agent's name with the other keys beside it. */
function readEnd(handoff: Fields, end: 'from' | 'to', extra: Data): End {
  if (isData(handoff.value(end))) {
    const fields = handoff.below(end)!
    const read = {
      agent: fields.agent(...AGENT_KEYS),
      reason: end === 'to' ? (fields.text('reason', 'why') ?? besides(handoff, end)) : undefined,
      step: readStep(fields, 'step'),
      role: fields.text('role', 'agent_type'),
      isAbsent: isBlank(fields.value(...AGENT_KEYS)),
    }
    keepRest(extra, fields, ['handoff', end])
    return read
  }
  const names = [end, `${end}_agent`]
  const isAbsent = isBlank(handoff.value(...names))
  const agent = handoff.agent(...names)
  if (!isAbsent) placeBesides(handoff, end)
  return {
    agent,
    reason: besides(handoff, end),
    step: readStep(handoff, `${end}_step`),
    role: handoff.text(`${end}_role`),
    isAbsent,
  }
}

/** A lone name has no room for other keys, so they stand beside it. */
function placeBesides(handoff: Fields, end: 'from' | 'to'): void {
  const { places, path } = handoff
  const key = `handoff.${end}`
  places.set(`${key}.agent`, places.get(key) ?? [...path, end])
  places.delete(key)
  for (const other of ['step', 'role']) places.set(`${key}.${other}`, [...path, `${end}_${other}`])
  if (end === 'to') places.set(`${key}.reason`, [...path, 'reason'])
}

function besides(handoff: Fields, end: 'from' | 'to'): string | undefined {
  if (end === 'from' || !handoff.has('reason')) return undefined
  handoff.places.set('handoff.to.reason', [...handoff.path, 'reason'])
  return handoff.text('reason')
}

/** As given: a number stays one, `null` says that there is none. */
export function readStep(fields: Fields, key: string): StepRef | undefined {
  const value = fields.value(key)
  if (value === undefined || value === null) return value
  const text = fields.text(key)
  return typeof value === 'number' && String(value) === text ? value : text
}
