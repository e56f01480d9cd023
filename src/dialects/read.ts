import { once } from '../domain/once.ts'
import { present } from '../domain/present.ts'
import { byPlace, type PlacedProblem } from '../domain/problem.ts'
import { ambiguousDialect, type Match, matchesOf, unknownDialect } from './detect.ts'
import type { DialectId } from './dialect.ts'
import type { Draft } from './draft.ts'
import { dialectOf } from './registry.ts'
import { asBase, type Format } from './relative.ts'
import { withSlot } from './slot.ts'
import { MAX_BLOCKS } from './text/limits.ts'
import { lineStarts } from './text/lines.ts'
import type { Path, Source } from './text/source.ts'
import { type SourceOptions, sourcesOf } from './text/sources.ts'
import { isMapping } from './text/tree.ts'

/** One handoff, or something else that a dialect knows, found in a text. */
export interface Document {
  /** Absent where no dialect knows the text, or more than one does. */
  readonly dialect?: DialectId
  /** Which of the dialect's forms, for example `request`. */
  readonly form?: string
  /** The team's own format that it is written in; the dialect is the base of it. */
  readonly format?: Format
  readonly source: Source
  /** What it says. Absent for forms that are not one handoff, such as an index. */
  readonly draft?: Draft
  /** Fields of the draft that only the `x_baton` slot says. They are the writer's word: no guard may rest on them. */
  readonly carried: readonly string[]
  readonly diagnostics: readonly PlacedProblem[]
  /** Where the document keeps what its dialect would write elsewhere. */
  readonly places: ReadonlyMap<string, Path>
}

/**
 * All handoffs in a text, at least one document: where there is no handoff, it says what was looked for. The path
 * decides first, then what the text says, then the blocks in it. Never throws.
 */
export function readDocuments(text: string, options: ReadOptions = {}): readonly Document[] {
  const { recent, path, formats = [] } = options
  const read = (): readonly Document[] => documentsIn(text, options)
  return recent && formats.length === 0 ? recent.made(text, `documents ${path}`, read) : read()
}

function documentsIn(text: string, options: ReadOptions): readonly Document[] {
  const sources = sourcesOf(text, options).flatMap((source) => matched(source, options.formats))
  const hasBareBlock = sources.some(({ source, matches }) => matches.length > 0 && isBare(source))
  const known = sources.filter(
    ({ source, matches }) => (matches.length > 0 && !(hasBareBlock && isProse(source))) || isBroken(source),
  )
  const documents = known.map(documentOf)
  return documents.length > 0 ? documents : [documentOf({ ...sources[0]!, matches: [] })]
}

export interface ReadOptions extends SourceOptions {
  /** The team's own formats, which are looked for first. */
  readonly formats?: readonly Format[] | undefined
}

/** A piece as a document of this dialect. */
export function readSource(source: Source, dialect: DialectId, format?: Format): Document {
  const form = dialectOf(dialect).formOf(source)
  const matches = form === undefined ? [] : [{ dialect, form }]
  return documentOf({ source, matches, ...present({ format }) })
}

interface Matched {
  readonly source: Source
  readonly matches: readonly Match[]
  readonly format?: Format
}

/** A list that is no document itself may be one of documents. */
function matched(source: Source, formats?: readonly Format[]): readonly Matched[] {
  const whole = match(source, formats)
  if (whole.matches.length > 0) return [whole]
  const elements = elementsOf(source).map((each) => match(each, formats))
  return elements.some(({ matches }) => matches.length > 0) ? elements : [whole]
}

function match(source: Source, formats: readonly Format[] = []): Matched {
  for (const format of formats) {
    const base = asBase(source, format)
    const form = base && dialectOf(format.base).formOf(base)
    if (form !== undefined) return { source: base!, matches: [{ dialect: format.base, form }], format }
  }
  return { source, matches: matchesOf(source) }
}

/** A block without a fence: its lines look like the labels that people write into a text. */
const isBare = ({ kind, text, start }: Source): boolean =>
  kind === 'fence' && !/(?:`{3,}|~{3,})[^\n]*\n$/.test(text.slice(Math.max(0, start - 200), start))

const isProse = ({ kind, value }: Source): boolean => kind === 'markdown' && value === undefined

/** A piece that cannot be read must be heard of; one that can be read and is not ours need not. Blocks come chosen. */
const isBroken = ({ kind, value, diagnostics }: Source): boolean =>
  (value === undefined || kind === 'fence') && diagnostics.some(({ severity }) => severity === 'error')

function documentOf({ source, matches, format }: Matched): Document {
  const [match, other] = matches
  if (!match) return undecided(source, isBroken(source) ? [] : [unknownDialect(source)])
  if (other) return undecided(source, [ambiguousDialect(source, matches)])

  const dialect = dialectOf(match.dialect)
  const { draft, diagnostics, places } = dialect.interpret(source, match.form)
  // A team's own format need not have what the document of its base demands.
  const asked = (all: readonly PlacedProblem[]) =>
    format ? all.filter(({ code }) => !CUSTOMS.has(code)) : all
  const slot = draft && withSlot(draft, source, dialect)
  return {
    ...match,
    ...present({ format }),
    source,
    ...present({ draft: slot?.draft }),
    carried: slot?.carried ?? [],
    diagnostics: [...source.diagnostics, ...asked(diagnostics), ...(slot?.diagnostics ?? [])].toSorted(
      byPlace,
    ),
    places: places ?? new Map(),
  }
}

/** Problems with the customs of a document, which its relatives do not share. */
const CUSTOMS: ReadonlySet<string> = new Set(['missing_field', 'missing_id', 'missing_timestamp', 'id_form'])

const undecided = (source: Source, diagnostics: readonly PlacedProblem[]): Document => ({
  source,
  carried: [],
  diagnostics: [...source.diagnostics, ...diagnostics].toSorted(byPlace),
  places: new Map(),
})

/** Each mapping of a list as a source of its own, the way some keep all their handoffs in one file. */
function elementsOf(source: Source): readonly Source[] {
  if (!Array.isArray(source.value)) return []
  const starts = once(() => lineStarts(source.text))
  return source.value
    .slice(0, MAX_BLOCKS)
    .flatMap((value, index) => (isMapping(value) ? [element(source, value, index, starts)] : []))
}

function element(source: Source, value: unknown, index: number, starts: () => readonly number[]): Source {
  const below = (path: Path): Path => [index, ...path]
  return {
    ...source,
    value,
    /** Found when asked for: most lists are not of handoffs. */
    get start() {
      const { line, column } = source.locate([index])
      return (starts()[line - 1] ?? 0) + column - 1
    },
    // What is wrong with the notation of the whole is said once.
    diagnostics: index === 0 ? source.diagnostics : [],
    locate: (path, part) => source.locate(below(path), part),
    raw: (path) => source.raw(below(path)),
    edit: (changes) => source.edit(changes.map(({ path, value: to }) => ({ path: below(path), value: to }))),
  }
}
