import { SEARCH_KINDS, STATES, type State, TYPES } from '../../../../src/domain/lifecycle.ts'
import type { OperationInput } from '../../../../src/runner/operation-types.ts'

type ListInput = OperationInput<'handoff_list'>

/** Several states under one word. */
export const STATE_GROUPS: Readonly<Record<string, readonly State[]>> = {
  open: ['draft', 'offered', 'accepted', 'in_progress', 'blocked', 'needs_input', 'in_review', 'retry_wait'],
  stuck: ['blocked', 'needs_input', 'retry_wait', 'failed', 'expired', 'rejected'],
  closed: ['completed', 'failed', 'rejected', 'expired', 'cancelled'],
  done: ['completed'],
}

export interface Query {
  readonly input: ListInput
  readonly states?: readonly State[]
  /** Words were sought, or something that only the search knows. */
  readonly isSearch: boolean
  readonly problem?: string
}

const NAMES = ['to', 'from', 'with', 'task', 'since'] as const

/**
 * The question in one line: `to:codex state:failed since:friday token bucket`. `me` is the person who looks. A field
 * that does not exist is a word like any other.
 */
export function readQuery(text: string, me: string): Query {
  const input: Record<string, unknown> = {}
  const words: string[] = []
  let states: State[] | undefined
  let problem: string | undefined
  const only = (field: string, value: string, known: readonly string[]) => {
    if (known.includes(value)) input[field] = value
    else problem = `There is no ${field} ${value}. Use ${known.join(', ')}.`
  }
  for (const part of text.trim().split(/\s+/).filter(Boolean)) {
    const [, name = '', said = ''] = /^([a-z]+):(\S+)$/i.exec(part) ?? []
    const field = name.toLowerCase()
    const value = said === 'me' ? me : said
    if (field === 'state') {
      const asked = said.toLowerCase().split(',').flatMap(statesNamed)
      const unknown = asked.find((each) => each.state === undefined)
      if (unknown)
        problem = `There is no state ${unknown.word}. Use ${[...Object.keys(STATE_GROUPS), ...STATES].join(', ').replaceAll('_', '-')}.`
      states = [...(states ?? []), ...asked.flatMap(({ state }) => state ?? [])]
    } else if (field === 'kind') only('kind', said.toLowerCase(), SEARCH_KINDS)
    else if (field === 'type') only('type', said.toLowerCase(), TYPES)
    else if (NAMES.some((each) => each === field)) input[field] = value
    else words.push(part)
  }
  if (words.length > 0) input.text = words.join(' ')
  const isSearch = ['text', 'with', 'since', 'kind'].some((field) => field in input)
  return {
    input: input as ListInput,
    isSearch,
    ...(states && { states: [...new Set(states)] }),
    ...(problem !== undefined && { problem }),
  }
}

function statesNamed(word: string): readonly { readonly word: string; readonly state?: State }[] {
  const group = Object.hasOwn(STATE_GROUPS, word) ? STATE_GROUPS[word] : undefined
  if (group) return group.map((state) => ({ word, state }))
  const state = STATES.find((each) => each === word.replaceAll('-', '_'))
  return [{ word, ...(state && { state }) }]
}

/** Questions that people ask every day, each an address. */
export const VIEWS = [
  { name: 'All', query: '' },
  { name: 'All open', query: 'state:open' },
  { name: 'Mine', query: 'with:me state:open' },
  { name: 'Stuck', query: 'state:stuck' },
  { name: 'In review', query: 'state:in-review' },
  { name: 'Failed this week', query: 'state:failed since:7d' },
] as const

/** The place that held the words, as people call it: `package.summary` is the summary. */
export const placeName = (place: string): string =>
  place
    .replace(/^package\.|^result\./, '')
    .replaceAll('.', ' › ')
    .replaceAll('_', ' ')
