import type { PlacedProblem } from '../../domain/problem.ts'
import type { Interpretation } from '../dialect.ts'
import { type Data, isData, own } from '../difference.ts'
import { Draft } from '../draft.ts'
import { type Fields, placedAt } from '../fields.ts'
import { blankIn, isPlaceholder } from '../text/placeholder.ts'
import type { Path, Source } from '../text/source.ts'
import { pathOfField } from './places.ts'
import { draftTexts } from './rules.ts'

/** The draft without what no draft can hold, and what a look at all of it finds. */
export function judged(draft: Draft, source: Source, root: Fields): Interpretation {
  const at = (field: string) => source.locate(placedAt(pathOfField(field), root.places))
  const { fitting, diagnostics } = fitted(draft, at)
  const all: PlacedProblem[] = [...root.diagnostics, ...diagnostics]
  const seen = new Set(all.filter(({ code }) => code === 'placeholder').map(position))
  for (const [field, text] of draftTexts(fitting)) {
    const blank = isPlaceholder(text, 'package') ? text : blankIn(text)
    if (blank === undefined) continue
    const place = at(field)
    if (seen.has(position(place))) continue
    seen.add(position(place))
    all.push(
      blank === text
        ? {
            severity: 'warning',
            code: 'placeholder',
            message: `"${text}" was left to be filled in; write the value`,
            ...place,
          }
        : {
            severity: 'info',
            code: 'placeholder_inside',
            message: `${blank} was left to be filled in; write the value`,
            ...place,
          },
    )
  }
  if (isBefore(fitting.accepted_at, fitting.created_at))
    all.push({
      severity: 'warning',
      code: 'time_order',
      message: `acknowledged at ${fitting.accepted_at}, before the package was made at ${fitting.created_at}; correct one of them`,
      ...at('accepted_at'),
    })
  return { draft: fitting, diagnostics: all }
}

const position = ({ line, column }: { line: number; column: number }): string => `${line}:${column}`

const isBefore = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && Date.parse(a) < Date.parse(b)

/** Takes away the fields that are longer or more than a draft allows. The document keeps them. */
function fitted(draft: Draft, at: (field: string) => { line: number; column: number }) {
  const checked = Draft().safeParse(draft)
  if (checked.success) return { fitting: draft, diagnostics: [] }
  const fitting: Data = { ...draft }
  const diagnostics = new Map<string, PlacedProblem>()
  for (const { path, message } of checked.error.issues) {
    const field = drop(fitting, path as Path)
    diagnostics.set(field, {
      severity: 'error',
      code: 'out_of_limits',
      message: `${field} cannot be taken over (${message}); shorten it`,
      ...at(field),
    })
  }
  return { fitting: fitting as Draft, diagnostics: [...diagnostics.values()] }
}

/** `package` is taken apart; any other field goes as a whole. */
function drop(draft: Data, [top = '', below]: Path): string {
  const field = String(top)
  const value = own(draft, field)
  if (field !== 'package' || below === undefined || !isData(value)) {
    delete draft[field]
    return field
  }
  const { [String(below)]: _, ...rest } = value
  draft[field] = rest
  return `${field}.${String(below)}`
}
