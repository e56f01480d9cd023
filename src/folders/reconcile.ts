import { setTimeout as pause } from 'node:timers/promises'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { isEnd } from '../domain/lifecycle.ts'
import { present } from '../domain/present.ts'
import { pathOf, sourceOf } from '../service/documents/identity.ts'
import { type FoundFile, msOf, sameStamp } from './files/tree.ts'
import type { Says } from './folder.ts'
import { isOfGit, leaveToGit, takeChange, takeNew } from './ingest.ts'
import { agree, look, project } from './project.ts'
import { dropProblem, refuseFile } from './refuse.ts'
import type { FileRow } from './state.ts'
import { type Author, baseName, folderOf, note, quietly, utf8Text, type Work } from './work.ts'

/** A file that was touched this short a time ago may still be being written. */
const QUIET_MS = 5
/** The first half of a package is a package too, maybe of another type, so a new one gets this long to become whole. */
const NEW_PACKAGE_MS = 100
/** One that cannot be read gets this long to become whole. */
const WHOLE_MS = 250
/** One that is empty is about to be written: its writer empties it first, and may have to wait for the disk. */
const EMPTY_MS = 2_000
/** Some move a file first and write into it then: document 001's own code does. */
const HALF_MS = 800
const CHECKOUT_MS = 100
/** Somebody who writes without a pause does not hold up the others. */
const LOOKS = 8

/** What Baton wrote beside a file, for people. */
export const isProblem = (name: string): boolean => /\.(?:problem|conflict)(?:-\d+)?$/.test(name)

/** Brings one file and the engine together, whoever of them changed. */
export async function reconcileFile(work: Work, path: string): Promise<void> {
  try {
    for (let i = 0; i < LOOKS; i++) if (await once(work, path)) return
  } catch (error) {
    return faulty(work, path, error)
  }
  note(work, { what: 'left', path, reason: 'it changes all the time; the next pass looks again' })
}

/** A file that Baton itself stumbles over is said to be so, and the others are looked at. */
async function faulty(work: Work, path: string, error: unknown): Promise<void> {
  const found = error instanceof TypeError || error instanceof RangeError ? readable(work, path) : undefined
  if (!(error instanceof Error) || !found) throw error
  const reason = `something went wrong inside Baton: ${error.message}; please report it`
  await refuseFile(work, { path, found, reason })
  dealtWith(work, path, found)
}

/** Brings the file of a handoff to what the engine says, or makes it. */
export async function reconcileHandoff(work: Work, handoff: Handoff): Promise<void> {
  const place = work.kind.place(handoff)
  if (handoff.home !== work.kind.dialect || place === undefined) return
  const row = work.state.file(work.path, handoff.uid)
  const isCurrent = row !== undefined && row.rev >= handoff.rev
  if (isCurrent && (row.kept === 'absent' || work.tree.isFile(row.path))) return
  const path = row?.path ?? place
  const there = lookAt(work, path)
  if (there !== 'absent') return isCurrent || there === 'odd' ? undefined : reconcileFile(work, path)
  const moved = row ? movedTo(work, path) : await importedFrom(work, handoff)
  if (moved !== undefined) return reconcileFile(work, moved)
  // Document 001: messages are transient, and whoever clears finished ones away has read them.
  if (isCurrent && work.kind.movesAreSteps && isEnd(handoff.state)) {
    work.state.putFile(work.path, { ...row, kept: 'absent' })
    return work.state.dropLook(work.path, row.path)
  }
  // Git takes files away first and moves HEAD then.
  if (isCurrent && work.git && !work.isMovedByGit) await pause(CHECKOUT_MS)
  if (isCurrent && work.isMovedByGit) {
    work.state.putFile(work.path, { ...row, kept: 'absent' })
    work.state.dropLook(work.path, row.path)
    return note(work, { what: 'left', path, id: handoff.id, uid: handoff.uid, reason: 'git took it away' })
  }
  if (isCurrent && !work.isFirst)
    note(work, { what: 'put_back', path, id: handoff.id, uid: handoff.uid, reason: DELETED })
  const done = await project(work, handoff, row?.text === undefined ? {} : { base: row.text })
  if (!done) await reconcileFile(work, place)
}

/** Where its author has moved it since the folders were looked at: a second one would hand the work out twice. */
function movedTo(work: Work, path: string): string | undefined {
  const { kind, tree } = work
  const folders = kind.movesAreSteps ? kind.flat(tree) : (kind.around?.(tree) ?? [])
  const places = folders.map((folder) => (folder === '' ? baseName(path) : `${folder}/${baseName(path)}`))
  return places.find((place) => place !== path && tree.isFile(place))
}

/** The file of a live folder that somebody took over with an import, until it is known as the handoff's own. */
async function importedFrom(work: Work, handoff: Handoff): Promise<string | undefined> {
  const { kind, tree, state, service } = work
  const source = pathOf(await sourceOf(service.deps, handoff))
  const below = work.path === '.' ? '' : `${work.path}/`
  if (!source?.startsWith(below)) return undefined
  const path = source.slice(below.length)
  const isHere = [...kind.flat(tree), ...(kind.archives?.(tree) ?? [])].includes(folderOf(path))
  return isHere && !state.fileAt(work.path, path) && tree.isFile(path) ? path : undefined
}

/** What was refused as a new handoff is the handoff's own file from then on. */
function adopt(work: Work, handoff: Handoff, file: Author): Promise<boolean> {
  dropProblem(work, file)
  return takeChange(work, handoff, file, undefined, file.path)
}

const DELETED = 'to delete a file ends nothing; use: baton reject or baton cancel'

/** False when the file changed under our hands and has to be looked at again. */
async function once(work: Work, path: string): Promise<boolean> {
  const found = await settled(work, path)
  if (!found) return true
  const row = work.state.fileAt(work.path, path)
  if (row?.sha256 === found.sha256) return asAgreed(work, row, path, found)
  // Refused and left where it is: nobody has touched it since.
  const seen = row === undefined ? work.state.look(work.path, path) : undefined
  const isRefused = seen?.sha256 === found.sha256 && sameStamp(seen, found.stamp)
  const text = utf8Text(found)
  const says: Says = text === undefined ? { is: 'unreadable', reason: NO_TEXT } : work.read(text, path)
  if (says.is === 'nothing' || (isRefused && says.is !== 'handoff')) return dealtWith(work, path, found)
  if (says.is === 'unreadable') return unreadableFile(work, path, found, says)
  if (!isRefused && says.isHalf && movedFor(found) < HALF_MS) {
    await pause(HALF_MS / (LOOKS - 2))
    return false
  }
  const file: Author = { path, found, text: text!, says }
  // Of several files at once, those that may speak of one handoff come one after the other.
  const names = namesIn(file)
  const before = names.flatMap((name) => work.turns.get(name) ?? [])
  const done = Promise.allSettled(before).then(() => dealWith(work, file, row, isRefused))
  for (const name of names) work.turns.set(name, done)
  return done
}

async function dealWith(work: Work, file: Author, row: FileRow | undefined, isRefused: boolean) {
  const { path, found } = file
  const handoff = await handoffOf(work, file, row)
  const own = handoff && work.state.file(work.path, handoff.uid)
  if (isRefused && (!handoff || own)) return dealtWith(work, path, found)
  if (!handoff) return takeNew(work, file)
  if (!own && (await importedFrom(work, handoff)) === path) return adopt(work, handoff, file)
  if (own && own.path !== path) return elsewhere(work, handoff, file, own)
  const mine = work.state.wrote(work.path, found.sha256)
  return mine ? earlier(work, handoff, file, own) : takeChange(work, handoff, file, own)
}

function namesIn({ path, says: { uid, draft } }: Author): readonly string[] {
  const { id, task, supersedes, in_reply_to } = draft
  const name = baseName(path).replace(/\.\w+$/, '')
  return Object.values(present({ name, uid, id, task, supersedes, in_reply_to }))
}

const NO_TEXT = 'it is not UTF-8 text'

async function asAgreed(work: Work, row: FileRow, path: string, found: FoundFile): Promise<boolean> {
  const handoff = await work.service.deps.store.handoff(row.uid)
  // Git brought back what it had taken away.
  if (row.kept === 'absent') work.state.putFile(work.path, { ...row, kept: 'ours' })
  const text = utf8Text(found)
  if (work.isThorough && handoff && row.rev >= handoff.rev && text !== undefined) {
    const kept = row.kept === 'absent' ? 'ours' : row.kept
    return agree(work, { ...handoff, rev: row.rev }, { path, text, ...found }, kept)
  }
  if (!handoff || row.rev >= handoff.rev) return dealtWith(work, path, found)
  return project(work, handoff, { at: { path, found }, base: utf8Text(found) })
}

/** A version that Baton wrote before: git or somebody brought it back, or a pass died after writing it. */
async function earlier(work: Work, handoff: Handoff, file: Author, row?: FileRow): Promise<boolean> {
  const { path, found, text, says } = file
  const isOld = (says.rev ?? 0) < handoff.rev || !work.kind.fits(handoff, path)
  if (!isOld) return agree(work, handoff, { path, text, ...found })
  const isNewToUs = row === undefined || (says.rev ?? 0) >= row.rev
  if (!isNewToUs && (work.isMovedByGit || (await isOfGit(work, path, found.bytes))))
    return leaveToGit(work, handoff, file)
  return project(work, handoff, { at: { path, found }, base: text })
}

/** The handoff has its file in another place: this one was moved from there, or is a second one. */
async function elsewhere(work: Work, handoff: Handoff, file: Author, own: FileRow): Promise<boolean> {
  const { path, found } = file
  const isOurs = work.state.wrote(work.path, found.sha256) !== undefined
  const first = work.tree.read(own.path)
  if (!first) {
    const isGits = work.isMovedByGit && !work.kind.movesAreSteps
    const isCommitted = await isOfGit(work, path, found.bytes)
    // A commit may hold a later step together with its move; what it asks for is taken, or left as it is there.
    if (isCommitted && !isOurs && !work.kind.movesAreSteps) return takeChange(work, handoff, file, own, path)
    if (isGits || isCommitted) return leaveToGit(work, handoff, file)
    if (work.kind.fits(handoff, path) && isOurs) return earlier(work, handoff, file, own)
    return takeChange(work, handoff, file, own)
  }
  if (!isOurs && work.kind.isLater?.(path, own.path)) {
    // Its author wrote the next step beside the last one; what Baton wrote there is not needed any more.
    const isKnown = own.sha256 === first.sha256 || work.state.wrote(work.path, first.sha256) !== undefined
    if (isKnown && work.tree.remove(own.path, first)) return takeChange(work, handoff, file, own)
  }
  if (isOurs || work.state.knows(work.path, found.sha256) === handoff.uid) {
    // What a pass left behind when it died between writing the new file and taking the old one away.
    if (await isOfGit(work, path, found.bytes)) return dealtWith(work, path, found)
    work.state.dropLook(work.path, path)
    return work.tree.remove(path, found)
  }
  if (await isOfGit(work, path, found.bytes)) return dealtWith(work, path, found)
  // Rejected and expired work is handed over anew, and its author may not know that the id was used.
  const { created_at = '' } = file.says.draft
  const isAnew = file.says.uid === undefined && Date.parse(created_at) > Date.parse(handoff.ended_at ?? '')
  const reason = isAnew
    ? `${handoff.id} has ended as ${own.path}; a new handoff needs an id of its own, such as ${handoff.id}-2`
    : `${own.path} is already the file of ${handoff.id}; for a new handoff remove x_baton and write a new id`
  const about = isAnew ? {} : { handoff }
  await refuseFile(work, { path, found, reason, author: file.says.draft.from, ...about, isConflict: false })
  const isSameName = baseName(path) === baseName(own.path)
  if (!isSameName || isAnew) return dealtWith(work, path, found)
  // The same name in a folder that is not its place: its text is in the problem beside it.
  work.state.dropLook(work.path, path)
  return work.tree.remove(path, found)
}

async function handoffOf(work: Work, { says, path }: Author, row?: FileRow): Promise<Handoff | undefined> {
  const { store } = work.service.deps
  for (const name of [says.uid, says.draft.id, row?.uid]) {
    const found = name === undefined ? undefined : await store.handoff(name)
    if (found?.home !== work.kind.dialect) continue
    if (name !== says.draft.id || isInScope(work, found, path)) return found
    if ((await importedFrom(work, found)) === path) return found
  }
  return undefined
}

/** The same id in another session is another handoff. */
function isInScope({ kind, state, path: folder }: Work, { uid, ...handoff }: Handoff, path: string): boolean {
  if (!kind.scope) return true
  const own = state.file(folder, uid)?.path ?? kind.place({ uid, ...handoff })
  return own === undefined || kind.scope(own) === kind.scope(path)
}

async function unreadableFile(
  work: Work,
  path: string,
  found: FoundFile,
  { reason, author, uid }: Says & { readonly is: 'unreadable' },
): Promise<boolean> {
  // Its author may have moved it as well.
  const row =
    work.state.fileAt(work.path, path) ?? (uid === undefined ? uid : work.state.file(work.path, uid))
  const patience = found.bytes.length === 0 ? EMPTY_MS : WHOLE_MS
  if (ageOf(found) < patience) {
    await pause(patience / (LOOKS - 2))
    return false
  }
  const handoff = row && (await work.service.deps.store.handoff(row.uid))
  const isLeft =
    /git left the marks/.test(reason) || work.isAdopting || (await isOfGit(work, path, found.bytes))
  if (isLeft) {
    note(work, { what: 'left', path, reason })
    return dealtWith(work, path, found)
  }
  const who = handoff?.from ?? author
  await refuseFile(work, { path, found, reason, code: 'invalid_input', handoff, author: who })
  if (!handoff) return dealtWith(work, path, found)
  note(work, { what: 'put_back', path, id: handoff.id, uid: handoff.uid })
  return project(work, handoff, { at: { path, found }, base: row?.text })
}

function dealtWith(work: Work, path: string, { sha256, stamp }: FoundFile): boolean {
  look(work, path, sha256, stamp)
  return true
}

/** The file when nobody has written to it for a moment; undefined when it is gone, or is nothing that is read. */
async function settled(work: Work, path: string): Promise<FoundFile | undefined> {
  for (let i = 0; i < LOOKS; i++) {
    const found = readable(work, path)
    if (!found) return undefined
    const age = ageOf(found)
    const isKnown = work.state.wrote(work.path, found.sha256) !== undefined
    const isNew = work.kind.dialect === 'package' && !work.state.fileAt(work.path, path)
    const quiet = isNew ? NEW_PACKAGE_MS : QUIET_MS
    if (age >= quiet || isKnown || isRenamed(found)) return found
    readAhead(work, path, found)
    const rest = quiet - ageOf(found)
    if (rest > 0) await pause(rest)
  }
  return readable(work, path)
}

/** What is made of the file when it stays as it is, while waiting whether it does. */
function readAhead(work: Work, path: string, found: FoundFile): void {
  const text = utf8Text(found)
  const agreed = work.state.fileAt(work.path, path)
  if (text !== undefined) work.read(text, path)
  if (agreed?.text !== undefined) work.read(agreed.text, agreed.path)
}

/** Written elsewhere and moved here: then it is whole. */
const isRenamed = ({ ctime, stamp }: FoundFile): boolean => BigInt(ctime) > BigInt(stamp.mtime)

const movedFor = ({ ctime }: FoundFile): number => Math.abs(Date.now() - msOf(ctime))

/** A clock that was set back must not make a file wait for ever. */
const ageOf = ({ stamp }: FoundFile): number => {
  const age = Date.now() - msOf(stamp.mtime)
  return age < -1_000 ? Number.POSITIVE_INFINITY : Math.max(0, age)
}

/** A link or a pipe in the place of one file must not keep the others from being written. */
function lookAt(work: Work, path: string): 'file' | 'odd' | 'absent' {
  const before = work.happened.length
  if (readable(work, path)) return 'file'
  return work.happened.length > before ? 'odd' : 'absent'
}

const readable = (work: Work, path: string): FoundFile | undefined =>
  quietly(
    () => work.tree.read(path),
    (reason) => void note(work, { what: 'left', path, reason }),
  )
