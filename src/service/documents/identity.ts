import { sha256 } from '../../crypto/crypto.ts'
import type { DialectId } from '../../dialects/dialect.ts'
import { sameData } from '../../dialects/difference.ts'
import type { Draft } from '../../dialects/draft.ts'
import type { Document } from '../../dialects/index.ts'
import { archivedAt } from '../../dialects/package/files/session.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { HOME_RULES } from '../../domain/home.ts'
import { isEnd } from '../../domain/lifecycle.ts'
import type { Artifact } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'
import { agentNameOf, instant, taskOf } from './handoff.ts'

/** One document of a text with what it is recognised by. */
export interface Piece {
  readonly document: Omit<Document, 'source'> & { readonly source: Pick<Document['source'], 'value'> }
  /** The document itself: the whole text where it holds no other. */
  readonly text: string
  readonly sha256: string
  readonly path?: string | undefined
  readonly line: number
}

/** A handoff that is here already and that the document is about. */
export interface KnownDocument {
  readonly handoff: Handoff
  /** `source`: the same bytes. `name`: the same uid or id. `facts`: sender, receiver, task and day are the same. */
  readonly by: 'source' | 'name' | 'facts'
  readonly source?: Artifact | undefined
}

/** Documents are kept as artifacts of this type. */
export const SOURCE_TYPE = 'source'
const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
/** More handoffs of one task between two agents than anybody has. */
const MOST_ALIKE = 200

/** The uid under which the document of these bytes is kept: one look at a key finds it. */
export const sourceUid = (piece: Piece): string => `${SOURCE_TYPE}-${piece.sha256}`

/** The name of a file without its folder: a file that was moved is the same file. */
export const fileName = (path: string | undefined): string | undefined => path?.split(/[\\/]/).at(-1)

/** The path of a document without a name: it came through a pipe. */
export const NO_PATH = '-'
export const pathOf = (source: Artifact | undefined): string | undefined =>
  source?.path === NO_PATH ? undefined : source?.path

export interface Ids {
  /** Under which a handoff of this document may be known. */
  readonly known: readonly string[]
  /** Which a new one may take. */
  readonly free: readonly string[]
}

/** Ids of the form that Baton itself gives out, and those of the returns that answer them. */
const OWN_ID = /^(HO-\d{4}-\d+)(?:-R)*$/i

/** The handoff that this workspace made itself under the number of this id. */
export async function givenAway({ store }: ServiceDeps, id: string): Promise<Handoff | undefined> {
  const number = OWN_ID.exec(id)?.[1]
  const found = number === undefined ? undefined : await store.handoff(number)
  return found?.imported_at === undefined ? found : undefined
}

/**
 * The id of a document's handoff: its own, or for a dialect without ids one that is made of what it says. Where
 * others may have the same, the time is added: document 004 counts anew in every session.
 */
export function idsOf(draft: Draft, dialect: DialectId): Ids {
  const id = draft.id
    ?.trim()
    .replaceAll(/[\s\p{C}]+/gu, '-')
    .slice(0, 160)
  const marks = sha256(JSON.stringify(marksOf(draft)), 'hex').slice(0, 12)
  if (!id) return { known: [`${dialect}-${marks}`], free: [`${dialect}-${marks}`] }
  const at = instant(draft.created_at)
  const longer = `${id}-${at === undefined ? marks : at.slice(0, 19).replaceAll(/[-:]/g, '')}`
  const free = dialect === 'package' ? [id, longer] : [id]
  // Baton 0.1.0 gave documents with an id of its own form the longer one.
  return { known: OWN_ID.test(id) ? [id, longer] : free, free }
}

/** The fields that tell two documents without ids apart. */
function marksOf(draft: Draft): unknown {
  const { body: _, ...said } = draft
  const { from, to, phase, task, created_at } = said
  return created_at === undefined ? said : [from, to, phase, task, created_at]
}

/** The uid that a document carries, where it can be one that was given out before `newest`. */
export const carriedUid = ({ uid }: Draft, newest: string): string | undefined =>
  uid !== undefined && UUID7.test(uid) && uid < newest ? uid : undefined

/** The handoff that a document is about, if it is known here. Each look is answered by an index. */
export async function findKnown(deps: ServiceDeps, piece: Piece): Promise<KnownDocument | undefined> {
  const { store } = deps
  const { draft, dialect } = piece.document
  if (!draft || !dialect) return undefined
  const kept = await store.artifact(sourceUid(piece))
  const made = kept?.handoff === undefined ? undefined : await store.handoff(kept.handoff)
  if (made) return { handoff: made, by: 'source', source: kept }
  const named = await findNamed(deps, piece, draft, dialect)
  if (named) return { handoff: named, by: 'name', source: await sourceOf(deps, named) }
  const alike = await findAlike(deps, draft, dialect)
  return alike && { handoff: alike, by: 'facts', source: await sourceOf(deps, alike) }
}

async function findNamed(deps: ServiceDeps, { path }: Piece, draft: Draft, dialect: DialectId) {
  const { store } = deps
  const session = dialect === 'package' ? sessionIn(path) : undefined
  const carried = draft.uid === undefined ? undefined : await store.handoff(draft.uid)
  if (carried) return carried
  for (const id of idsOf(draft, dialect).known) {
    const found = await store.handoff(id)
    if (!found || isOtherTime(found, draft, dialect)) continue
    const other = session === undefined ? undefined : sessionIn(pathOf(await sourceOf(deps, found)))
    if (other === undefined || other === session) return found
  }
  return undefined
}

const sessionIn = (path: string | undefined): string | undefined =>
  path === undefined ? undefined : archivedAt(path)?.session

/** Two packages of one id are two handoffs when they were written at different times; so are two of our own ids. */
function isOtherTime(found: Handoff, draft: Draft, dialect: DialectId): boolean {
  if (dialect !== 'package' && !OWN_ID.test(draft.id ?? '')) return false
  const at = instant(draft.created_at)
  // Document 000 writes whole seconds.
  return at !== undefined && at.slice(0, 19) !== found.created_at.slice(0, 19)
}

/** The same task handed over by the same agent to the same agent on the same day, under whatever name. */
async function findAlike({ store }: ServiceDeps, draft: Draft, dialect: DialectId) {
  const [from, to, task] = [agentNameOf(draft.from), agentNameOf(draft.to), taskOf(draft)]
  const [at, { supersedes }] = [instant(draft.created_at), draft]
  if (task === undefined || from === undefined || to === undefined || at === undefined) return undefined
  const { items } = await store.handoffs({ task, from, to }, { limit: MOST_ALIKE })
  return items.find((found) => {
    if (found.uid === supersedes || found.id === supersedes) return false
    if (HOME_RULES[dialect].ids === 'parties' && found.home === dialect) {
      // Document 000's ids hold exactly these four facts; only what came to nothing may be handed over again.
      const again = isEnd(found.state) && found.state !== 'completed' && draft.state !== found.state
      return !again && sameDay(found.created_at, at)
    }
    // Two ids of one dialect are two handoffs.
    if (found.home === dialect && found.aliases?.[dialect] !== undefined && draft.id !== undefined)
      return false
    return (
      found.created_at === at || (sameDay(found.created_at, at) && (isDay(at) || isDay(found.created_at)))
    )
  })
}

const sameDay = (a: string, b: string): boolean => a.slice(0, 10) === b.slice(0, 10)
const isDay = (at: string): boolean => at.endsWith('T00:00:00.000Z')

/** The document that a handoff was made of. */
export async function sourceOf(
  { store }: ServiceDeps,
  { uid, imported_at }: Handoff,
): Promise<Artifact | undefined> {
  if (imported_at === undefined) return undefined
  // Anybody may add an artifact of this type; its key is only ours to give.
  return (await store.artifacts(uid)).find((each) => each.uid === `${SOURCE_TYPE}-${each.sha256}`)
}

/** The text of a kept document. */
export async function artifactText(
  { store }: ServiceDeps,
  source: Artifact | undefined,
): Promise<string | undefined> {
  const bytes = source?.sha256 === undefined ? undefined : await store.blob(source.sha256)
  return bytes && Buffer.from(bytes).toString('utf8')
}

/** Whether two readings say the same, whatever the notation. What stands around a block is not the block's. */
export function sameDraft(a: Piece['document'], b: Piece['document']): boolean {
  if (a.draft === undefined || b.draft === undefined) return false
  const [first, second] = [a, b].map(({ draft, dialect }) =>
    dialect === 'block' ? { ...draft, body: '' } : draft,
  )
  return sameData(first, second)
}
