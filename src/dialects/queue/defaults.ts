import { DEFAULT_RETRY } from '../../domain/handoffs/retry.ts'
import type { Draft } from '../draft.ts'
import { DEFAULT_TIMEOUT_S } from './check.ts'

/** A draft with what the document says an absent key means. */
export function withDefaults(draft: Draft): Draft {
  return {
    ...draft,
    priority: draft.priority ?? 'normal',
    timeout_s: draft.timeout_s ?? DEFAULT_TIMEOUT_S,
    retry_count: draft.retry_count ?? 0,
    retry: { ...DEFAULT_RETRY, ...draft.retry },
  }
}
