import { stringify } from 'yaml'
import { PHASES, STATUSES } from '../../domain/blocks/phases.ts'
import { present } from '../../domain/present.ts'
import type { DraftProblem, Native } from '../dialect.ts'
import { type Data, isData, own, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { canStandAbove, withBlock } from './body.ts'
import { writeContext } from './context.ts'
import { isPhase, STATUS_OF } from './words.ts'

const NOBODY = 'None'

export function toNative(draft: Draft): Native {
  const missing = missingIn(draft)
  if (missing.length > 0) return { ok: false, missing }
  const handoff: Data = {}
  const add = (key: string, value: unknown) => {
    if (value !== undefined) put(handoff, key, value)
  }
  add('phase', draft.phase)
  add('from', withAt(draft.from))
  add('to', draft.to === null ? NOBODY : withAt(draft.to))
  add('status', draft.state && STATUS_OF[draft.state])
  add('retry_count', draft.retry_count)
  add('metrics', metricsOf(draft))
  add('dependencies', draft.depends_on)
  add('on_failure', failureRules(draft))
  add('timestamp', draft.created_at ?? (draft.state === 'completed' ? draft.ended_at : undefined))
  add('context', writeContext(draft))
  addExtra(draft, handoff)
  const { body } = draft
  return { ok: true, value: { handoff }, ...present({ body }) }
}

/** The strict form: a fenced block, every text in quotes, because an agent's `@` is no YAML without them. */
export function print(native: { readonly value: Record<string, unknown>; readonly body?: string }): string {
  const yaml = stringify(native.value, {
    aliasDuplicateObjects: false,
    defaultKeyType: 'PLAIN',
    defaultStringType: 'QUOTE_DOUBLE',
    // A line of a longer text could look like the end of the fence.
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
    lineWidth: 0,
  })
  const block = `\`\`\`yaml\n${yaml}\`\`\`\n`
  const { body } = native
  return body !== undefined && canStandAbove(body) ? withBlock(body, block) : block
}

const withAt = (agent: string | undefined): string | undefined =>
  agent === undefined || agent.startsWith('@') ? agent : `@${agent}`

function missingIn({ phase, from, to, state }: Draft): DraftProblem[] {
  const missing: DraftProblem[] = []
  const ask = (field: string, reason: string) => missing.push({ field, reason })
  if (!isPhase(phase)) {
    const why = phase === undefined ? 'a block names its phase' : `${phase} is not a phase of a block`
    ask('phase', `${why}: one of ${PHASES.join(', ')}`)
  }
  if (from === undefined) ask('from', 'a block names the agent that ends its work')
  if (to === undefined) ask('to', 'a block names the next agent, or null for nobody')
  if (state === undefined) ask('state', `a block says how the work stands: ${STATUSES.join(', ')}`)
  return missing
}

function metricsOf({ metrics, progress, result }: Draft): Data | undefined {
  const all: Data = { ...result?.metadata, ...metrics, ...present({ progress }) }
  return metrics !== undefined || Object.keys(all).length > 0 ? all : undefined
}

function failureRules(draft: Draft): Data | undefined {
  const { on_failure, retry } = draft
  const rules = on_failure ?? {}
  const written: Data = {}
  const add = (key: string, value: unknown) => {
    if (value !== undefined) put(written, key, value)
  }
  add('retry', retry?.max ?? rules.retry)
  add('route_to', withAt(rules.route_to))
  add('notify', withAt(rules.notify))
  add('escalate_after', rules.escalate_after)
  add('context', rules.context)
  return on_failure || Object.keys(written).length > 0 ? written : undefined
}

/** Unknown keys of a block go back to where they stood; those of other formats are none of its business. */
function addExtra({ extra = {} }: Draft, handoff: Data): void {
  for (const path of Object.keys(extra)) {
    if (!path.startsWith('handoff.')) continue
    const key = path.slice('handoff.'.length)
    const value = own(extra, path)
    const below = key.startsWith('on_failure.') ? key.slice('on_failure.'.length) : undefined
    const rules = own(handoff, 'on_failure')
    if (below !== undefined && (rules === undefined || isData(rules))) {
      const data: Data = rules ?? {}
      if (!Object.hasOwn(data, below)) put(data, below, value)
      put(handoff, 'on_failure', data)
    } else if (value !== null && !Object.hasOwn(handoff, key)) put(handoff, key, value)
  }
}
