import { platformSha256 } from '../../../src/archive/audit-platform.ts'
import { keyIdOf, sealEnvelope, statementText } from '../../../src/audit/envelope.ts'
import { keyOf, LogWriter, ORIGIN, timeOf } from './export-log.ts'

export const AGENT_KEY = keyOf(9)
export const KID = keyIdOf(platformSha256, AGENT_KEY.bytes)
const TASK = { stream: '018f3c00-0000-7000-9000-000000000001', id: 'P0.1.1' }

/** A log in which claude has a key and has signed its record of a task. */
export function signedLog(): LogWriter {
  const log = new LogWriter()
  log.add(
    'log.agents',
    { act: 'agent.key', by: 'ana', sub: { id: 'claude', k: 'agent', rev: 1 } },
    { kid: KID, public_key: Buffer.from(AGENT_KEY.bytes).toString('base64') },
  )
  const sub = (rev: number) => ({ id: TASK.id, k: 'task', rev }) as const
  log.add(TASK.stream, { act: 'task.create', sub: sub(1), to: 'todo' }, { title: 'Package setup' })
  log.add(TASK.stream, { act: 'task.start', sub: sub(2), to: 'in_progress' })
  addRecord(log, 3, 'What was done', AGENT_KEY)
  log.add(TASK.stream, { act: 'task.done', sub: sub(4), to: 'done' })
  return log
}

/** A record of the task, signed with a key or, without one, by nobody. */
export function addRecord(
  log: LogWriter,
  rev: number,
  summary: string,
  key?: typeof AGENT_KEY,
): readonly string[] {
  const { id, stream } = TASK
  const said = { summary, tests_run: ['npm test'] }
  const predicate = {
    origin: ORIGIN,
    by: 'claude',
    task_id: id,
    created_at: timeOf(log.entries.length),
    ...said,
  }
  const text = statementText({ name: id, digest: {} }, predicate)
  const envelope = key && sealEnvelope(text, KID, key.sign)
  return log.add(
    stream,
    {
      act: 'thought_record',
      sub: { id, k: 'task', rev },
      to: rev > 4 ? 'done' : 'in_progress',
      ...(key && { kid: KID }),
    },
    { ...said, ...(envelope && { envelope }) },
  )
}
