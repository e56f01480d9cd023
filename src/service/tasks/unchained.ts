import { openDisclosure } from '../../audit/disclosure.ts'
import { ThoughtRecord } from '../../domain/tasks/task.ts'
import type { LogEntry, Store } from '../../storage/store.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { refuse, write } from '../write.ts'
import { putTask } from './task-follow.ts'
import { isPm, loggedOf } from './writeback.ts'

/** Records that are looked at, the newest first. */
const MOST_RECORDS = 1_000
/** Entries of a task among which those of its records are looked for. */
const MOST_ENTRIES = 10_000

/**
 * Records that no entry of the log names: document 003 lets a pm write to the database past the tools, and such a row
 * is not in the chain (A3-30).
 */
export async function unchainedRecords({ store }: ServiceDeps): Promise<readonly ThoughtRecord[]> {
  const byTask = Map.groupBy(await store.latestRecords(MOST_RECORDS), ({ task_id }) => task_id)
  const found: ThoughtRecord[] = []
  for (const [task, records] of byTask) {
    const named = await namedRecords(store, task)
    found.push(...records.filter(({ uid }) => !named.has(uid)))
  }
  return found
}

/** Puts such a record into the chain: a person or a pm answers for it. From then on it counts as any other. */
export async function attestRecord(
  deps: ServiceDeps,
  call: Call,
  uid: string,
  reason: string,
): Promise<ThoughtRecord> {
  const record = await wellFormed(deps.store, uid)
  // Refused in the unit: a call that is repeated with its key is answered before.
  const isNamed = (await namedRecords(deps.store, record.task_id)).has(uid)
  return write(deps, call, {
    op: 'thought_attest',
    input: { uid, reason },
    reads: { tasks: [record.task_id], agents: [call.actor.name] },
    decide: (step) => {
      const { view } = step
      const task = view.task(record.task_id)?.task
      if (!task) refuse('not_found', `the record is of task ${record.task_id}, which does not exist`, { uid })
      if (!isPm(step))
        refuse('not_allowed', 'only a person or an agent with the role pm can answer for a record', { uid })
      if (isNamed || task.record_id === uid)
        refuse('wrong_state', `the record ${uid} is in the chain already`, { uid })
      const next = putTask(step, task, 'thought_record', {
        fields: { ...loggedOf(record), attested: reason },
        progress: true,
      })
      const seq = view.stream(task.uid)?.seq ?? 0
      view.putTask(record.shape === 'completion' ? { ...next, record_seq: seq, record_id: uid } : next)
      return record
    },
    subject: () => ({ uid, rev: 1 }),
    reload: (subject) => deps.store.record(subject),
  })
}

async function wellFormed(store: Store, uid: string): Promise<ThoughtRecord> {
  const found = await store.record(uid)
  if (!found) refuse('not_found', `there is no record ${uid}; see: baton thought list --unchained`, { uid })
  const parsed = ThoughtRecord().safeParse(found)
  if (!parsed.success)
    refuse('invalid_input', `the record ${uid} is not whole: ${parsed.error.issues[0]?.path.join('.')}`, {
      uid,
    })
  return parsed.data
}

/** uids of the records that the log of a task names. */
async function namedRecords(store: Store, task: string): Promise<ReadonlySet<string>> {
  const uid = (await store.task(task))?.task.uid
  const entries = uid === undefined ? [] : await store.timeline(uid, uid, MOST_ENTRIES)
  return new Set(entries.flatMap(disclosedRecord))
}

const disclosedRecord = ({ disclosures = [] }: LogEntry): readonly string[] =>
  disclosures.map(openDisclosure).flatMap(({ name, value }) => (name === 'record' ? [String(value)] : []))
