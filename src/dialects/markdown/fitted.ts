import { isData } from '../difference.ts'
import { Draft } from '../draft.ts'
import type { Reading } from './reading.ts'

/** A draft without the values that no handoff can have, such as a name of a thousand letters. Each is reported. */
export function fitted(draft: Draft, reading: Reading): Draft {
  let now: Draft = draft
  for (let round = 0; round < 20; round++) {
    const checked = Draft().safeParse(now)
    if (checked.success) return now
    for (const { path, message } of checked.error.issues) {
      const [field = '', below] = path.map(String)
      const name = below === undefined ? field : `${field}.${below}`
      const text = `${name} cannot be used: ${message}. Write less, or keep it in a file of its own.`
      reading.report('error', 'unusable_value', text, reading.start)
      now = withoutField(now, field, below)
    }
  }
  return {}
}

function withoutField(draft: Draft, field: string, below: string | undefined): Draft {
  const { [field as keyof Draft]: value, ...rest } = draft
  const data: unknown = value
  if (below === undefined || !isData(data) || !Object.hasOwn(data, below)) return rest
  const { [below]: _value, ...kept } = data
  return Object.keys(kept).length > 0 ? { ...rest, [field]: kept } : rest
}
