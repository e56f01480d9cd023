import * as z from 'zod'
import type { Draft } from '../../dialects/draft.ts'
import type { State } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import { type RecordInput, recordFields, type TaskUpdate } from '../../domain/tasks/inputs.ts'
import type { WritebackStatus } from '../../domain/tasks/writeback.ts'
import { describeIssues } from '../../domain/texts/issue-words.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { addRecord, newTask, updateTask } from '../tasks/tasks.ts'
import { demandPm } from '../tasks/writeback.ts'
import { refuse, write } from '../write.ts'
import { taskOf } from './handoff.ts'
import type { Piece } from './identity.ts'
import { keepSource } from './imported-handoff.ts'

/** Document 003's words for where a task is. */
const STATUS: Readonly<Partial<Record<State, WritebackStatus>>> = {
  draft: 'todo',
  offered: 'todo',
  accepted: 'in_progress',
  in_progress: 'in_progress',
  blocked: 'in_progress',
  completed: 'done',
}

interface Recorded {
  readonly uid: string
  readonly rev: number
  readonly task: string
  readonly record?: string
}

/**
 * Takes a `task_update` or a `thought_record` in, as if its author had called: a task that is unknown is added,
 * and done without a record is refused with the engine's own sentence. Nothing of a refused document stays.
 */
export async function makeRecord(deps: ServiceDeps, call: Call, piece: Piece): Promise<Recorded> {
  const { draft } = piece.document
  const id = draft && taskOf(draft)
  if (!draft || id === undefined)
    return refuse(
      'invalid_input',
      'it does not say which task it is about; name it as task_id, for example P0.1.1',
    )
  const isRecord = piece.document.form === 'thought_record'
  const said = isRecord ? recordOf(draft, call.actor.name) : undefined
  const recordUid = deps.newUid()
  return write<Recorded>(deps, call, {
    op: 'document_import',
    input: { sha256: piece.sha256 },
    reads: { tasks: [id], agents: [call.actor.name] },
    decide: (view, at) => {
      const step: Step = { deps, view, actor: call.actor, at }
      if (said) demandPm(step, said.on_behalf_of)
      const task = view.task(id)?.task ?? newTask(step, { id, title: draft.title ?? id })
      const recorded = said ? addRecord(step, recordUid, task, said).task : task
      const after =
        isRecord && draft.state !== 'completed' ? recorded : updateTask(step, recorded, updateOf(draft))
      keepSource(step, piece, { stream: after.uid, description: id })
      return { uid: after.uid, rev: after.rev, task: id, ...(isRecord && { record: recordUid }) }
    },
    reload: async (uid) => {
      const row = await deps.store.task(uid)
      return row && { uid, rev: row.task.rev, task: row.task.id }
    },
  })
}

/** A record from a document is as long as one from a call may be. */
function recordOf({ record = {}, from }: Draft, caller: string): RecordInput {
  const input = {
    ...record,
    blockers: record.blockers?.map((each) => (typeof each === 'string' ? { description: each } : each)),
    ...(from !== undefined && from !== caller && { on_behalf_of: from }),
  }
  const { error } = z.object(recordFields()).safeParse(input)
  return error ? refuse('invalid_input', describeIssues(error.issues)) : input
}

function updateOf({ state, progress, record }: Draft): TaskUpdate {
  const status = state === undefined ? undefined : STATUS[state]
  return present({ status, progress, notes: record?.notes?.slice(0, 4_000) })
}
