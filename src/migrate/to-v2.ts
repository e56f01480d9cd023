import { fieldDifferences, isData, own, sameData } from '../dialects/difference.ts'
import { type Draft, readDocuments } from '../dialects/index.ts'
import { statusFor } from '../dialects/markdown/status.ts'
import { KNOWN_KEYS } from '../dialects/markdown/table.ts'
import { print, toNative } from '../dialects/markdown/write.ts'
import type { Change, Path, Source } from '../dialects/text/source.ts'
import { sourcesOf } from '../dialects/text/sources.ts'
import { present } from '../domain/present.ts'
import type { Candidate } from './candidate.ts'

export interface Converted {
  readonly text: string
  /** The fields of the text when it is read. */
  readonly draft: Draft
  readonly notes: readonly string[]
}

/** Fields that version 2 has no key for and reads all the same. */
const CARRIED = ['priority', 'project', 'started_at'] as const
/** Named anew, or for those who write. */
const OWN: ReadonlySet<string> = new Set(['id', 'body', 'extra'])

/**
 * A handoff of version 1 in version 2's keys, with its body and the keys of others as they stand. The text is read
 * again, so that whatever it does not say any more is known; the original is kept in any case.
 */
export function converted({ file, draft, name, isRow }: Candidate, id: string): Converted {
  const { id: former, ...rest } = draft
  const extra = { ...draft.extra, migrated_from: file.path, ...present({ former_id: former }) }
  const source = isRow ? undefined : sourcesOf(file.text, { path: file.path }).find(hasKeys)
  const wanted: Draft = { ...rest, id, extra }
  const first = writtenFile(wanted, source)
  const lost = CARRIED.filter((field) => draft[field] !== undefined && first.draft[field] === undefined)
  const more = Object.fromEntries(lost.map((field) => [field, draft[field]]))
  const whole = lost.length === 0 ? first : writtenFile({ ...wanted, extra: { ...more, ...extra } }, source)
  return {
    text: whole.text,
    draft: { ...whole.draft, id },
    notes: [
      ...formerName(name, id),
      ...emptyIn(wanted),
      ...lostIn(wanted, whole.draft),
      ...anewIn(draft, source, whole.text),
    ],
  }
}

const hasKeys = ({ kind, value }: Source): boolean => kind === 'markdown' && isData(value)

type WrittenFile = Omit<Converted, 'notes'>

function writtenFile(draft: Draft, source: Source | undefined): WrittenFile {
  const printed = readBack(print(toNative(draft)), draft)
  if (!source) return printed
  const { extra = {}, ...rest } = draft
  const front = print({ value: toNative(rest).value }).slice(0, -FRONT_MATTER_MARK.length)
  const { body } = toNative(draft)
  const kept = readBack(`${front}${foreignText(source, extra)}${FRONT_MATTER_MARK}${body}`, draft)
  return sameData(kept.draft, printed.draft) ? kept : printed
}

const FRONT_MATTER_MARK = '---\n'

function readBack(text: string, { id }: Draft): WrittenFile {
  const documents = readDocuments(text, { path: `${id}.md` })
  return { text, draft: documents.find((each) => each.dialect === 'markdown' && each.draft)?.draft ?? {} }
}

/** The lines of a document's front matter that nothing was made of, and what else is to stand there. */
function foreignText(source: Source, extra: NonNullable<Draft['extra']>): string {
  const { value, text, start, end } = source
  const added = Object.entries(extra).filter(([key]) => own(value, key) === undefined)
  const changes: Change[] = [
    ...added.map(([key, each]) => ({ path: [key], value: each })),
    ...leftOut(value, extra).map((path) => ({ path, value: undefined })),
  ]
  const edited = source.edit(changes)
  return edited.slice(start, edited.length - (text.length - end)).replaceAll('\r\n', '\n')
}

/** Keys that were read, also those within a mapping that was read in part. */
function leftOut(value: unknown, extra: unknown): Path[] {
  return Object.keys(value as object).flatMap((key): Path[] => {
    const [there, kept] = [own(value, key), own(extra, key)]
    if (kept === undefined || KNOWN_KEYS.has(key)) return [[key]]
    if (!isData(there) || !isData(kept)) return []
    return Object.keys(there)
      .filter((below) => own(kept, below) === undefined)
      .map((below) => [key, below])
  })
}

/** Notation that cannot be cut into lines is written anew, and 007 is 7 then. */
function anewIn({ extra = {} }: Draft, source: Source | undefined, text: string): string[] {
  const [now] = sourcesOf(text, { path: 'x.md' })
  const anew = Object.keys(extra).filter((key) => source && !isKept([key], own(extra, key), source, now!))
  return anew.length === 0 ? [] : [`only the original says ${anew.join(', ')} as it was written`]
}

function isKept(path: Path, value: unknown, before: Source, now: Source): boolean {
  if (typeof value !== 'object' || value === null) return before.raw(path) === now.raw(path)
  return Object.entries(value).every(([key, each]) =>
    isKept([...path, Array.isArray(value) ? Number(key) : key], each, before, now),
  )
}

const formerName = (name: string, id: string): string[] => (name === id ? [] : [`was called ${name}`])

/** Version 2 demands more than version 1 said. It is left out, never made up. */
function emptyIn(draft: Draft): string[] {
  const native = toNative(draft)
  if (native.ok) return []
  return [
    `version 2 also wants ${native.missing.map(({ field }) => field.replace('package.', '')).join(', ')}`,
  ]
}

function lostIn(wanted: Draft, read: Draft): string[] {
  const lost = fieldDifferences(wanted, read)
    .filter(({ path, before }) => before !== undefined && !OWN.has(String(path[0])))
    .filter(({ path }) => !(path[0] === 'state' && sameStatus(wanted, read)))
    .map(({ path }) => path.join('.'))
  return lost.length === 0 ? [] : [`only the original says ${lost.join(', ')}`]
}

const sameStatus = (a: Draft, b: Draft): boolean =>
  a.state !== undefined && b.state !== undefined && statusFor(a.state) === statusFor(b.state)
