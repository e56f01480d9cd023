import type { DialectId } from './dialect.ts'
import { isData, keysOf, own } from './difference.ts'
import { dialectOf } from './registry.ts'
import { asBase, type Format } from './relative.ts'
import type { Source } from './text/source.ts'

/** Signs by which people's own keys are guessed. */
const SIGNS = {
  from: /^(?:from|source|sender|author|origin|requested_by|created_by)(?:_|$)/i,
  to: /^(?:to|target|receiver|recipient|assignee|assigned_to)(?:_|$)/i,
  id: /^(?:(?:handoff|message|request|transfer|ticket)_?)?id$/i,
  created: /^(?:created|timestamp|sent|date|time)(?:_at|_on)?$/i,
  status: /^(?:status|state)$/i,
  task: /^task(?:_id)?$/i,
  data: /(?:^|_)(?:data|payload|input|details)$/i,
}
type Sign = keyof typeof SIGNS

/** The keys of the bases that the signs stand for, and the words of their status. */
// biome-ignore format: read as a table
const BASES: readonly { readonly base: DialectId; readonly kinds: readonly Source['kind'][]; readonly keys: Partial<Record<Sign, string>>; readonly words: readonly string[] }[] = [
  { base: 'queue', kinds: ['json'], words: ['pending', 'in_progress', 'completed', 'failed'],
    keys: { from: 'source.agent_id', to: 'target.agent_id', id: 'handoff_id', created: 'timestamp', status: 'status', task: 'context.task_id', data: 'input.data' } },
  { base: 'markdown', kinds: ['markdown'], words: ['Created', 'Active', 'Acknowledged', 'Complete', 'Expired', 'Rejected'],
    keys: { from: 'from_agent', to: 'to_agent', id: 'handoff_id', created: 'created_at', status: 'status', task: 'related_task' } },
  { base: 'package', kinds: ['yaml', 'fence'], words: ['pending', 'completed', 'rejected', 'failed'],
    keys: { from: 'handoff.from.agent', to: 'handoff.to.agent', id: 'handoff.id', created: 'handoff.timestamp', status: 'handoff.status', task: 'handoff.task', data: 'handoff.context.data' } },
]
const AGENT = /^@?[A-Za-z0-9][\w.-]{0,99}$/

/** The mapping by which a file that no format knows would be one of a known format; undefined where none is in sight. */
export function proposedFormat(source: Source): Format | undefined {
  const { value, kind } = source
  const found = BASES.find(({ kinds }) => kinds.includes(kind))
  if (!found || !isData(value)) return undefined
  const keys: Record<string, string> = {}
  const states: Record<string, string> = {}
  for (const [sign, at] of Object.entries(found.keys) as [Sign, string][]) {
    const fits = (key: string): boolean => {
      const there = own(value, key)
      if (sign === 'from' || sign === 'to') return typeof there === 'string' && AGENT.test(there)
      return sign === 'data' ? isData(there) : typeof there !== 'object'
    }
    const key = keysOf(value).find((each) => SIGNS[sign].test(each) && !each.includes('.') && fits(each))
    if (key === undefined) {
      if (sign === 'from' || sign === 'to') return undefined
      continue
    }
    if (key !== at) keys[key] = at
    const said = own(value, key)
    const word = sign === 'status' ? wordFor(String(said), found.words) : undefined
    if (word !== undefined) states[String(said)] = word
  }
  const format: Format = {
    name: 'ours',
    base: found.base,
    keys,
    ...(keysOf(states).length > 0 && { states }),
  }
  const base = asBase(source, format)
  return base && dialectOf(format.base).formOf(base) !== undefined ? format : undefined
}

/** `pending_pickup` says pending. */
function wordFor(said: string, words: readonly string[]): string | undefined {
  if (words.includes(said)) return undefined
  return words.find((word) => said.toLowerCase().startsWith(word.toLowerCase().split('_')[0]!))
}

/** As it is written into `baton.yaml`. */
export function formatInWords({ name, base, keys, states }: Format): string {
  const pairs = (data: Readonly<Record<string, string>>) =>
    Object.entries(data)
      .map(([key, value]) => `${key}: ${value}`)
      .join(', ')
  return `formats: {${name}: {base: ${base}, keys: {${pairs(keys)}}${states ? `, states: {${pairs(states)}}` : ''}}}`
}
