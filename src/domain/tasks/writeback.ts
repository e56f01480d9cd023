/** Document 003's sentence, word for word: no task is done without a record of what was done. */
export const WRITEBACK_REQUIRED =
  'Writeback required: thought_record must be recorded before task completion.'

/** Document 003's sentence, word for word: the store did not take what an agent wrote back. */
export const WRITEBACK_FAILED =
  'Writeback failed: unable to insert thought_record. Retry with fresh DB connection or escalate.'

/** The statuses of a task in document 003. Blocked is derived, not stored (A3-24). */
export const WRITEBACK_STATUSES = ['todo', 'in_progress', 'done'] as const
export type WritebackStatus = (typeof WRITEBACK_STATUSES)[number]

/** Whether the present work period has a record, as done needs one. */
export const isWrittenBack = (task: { record_seq?: number | undefined; period_seq: number }): boolean =>
  task.record_seq !== undefined && task.record_seq > task.period_seq
