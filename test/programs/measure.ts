import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import type { ModelRequest } from './model.ts'

const encoder = new Tiktoken(o200k)

/** Tokens by o200k_base for every program, so that the numbers can be compared. */
export const tokensIn = (text: string): number => encoder.encode(text).length

/** Gemini CLI adds this parameter to every tool of every server. */
const ADDED = 'wait_for_previous'

/** The definitions of Baton's tools in a request, without what the program adds of its own. */
export function toolsOfBaton(request: ModelRequest | undefined): string {
  const isOurs = /baton[\s\S]*(?:handoff|task|thought)_/
  const ours = (request?.tools ?? []).filter(({ name, namespace }) => isOurs.test(`${namespace} ${name}`))
  const raw = ours.map((tool) => tool.raw)
  return raw.length === 0 ? '' : JSON.stringify(raw, (key, value) => (key === ADDED ? undefined : value))
}
