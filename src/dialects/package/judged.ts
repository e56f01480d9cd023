import { type PlacedProblem, placedProblem } from '../../domain/problem.ts'
import type { Interpretation } from '../dialect.ts'
import type { Draft } from '../draft.ts'
import { type Fields, placedAt } from '../fields.ts'
import { fitted } from '../fitted.ts'
import { blankIn, isPlaceholder } from '../text/placeholder.ts'
import type { Source } from '../text/source.ts'
import { draftTexts } from './rules.ts'
import { pathOfField } from './table.ts'

/** The draft without what no draft can hold, and what a look at all of it finds. */
export function judged(draft: Draft, source: Source, root: Fields): Interpretation {
  const at = (field: string) => source.locate(placedAt(pathOfField(field), root.places))
  const { draft: fitting, unfit } = fitted(draft)
  const all: PlacedProblem[] = [...root.diagnostics]
  for (const { field, message } of unfit)
    all.push(placedProblem('error', 'out_of_limits', message, at(field)))
  const seen = new Set(all.filter(({ code }) => code === 'placeholder').map(position))
  for (const [field, text] of draftTexts(fitting)) {
    const blank = isPlaceholder(text, 'package') ? text : blankIn(text)
    if (blank === undefined) continue
    const place = at(field)
    if (seen.has(position(place))) continue
    seen.add(position(place))
    const left = 'was left to be filled in; write the value'
    all.push(
      blank === text
        ? placedProblem('warning', 'placeholder', `"${text}" ${left}`, place)
        : placedProblem('info', 'placeholder_inside', `${blank} ${left}`, place),
    )
  }
  const { accepted_at, created_at } = fitting
  const order = `acknowledged at ${accepted_at}, before the package was made at ${created_at}; correct one of them`
  if (isBefore(accepted_at, created_at))
    all.push(placedProblem('warning', 'time_order', order, at('accepted_at')))
  return { draft: fitting, diagnostics: all }
}

const position = ({ line, column }: { line: number; column: number }): string => `${line}:${column}`

const isBefore = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && Date.parse(a) < Date.parse(b)
