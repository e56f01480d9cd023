import { isData } from '../../dialects/difference.ts'
import { isHandoffName } from '../../dialects/markdown/is-handoff.ts'
import type { Source } from '../../dialects/text/source.ts'
import { sourcesOf } from '../../dialects/text/sources.ts'

const HINT = /hand-?_?off|(?:from|to)_agent|assigned_to|task_id|thought_record|acknowledg/i
/** A file of data by its name, or a folder in which document 001 puts nothing but handoffs. */
const HINTED_PATH =
  /(?:^|[\\/])hand-?_?off[^\\/]*\.(?:jsonc?|ya?ml)$|handoffs[\\/](?:pending|in-progress|completed|failed)[\\/]/i

/**
 * Whether a text that no dialect knows was perhaps meant as a handoff: by its name, by a key of its data, or by a word
 * where the data cannot be read. A README in a folder that says the word is not at fault.
 */
export function isHinted(text: string, path: string): boolean {
  if (HINTED_PATH.test(path) || isHandoffName(path.replaceAll('\\', '/'))) return true
  return HINT.test(text) && sourcesOf(text, { path }).some(isHintedSource)
}

function isHintedSource({ value, diagnostics }: Source): boolean {
  if (value === undefined) return diagnostics.some(({ severity }) => severity === 'error')
  return [value].flat().some((each) => isData(each) && Object.keys(each).some((key) => HINT.test(key)))
}
