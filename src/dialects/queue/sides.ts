import type { Draft } from '../draft.ts'
import type { Fields } from '../fields.ts'
import { isMapping } from '../text/tree.ts'
import { NAME_LENGTH, name, type Parts } from './bounded.ts'

/** The spellings of an agent's place, the document's first. */
export const SIDES = {
  source: ['source', 'from', 'from_agent', 'source_agent', 'sender', 'author'],
  target: ['target', 'to', 'to_agent', 'target_agent', 'receiver', 'recipient', 'assigned_to', 'assignee'],
} as const

const AGENT_KEYS = ['agent_id', 'agent', 'id', 'name']
const ROLE_KEYS = ['agent_type', 'type', 'role']

/** Who sends and who receives: mappings by the document, plain names by many people. */
export function readSides(root: Fields): Parts<Draft> {
  const [source, target] = [readSide(root, 'source'), readSide(root, 'target')]
  return {
    from: source.agent,
    from_phase: source.phase,
    from_role: source.role,
    to: target.agent,
    to_phase: target.phase,
    to_role: target.role,
  }
}

function readSide(root: Fields, side: keyof typeof SIDES) {
  const key = SIDES[side].find((each) => root.has(each))
  if (key === undefined) return {}
  const value = root.value(key)
  const place = root.places.get(key) ?? [key]
  if (!isMapping(value)) {
    root.places.set(`${side}.agent_id`, place)
    return { agent: withAt(root, key) }
  }
  const fields = root.below(key)
  if (!fields) return {}
  if (key !== side) root.places.set(side, place)
  const [agentKey, roleKey] = [AGENT_KEYS, ROLE_KEYS].map((keys) => keys.find((each) => fields.has(each)))
  const agent = agentKey && withAt(fields, agentKey)
  const role = roleKey && name(fields, roleKey)
  placeBelow(fields, `${side}.agent_id`, agentKey, AGENT_KEYS)
  placeBelow(fields, `${side}.agent_type`, roleKey, ROLE_KEYS)
  return { agent, phase: fields.number('phase'), role }
}

function placeBelow(fields: Fields, native: string, key: string | undefined, keys: readonly string[]): void {
  if (key === undefined) return
  const place = fields.places.get([...fields.path, key].join('.'))
  if (place || key !== keys[0]) fields.places.set(native, place ?? [...fields.path, key])
}

function withAt(fields: Fields, key: string): string | undefined {
  const written = fields.value(key)
  const agent = fields.agent(key)
  if (agent === undefined || agent.length > NAME_LENGTH) return undefined
  if (typeof written === 'string' && !written.trim().startsWith('@'))
    fields.report(
      'warning',
      'agent_without_at',
      `${[...fields.path, key].join('.')} is "${agent}"; write "@${agent}"`,
      key,
    )
  return agent
}
