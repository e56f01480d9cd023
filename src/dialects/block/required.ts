import { isData } from '../difference.ts'
import { isAbsent } from '../fields.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { checkAgentName, hintFor, isNobody } from './check.ts'
import { exact, keyOf, notePlace, type Reading } from './reading.ts'
import { problemsOf, type Required } from './validate.ts'
import { phaseFor, stateFor } from './words.ts'

/** The document's key first, then what else it is called. */
export const NAMES: Readonly<Record<Required, readonly [string, ...string[]]>> = {
  phase: ['phase'],
  from: ['from', 'from_agent', 'source_agent', 'sender'],
  to: ['to', 'to_agent', 'next_agent', 'target_agent', 'receiver'],
  status: ['status', 'state'],
}

const LONGEST_NAME = 200

type SaidFields = Record<Required, string | undefined>

/** The four fields, judged by the document's own function in its own words where the block claims to be one. */
export function readRequired(reading: Reading, strict: boolean): void {
  const { fields } = reading
  const said: SaidFields = {
    phase: exact(reading, fields, NAMES.phase),
    from: agentText(reading, 'from'),
    to: agentText(reading, 'to'),
    status: exact(reading, fields, NAMES.status),
  }
  const nobody = said.to === undefined && fields.has(...NAMES.to) && isAbsent(fields.value(...NAMES.to))
  const empty = 'to is empty, which was read as nobody; write to: "None".'
  if (nobody) fields.report('warning', 'empty_to', empty, keyOf(fields, NAMES.to))
  if (strict) judge(reading, { ...said, ...(nobody && { to: 'None' }) })
  toDraft(reading, said, nobody)
}

function judge(reading: Reading, said: SaidFields): void {
  const { fields } = reading
  const wrong = problemsOf(quotable(said))
  for (const { field, code, message } of wrong) {
    const structure = field === 'from' || field === 'to' ? fields.value(...NAMES[field]) : undefined
    // Lists and mappings were reported as what they are.
    if (code === 'missing_field' && (Array.isArray(structure) || isData(structure))) continue
    const whole = `${message}. ${hintFor(field, quotable(said)[field])}`
    fields.report('error', code, whole, keyOf(fields, NAMES[field]))
  }
  for (const field of ['from', 'to'] as const) {
    const name = said[field]
    if (name === undefined || name === 'None' || wrong.some((problem) => problem.field === field)) continue
    checkAgentName(fields, keyOf(fields, NAMES[field]), name)
  }
}

/** A message quotes enough of a value to find it. */
function quotable(said: SaidFields): SaidFields {
  const short = (text: string | undefined) =>
    text !== undefined && text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text
  return { phase: short(said.phase), from: short(said.from), to: short(said.to), status: short(said.status) }
}

/** Words that nobody can make sense of and blanks of a template are left out of the draft. */
function toDraft({ draft }: Reading, said: SaidFields, nobody: boolean): void {
  const [phase, from, to, status] = [said.phase, said.from, said.to, said.status].map((text) => text?.trim())
  if (phase !== undefined && !isPlaceholder(phase, 'block')) draft.phase = phaseFor(phase) ?? phase
  const sender = from === undefined || isPlaceholder(from, 'block') ? '' : bare(from)
  const receiver = to === undefined || isPlaceholder(to, 'block') ? '' : bare(to)
  if (sender !== '') draft.from = sender
  if (nobody || (to !== undefined && isNobody(to))) draft.to = null
  else if (receiver !== '') draft.to = receiver
  const state = status === undefined ? undefined : stateFor(status)
  if (state !== undefined) draft.state = state
}

/** An agent as written. A list of one and document 004's mapping are read as the agent in them. */
function agentText(reading: Reading, field: 'from' | 'to'): string | undefined {
  const { fields } = reading
  const value = fields.value(...NAMES[field])
  const key = keyOf(fields, NAMES[field])
  if (isData(value)) {
    const below = fields.below(key)
    const name = below?.text('agent')
    const reason = field === 'to' ? below?.text('reason') : undefined
    if (reason !== undefined) reading.draft.to_reason = reason
    const shown = bare(name ?? 'agent-name')
    const message = `${field} is a mapping, as in a handoff package. In a block write ${field}: "@${shown}".`
    fields.report('error', 'agent_is_mapping', message, key)
    if (name === undefined) return undefined
    notePlace(reading, `handoff.${field}`, ['handoff', key, 'agent'])
    return `@${shown}`
  }
  const text = exact(reading, fields, NAMES[field])
  if (!Array.isArray(value) || text !== undefined) return text
  const names = value.map((each) => (typeof each === 'string' ? each : '…'))
  const message = `${field} names one agent; write a block for each of ${names.slice(0, 5).join(', ')}.`
  fields.report('error', 'several_agents', message, key)
  return value.length === 1 && typeof value[0] === 'string' ? value[0] : undefined
}

/** Without `@`, a quote that was left open, and a display suffix such as `(Chief)`. */
export const bare = (name: string): string =>
  name
    .replace(/^["'\s]*@?\s*/, '')
    .replace(/\([^()]*\)$/, '')
    .trim()
    .slice(0, LONGEST_NAME)
