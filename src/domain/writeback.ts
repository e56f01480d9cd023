/** Document 003's sentence, word for word: no task is done without a record of what was done. */
export const WRITEBACK_REQUIRED =
  'Writeback required: thought_record must be recorded before task completion.'
