import { AGENT_NAME } from '../../domain/actor.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { plainText } from './body/body.ts'

/** An agent as a person wrote it: `Grok (Chief)`, `@claude`, `"claude | Model: opus"`. */
export interface ReadAgent {
  /** Lower case; null where the text says nobody. */
  readonly name: string | null
  /** What stood in parentheses. */
  readonly role?: string
  /** More names followed the first. */
  readonly several: boolean
  /** Words were joined to make one name of them. */
  readonly joined: boolean
}

const NOBODY_WORDS = /^(?:none|nobody|no one|unassigned|null|nil|n\/?a|-+|—|unknown|anyone)$/i
const SEVERAL = /\s*(?:,|;|\s&\s|\s\+\s|\sand\s|\sund\s|\set\s)\s*/i
const ROLE = /^([^()]*[^()\s])\s*\(([^()]*)\)/
const ASIDE = /\s+(?:\||—|–|-{1,2}|→)\s/

export function readAgent(text: string): ReadAgent | undefined {
  const plain = plainText(text).slice(0, 200)
  if (plain === '' || isPlaceholder(plain, 'markdown')) return undefined
  if (NOBODY_WORDS.test(plain)) return { name: null, several: false, joined: false }
  const aside = plain.split(ASIDE)[0]!
  const withRole = ROLE.exec(aside)
  const [first = '', ...others] = (withRole?.[1] ?? aside).split(SEVERAL).map((part) => part.trim())
  const words = plainText(first).replace(/^@/, '').toLowerCase()
  const name = AGENT_NAME.test(words)
    ? words
    : words.replace(/[^a-z0-9._-]+/g, '-').replace(/^[-._]+|[-._]+$/g, '')
  if (!AGENT_NAME.test(name)) return undefined
  const role = withRole?.[2]?.trim()
  return {
    name,
    ...(role && { role }),
    several: others.some((other) => other !== ''),
    joined: name !== words,
  }
}

/** Whether two spellings mean the same agent: display names have spaces where names have dashes. */
export const sameAgent = (a: string | null, b: string | null): boolean =>
  a === b || (a !== null && b !== null && squeezed(a) === squeezed(b))

const squeezed = (name: string): string => name.replace(/[-_. ]/g, '')
