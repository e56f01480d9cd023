import { BatonError } from '../../domain/errors.ts'
import { present } from '../../domain/present.ts'
import type { NewTask, RecordInput, TaskUpdate } from '../../domain/tasks/inputs.ts'
import type { Task, ThoughtRecord } from '../../domain/tasks/task.ts'
import { isWrittenBack, WRITEBACK_REQUIRED } from '../../domain/tasks/writeback.ts'
import { doneProgressProblem, isReinstating } from '../../domain/tasks/writeback-rules.ts'
import type { Page, PageRequest, TaskFilter, TaskRow, View } from '../../storage/store.ts'
import { type AgentKey, signerOf, signRecord } from '../agents/signature.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import type { Step } from '../handoffs/moves.ts'
import { enter, withClaim } from '../log-record.ts'
import { must } from '../lookup.ts'
import { refuseShut, workOn } from '../people/shut-gates.ts'
import { refuse, UseCases, write } from '../write.ts'
import { putTask } from './task-follow.ts'
import {
  asAsker,
  demandPm,
  demandRelated,
  escalationOf,
  held,
  loggedOf,
  mayMove,
  orWritebackFailed,
  refuseHeld,
  saysTheSame,
  type Writing,
} from './writeback.ts'

/** The work itself: tasks, their order, and the records without which none is done. */
export class Tasks extends UseCases {
  create(call: Call, input: NewTask): Promise<TaskRow> {
    const { id, depends_on } = input
    const decide = (step: Step) => {
      if (step.view.task(id))
        refuse('conflict', `task ${id} exists already; change it with: baton task update ${id}`, { id })
      return newTask(step, input)
    }
    return changeTask(this.deps, call, 'task_create', input, decide, depends_on)
  }

  async get(id: string): Promise<{ readonly row: TaskRow; readonly blocked_by: readonly string[] }> {
    const row = await this.deps.store.task(id)
    if (!row) refuseNoTask(id)
    const dependencies = await Promise.all(row.task.depends_on.map((dep) => this.deps.store.task(dep)))
    return {
      row: await this.#withCritical(row),
      blocked_by: dependencies.flatMap((dep) => (dep && dep.task.status !== 'done' ? [dep.task.id] : [])),
    }
  }

  /** The task that begins the longest chain is critical where none is flagged. */
  async #withCritical(row: TaskRow): Promise<TaskRow> {
    const head = await this.deps.store.longestChain()
    return head?.task.uid === row.task.uid ? { ...row, task: { ...row.task, critical: true } } : row
  }

  list(filter: TaskFilter, page: PageRequest): Promise<Page<TaskRow>> {
    return this.deps.store.tasks(filter, page)
  }

  /** Tasks that this agent can start now; see `next-tasks.ts`. */
  async next(limit: number, agent?: string): Promise<readonly TaskRow[]> {
    const { nextTasks } = await import('./next-tasks.ts')
    return nextTasks(this.deps, limit, agent)
  }

  /** Document 003's update. Done needs a record of the present work period, whatever path leads here. */
  update(call: Call, id: string, input: TaskUpdate): Promise<TaskRow> {
    const updated = asAsker(this.deps, call, id, (isAsker) =>
      changeTask(this.deps, call, 'task_update', { id, ...input }, (step) =>
        updateTask({ ...step, isAsker }, mustTask(step.view, id).task, input),
      ),
    )
    return input.status === 'done' ? orWritebackFailed(escalationOf(id, {}), updated) : updated
  }

  /** Claims a task: exactly one of many callers gets it. */
  async start(call: Call, id: string): Promise<TaskRow> {
    const started = await changeTask(this.deps, call, 'task_start', { id }, (step) => {
      const { task } = mustTask(step.view, id)
      if (task.status === 'done')
        refuse('wrong_state', `${id} is done; see its record with: baton task get ${id}`, { id })
      refuseOthers(step, task)
      if (task.status !== 'in_progress') return putTask(step, claimed(step, task), 'task.start')
      if (task.owner === step.actor.name && task.instance === step.actor.instance) return task
      return refuseHeld(task)
    })
    return this.#withCritical(started)
  }

  /** Document 003's record. The completion shape counts for done, the reinstatement shape opens the task again. */
  async record(call: Call, id: string, input: RecordInput): Promise<ThoughtRecord> {
    const deps = this.deps
    const uid = deps.newUid()
    const recorded = async (isAsker: boolean) => {
      await demandRelated(deps, input.related_thought_records)
      const key = await signerOf(deps, call.actor.name)
      return write(deps, call, {
        op: 'thought_record',
        input: { id, ...input },
        reads: { tasks: [id], agents: [call.actor.name] },
        decide: (step) => {
          demandPm(step, input.on_behalf_of)
          return addRecord({ ...step, key, isAsker }, uid, mustTask(step.view, id).task, input).record
        },
        reload: (subject) => deps.store.record(subject),
      })
    }
    return orWritebackFailed(escalationOf(id, input), asAsker(deps, call, id, recorded))
  }

  /** Record and done in one: neither without the other. The same call again answers what the first one did. */
  complete(
    call: Call,
    id: string,
    input: RecordInput & { readonly progress?: number | undefined },
  ): Promise<TaskRow> {
    const { progress, ...record } = input
    const uid = this.deps.newUid()
    const completed = async (isAsker: boolean) => {
      await demandRelated(this.deps, input.related_thought_records)
      const key = await signerOf(this.deps, call.actor.name)
      return changeTask(this.deps, call, 'task_complete', { id, ...input }, (step) => {
        demandPm(step, input.on_behalf_of)
        const before = mustTask(step.view, id).task
        const more = `add what you know with: baton thought record ${id}`
        const again = `open it again with: baton thought record ${id} --status todo -m "…"`
        if (before.status === 'done')
          refuse('wrong_state', `${id} is done already; ${more}, or ${again}`, {
            id,
            record: before.record_id,
          })
        const { task } = addRecord({ ...step, key, isAsker }, uid, before, record)
        return finishTask({ ...step, isAsker }, task, { progress, notes: input.notes })
      })
    }
    return orWritebackFailed(
      escalationOf(id, record),
      asAsker(this.deps, call, id, completed).catch((error) => this.#completedBefore(error, call, record)),
    )
  }

  async #completedBefore(error: unknown, call: Call, input: RecordInput): Promise<TaskRow> {
    const { id, record: uid } = error instanceof BatonError ? error.details : {}
    if (typeof id !== 'string' || typeof uid !== 'string') throw error
    const [row, record] = await Promise.all([this.deps.store.task(id), this.deps.store.record(uid)])
    if (row?.task.status === 'done' && record && saysTheSame(record, call, input)) return row
    throw error
  }

  /** The newest records of one task or of the project, in the order of writing. */
  latest(limit: number, id?: string): Promise<readonly ThoughtRecord[]> {
    return id === undefined ? this.deps.store.latestRecords(limit) : this.deps.store.records(id, limit)
  }

  records(id: string, limit: number): Promise<readonly ThoughtRecord[]> {
    return this.deps.store.records(id, limit)
  }
}

/** One change of a task, which its unit has read. Nothing is done past a shut gate of the work on it. */
export async function changeTask(
  deps: ServiceDeps,
  call: Call,
  op: string,
  input: { readonly id: string; readonly status?: string | undefined; readonly reason?: string },
  decide: (step: Step) => Task,
  others: readonly string[] = [],
): Promise<TaskRow> {
  const { id } = input
  const work = op === 'task_complete' || input.status === 'done' ? await workOn(deps, id) : []
  return write<TaskRow>(deps, call, {
    op,
    input,
    reads: { tasks: [id, ...others], agents: [call.actor.name], handoffs: work },
    decide: (step) => {
      const { view } = step
      const wasDone = view.task(id)?.task.status === 'done'
      const task = decide(step)
      if (task.status === 'done' && !wasDone)
        for (const uid of work) refuseShut(step, must(view, uid), 'completed')
      return { task, open_deps: view.task(id)?.open_deps ?? 0 }
    },
    subject: ({ task }) => task,
    reload: (uid) => deps.store.task(uid),
  })
}

export function refuseNoTask(id: string): never {
  refuse('not_found', `there is no task ${id}; see what is there with: baton task list`, { id })
}

const mustTask = (view: View, id: string): TaskRow =>
  view.task(id) ??
  refuse('not_found', `there is no task ${id}; create it with: baton task create ${id} --title "…"`, { id })

/** Dependencies must be there before the task that needs them, so a circle cannot come about. */
export function newTask(step: Step, input: NewTask): Task {
  const { view, at, actor, deps } = step
  const dependencies = [...new Set(input.depends_on ?? [])].map((id) => {
    if (id === input.id)
      refuse('invalid_input', `${id} cannot depend on itself: ${id} → ${id}`, { cycle: [id, id] })
    const row = view.task(id)
    if (!row)
      refuse('not_found', `${input.id} depends on ${id}, which does not exist; create it first`, { id })
    return row.task
  })
  const uid = deps.newUid()
  const fields = withClaim(actor, { title: input.title })
  const about = { k: 'task' as const, id: input.id, subject: uid, stream: uid }
  const seq = enter(step, 'task.create', { ...about, record: { to: 'todo' }, fields })
  const task: Task = {
    uid,
    id: input.id,
    rev: 1,
    title: input.title,
    status: input.owner === undefined ? 'todo' : 'assigned',
    ...present({ owner: input.owner }),
    progress: 0,
    priority: input.priority ?? 'normal',
    critical: input.critical ?? false,
    level: dependencies.reduce((level, dep) => Math.max(level, dep.level + 1), 0),
    depends_on: dependencies.map((dep) => dep.id),
    criteria: [...(input.criteria ?? [])],
    created_at: at,
    updated_at: at,
    period_seq: seq,
  }
  view.putTask(task, {
    depends_on: dependencies.map((dep) => dep.uid),
    open_deps: dependencies.filter((dep) => dep.status !== 'done').length,
  })
  return task
}

/** Document 003's update within a unit that has read the task. */
function updateTask(step: Writing, task: Task, input: TaskUpdate): Task {
  if (input.status === 'done') return finishTask(step, task, input)
  const { id, status } = task
  const { progress, notes } = input
  if (status === 'done' && input.status !== undefined)
    refuse('wrong_state', `${id} is done; only a reinstatement record opens it again`, { id, status })
  // To say nothing asks whether one may: there is nothing to write down.
  if (Object.values(input).every((value) => value === undefined)) return held(step, task)
  const next = input.status === undefined ? held(step, task) : moved(step, task, input.status)
  return putTask(step, { ...next, ...present({ progress, notes }) }, 'task.update', { fields: { notes } })
}

/** To say that a task is in progress is to claim it; to say todo is to give it back. */
function moved(step: Step, task: Task, status: 'todo' | 'in_progress'): Task {
  if (task.status === 'in_progress' && !mayMove(step, task, status)) refuseHeld(task)
  refuseOthers(step, task)
  if (status === 'in_progress') return task.status === status ? task : claimed(step, task)
  const { owner: _, instance: __, ...rest } = task
  return { ...rest, status }
}

/** An assigned task waits for its owner, as in `next`. */
function refuseOthers(step: Step, task: Task): void {
  if (task.status === 'assigned' && task.owner !== undefined && !mayMove(step, task, 'in_progress'))
    refuseHeld(task)
}

/** The task as its claimant holds it. One that waits for others cannot be begun. */
function claimed({ view, actor }: Step, task: Task): Task {
  const { instance: _, ...rest } = task
  const { id } = task
  const open_deps = view.task(id)?.open_deps ?? 0
  const others = `${open_deps} other ${open_deps === 1 ? 'task' : 'tasks'}`
  if (open_deps > 0)
    refuse('wrong_state', `${id} waits for ${others}; see: baton task get ${id}`, { id, open_deps })
  return { ...rest, status: 'in_progress', owner: actor.name, ...present({ instance: actor.instance }) }
}

function finishTask(step: Writing, task: Task, input: TaskUpdate): Task {
  const wrong = input.progress === undefined ? undefined : doneProgressProblem(input.progress)
  if (wrong) refuse('invalid_input', wrong.message, { progress: input.progress })
  if (task.status === 'done') return task
  if (!isWrittenBack(task)) refuse('unmet', WRITEBACK_REQUIRED, { id: task.id, missing: 'thought_record' })
  held(step, task)
  const { notes } = input
  const finished: Task = { ...task, status: 'done', progress: 100, ...present({ notes }) }
  const done = putTask(step, finished, 'task.done', { fields: { notes } })
  step.view.shiftDependents(task.uid, -1)
  return done
}

/** Document 003's record within a unit that has read the task; signed where its author's key is here. */
function addRecord(
  step: Writing & { readonly key?: AgentKey | undefined },
  uid: string,
  task: Task,
  input: RecordInput,
): { record: ThoughtRecord; task: Task } {
  const { view, at, actor } = step
  held(step, task)
  const reinstates = isReinstating(input)
  const said: ThoughtRecord = {
    uid,
    task_id: task.id,
    shape: reinstates ? 'reinstatement' : 'completion',
    by: actor.name,
    ...present({
      on_behalf_of: input.on_behalf_of,
      branch: input.branch,
      commit_sha: input.commit_sha?.toLowerCase(),
    }),
    tests_run: [...(input.tests_run ?? [])],
    summary: input.summary ?? '',
    blockers: [...(input.blockers ?? [])],
    files_changed: [...(input.files_changed ?? [])],
    related_thought_records: [...(input.related_thought_records ?? [])],
    ...present({ status: input.status, notes: input.notes }),
    created_at: at,
  }
  const { signed, kid, envelope } = signRecord(step, said)
  const record: ThoughtRecord = { ...said, ...present({ signed }) }
  view.addRecord(record)
  const reopened: Task = reinstates && task.status === 'done' ? reopen(task) : task
  const next = putTask(step, reopened, reinstates ? 'task.reinstate' : 'thought_record', {
    fields: { ...loggedOf(record), envelope },
    kid,
    progress: true,
  })
  if (reopened !== task) view.shiftDependents(task.uid, 1)
  const seq = view.stream(task.uid)?.seq ?? 0
  const counted = { ...next, ...(reinstates ? { period_seq: seq } : { record_seq: seq, record_id: uid }) }
  view.putTask(counted)
  return { record, task: counted }
}

function reopen(task: Task): Task {
  const { owner: _, instance: __, done_at: ___, ...rest } = task
  return { ...rest, status: 'todo', progress: 0 }
}
