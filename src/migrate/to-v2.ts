import { fieldDifferences } from '../dialects/difference.ts'
import { type Draft, readDocuments } from '../dialects/index.ts'
import { statusFor } from '../dialects/markdown/status.ts'
import { nativeParts, print, toNative } from '../dialects/markdown/write.ts'
import type { Candidate } from './candidate.ts'

export interface Converted {
  readonly text: string
  /** What the text says when it is read. */
  readonly draft: Draft
  readonly notes: readonly string[]
}

/** Fields that version 2 has no key for and reads all the same. */
const CARRIED = ['priority', 'project', 'started_at'] as const
/** Named anew, or for those who write. */
const OWN: ReadonlySet<string> = new Set(['id', 'body', 'extra'])

/**
 * A handoff of version 1 in version 2's keys, with its body as it stands. The text is read again, so that whatever it
 * does not say any more is known; the original is kept in any case.
 */
export function converted({ file, draft, name }: Candidate, id: string): Converted {
  const { id: former, ...rest } = draft
  const extra = {
    ...draft.extra,
    migrated_from: file.path,
    ...(former !== undefined && { former_id: former }),
  }
  const wanted: Draft = { ...rest, id, extra }
  const first = written(wanted)
  const lost = CARRIED.filter((field) => draft[field] !== undefined && first.draft[field] === undefined)
  const more = Object.fromEntries(lost.map((field) => [field, draft[field]]))
  const { text, draft: read } =
    lost.length === 0 ? first : written({ ...wanted, extra: { ...more, ...extra } })
  return {
    text,
    draft: { ...read, id },
    notes: [...namesOf(name, id), ...emptyIn(wanted), ...lostIn(wanted, read)],
  }
}

function written(draft: Draft): { readonly text: string; readonly draft: Draft } {
  const text = print(nativeParts(draft))
  const documents = readDocuments(text, { path: `${draft.id}.md` })
  const read = documents.find((each) => each.dialect === 'markdown' && each.draft)?.draft
  return { text, draft: read ?? {} }
}

const namesOf = (name: string, id: string): string[] => (name === id ? [] : [`was called ${name}`])

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
