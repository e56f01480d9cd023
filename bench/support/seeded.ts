import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import type { Task } from '../../src/domain/tasks/task.ts'

/** A task as years of work leave them: half of them done. */
export const seededTask = (uid: string, index: number, at: string): Task => ({
  uid,
  id: `P${Math.floor(index / 1_000)}.${index % 1_000}`,
  rev: 1,
  title: `Task number ${index}`,
  status: index % 2 === 0 ? 'todo' : 'done',
  progress: 0,
  priority: 'normal',
  critical: index % 500 === 0,
  level: index % 7,
  depends_on: [],
  criteria: ['npm test passes'],
  created_at: at,
  updated_at: at,
  period_seq: 0,
})

/** Nine of ten handoffs are over; the tenth waits for one of the receivers. */
export function seededHandoff(uid: string, index: number, at: string, agents: number): Handoff {
  const open = index % 10 === 0
  const to = `receiver-${Math.floor(index / 10) % agents}`
  return {
    uid,
    id: `HO-2026-${String(index).padStart(3, '0')}`,
    rev: 1,
    home: 'native',
    type: 'sequential',
    state: open ? 'offered' : 'completed',
    from: `sender-${index % agents}`,
    to,
    title: `Piece of work ${index}`,
    priority: 'normal',
    root: uid,
    depth: 0,
    created_at: at,
    updated_at: at,
    sent_at: at,
    ...(open ? { waiting_for: to } : { ended_at: at }),
    attempt: 1,
    attempts: [],
    deliverables: 1,
  }
}
