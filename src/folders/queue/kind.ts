import { own } from '../../dialects/difference.ts'
import { readDocuments } from '../../dialects/index.ts'
import { withPhase } from '../../dialects/queue/context-files.ts'
import { FOLDER_OF, handoffFile, type QueueStatus, STATUSES } from '../../dialects/queue/names.ts'
import { queueStatus } from '../../dialects/queue/table.ts'
import type { RecentTexts } from '../../dialects/text/sources.ts'
import { DAY_MS } from '../../dialects/text/time.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Tree } from '../files/tree.ts'
import type { About, Extra, FolderKind, Says } from '../folder.ts'
import { markIn } from '../mark.ts'
import { aliasOf } from '../work.ts'
import { placeArtifacts } from './artifacts.ts'
import { type Facts, facts } from './facts.ts'
import { judge } from './judge.ts'
import { objectFile, objectIn } from './object-file.ts'
import { plan, refusesNew } from './plan.ts'
import { ARTIFACTS, phasesIn, REGISTRY, registry } from './registry.ts'
import { writeQueueFile } from './write.ts'

const PHASE_STATUS = 'context/phase-status.json'
/** More phases than the document has. */
const ENDED_LOOKED_AT = 500

/** `context/phase-status.json`: of each phase the handoff that moved last. Keys of others stay (A1-27). */
function phaseStatus({ files, now, read }: About): Extra {
  const value = objectIn(read(PHASE_STATUS), PHASE_STATUS)
  if (!value) return objectFile(PHASE_STATUS, value)
  const since = new Date(Date.parse(now) - DAY_MS).toISOString()
  const newest = new Map<number, Omit<Facts, 'phase'>>()
  const looked = new Set<unknown>()
  for (const row of files({ since, limit: ENDED_LOOKED_AT })) {
    const { phase, ...said } = row.facts as Facts
    looked.add(said.handoff_id)
    const other = phase === undefined ? undefined : newest.get(phase)
    if (phase !== undefined && (!other || other.updated_at <= said.updated_at)) newest.set(phase, said)
  }
  let made = value
  for (const [phase, { status, handoff_id, updated_at }] of [...newest].sort(([a], [b]) => a - b)) {
    const there = own(own(value, 'phases'), String(phase))
    const at = own(there, 'updated_at')
    // It ended too long ago to be looked at, and has moved last all the same.
    const isNewer = typeof at === 'string' && at > updated_at && at <= now
    if (isNewer && !looked.has(own(there, 'handoff_id'))) continue
    made = withPhase(made, phase, { status: status as 'pending', handoff_id, updated_at })
  }
  return objectFile(PHASE_STATUS, made)
}

const FOLDERS = STATUSES.map((status) => `handoffs/${FOLDER_OF[status]}`)
const ENDED = (['completed', 'failed'] as const).map((status) => `handoffs/${FOLDER_OF[status]}`)
/** Which of two files of one handoff is the later step (A1-07, A1-30). */
const ORDER: readonly QueueStatus[] = ['pending', 'in_progress', 'failed', 'completed']

/** Document 001: a handoff is a file in one of four folders, and the folder is its state. */
export const queueFolder: FolderKind = {
  dialect: 'queue',
  made: [...FOLDERS, 'artifacts', 'context'],
  extraPaths: [PHASE_STATUS, REGISTRY],
  flat: () => FOLDERS,
  archives: () => ENDED,
  every: () => FOLDERS,
  isCandidate: (name) => /\.json$/i.test(name) && !name.startsWith('.'),
  place,
  fits: (handoff, path) => path === place(handoff),
  write: writeQueueFile,
  facts,
  read,
  refusesNew,
  plan,
  extras,
  beside,
  movesAreSteps: true,
  isLater: (path, own) => rankOf(path) > rankOf(own),
  judge,
  prepare: placeArtifacts,
}

function place(handoff: Handoff): string | undefined {
  const id = aliasOf(handoff, 'queue')
  // A draft is nobody's work yet; gates, escalations and returns are not in the document.
  const isHere = handoff.type === 'sequential' || handoff.type === 'delegation'
  return isHere && handoff.state !== 'draft' ? handoffFile(id, queueStatus(handoff)) : undefined
}

function extras(about: About): readonly Extra[] {
  const artifacts = registry(about)
  return [phaseStatus(about), ...(artifacts ? [artifacts] : [])]
}

function beside(tree: Tree): readonly string[] {
  return [ARTIFACTS, ...phasesIn(tree.names(ARTIFACTS)).map((phase) => `${ARTIFACTS}/${phase}`)]
}

const rankOf = (path: string): number =>
  ORDER.findIndex((status) => path.startsWith(`handoffs/${FOLDER_OF[status]}/`))

function read(text: string, path: string, recent?: RecentTexts): Says {
  const [document] = readDocuments(text, { path, recent })
  const error = document?.source.diagnostics.find(({ severity }) => severity === 'error')
  if (error) return { is: 'unreadable', reason: `line ${error.line}: ${error.message}` }
  if (document?.dialect !== 'queue' || !document.draft)
    return { is: 'unreadable', reason: 'it is not a queue handoff; see: baton check' }
  const unsafe = document.diagnostics.find(({ code }) => code === 'unsafe_name')
  if (unsafe) return { is: 'unreadable', reason: unsafe.message }
  const { uid: _, ...draft } = document.draft
  const isEnd = draft.state === 'completed' || draft.state === 'failed'
  const isMoved = document.diagnostics.some(({ code }) => code === 'status_folder_mismatch')
  return {
    is: 'handoff',
    draft,
    ...markIn('queue', document.source.value),
    // Document 001's own code moves the file and writes the answer into it then.
    ...(isMoved && { isHalf: isEnd, isBehind: true }),
  }
}
