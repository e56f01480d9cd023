import { type Issue, issueSentence } from '../domain/texts/issue-words.ts'
import { isData } from './difference.ts'
import { Draft } from './draft.ts'

/** A value that no handoff can have, and the sentence that a caller would hear. */
interface Unfit {
  readonly field: string
  readonly message: string
}

/** A draft without the values that no handoff can have, such as a name of a thousand letters. */
export function fitted(draft: Draft): { readonly draft: Draft; readonly unfit: readonly Unfit[] } {
  const unfit = new Map<string, Unfit>()
  let now: Draft = draft
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const checked = Draft().safeParse(now)
    if (checked.success) return { draft: now, unfit: [...unfit.values()] }
    for (const issue of checked.error.issues) {
      const [top = '', below] = issue.path.map(String)
      const field = below === undefined ? top : `${top}.${below}`
      const name = (path: readonly PropertyKey[]) => path.join('.').replace(/^package\./, '')
      unfit.set(field, { field, message: issueSentence(issue as Issue, name) })
      now = withoutField(now, top, below)
    }
  }
  return { draft: {}, unfit: [...unfit.values()] }
}

/** To take a field away may leave another without what it needs. */
const MOST_ROUNDS = 20

function withoutField(draft: Draft, field: string, below: string | undefined): Draft {
  const { [field as keyof Draft]: value, ...rest } = draft
  const data: unknown = value
  if (below === undefined || !isData(data) || !Object.hasOwn(data, below)) return rest
  const { [below]: _value, ...kept } = data
  return Object.keys(kept).length > 0 ? { ...rest, [field]: kept } : rest
}
