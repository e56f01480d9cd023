import { type Data, keysOf, own } from '../difference.ts'
import { Draft } from '../draft.ts'
import { isMapping, setOwn } from '../text/tree.ts'

/**
 * The key of `input.data` that holds what other formats say and document 001 has no key for. Kept as data, it
 * reaches the specialist and can be read back.
 */
export const CARRIED = 'package'

const OF_PACKAGE = [
  'summary',
  'purpose',
  'context',
  'decisions',
  'artifacts',
  'open_questions',
  'deliverables',
  'criteria',
  'constraints',
  'links',
  'checks',
  'validation_request',
] as const
const OF_DRAFT = ['title', 'to_reason', 'gate', 'workflow'] as const
export const CARRIED_KEYS: readonly string[] = [...OF_DRAFT, ...OF_PACKAGE]

export function carriedIn(draft: Draft): Data | undefined {
  const result: Data = {}
  for (const key of OF_DRAFT) if (draft[key] !== undefined) setOwn(result, key, draft[key])
  for (const key of OF_PACKAGE)
    if (draft.package?.[key] !== undefined) setOwn(result, key, draft.package[key])
  return keysOf(result).length > 0 ? result : undefined
}

/**
 * Fields of a draft and what is left as the input. A specialist's own `package` stays what it is: only a mapping
 * that holds our keys and nothing else is read.
 */
export function readCarried(input: unknown): { readonly draft: Draft; readonly input: unknown } {
  const found = own(input, CARRIED)
  if (!isMapping(input) || !isMapping(found)) return { draft: {}, input }
  const keys = keysOf(found)
  if (keys.length === 0 || keys.some((key) => !CARRIED_KEYS.includes(key))) return { draft: {}, input }
  const draft: Data = {}
  const inside: Data = {}
  for (const key of keys) {
    if ((OF_DRAFT as readonly string[]).includes(key)) setOwn(draft, key, own(found, key))
    else setOwn(inside, key, own(found, key))
  }
  if (keysOf(inside).length > 0) setOwn(draft, 'package', inside)
  const checked = Draft().safeParse(draft)
  if (!checked.success) return { draft: {}, input }
  const { [CARRIED]: _carried, ...rest } = input
  return { draft: checked.data, input: keysOf(rest).length > 0 ? rest : undefined }
}
