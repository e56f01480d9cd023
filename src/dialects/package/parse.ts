import { ANYONE } from '../../domain/actor.ts'
import { type PlacedProblem, placedProblem } from '../../domain/problem.ts'
import type { Interpretation } from '../dialect.ts'
import { type Data, isData, keysOf, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { type Fields, fieldsOf, isAbsent, placedAt } from '../fields.ts'
import { fitted } from '../fitted.ts'
import { readRows } from '../table/read.ts'
import { blankIn, isPlaceholder } from '../text/placeholder.ts'
import type { Source } from '../text/source.ts'
import { keepAt, keepRest } from './extra.ts'
import { readState } from './files/state-file.ts'
import { draftTexts, MISSING_ENDS } from './rules.ts'
import { FORM_TABLES, type PackageForm, pathOfField } from './table.ts'
import { inferType, marksOf, Types, WHY } from './types.ts'
import { AGENT_KEYS, type PackageReading } from './values.ts'

/** What a source says, by its form. A state file and a session tell of many handoffs and give no draft. */
export function interpret(source: Source, form: string): Interpretation {
  const root = fieldsOf(source)
  if (form === 'session') return { diagnostics: [] }
  if (form === 'state') return { diagnostics: readState(source).diagnostics }
  if (root === undefined) return { diagnostics: [nothing(source)] }
  const draft = readForm(root, form as PackageForm, source)
  if (draft !== undefined) return { ...judged(draft, source, root), places: root.places }
  const isSaid = root.diagnostics.some(({ severity }) => severity === 'error')
  return { diagnostics: isSaid ? root.diagnostics : [nothing(source)] }
}

const NOTHING =
  'nothing of a handoff package can be read here; a package begins with handoff: and keys below it'
const nothing = (source: Source) =>
  placedProblem('error', 'no_package', NOTHING, source.position(source.start))

/** Mappings with keys of their own: those that nobody knows are kept where they stood. */
const BESIDE = ['from', 'to', 'gate']
const GROUPS = [...BESIDE, 'context', 'expectations']

function readForm(root: Fields, form: PackageForm, source: Source): Draft | undefined {
  const handoff = form === 'package' ? root.below('handoff') : root
  if (handoff === undefined) return undefined
  const reading: PackageReading = { handoff, extra: {}, labels: {}, asked: false }
  const { extra } = reading
  const draft: Data = readRows(FORM_TABLES[form], root, form, reading)
  const { answer, asked } = reading
  if (answer) keepRest(extra, answer, ['acknowledgment'])
  if (answer) draft.acknowledgment ??= {}
  if (form === 'package') readMore(draft, root, reading, source)
  else if (keysOf(draft).length === 0) return undefined
  const at = own(draft.acknowledgment, 'at')
  if (at !== undefined && !asked) draft.accepted_at = at
  keepRest(extra, root, [])
  // Marks the unknown keys as a package's, so that they and the text around it are written back.
  const isPart = form === 'package' && (draft.from === undefined || draft.to === undefined)
  const isMarked = keysOf(extra).length > 0 || isPart || draft.body !== undefined
  const name = form === 'package' ? 'handoff' : form
  if (isMarked && !isData(own(extra, name))) keepAt(extra, [name], {})
  return { ...draft, ...(keysOf(extra).length > 0 && { extra }) } as Draft
}

/** Fields that follow from more than one key. */
function readMore(draft: Data, root: Fields, { handoff, extra }: PackageReading, source: Source): void {
  // The slot is read by whoever reads all dialects.
  handoff.value('x_baton')
  const pack = draft.package
  if (isData(pack) && pack.summary === undefined && pack.context !== undefined) {
    const { context, ...rest } = pack
    keepAt(extra, ['handoff', 'context', 'background'], context)
    draft.package = rest
  }
  for (const [end, code, message] of MISSING_ENDS)
    if (draft[end] === undefined && isNobody(handoff, end)) handoff.report('error', code, message)
  const name = own(draft.workflow, 'name')
  const isName = typeof name === 'string' && name !== '' && !name.startsWith('[') && name.length <= 200
  const task = readName(handoff, root, 'task', 'workflow_state.name') ?? (isName ? name : undefined)
  const project = readName(handoff, root, 'project', 'project')
  if (task !== undefined) draft.task = task
  if (project !== undefined) draft.project = project
  if (source.kind === 'markdown' && source.body?.trim()) draft.body = source.body
  draft.type = readType(handoff, draft as Draft)
  for (const key of GROUPS)
    if (isData(handoff.value(key))) keepRest(extra, handoff.below(key)!, ['handoff', key])
    else if (BESIDE.includes(key) && !isAbsent(handoff.value(key))) placeBeside(handoff, `handoff.${key}.`)
  keepRest(extra, handoff, ['handoff'])
}

/** A lone name has no room for other keys, so they stand beside it. */
function placeBeside({ places }: Fields, group: string): void {
  for (const { key, also = [] } of FORM_TABLES.package.rows) {
    const beside = key.startsWith(group) && also.find((path) => !path.startsWith(group))
    if (beside && !places.has(key)) places.set(key, beside.split('.'))
  }
}

/** Nothing stands there, not even something wrong. */
function isNobody(handoff: Fields, end: 'from' | 'to'): boolean {
  const found = handoff.value(end, `${end}_agent`)
  return isAbsent(isData(found) ? handoff.below(end, `${end}_agent`)?.value(...AGENT_KEYS) : found)
}

/** A name of something, as text, or as a mapping with an id, in the package or beside it. */
function readName(handoff: Fields, root: Fields, key: string, native: string): string | undefined {
  const parent = [handoff, root].find((fields) => fields.has(key, `${key}_id`))
  if (parent === undefined) return undefined
  const isMapping = isData(parent.value(key, `${key}_id`))
  const fields = isMapping ? parent.below(key, `${key}_id`) : parent
  const names = isMapping ? ['id', `${key}_id`, 'name'] : [key, `${key}_id`]
  const text = fields?.text(...names)
  const name = fields && names.find((each) => fields.has(each))
  if (fields && name !== undefined) handoff.places.set(`handoff.${native}`, [...fields.path, name])
  return text
}

function readType(handoff: Fields, draft: Draft) {
  const marks = marksOf(draft)
  const inferred = inferType(marks)
  const given = handoff.word(Types, 'type', 'handoff_type')
  if (given !== undefined && given !== inferred) {
    const message = `type says ${given}, but the package reads as ${inferred}: ${WHY[inferred]}`
    handoff.report('warning', 'type_contradicts', message, 'type')
  }
  if (marks.gate && draft.to !== ANYONE && typeof draft.to === 'string') {
    const message = `a gate is answered by a person; write to.agent: ${ANYONE}, or leave the gate out`
    handoff.report('warning', 'gate_not_to_human', message, 'to')
  }
  return given ?? inferred
}

/** The draft without what no draft can hold, and what a look at all of it finds. */
function judged(draft: Draft, source: Source, root: Fields): Interpretation {
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
