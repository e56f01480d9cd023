import { setTimeout as pause } from 'node:timers/promises'
import { sameData } from '../dialects/difference.ts'
import type { Draft } from '../dialects/draft.ts'
import { BatonError, type ErrorCode } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { isEnd } from '../domain/lifecycle.ts'
import { present } from '../domain/present.ts'
import { loadOperation } from '../operations/index.ts'
import { invoke } from '../operations/operation.ts'
import type { Call } from '../service/deps.ts'
import { obstacleTo } from '../service/documents/handoff.ts'
import { importText } from '../service/documents/import.ts'
import { Together } from '../service/together.ts'
import type { PlannedCall } from './folder.ts'
import { agree, keepBeside, look, project } from './project.ts'
import { refuseFile } from './refuse.ts'
import type { FileRow } from './state.ts'
import { type Author, claimed, inProject, note, problemList, textFor, type Work } from './work.ts'

/** A file about a handoff that nobody knows here: somebody hands over by it, or brings what was made elsewhere. */
export async function takeNew(work: Work, file: Author): Promise<boolean> {
  const { path, found, text, says } = file
  const isCommitted = await isOfGit(work, path, found.bytes)
  const isGits = work.isAdopting || isCommitted
  const reason = isGits ? undefined : work.kind.refusesNew(says.draft, path)
  const author = says.draft.from
  const no = async (why: string, code?: ErrorCode): Promise<boolean> => {
    if (isGits) note(work, { what: 'left', path, reason: why })
    else await refuseFile(work, { path, found, reason: why, code, author })
    look(work, path, found.sha256, found.stamp)
    return true
  }
  if (reason !== undefined) return no(reason)
  const obstacle = obstacleTo(says.draft)
  if (author === undefined || obstacle !== undefined) return no(obstacle ?? 'it does not say who hands over')
  const call = await claimed(work, author)
  const input = { text, path: inProject(work, path), asNew: !isGits, recent: work.recent }
  const [item] = await importText(work.service.deps, call, input).catch((error: unknown) => {
    // It may succeed later, when its author saves it again.
    if (!(error instanceof BatonError && error.code === 'limit_exceeded')) throw error
    const { code, message: reason } = error
    return [{ outcome: 'refused' as const, reason, code, id: undefined, diagnostics: [] }]
  })
  if (!item || item.id === undefined || item.outcome === 'refused' || item.outcome === 'skipped')
    return no(problemList(item?.diagnostics ?? []) ?? item?.reason ?? 'it holds no handoff', item?.code)
  const handoff = await work.service.deps.store.handoff(item.id)
  if (!handoff) return no('it holds no handoff')
  if (item.outcome !== 'imported' && item.outcome !== 'unchanged')
    return no(item.reason ?? `${handoff.id} is here already and says something else`)
  note(work, { what: 'created', path, id: handoff.id, uid: handoff.uid, ...present({ reason: item.reason }) })
  // What a commit has is left as it is there: the tree stays clean. So is an archive that was there before Baton.
  const isLeft = isCommitted || (work.isAdopting && isEnd(handoff.state))
  if (isLeft && work.kind.fits(handoff, path)) return agree(work, handoff, { path, text, ...found }, 'git')
  return project(work, handoff, { at: { path, found }, base: text })
}

/**
 * An author's version of a file that is known: its steps are taken, or it is refused and put back. `moved` is where git put
 * it, which is nobody's step.
 */
export async function takeChange(
  work: Work,
  handoff: Handoff,
  file: Author,
  row?: FileRow,
  moved?: string,
): Promise<boolean> {
  const { path, found, text, says } = file
  const place = moved ?? work.kind.place(handoff) ?? path
  const agreed = baseOf(work, row)
  // What was agreed on at this revision is what the engine says: to write it again would take longer than all the rest.
  const isNow = agreed !== undefined && row?.rev === handoff.rev && row.kept === 'ours'
  const now = isNow ? agreed : await draftNow(work, handoff, row?.text ?? text)
  const base = agreed ?? (await baseFor(work, handoff, file, now))
  if (base === 'stale') {
    keepBeside(work, path, found, STALE)
    return project(work, handoff, { at: { path, found } })
  }
  const where = { handoff, path, place: work.kind.fits(handoff, path) ? path : place }
  const change = { ...where, base, now, file: says.draft, accept: work.accept }
  const asked = work.kind.plan(change)
  const around = { tree: work.tree, store: work.service.deps.store }
  const plan = asked.ok && work.kind.judge ? await work.kind.judge(asked, change, around) : asked
  const refusal = plan.ok ? await carriedOut(work, plan.calls, handoff.rev) : { message: plan.reason }
  if (refusal === 'stale') return false
  const after = (await work.service.deps.store.handoff(handoff.uid)) ?? handoff
  if (refusal === undefined) {
    if (plan.ok && plan.calls.length > 0) note(work, { what: 'taken_in', path, id: after.id, uid: after.uid })
    // A later state that came with a commit: the step is taken, and the tree stays clean.
    if (work.kind.fits(after, path) && (await isOfGit(work, path, found.bytes)))
      return leaveToGit(work, after, file)
    return project(work, after, { at: { path, found }, base: text })
  }
  if (await isOfGitSoon(work, path, found.bytes)) return leaveToGit(work, after, file)
  const isConflict = row !== undefined && row.rev < handoff.rev
  const { message: reason, code } = refusal
  await refuseFile(work, { path, found, reason, code, author: plan.author, handoff: after, isConflict })
  note(work, { what: 'put_back', path, id: after.id, uid: after.uid })
  return project(work, after, { at: { path, found }, base: row?.text })
}

const STALE = 'it was made from an older revision, and what was changed in it is not known'

/** A checkout put it there: nothing follows from it, and it stays until the handoff moves on. */
export async function leaveToGit(work: Work, handoff: Handoff, file: Author): Promise<boolean> {
  const { path, found, text } = file
  await agree(work, handoff, { path, text, ...found }, 'git')
  note(work, { what: 'left', path, id: handoff.id, uid: handoff.uid, reason: 'git checked this version out' })
  return true
}

export const isOfGit = async ({ git, ...work }: Work, path: string, bytes: Uint8Array): Promise<boolean> =>
  git !== undefined && (await git.holds(inProject({ git, ...work }, path), bytes))

/** Git writes the files of a checkout first and moves HEAD then. */
const CHECKOUT_MS = 100

/** The same before something is put back: a checkout that is not yet through must not be taken for an author. */
export async function isOfGitSoon(work: Work, path: string, bytes: Uint8Array): Promise<boolean> {
  if (!work.git || (await isOfGit(work, path, bytes))) return work.git !== undefined
  await pause(CHECKOUT_MS)
  return isOfGit(work, path, bytes)
}

async function draftNow(work: Work, handoff: Handoff, base: string): Promise<Draft> {
  const text = await textFor(work, handoff, base)
  if (typeof text !== 'string') throw text
  const says = work.read(text, work.kind.place(handoff) ?? '')
  return says.is === 'handoff' ? says.draft : {}
}

function baseOf(work: Work, row: FileRow | undefined): Draft | undefined {
  if (row?.text === undefined) return undefined
  const says = work.read(row.text, row.path)
  return says.is === 'handoff' ? says.draft : undefined
}

/** Without a text that was agreed on: an older revision may be anything, the present one is compared with the engine. */
async function baseFor(work: Work, handoff: Handoff, file: Author, now: Draft): Promise<Draft | 'stale'> {
  const { rev } = file.says
  if (rev === undefined || rev >= handoff.rev || sameData(file.says.draft, now)) return now
  return (await isOfGit(work, file.path, file.found.bytes)) ? now : 'stale'
}

/**
 * Makes the calls of one file as one change: all of them, or none. Answers why one of them was refused, or that the
 * handoff is not at the revision any more that they were planned for.
 */
async function carriedOut(
  work: Work,
  calls: readonly PlannedCall[],
  rev: number,
): Promise<'stale' | { readonly message: string; readonly code?: ErrorCode } | undefined> {
  try {
    // Without a key: once it is committed, the engine says what the file asks for.
    const together = new Together(work.service.deps.store)
    const run = calls.map((each, i) => () => called(work, each, { together, ...(i === 0 && { rev }) }))
    await together.run(run)
    return undefined
  } catch (error) {
    // A store that does not answer is no fault of the file: the pass ends, and the next one tries again.
    if (!(error instanceof BatonError) || error.code === 'unavailable' || error.code === 'internal')
      throw error
    if (error.code === 'conflict' && error.details.seen === rev) return 'stale'
    const at = calls.findIndex(({ orElse }) => orElse !== undefined)
    const instead =
      error.code === 'unmet' && !isHeldUp(error) ? calls[at]?.orElse?.(error.message) : undefined
    return instead ? carriedOut(work, calls.with(at, instead), rev) : error
  }
}

/** A gate or a delegated part holds the work up: the answer itself may be right. */
const isHeldUp = ({ details: { unmet } }: BatonError): boolean =>
  Array.isArray(unmet) && unmet.some(({ code }) => code === 'gate_shut' || code === 'delegation_open')

async function called(work: Work, { actor, op, input }: PlannedCall, how: Pick<Call, 'rev' | 'together'>) {
  const call = await claimed(work, actor)
  await invoke(await loadOperation(op), work.service, { ...call, ...how }, input)
}
