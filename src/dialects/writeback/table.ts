import { shown } from '../table/codecs.ts'
import { tableFor } from '../table/row.ts'
import type { WritebackForm } from './form.ts'
import * as is from './values.ts'
import { isSha, TASK_STATUSES } from './words.ts'

const { row, bundle, kept, table } = tableFor<WritebackForm, is.Call>()
const UPDATE = ['task_update'] as const
const RECORD = ['thought_record'] as const
const EITHER = [...UPDATE, ...RECORD] as const
const NO = 'writing back has no field for it'
const AUTHORS = ['agent', 'agent_id', 'author', 'recorded_by', 'from']
const TIMES = ['created_at', 'recorded_at', 'inserted_at', 'completed_at', 'date']
const whichSha = (sha: unknown): string =>
  sha === undefined
    ? 'a record names the commit, and only git knows it'
    : `${String(sha).slice(0, 60)} is not all 40 characters of a commit`

/** Document 003: the arguments of its two tools. A record that says nothing of the work has the keys of an update. */
// biome-ignore format: read as a table
export const WRITEBACK = table({
  rows: [
    row('task',                 'task_id',       is.taskId,     { also: ['id', 'task'], need: EITHER, asked: 'writing back names the task', says: 'The task, for example "P0.1.1"' }),
    bundle(['state', 'record.status'], 'status', is.taskStatus, { in: UPDATE, need: UPDATE, from: is.statusOfUpdate, asked: `an update says how the task stands: ${TASK_STATUSES.join(', ')}`, says: 'State of the task' }),
    row('progress',             'progress',      is.progress,   { in: UPDATE, says: '100 for a task that is done', lossy: NO }),
    row('record.branch',        'branch',        is.branch,     { in: RECORD, need: RECORD, asked: 'a record names the branch that holds the work', says: 'For example "feature/p0-1-1-package-setup"' }),
    row('record.commit_sha',    'commit_sha',    is.commit,     { in: RECORD, also: ['commit', 'sha'], need: RECORD, fits: (sha) => isSha(String(sha)), asked: whichSha, says: 'All 40 characters', lossy: 'a hash is written in lower case' }),
    row('record.tests_run',     'tests_run',     is.lines,      { in: RECORD, also: ['tests'], says: 'Test files and suites that were run' }),
    row('record.summary',       'summary',       is.summary,    { in: RECORD, need: RECORD, from: is.summaryOf, asked: 'a record says what was done', says: 'The work that was done, in 3 to 5 sentences' }),
    row('record.blockers',      'blockers',      is.blockers,   { in: RECORD, says: 'Empty if there are none, else for example {"type", "package", "issue", "resolution"}', lossy: 'a blocker is an object; its text is written as issue' }),
    row('record.files_changed', 'files_changed', is.lines,      { in: RECORD, also: ['files'], from: is.filesOf, says: 'Paths that were created or modified' }),
    row('record.related_thought_records', 'related_thought_records', is.lines, { in: RECORD, also: ['related'], says: 'Ids of earlier records that this one builds on' }),
    bundle(['state', 'record.status'], 'status', is.taskStatus, { in: RECORD, from: is.statusOfRecord, says: 'State of the task' }),
    row('record.notes',         'notes',         is.notes,      { says: 'The change, in one or two sentences' }),
    kept(                       'metadata',      shown({ type: 'object' }), { says: 'Anything that the document has no field for' }),
    // Who and when: the document leaves them to its database, and agents write them all the same.
    row('from',                 'by',            is.author,     { also: AUTHORS, from: is.neverSaid, lossy: NO }),
    row('created_at',           'timestamp',     is.moment,     { also: TIMES, from: is.neverSaid, lossy: NO }),
  ],
  lost: {
    'package.summary': 'a record has one summary',
    uid: NO, id: NO, type: NO, to: NO, from_role: NO, to_role: NO, to_reason: NO, from_phase: NO, to_phase: NO, phase: NO, from_step: NO, to_step: NO,
    title: NO, project: NO, priority: NO, in_reply_to: NO, supersedes: NO, updated_at: NO, accepted_at: NO, accepted_by: NO, ack_notes: NO, started_at: NO,
    ended_at: NO, ack_deadline: NO, target_completion: NO, timeout_s: NO, retry_count: NO, retry: NO, retry_available: NO, review: NO, not_before: NO, on_failure: NO,
    error: NO, rejection: NO, input_schema: NO, output_schema: NO, expected_output: NO, result: NO, verification: NO, gate: NO, acknowledgment: NO,
    workflow: NO, metrics: NO, depends_on: NO, next_steps: NO, body: NO, package: NO,
  },
})
