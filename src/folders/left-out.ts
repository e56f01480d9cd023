import { type Data, isData, keysOf, own } from '../dialects/difference.ts'
import { readDocuments } from '../dialects/index.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { FIELD_NAMED } from '../domain/handoffs/package-fields.ts'
import { draftOf } from '../service/documents/export.ts'
import { Tree } from './files/tree.ts'
import { type FoldersOptions, fileOf } from './sync.ts'
import { quietly, utf8Text } from './work.ts'

/** What the sender gave and the file of the handoff does not say, because its document has no place for it. */
export async function leftOut(options: FoldersOptions, handoff: Handoff): Promise<readonly string[]> {
  const path = fileOf(options, handoff)
  const found = path === undefined ? undefined : quietly(() => new Tree(options.root).read(path))
  const text = found && utf8Text(found)
  if (path === undefined || text === undefined) return []
  const { draft } = await draftOf(options.service.deps, handoff)
  const said = readDocuments(text, { path }).flatMap(({ source }) => [
    ...leaves(source.value),
    source.body ?? '',
  ])
  const whole = said.map(plainValue).join('\n')
  const isSaid = (value: unknown) =>
    typeof value === 'string' ? whole.includes(plainValue(value)) : said.includes(value)
  return keysOf(draft.package ?? {}).filter((key) => !given(key, own(draft.package, key)).every(isSaid))
}

function given(key: string, value: unknown): unknown[] {
  // The other parts of an item are Baton's own.
  const texts = FIELD_NAMED.get(key)?.texts
  if (texts === undefined || !Array.isArray(value)) return leaves(value)
  return value.flatMap((each: Data) => texts.flatMap((name) => own(each, name) ?? []))
}

function leaves(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(leaves)
  if (!isData(value)) return [value]
  return keysOf(value).flatMap((key) => (key === 'x_baton' ? [] : leaves(own(value, key))))
}

/** A document may break lines elsewhere. */
const plainValue = (value: unknown): string => String(value).replaceAll(/\s+/g, ' ').trim()
