import { fieldDifferences } from '../dialects/difference.ts'
import type { Draft } from '../dialects/index.ts'
import { folderFor, INDEX_PATH } from '../dialects/markdown/home.ts'
import { type IndexEntry, parseIndex, printIndex } from '../dialects/markdown/index-file.ts'
import { isHandoffName } from '../dialects/markdown/is-handoff.ts'
import { handoffId } from '../dialects/markdown/names.ts'
import { statusFor } from '../dialects/markdown/status.ts'
import { sourcesOf } from '../dialects/text/sources.ts'
import { seconds } from '../dialects/text/time.ts'
import type { Answers } from './answers.ts'
import { type Candidate, candidatesOf, isOldPlace, type Question } from './candidate.ts'
import { byPath, type LeftAlone, OTHER_REPOSITORY, type Scan } from './scan.ts'
import { type Converted, converted } from './to-v2.ts'

export { INDEX_PATH }

/** A handoff that goes to its place, newly written where it is of version 1. */
export interface Move {
  readonly from: string
  readonly to: string
  readonly id: string
  readonly status: string
  /** Notes for the reader: words that were interpreted, keys that version 2 wants and the file lacks. */
  readonly notes: readonly string[]
  readonly before: string
  readonly after: string
}

/** An older copy of a handoff. */
export interface Duplicate {
  readonly path: string
  /** The path of the newest copy, after the migration. */
  readonly kept: string
  /** Fields that say something else than the one that is kept. */
  readonly differs: readonly string[]
  readonly before: string
}

export interface Undecided {
  readonly name: string
  readonly paths: readonly string[]
  readonly questions: readonly Question[]
}

export interface MigrationPlan extends Pick<Scan, 'root' | 'left' | 'drafts'> {
  readonly seen: {
    readonly folders: number
    readonly files: number
    readonly documents: number
    readonly handoffs: number
    /** Of version 2 and in their places. */
    readonly settled: number
  }
  readonly moves: readonly Move[]
  readonly duplicates: readonly Duplicate[]
  readonly undecided: readonly Undecided[]
  /** Absent where it says what the files say. */
  readonly index?: { readonly before: string | undefined; readonly after: string }
}

export interface PlanOptions {
  readonly now: string
  readonly answers?: Answers
  /** `_handoffs/_index.yaml` as it is. */
  readonly index: string | undefined
}

/** The steps of a migration. Decides nothing that the files leave open, and touches nothing. */
export function planMigration(found: Scan, { now, answers = new Map(), index }: PlanOptions): MigrationPlan {
  const answerFor = (names: readonly string[]) =>
    names.map((name) => answers.get(name)).find((answer) => answer !== undefined) ?? {}
  const candidates = found.documents.flatMap((file) => candidatesOf(file, answerFor))
  const { moves, duplicates, kept, open } = settle(candidates, found)
  const entries = [...kept.map(({ draft }) => draft), ...moves.map(({ written }) => written.draft)]
  const after = indexText(entries, index, now)
  return {
    root: found.root,
    seen: {
      folders: found.folders,
      files: found.files,
      documents: found.documents.length,
      handoffs: candidates.length,
      settled: kept.length,
    },
    moves: moves.map(({ written, ...move }) => ({ ...move, after: written.text })),
    duplicates,
    undecided: undecidedOf(open),
    left: found.left.filter(isOfConcern),
    drafts: found.drafts,
    ...(after !== index &&
      (entries.length > 0 || index !== undefined) && { index: { before: index, after } }),
  }
}

/** A picture or a page that cannot be read does not matter here. */
const isOfConcern = ({ path, why }: LeftAlone): boolean =>
  why === OTHER_REPOSITORY || isHandoffName(path) || isOldPlace(path)

type Moving = Omit<Move, 'after'> & { readonly written: Converted }

/** A file with several handoffs goes as a whole or stays as a whole. */
function settle(candidates: readonly Candidate[], found: Scan): ReturnType<typeof decide> {
  const decision = decide(candidates, found)
  const openIn = new Map(decision.open.map((each) => [each.file.path, each]))
  const halves = candidates.filter(
    (each) => each.isRow && each.questions.length === 0 && openIn.has(each.file.path),
  )
  if (halves.length === 0) return decision
  const waits = new Set(halves)
  return settle(
    candidates.map((each) => (waits.has(each) ? waiting(each, openIn.get(each.file.path)!) : each)),
    found,
  )
}

function decide(candidates: readonly Candidate[], found: Scan) {
  const moves: Moving[] = []
  const duplicates: Duplicate[] = []
  const kept: Candidate[] = []
  const groups = Map.groupBy(candidates, ({ key }) => key)
  const open = [...(groups.get(undefined) ?? [])]
  groups.delete(undefined)
  const taken = new Set(found.documents.map(({ path }) => path))
  for (const group of groups.values()) {
    const [newest, ...older] = group.toSorted(newestFirst) as [Candidate, ...Candidate[]]
    // An older copy must not be taken for the handoff while nobody knows what the newest says.
    if (newest.questions.length > 0) {
      open.push(newest)
      leave(older, newest)
      continue
    }
    open.push(...older.filter(({ questions }) => questions.length > 0))
    const losers = older.filter(({ questions }) => questions.length === 0)
    const move = newest.settled ? undefined : moveOf(newest)
    if (
      move &&
      move.to !== move.from &&
      taken.has(move.to) &&
      !losers.some((each) => each.file.path === move.to)
    ) {
      const message = `its place ${move.to} is taken by another file; look at both and remove one`
      open.push({ ...newest, questions: [{ field: 'file', message }] })
      leave(losers, newest)
      continue
    }
    if (move) moves.push(move)
    else kept.push(newest)
    taken.add(move?.to ?? newest.file.path)
    for (const loser of losers) duplicates.push(duplicateOf(loser, newest, move?.to ?? newest.file.path))
  }
  return { moves, duplicates: duplicates.sort(byPath), kept, open }

  function leave(others: readonly Candidate[], newest: Candidate): void {
    for (const each of others)
      if (each.settled && each.questions.length === 0) kept.push(each)
      else open.push(waiting(each, newest))
  }
}

/** By what a document says of its last change; what is in its place stays there when that decides nothing. */
const newestFirst = (a: Candidate, b: Candidate): number =>
  lastChange(b.draft) - lastChange(a.draft) ||
  Number(b.settled) - Number(a.settled) ||
  Number(a.isRow) - Number(b.isRow) ||
  b.file.modified - a.file.modified ||
  byPath(a.file, b.file)

const lastChange = ({ updated_at, ended_at, accepted_at, created_at }: Draft): number =>
  Date.parse(updated_at ?? ended_at ?? accepted_at ?? created_at ?? '') || 0

function moveOf(candidate: Candidate): Moving {
  const { file, draft, native } = candidate
  const { from, to, task, created_at } = draft
  const id = native
    ? draft.id!
    : handoffId({ from: from!, to: to!, task: task!, created_at: seconds(created_at!) })
  const written = native ? { text: file.text, draft, notes: [] } : converted(candidate, id)
  return {
    from: file.path,
    to: `${folderFor(draft)}/${id}.md`,
    id,
    status: statusFor(draft.state!),
    notes: [...statusNote(candidate), ...candidate.notes, ...written.notes],
    before: file.text,
    written,
  }
}

/** A word that was understood may have been misunderstood. */
const statusNote = ({ status, draft }: Candidate): string[] =>
  status === undefined
    ? []
    : [`the status was ${JSON.stringify(status)}, taken for ${statusFor(draft.state!)}`]

const OWN_FIELDS: ReadonlySet<string> = new Set(['id', 'body', 'extra', 'supersedes'])

function duplicateOf({ file, draft }: Candidate, newest: Candidate, kept: string): Duplicate {
  const differs = fieldDifferences(draft, newest.draft)
    .filter(({ path, before }) => !OWN_FIELDS.has(String(path[0])) && before !== undefined)
    .map(({ path }) => path.join('.'))
  return { path: file.path, kept, differs, before: file.text }
}

const waiting = (candidate: Candidate, newest: Candidate): Candidate => ({
  ...candidate,
  questions: [...candidate.questions, { field: 'file', message: `${newest.name} has to be decided first` }],
})

/** Copies of one file are one question. */
function undecidedOf(open: readonly Candidate[]): readonly Undecided[] {
  const groups = Map.groupBy(open, ({ name, questions }) => JSON.stringify([name, questions]))
  return [...groups.values()]
    .map((group) => ({
      name: group[0]!.name,
      paths: group.map(({ file }) => file.path).sort(),
      questions: group[0]!.questions,
    }))
    .sort((a, b) => (a.paths[0]! < b.paths[0]! ? -1 : 1))
}

/** The index of what will be there; the time in it changes only together with the rest. */
function indexText(drafts: readonly Draft[], present: string | undefined, now: string): string {
  const entries = drafts.map(indexEntry)
  const [source] = present === undefined ? [] : sourcesOf(present, { path: INDEX_PATH })
  const before = source && parseIndex(source).last_updated
  if (before !== undefined && printIndex(entries, { now: before }) === present) return present!
  return printIndex(entries, { now })
}

const indexEntry = ({ id, from, to, task, state, created_at, ended_at }: Draft): IndexEntry => ({
  id: id!,
  from: from!,
  to: to!,
  task,
  status: statusFor(state!),
  created_at,
  completed_at: ended_at,
})
