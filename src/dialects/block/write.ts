import { stringify } from 'yaml'
import { present } from '../../domain/present.ts'
import type { Native } from '../dialect.ts'
import { type Data, isData, own, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { askedIn, writeRows } from '../table/write.ts'
import { canStandAbove, withBlock } from './body.ts'
import { BLOCK } from './table.ts'

export function toNative({ extra = {}, ...draft }: Draft): Native {
  const written = writeRows(BLOCK(), draft, 'block')
  const missing = askedIn(BLOCK(), written, 'block')
  const handoff: Data = { ...(own(written, 'handoff') as Data | undefined) }
  addExtra(extra, handoff)
  const native = { value: { handoff }, ...present({ body: draft.body }) }
  return missing.length > 0 ? { ok: false, missing, ...native } : { ok: true, ...native }
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

/** Unknown keys of a block go back to where they stood; those of other formats are none of its business. */
function addExtra(extra: Readonly<Data>, handoff: Data): void {
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
