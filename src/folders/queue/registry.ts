import { type Data, isData, keysOf, own, pickKeys, put } from '../../dialects/difference.ts'
import { type Artifact, artifactOf } from '../../dialects/queue/artifact.ts'
import { isSafeName, isSafePath, stemOf } from '../../dialects/queue/names.ts'
import { sourcesOf } from '../../dialects/text/sources.ts'
import { present } from '../../domain/present.ts'
import type { About, Extra } from '../folder.ts'
import { type Facts, phaseIn } from './facts.ts'
import { objectFile, objectIn } from './object-file.ts'

export const REGISTRY = 'artifacts/registry.json'
export const ARTIFACTS = 'artifacts'
const PHASE = /^phase-\d/
/** The newest ended handoffs whose artifacts are looked at each time; what was registered before stays. */
const ENDED_LOOKED_AT = 200
/** What Baton entered longest ago goes from the file when it holds more; the engine has it all. */
const MOST_ENTRIES = 1_000
const MOST_PHASES = 200
const MOST_FOUND = 1_000
const OWN_KEYS: readonly string[] = [
  ...['artifact_id', 'artifact_type', 'phase', 'file', 'sha256', 'dependencies', 'lifecycle', 'created_at'],
  'handoff_id',
]

type RegistryEntry = Omit<Artifact, 'id' | 'type' | 'extra'> & {
  readonly artifact_id: string
  readonly artifact_type?: string
}
type Entries = ReadonlyMap<string, RegistryEntry>

/** The folders of the phases. */
export const phasesIn = (names: readonly string[]): readonly string[] =>
  names.filter((name) => PHASE.test(name)).toSorted()

/**
 * `artifacts/registry.json`: of each artifact what it is, which phase made it from what, where it lies and what it
 * hashes to. Made from the handoffs and from what lies in the phases; keys and entries of others stay.
 */
export function registry(about: About): Extra | undefined {
  const text = about.read(REGISTRY)
  const value = objectIn(text, REGISTRY)
  if (!value) return objectFile(REGISTRY, value)
  const there = own(value, 'artifacts')
  const old = isData(there) ? there : {}
  const isWhole = about.isWhole || text === undefined
  const phases = phasesIn(about.names(ARTIFACTS, MOST_PHASES) ?? [])
  const handedIn = new Map<string, RegistryEntry>()
  const rows = [...about.files({ since: '', limit: isWhole ? MOST_ENTRIES : ENDED_LOOKED_AT })].map(
    (row) => row.facts as Facts,
  )
  for (const facts of rows.toSorted(byAge)) {
    const entry = registryEntry(facts, about, old)
    if (entry) handedIn.set(entry.artifact_id, entry)
  }
  const others = new Map([...needed(rows, about, phases, old), ...foundIn(about, phases, old)])
  for (const id of handedIn.keys()) others.delete(id)
  const made = mergedRegistry(old, [others, handedIn], about)
  if (text === undefined && keysOf(made).length === 0) return undefined
  return { ...objectFile(REGISTRY, { ...value, artifacts: made }), remarks: remarksOn(handedIn) }
}

/** Of two that handed in the same the later one counts, always the same of two in one instant. */
const byAge = (a: Facts, b: Facts): number =>
  `${a.updated_at} ${a.handoff_id}` < `${b.updated_at} ${b.handoff_id}` ? -1 : 1

/** Where the registry says that an artifact lies; anybody may have written that. */
export function registeredFile(text: string | undefined, id: string): string | undefined {
  const file = own(own(own(objectIn(text, REGISTRY), 'artifacts'), id), 'file')
  return typeof file === 'string' && isSafePath(file) ? file : undefined
}

/** What a completed handoff handed in: ready while the file has the bytes that it had then. */
function registryEntry(
  { made, needs = [], handoff_id, updated_at }: Facts,
  about: About,
  old: Readonly<Data>,
): RegistryEntry | undefined {
  if (!made) return undefined
  const now = about.hash(made.file)
  const before = own(own(old, made.artifact_id), 'sha256')
  const sha256 = made.sha256 ?? now ?? (typeof before === 'string' ? before : undefined)
  const isOther = made.sha256 !== undefined && now !== made.sha256
  return {
    ...made,
    ...present({ sha256 }),
    dependencies: needs.filter((id) => id !== made.artifact_id),
    lifecycle: now === undefined ? 'archived' : isOther ? 'superseded' : 'ready',
    created_at: updated_at,
    handoff_id,
  }
}

/** What a request needs is there to be seen before anybody has made it: then it has no file. */
function needed(
  rows: readonly Facts[],
  about: About,
  phases: readonly string[],
  old: Readonly<Data>,
): Entries {
  const open = rows.filter(({ status }) => status === 'pending' || status === 'in_progress')
  const ids = new Set(open.flatMap(({ needs = [] }) => needs))
  return new Map(
    [...ids].map((id) => {
      const said = own(own(old, id), 'file')
      const places = phases.map((phase) => `${ARTIFACTS}/${phase}/${id}.json`)
      const others = typeof said === 'string' && isSafePath(said) ? [said] : []
      return [id, { artifact_id: id, ...placed([...places, ...others], about), ...DRAFT }]
    }),
  )
}

const DRAFT = { dependencies: [], lifecycle: 'draft' } as const

function placed(places: readonly string[], about: About): Partial<RegistryEntry> {
  for (const file of places) {
    const sha256 = about.hash(file)
    if (sha256 !== undefined) return { ...phaseOf(file), file, sha256 }
  }
  return {}
}

function phaseOf(file: string): Pick<RegistryEntry, 'phase'> {
  const phase = phaseIn(file)
  return phase === undefined ? {} : { phase }
}

/** What lies in the phases and nobody has handed in. What it says of itself counts. */
function foundIn(about: About, phases: readonly string[], old: Readonly<Data>): Entries {
  const found = new Map<string, RegistryEntry>()
  for (const phase of phases)
    for (const name of about.names(`${ARTIFACTS}/${phase}`, MOST_FOUND) ?? []) {
      const id = stemOf(name)
      const file = `${ARTIFACTS}/${phase}/${name}`
      if (!/\.json$/i.test(name) || !isSafeName(id) || found.has(id)) continue
      // Each of them is hashed again only when everything is: a folder may hold a thousand.
      if (!about.isWhole && own(own(old, id), 'file') === file) continue
      const sha256 = about.hash(file)
      if (sha256 !== undefined) found.set(id, { ...saidOf(id, { file, sha256 }, about, old), sha256 })
    }
  return found
}

function saidOf(
  id: string,
  { file, sha256 }: { readonly file: string; readonly sha256: string },
  about: About,
  old: Readonly<Data>,
): RegistryEntry {
  const before = own(old, id)
  const isKnown = own(before, 'sha256') === sha256 && own(before, 'file') === file
  // The cast holds: these keys were written by this module, and whatever else stands there is replaced below.
  if (isKnown && isData(before) && own(before, 'handoff_id') === undefined)
    return { artifact_id: id, ...DRAFT, ...(pickKeys(before, OWN_KEYS) as Partial<RegistryEntry>), file }
  const text = about.read(file)
  const [source] = text === undefined ? [] : sourcesOf(text, { path: file })
  const { type, phase, dependencies, lifecycle } = (source && artifactOf(source).artifact) ?? {}
  return {
    artifact_id: id,
    ...present({ artifact_type: type }),
    ...(phase === undefined ? phaseOf(file) : { phase }),
    file,
    dependencies: dependencies ?? [],
    lifecycle: lifecycle ?? 'draft',
  }
}

/** Every entry that was there, with what is known of it now; what others wrote into one stays. */
function mergedRegistry(old: Readonly<Data>, known: readonly Entries[], about: About): Data {
  const result: Data = {}
  for (const id of keysOf(old)) put(result, id, old[id])
  for (const entries of known)
    for (const [id, entry] of entries) {
      const before = own(old, id)
      put(result, id, { ...(isData(before) && foreignKeys(before)), ...pickKeys(entry, OWN_KEYS) })
    }
  const isKnown = (id: string): boolean => known.some((entries) => entries.has(id))
  for (const id of about.isWhole ? keysOf(result).filter((each) => !isKnown(each)) : [])
    put(result, id, withoutFile(result[id], about))
  return bounded(result, isKnown)
}

/** An entry of earlier whose file is gone. */
function withoutFile(entry: unknown, about: About): unknown {
  const [file, lifecycle] = [own(entry, 'file'), own(entry, 'lifecycle')]
  if (!isData(entry) || lifecycle === 'archived') return entry
  if (typeof file !== 'string' || !isSafePath(file) || about.hash(file) !== undefined) return entry
  return { ...entry, lifecycle: 'archived' }
}

function bounded(entries: Data, isKnown: (id: string) => boolean): Data {
  const ids = keysOf(entries)
  const isOurs = (id: string): boolean => {
    const entry = entries[id]
    return isData(entry) && own(entry, 'handoff_id') !== undefined && keysOf(foreignKeys(entry)).length === 0
  }
  const old = ids.filter((id) => !isKnown(id) && isOurs(id))
  const gone = new Set(old.slice(0, Math.max(0, ids.length - MOST_ENTRIES)))
  return Object.fromEntries(ids.filter((id) => !gone.has(id)).map((id) => [id, entries[id]]))
}

const foreignKeys = (entry: Readonly<Data>): Data =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !OWN_KEYS.includes(key)))

function remarksOn(entries: Entries): NonNullable<Extra['remarks']> {
  return [...entries.values()].flatMap(({ file, lifecycle, handoff_id }) => {
    const path = file ?? REGISTRY
    if (lifecycle === 'superseded')
      return [{ path, message: `it is not what ${handoff_id} handed in any more` }]
    return lifecycle === 'archived' ? [{ path, message: `${handoff_id} handed it in, and it is gone` }] : []
  })
}
