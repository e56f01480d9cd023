import * as z from 'zod'
import type { Draft } from '../../dialects/draft.ts'
import type { State } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import { type RecordInput, recordFields, type TaskUpdate } from '../../domain/tasks/inputs.ts'
import type { WritebackStatus } from '../../domain/tasks/writeback.ts'
import { describeIssues } from '../../domain/texts/issue-words.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { Tasks } from '../tasks/tasks.ts'
import { Together } from '../together.ts'
import { refuse } from '../write.ts'
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
  readonly task: string
  readonly record?: string | undefined
}

/**
 * Takes a `task_update` or a `thought_record` in by the commands that it stands for, as one unit: a task that is
 * unknown is added, and done without a record is refused with the engine's own sentence.
 */
export async function makeRecord(deps: ServiceDeps, { actor }: Call, piece: Piece): Promise<Recorded> {
  const { draft } = piece.document
  const id = draft && taskOf(draft)
  if (!draft || id === undefined)
    return refuse(
      'invalid_input',
      'it does not say which task it is about; name it as task_id, for example P0.1.1',
    )
  const tasks = new Tasks(deps)
  const together = new Together(deps.store)
  const call = { actor, together }
  const known = await deps.store.task(id)
  const at = deps.now().toISOString()
  let record: string | undefined
  const said = piece.document.form === 'thought_record' ? recordOf(draft, actor.name) : undefined
  const written = async (): Promise<void> => {
    if (!said) await tasks.update(call, id, updateOf(draft))
    else if (draft.state !== 'completed' || known?.task.status === 'done')
      record = (await tasks.record(call, id, said)).uid
    else {
      const { status: _, ...work } = said
      record = (await tasks.complete(call, id, { ...work, progress: draft.progress })).task.record_id
    }
  }
  await together.run([
    ...(known ? [] : [() => tasks.create(call, { id, title: draft.title ?? id })]),
    written,
    () =>
      together.transact({
        reads: {},
        at,
        decide: (view) => {
          const step: Step = { deps, view, actor, at }
          const claimed_author =
            draft.from === undefined || draft.from === actor.name ? undefined : draft.from
          const { uid } = view.task(id)!.task
          keepSource(step, piece, { stream: uid, description: id, ...present({ claimed_author }) })
        },
      }),
  ])
  return { task: id, record }
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
