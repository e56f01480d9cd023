import type { Draft } from '../draft.ts'
import { CARRIED } from './context.ts'
import { STATUS_OF } from './words.ts'

const NO_FIELD = 'a block has no field for it'

/** Fields of a draft that have one in a block; those of its context beside them. */
const SAID: readonly string[] =
  'phase from to state retry_count metrics depends_on on_failure retry created_at body extra package record workflow package.data'.split(
    ' ',
  )

const BLOCK_LOSSES: Readonly<Record<string, string>> = {
  progress: 'a block says it as metrics.progress',
  ended_at: 'a block has one time, when it was written',
  body: 'it holds a block itself, or is empty or too long to stand above one',
  'retry.delay_s': NO_FIELD,
  'retry.multiplier': NO_FIELD,
}

export function blockLossReason(field: string, { state, retry }: Draft): string | undefined {
  if (field === 'state') return state && `a block says ${STATUS_OF[state]} for ${state}`
  if (field === 'on_failure.retry' && retry?.max !== undefined)
    return `a block has one number of retries, and it says ${retry.max}`
  return BLOCK_LOSSES[field] ?? (isSaid(field) ? undefined : NO_FIELD)
}

/** A package and a record are said key by key, other mappings as a whole. */
function isSaid(field: string): boolean {
  const name = /^(?:package|record)\./.test(field) ? field : field.split('.')[0]!
  return SAID.includes(name) || CARRIED().some((row) => row.field.join('.') === name)
}
