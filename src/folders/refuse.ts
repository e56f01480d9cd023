import type { ErrorCode } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import { present } from '../domain/present.ts'
import { noteRefusedFile } from '../service/documents/file-refusal.ts'
import { besideName, type FoundFile } from './files/tree.ts'
import { besideOf, keepBeside, putBeside } from './project.ts'
import {
  type Author,
  authorIn,
  baseName,
  claimed,
  inProject,
  note,
  quietly,
  utf8Text,
  type Work,
} from './work.ts'

export interface Refused {
  readonly path: string
  readonly found: FoundFile
  readonly reason: string
  /** The code that a call would get, where a call was refused. */
  readonly code?: ErrorCode | undefined
  /** Who the file says wrote it, where it says so. */
  readonly author?: string | undefined
  readonly handoff?: Handoff | undefined
  /** The engine had moved on when this was written: both versions stay. */
  readonly isConflict?: boolean
}

/** Says why a file was not taken in, to its author and beside it, and keeps every byte of it. */
export async function refuseFile(work: Work, refused: Refused): Promise<void> {
  const { path, found, reason, code, handoff, isConflict } = refused
  const author = authorIn(refused.author)
  const to = (await isKnown(work, author)) ? author : handoff?.from
  const actor = author ?? to
  if (actor !== undefined) {
    const about = { path: inProject(work, path), sha256: found.sha256, reason, to }
    const call = await claimed(work, actor)
    await noteRefusedFile(work.service.deps, call, { ...about, ...present({ handoff, code }) })
  }
  const text = utf8Text(found)
  if (isConflict || text === undefined) keepBeside(work, path, found, reason)
  putBeside(work, path, 'problem', problemText(refused, text))
  note(work, { what: 'refused', path, reason, ...present({ id: handoff?.id, uid: handoff?.uid }) })
}

/** Takes the page away that says why this very text was refused, when it is taken in after all. */
export function dropProblem({ tree }: Work, { path, text }: Pick<Author, 'path' | 'text'>): void {
  const beside = besideOf(path, besideName(baseName(path), 'problem'))
  const found = quietly(() => tree.read(beside))
  const page = found && utf8Text(found)
  if (found && page?.startsWith(`${path}: `) && page.endsWith(`${REFUSED}${text}`)) tree.remove(beside, found)
}

/** A notice goes to somebody who is there; where the author is not, the sender hears of it. */
async function isKnown({ service }: Work, name: string | undefined): Promise<boolean> {
  if (name === undefined) return false
  const { store, policy } = service.deps
  if (policy.agents && Object.hasOwn(policy.agents, name)) return true
  return (await store.agent(name)) !== undefined
}

const REFUSED = 'This is what was refused:\n\n'

function problemText({ path, reason, author, handoff }: Refused, text: string | undefined): string {
  const who = author === undefined ? '' : ` by ${author}`
  const back = handoff
    ? `The file was put back to the state of ${handoff.id}; see: baton show ${handoff.id}`
    : 'The file was left as it is. Correct it, or delete it.'
  const kept = text === undefined ? 'Its bytes are kept beside it as .conflict.' : `${REFUSED}${text}`
  return `${path}: this version${who} was not applied.\n\nReason: ${reason}\n\n${back}\nThis page may be deleted.\n\n${kept}`
}
