import { BatonError, onRefusal } from '../../../domain/errors.ts'
import type { OperationName } from '../../../operations/index.ts'
import { type ReferenceKind, referencesOf } from '../catalog.ts'
import { resolveHandoff, several } from './reference.ts'
import type { Session } from './session.ts'

type Input = Record<string, unknown>

/** Replaces every `@` and shortened id in an operation's input by what it means. */
export async function resolveReferences(
  session: Session,
  operation: OperationName,
  input: Input,
): Promise<Input> {
  const resolved: Input = { ...input }
  for (const [field, kind] of Object.entries(referencesOf(operation))) {
    const ref = input[field]
    if (typeof ref === 'string') resolved[field] = await RESOLVE[kind](session, operation, ref)
  }
  return resolved
}

const RESOLVE: Readonly<
  Record<ReferenceKind, (session: Session, operation: OperationName, ref: string) => Promise<string>>
> = {
  handoff: resolveHandoff,
  'other handoff': (session, _, ref) => resolveHandoff(session, 'handoff_get', ref),
  task: resolveTask,
  notice: resolveNotice,
  run: resolveRun,
  anything: resolveAnything,
}

const MOST_TASKS = 50
const UNDER_WAY = ['assigned', 'in_progress']

async function resolveTask(session: Session, operation: OperationName, ref: string): Promise<string> {
  if (ref !== '@') return (await matchingTask(session, ref)) ?? ref
  const { name } = await session.actor()
  const found =
    operation === 'task_start'
      ? await session.call('task_next_actions', { limit: MOST_TASKS })
      : await session.call('task_list', { owner: name, status: UNDER_WAY, limit: MOST_TASKS })
  return only(
    found.items,
    ref,
    `${name} has no task ${operation === 'task_start' ? 'to start' : 'under way'}; see: baton next`,
  ).id
}

/** `@` is the only run that is not over. */
async function resolveRun(session: Session, _: OperationName, ref: string): Promise<string> {
  const state = ref === '@' ? ['running', 'waiting', 'failed'] : undefined
  const { items } = await session.call('workflow_list', { limit: 200, state })
  if (items.some(({ id }) => id === ref)) return ref
  const found = ref === '@' ? items : items.filter(({ id }) => id.includes(ref.toLowerCase()))
  if (found.length === 0 && ref !== '@') return ref
  const runs = found.map((run) => ({ ...run, title: run.name }))
  return only(runs, ref, 'no workflow is under way; see: baton workflow list').id
}

/** A handoff, a task, or what the operation itself looks up by its whole id: a record or an audit session. */
async function resolveAnything(session: Session, _: OperationName, ref: string): Promise<string> {
  if (ref !== '@' && (await isTask(session, ref))) return ref
  try {
    return await resolveHandoff(session, 'handoff_get', ref)
  } catch (error) {
    if (ref === '@' || !(error instanceof BatonError && error.code === 'not_found')) throw error
    return (await matchingTask(session, ref)) ?? ref
  }
}

/** A whole id wins over ids that it is a part of; undefined when nothing matches. */
async function matchingTask(session: Session, ref: string): Promise<string | undefined> {
  if (await isTask(session, ref)) return ref
  const { items } = await session.call('task_list', { ref, limit: MOST_TASKS })
  const found = items.filter(({ id }) => id.toLowerCase().includes(ref.toLowerCase()))
  return found.length === 0 ? undefined : only(found, ref, '').id
}

const isTask = (session: Session, id: string): Promise<boolean> =>
  session.call('task_get', { id }).then(() => true, onRefusal(false, 'not_found', 'invalid_input'))

async function resolveNotice(session: Session, _: OperationName, ref: string): Promise<string> {
  const { notices } = await session.call('handoff_inbox', { limit: 200 })
  const found = ref === '@' ? notices : notices.filter(({ uid }) => uid.includes(ref.toLowerCase()))
  if (found.length === 0 && ref !== '@') return ref
  return only(
    found.map((notice) => ({ ...notice, id: notice.uid, title: notice.text, updated_at: notice.created_at })),
    ref,
    'there is no unread notice; see: baton inbox',
  ).uid
}

function only<T extends Parameters<typeof several>[1][number] & { readonly status?: string }>(
  found: readonly T[],
  ref: string,
  none: string,
): T {
  const [first] = found
  if (!first) throw new BatonError('not_found', none)
  if (found.length === 1) return first
  const states = found.map((each) => ({ ...each, ...(each.status && { state: each.status }) }))
  throw several(`${ref} could be any of ${found.length}; name the one you mean`, states)
}
