import { recordIn } from '../../audit/entry.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { OPEN_STATES } from '../../domain/lifecycle.ts'
import { taskReasons } from '../../domain/people/gate.ts'
import { present } from '../../domain/present.ts'
import { type Brief, type BriefPart, packBrief } from '../../domain/tasks/brief.ts'
import type { Task, ThoughtRecord } from '../../domain/tasks/task.ts'
import { inWords } from '../../domain/texts/visible.ts'
import type { TaskRow } from '../../storage/store.ts'
import type { ServiceDeps } from '../deps.ts'
import type { Tasks } from './tasks.ts'

/** The last three of document 003's reading list. */
const GUIDES = ['CLAUDE.md', 'AGENTS.md', 'docs/guides/agent-bootstrap.md']
/** The section that `baton setup` wrote: an agent that asks for a brief has read it already. */
const OWN_SECTION = /<!-- baton:begin [\s\S]*?<!-- baton:end -->\n*/g
const MOST_DEPENDENCIES = 20
const MOST_RELATED = 10
const MOST_HANDOFFS = 10
const NEXT_ACTIONS = 10

/**
 * Everything that the next agent reads first, in the order of document 003's list: the latest record of the project
 * with those of the tasks that this one stands on, next actions, the task's prompt, what it refers to, the guides.
 */
export async function makeBrief(
  deps: ServiceDeps,
  tasks: Tasks,
  id: string,
  budget?: number,
): Promise<Brief & { readonly row: TaskRow }> {
  const { row, blocked_by } = await tasks.get(id)
  const [by, records, handoffs, next, files] = await Promise.all([
    creatorOf(deps, row.task),
    recordParts(deps, row.task),
    handoffParts(deps, row.task),
    tasks.next(NEXT_ACTIONS),
    fileParts(deps, row.task),
  ])
  const parts = [
    taskPart(row.task, by, blocked_by),
    ...records,
    ...handoffs,
    ...(next.length > 0 ? [nextPart(next)] : []),
    ...files.parts,
  ]
  return { ...packBrief(row.task.id, parts, files.missing, budget), row }
}

/** The log names the creator of a task: its owner is only the agent that holds it. */
async function creatorOf({ store }: ServiceDeps, { uid }: Task): Promise<string> {
  const [first] = await store.entries(uid, 0, 1)
  return first ? recordIn(first).actor.id : 'its creator'
}

function taskPart(task: Task, by: string, blocked_by: readonly string[]): BriefPart {
  const lines = [
    `title: ${task.title}`,
    `status: ${task.status}, ${task.progress} %${task.owner === undefined ? '' : `, held by ${task.owner}`}`,
    ...(task.depends_on.length > 0 ? [`depends on: ${task.depends_on.join(', ')}`] : []),
    ...(blocked_by.length > 0 ? [`blocked by: ${blocked_by.join(', ')}`] : []),
    ...taskReasons(task.gates).map((reason) => `cannot be done yet: ${reason}`),
    ...(task.criteria.length > 0 ? ['criteria:', ...task.criteria.map((line) => `- ${line}`)] : []),
    ...(task.notes === undefined ? [] : [`notes: ${task.notes}`]),
  ]
  return partToldBy('task', `Task ${task.id}`, by, lines)
}

/** Each record once: that of the project, the task's own, its dependencies', and those that they refer to. */
async function recordParts(deps: ServiceDeps, task: Task): Promise<readonly BriefPart[]> {
  const { store } = deps
  const dependencies = task.depends_on.slice(0, MOST_DEPENDENCIES)
  const [latest, own, inherited] = await Promise.all([
    store.latestRecords(1),
    store.records(task.id, 1),
    Promise.all(dependencies.map((id) => store.records(id, 1))),
  ])
  const near = [...own, ...inherited.flat()]
  const refs = [...new Set(near.flatMap((record) => record.related_thought_records))].slice(0, MOST_RELATED)
  const related = (await Promise.all(refs.map((uid) => store.record(uid)))).filter(
    (record) => record !== undefined,
  )
  const kinds: readonly (readonly [BriefPart['kind'], string, readonly ThoughtRecord[]])[] = [
    ['latest_record', 'Latest record of the project', latest],
    ['own_record', 'Latest record of this task', own],
    ['dependency_record', 'Record of a task that this one depends on', inherited.flat()],
    ['related_record', 'Related record', related],
  ]
  const seen = new Set<string>()
  const parts: BriefPart[] = []
  for (const [kind, title, records] of kinds)
    for (const record of records) {
      if (seen.has(record.uid)) continue
      seen.add(record.uid)
      const status = record.status ?? (await store.task(record.task_id))?.task.status
      parts.push(recordPart(kind, title, record, status))
    }
  return parts
}

/** A part that agents wrote. */
const partToldBy = (
  kind: BriefPart['kind'],
  title: string,
  by: string,
  lines: readonly string[],
  source?: string,
) => ({ kind, title, ...present({ source }), by, untrusted: true, text: lines.join('\n') })

function recordPart(
  kind: BriefPart['kind'],
  title: string,
  record: ThoughtRecord,
  status?: string,
): BriefPart {
  const list = (name: string, items: readonly string[]) =>
    items.length > 0 ? [`${name}: ${items.join(', ')}`] : []
  const line = (name: string, value: string | undefined) => (value ? [`${name}: ${value}`] : [])
  const lines = [
    `task_id: ${record.task_id}`,
    ...line('status', status),
    ...line('summary', record.summary),
    ...line('notes', record.notes),
    ...record.blockers.map((blocker) => `blocker: ${JSON.stringify(blocker)}`),
    ...line('branch', record.branch),
    ...line('commit_sha', record.commit_sha),
    ...list('tests_run', record.tests_run),
    ...list('files_changed', record.files_changed),
    ...list('related_thought_records', record.related_thought_records),
    ...(record.signed === false ? ['unsigned: its author has a key and did not use it'] : []),
    `written: ${record.created_at}${record.on_behalf_of === undefined ? '' : ` on behalf of ${record.on_behalf_of}`}`,
  ]
  return partToldBy(kind, `${title}: ${record.task_id}`, record.by, lines, `record ${record.uid}`)
}

async function handoffParts(deps: ServiceDeps, task: Task): Promise<readonly BriefPart[]> {
  const { items } = await deps.store.handoffs({ task: task.id, state: OPEN_STATES }, { limit: MOST_HANDOFFS })
  return Promise.all(
    items.map(async (handoff) =>
      handoffPart(handoff, (await deps.store.content(handoff.uid))?.package.summary),
    ),
  )
}

function handoffPart({ id, title, from, to, state, waiting_for }: Handoff, summary?: string): BriefPart {
  const waits = waiting_for === undefined ? '' : `, waits for ${waiting_for}`
  const lines = [
    `title: ${title}`,
    `from ${from} to ${to}, ${inWords(state)}${waits}`,
    ...(summary === undefined ? [] : [`summary: ${summary}`]),
  ]
  return partToldBy('handoff', `Open handoff ${id}`, from, lines, `handoff ${id}`)
}

function nextPart(rows: readonly TaskRow[]): BriefPart {
  const lines = rows.map(({ task }) => `${task.critical ? '! ' : ''}${task.id} ${task.title}`)
  return partToldBy('next_actions', 'Next actions (task_next_actions)', 'the author of the tasks', lines)
}

async function fileParts(deps: ServiceDeps, task: Task) {
  const project = await deps.project?.()
  if (!project) return { parts: [], missing: ['the files of the project, which is not on this machine'] }
  const prompt = await project.prompt(task.id)
  const parts: BriefPart[] = []
  const missing: string[] = []
  const given = (kind: BriefPart['kind'], title: string, source: string, text: string) =>
    parts.push({ kind, title, source, untrusted: false, text })
  if (prompt) given('prompt', `Prompt of ${task.id}`, prompt.path, prompt.text)
  else missing.push(`a task-prompts file with a section for ${task.id}`)
  const wanted = [
    ...(prompt?.extractions ?? []).map((path) => ({ kind: 'extraction' as const, path })),
    ...GUIDES.map((path) => ({ kind: 'guide' as const, path })),
  ]
  for (const { kind, path } of wanted) {
    const whole = (await project.read(path))?.trimEnd()
    const text = whole?.replace(OWN_SECTION, '').trimEnd()
    if (text) given(kind, path, path, text)
    else if (!whole) missing.push(path)
  }
  return { parts, missing }
}
