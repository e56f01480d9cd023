import { placedProblem } from '../../domain/problem.ts'
import type { Interpretation } from '../dialect.ts'
import { type Data, own, put } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { fieldsOf } from '../fields.ts'
import { readRows } from '../table/read.ts'
import type { Source } from '../text/source.ts'
import { bodyOf } from './body.ts'
import { lint } from './check.ts'
import { readHandback } from './handback.ts'
import type { Reading } from './reading.ts'
import { readRequired } from './required.ts'
import { BLOCK } from './table.ts'

export function interpret(source: Source, form: string): Interpretation {
  const root = fieldsOf(source)
  const fields = root?.below('handoff')
  const nothing = () => placedProblem('error', 'unreadable_block', UNREADABLE, source.position(source.start))
  if (!root || !fields) return { diagnostics: root?.diagnostics ?? [nothing()] }
  const reading: Reading = { source, fields, draft: {}, extra: {} }
  const { draft, extra } = reading
  readRequired(reading, form === 'block')
  Object.assign(draft, readRows(BLOCK(), root, form, reading))
  if (form === 'handback') readHandback(reading, root)
  lint(fields, draft as Draft)
  addRest(extra, 'handoff.', fields.rest())
  addRest(extra, '', root.rest())
  if (Object.keys(extra).length > 0) draft.extra = extra
  const body = bodyOf(source)
  if (body !== undefined) draft.body = body
  return { draft: draft as Draft, diagnostics: root.diagnostics, places: root.places }
}

const UNREADABLE =
  'This handoff block cannot be read. Write handoff: and below it, indented, phase, from, to and status.'

function addRest(extra: Data, prefix: string, rest: Readonly<Data>): void {
  for (const key of Object.keys(rest)) put(extra, prefix + key, own(rest, key))
}
