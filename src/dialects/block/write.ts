import { stringify } from 'yaml'
import { PHASES, STATUSES } from '../../domain/blocks/phases.ts'
import { present } from '../../domain/present.ts'
import type { DraftProblem, Loss, Native } from '../dialect.ts'
import { type Data, isData, keysOf, own, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { canStandAbove, withBlock } from './body.ts'
import { CARRIED, writeContext } from './context.ts'
import { isPhase, STATE_OF, STATUS_OF } from './words.ts'

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
  return { ok: true, value: { handoff }, ...present({ body }), losses: lossesOf(draft) }
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

const NO_FIELD = 'a block has no field for it'

/** Fields of a draft that a block says in full. */
const SAID = new Set(
  'phase from to state retry_count metrics depends_on on_failure retry created_at body extra package record workflow'.split(
    ' ',
  ),
)

function lossesOf(draft: Draft): Loss[] {
  const said = new Set([...SAID, ...CARRIED().map(({ field }) => field.join('.')), 'package.data'])
  const losses: Loss[] = []
  for (const field of keysOf(draft)) {
    const value = own(draft, field)
    if (!said.has(field)) losses.push({ field, reason: REASONS[field] ?? NO_FIELD })
    if ((field === 'package' || field === 'record') && isData(value))
      for (const key of keysOf(value))
        if (!said.has(`${field}.${key}`)) losses.push({ field: `${field}.${key}`, reason: NO_FIELD })
  }
  const { state, retry, on_failure: rules } = draft
  if (retry?.max !== undefined && rules?.retry !== undefined && rules.retry !== retry.max)
    losses.push({
      field: 'on_failure.retry',
      reason: `a block has one number of retries, and it says ${retry.max}`,
    })
  if (state !== undefined && STATE_OF[STATUS_OF[state]] !== state)
    losses.push({ field: 'state', reason: `a block says ${STATUS_OF[state]} for ${state}` })
  for (const key of ['delay_s', 'multiplier'] as const)
    if (retry?.[key] !== undefined) losses.push({ field: `retry.${key}`, reason: NO_FIELD })
  if (draft.body !== undefined && !canStandAbove(draft.body))
    losses.push({
      field: 'body',
      reason: 'it holds a block itself, or is empty or too long to stand above one',
    })
  for (const path of Object.keys(draft.extra ?? {}))
    if (!path.startsWith('handoff.'))
      losses.push({ field: `extra.${path}`, reason: 'it is not part of a block' })
  return losses
}

const REASONS: Readonly<Record<string, string>> = {
  progress: 'a block says it as metrics.progress',
  ended_at: 'a block has one time, when it was written',
}
