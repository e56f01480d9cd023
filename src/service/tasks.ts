import type { Priority } from '../domain/handoff.ts'
import type { Task, TaskState, ThoughtRecord } from '../domain/task.ts'
import { WRITEBACK_REQUIRED } from '../domain/writeback.ts'
import type { Page, PageRequest, TaskFilter, TaskRow, View } from '../storage/store.ts'
import type { Call, ServiceDeps } from './deps.ts'
import type { Step } from './moves.ts'
import { putTask } from './task-follow.ts'
import { refuse, write } from './write.ts'

export interface NewTask {
  readonly id: string
  readonly title: string
  readonly depends_on?: readonly string[] | undefined
  readonly priority?: Priority | undefined
  readonly critical?: boolean | undefined
  readonly criteria?: readonly string[] | undefined
  readonly owner?: string | undefined
}

export interface TaskUpdate {
  readonly status?: TaskState | undefined
  readonly progress?: number | undefined
  readonly notes?: string | undefined
}

export interface RecordInput {
  readonly branch?: string | undefined
  readonly commit_sha?: string | undefined
  readonly tests_run?: readonly string[] | undefined
  readonly summary?: string | undefined
  readonly blockers?: readonly Readonly<Record<string, unknown>>[] | undefined
  readonly files_changed?: readonly string[] | undefined
  readonly related_thought_records?: readonly string[] | undefined
  readonly status?: string | undefined
  readonly notes?: string | undefined
  readonly on_behalf_of?: string | undefined
}

/** The work itself: tasks, their order, and the records without which none is done. */
export class Tasks {
  readonly #deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  create(call: Call, input: NewTask): Promise<TaskRow> {
    return this.#change(call, 'task_create', input, [input.id, ...(input.depends_on ?? [])], (step) => {
      if (step.view.task(input.id))
        refuse('conflict', `task ${input.id} exists already; change it with: baton task update ${input.id}`, {
          id: input.id,
        })
      return newTask(step, input)
    })
  }

  async get(id: string): Promise<{ readonly row: TaskRow; readonly blocked_by: readonly string[] }> {
    const row = await this.#deps.store.task(id)
    if (!row) refuse('not_found', `there is no task ${id}; see what is there with: baton task list`, { id })
    const dependencies = await Promise.all(row.task.depends_on.map((dep) => this.#deps.store.task(dep)))
    return {
      row,
      blocked_by: dependencies.flatMap((dep) => (dep && dep.task.status !== 'done' ? [dep.task.id] : [])),
    }
  }

  list(filter: TaskFilter, page: PageRequest): Promise<Page<TaskRow>> {
    return this.#deps.store.tasks(filter, page)
  }

  /** What can be started now: critical first, then in the order of dependencies. */
  next(limit: number): Promise<readonly TaskRow[]> {
    return this.#deps.store.nextTasks(limit)
  }

  /** Document 003's update. Done needs a record of the present work period, whatever path leads here. */
  update(call: Call, id: string, input: TaskUpdate): Promise<TaskRow> {
    return this.#change(call, 'task_update', { id, ...input }, [id], (step) => {
      const { task } = mustTask(step.view, id)
      if (input.status === 'done') return finishTask(step, task, input)
      if (task.status === 'done' && input.status !== undefined)
        refuse('wrong_state', `${id} is done; only a reinstatement record opens it again`, {
          id,
          status: task.status,
        })
      return putTask(
        step,
        {
          ...task,
          ...(input.status !== undefined && { status: input.status }),
          ...(input.status === 'in_progress' && task.owner === undefined && { owner: step.actor.name }),
          ...(input.progress !== undefined && { progress: input.progress }),
          ...(input.notes !== undefined && { notes: input.notes }),
        },
        'task.update',
        { fields: { notes: input.notes } },
      )
    })
  }

  /** Claims a task: exactly one of many callers gets it. */
  start(call: Call, id: string): Promise<TaskRow> {
    return this.#change(call, 'task_start', { id }, [id], (step) => {
      const { task, open_deps } = mustTask(step.view, id)
      const { actor } = step
      if (task.status === 'in_progress') {
        if (task.owner === actor.name && task.instance === actor.instance) return task
        refuse('conflict', `${id} already belongs to ${task.owner}; pick another with: baton next`, {
          id,
          owner: task.owner,
        })
      }
      if (task.status === 'done') refuse('wrong_state', `${id} is done`, { id })
      if (open_deps > 0)
        refuse(
          'wrong_state',
          `${id} waits for ${open_deps} other ${open_deps === 1 ? 'task' : 'tasks'}; see: baton task get ${id}`,
          { id, open_deps },
        )
      const { instance: _, ...rest } = task
      return putTask(
        step,
        {
          ...rest,
          status: 'in_progress',
          owner: actor.name,
          ...(actor.instance !== undefined && { instance: actor.instance }),
        },
        'task.start',
      )
    })
  }

  /** Document 003's record. The completion shape counts for done, the reinstatement shape opens the task again. */
  record(call: Call, id: string, input: RecordInput): Promise<ThoughtRecord> {
    const deps = this.#deps
    const uid = deps.newUid()
    return write(deps, call, {
      op: 'thought_record',
      input: { id, ...input },
      reads: { tasks: [id] },
      decide: (view, at) =>
        addRecord({ deps, view, actor: call.actor, at }, uid, mustTask(view, id).task, input).record,
      subject: (record) => ({ uid: record.uid, rev: 1 }),
      reload: (subject) => deps.store.record(subject),
    })
  }

  /** Record and done in one: neither without the other. */
  complete(
    call: Call,
    id: string,
    input: RecordInput & { readonly progress?: number | undefined },
  ): Promise<TaskRow> {
    const uid = this.#deps.newUid()
    return this.#change(call, 'task_complete', { id, ...input }, [id], (step) => {
      const { progress, ...record } = input
      const { task } = addRecord(step, uid, mustTask(step.view, id).task, record)
      return finishTask(step, task, { progress, notes: input.notes })
    })
  }

  records(id: string, limit: number): Promise<readonly ThoughtRecord[]> {
    return this.#deps.store.records(id, limit)
  }

  async #change(
    call: Call,
    op: string,
    input: unknown,
    ids: readonly string[],
    decide: (step: Step) => Task,
  ): Promise<TaskRow> {
    const deps = this.#deps
    return write<TaskRow>(deps, call, {
      op,
      input,
      reads: { tasks: ids },
      decide: (view, at) => {
        const task = decide({ deps, view, actor: call.actor, at })
        return { task, open_deps: view.task(task.id)?.open_deps ?? 0 }
      },
      subject: ({ task }) => task,
      reload: (uid) => deps.store.task(uid),
    })
  }
}

function mustTask(view: View, id: string): TaskRow {
  const row = view.task(id)
  if (!row) refuse('not_found', `there is no task ${id}; create it with: baton task create ${id}`, { id })
  return row
}

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
  const seq = view.append({
    stream: uid,
    subject: uid,
    record: {
      act: 'task.create',
      actor: { id: actor.name },
      auth: actor.auth,
      sub: { id: input.id, k: 'task', rev: 1 },
      to: 'todo',
      ts: at,
    },
    fields: { title: input.title },
  })
  const task: Task = {
    uid,
    id: input.id,
    rev: 1,
    title: input.title,
    status: input.owner === undefined ? 'todo' : 'assigned',
    ...(input.owner !== undefined && { owner: input.owner }),
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

function finishTask(step: Step, task: Task, input: TaskUpdate): Task {
  if (input.progress !== undefined && input.progress !== 100)
    refuse('invalid_input', 'a task that is done has progress 100', { progress: input.progress })
  if (task.status === 'done') return task
  if (task.record_seq === undefined || task.record_seq <= task.period_seq)
    refuse('unmet', WRITEBACK_REQUIRED, { id: task.id, missing: 'thought_record' })
  const done = putTask(
    step,
    { ...task, status: 'done', progress: 100, ...(input.notes !== undefined && { notes: input.notes }) },
    'task.done',
    { fields: { notes: input.notes } },
  )
  step.view.shiftDependents(task.uid, -1)
  return done
}

function addRecord(
  step: Step,
  uid: string,
  task: Task,
  input: RecordInput,
): { record: ThoughtRecord; task: Task } {
  const { view, at, actor } = step
  const reinstates = input.status === 'todo' && input.commit_sha === undefined
  const record: ThoughtRecord = {
    uid,
    task_id: task.id,
    shape: reinstates ? 'reinstatement' : 'completion',
    by: actor.name,
    ...(input.on_behalf_of !== undefined && { on_behalf_of: input.on_behalf_of }),
    ...(input.branch !== undefined && { branch: input.branch }),
    ...(input.commit_sha !== undefined && { commit_sha: input.commit_sha.toLowerCase() }),
    tests_run: [...(input.tests_run ?? [])],
    summary: input.summary ?? '',
    blockers: [...(input.blockers ?? [])],
    files_changed: [...(input.files_changed ?? [])],
    related_thought_records: [...(input.related_thought_records ?? [])],
    ...(input.status !== undefined && { status: input.status }),
    ...(input.notes !== undefined && { notes: input.notes }),
    created_at: at,
  }
  view.addRecord(record)
  const reopened: Task = reinstates && task.status === 'done' ? reopen(task) : task
  const next = putTask(step, reopened, reinstates ? 'task.reinstate' : 'thought_record', {
    fields: {
      summary: record.summary,
      tests_run: record.tests_run,
      commit_sha: record.commit_sha,
      branch: record.branch,
    },
    progress: true,
  })
  if (reopened !== task) view.shiftDependents(task.uid, 1)
  const seq = view.stream(task.uid)?.seq ?? 0
  const counted: Task = reinstates
    ? { ...next, period_seq: seq }
    : { ...next, record_seq: seq, record_id: uid }
  view.putTask(counted)
  return { record, task: counted }
}

function reopen(task: Task): Task {
  const { owner: _, instance: __, done_at: ___, ...rest } = task
  return { ...rest, status: 'todo', progress: 0 }
}
