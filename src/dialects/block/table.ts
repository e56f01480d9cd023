import type { ZodType } from 'zod'
import { isPhase, PHASES, STATUSES } from '../../domain/blocks/phases.ts'
import { Failure } from '../../domain/handoffs/handoff.ts'
import { Package } from '../../domain/handoffs/package.ts'
import { once } from '../../domain/once.ts'
import { Draft, Gate, Record003 } from '../draft.ts'
import { shown } from '../table/codecs.ts'
import { tableFor } from '../table/row.ts'
import * as is from './values.ts'

const { row, bundle, kept, table } = tableFor<'block' | 'handback', is.Reading>()
const EACH_FORM = ['block', 'handback'] as const
const NO = 'a block has no field for it'
const phases = (phase: unknown): string =>
  `${phase === undefined ? 'a block names its phase' : `${phase} is not a phase of a block`}: one of ${PHASES.join(', ')}`

/** Document 002. Under `context` the block's writer is free: keys with a meaning for a draft have rows, the others are its data. */
export const BLOCK = once(() => {
  const { shape } = Draft()
  const { shape: pack } = Package()
  const { shape: record } = Record003()
  const id = <T>(type: ZodType<T>) => is.shaped(type, { isId: true })
  // biome-ignore format: read as a table
  return table({
    rows: [
      row('phase',      'handoff.phase',        shown({ enum: PHASES }),     { need: EACH_FORM, fits: (phase) => isPhase(String(phase)), asked: phases, says: 'The phase of the workflow that the sender worked in' }),
      row('from',       'handoff.from',         is.atAgent,                        { need: EACH_FORM, asked: 'a block names the agent that ends its work', says: 'The agent that ends its work, for example "@research-agent"' }),
      row('to',         'handoff.to',           is.nextAgent,                    { need: EACH_FORM, asked: 'a block names the next agent, or null for nobody', says: 'The next agent, or "None" where this branch of the work ends' }),
      row('state',      'handoff.status',       is.statusOfState,                       { need: EACH_FORM, asked: `a block says how the work stands: ${STATUSES.join(', ')}`, says: "State of the sender's own work" }),
      row('retry_count', 'handoff.retry_count', is.retryCount,                      { also: ['handoff.retryCount'], says: 'Retries so far' }),
      row('metrics',    'handoff.metrics',      is.metricValues,                      { from: is.metricsOf, says: 'Numbers and results, named by the agent' }),
      row('depends_on', 'handoff.dependencies', is.taskIds,                      { also: ['handoff.depends_on'], says: 'Ids of tasks that this work depends on or affects, for example "task-15.3"' }),
      bundle(['on_failure', 'retry.max'], 'handoff.on_failure', is.failureRules,        { says: 'Steps to take if the work of this block fails' }),
      row('created_at', 'handoff.timestamp',    is.writtenTime,                         { also: ['handoff.created_at', 'handoff.created', 'handoff.date'], from: is.writtenAt, says: 'When the block was written, for example "2025-01-06T14:30:00Z"' }),
      kept('handoff.context',                   shown({ type: 'object' }),   { says: 'Anything else that the next agent or the workflow needs' }),
      bundle(['workflow.id'],               'handoff.context.workflow_id',             is.workflowId),
      row('task',                           'handoff.context.task_id',                 id(shape.task), { also: ['handoff.task_id', 'handoff.task'] }),
      row('project',                        'handoff.context.project_id',              id(shape.project), { also: ['handoff.project_id', 'handoff.project'] }),
      row('priority',                       'handoff.context.priority',                is.shaped(shape.priority), { also: ['handoff.priority'] }),
      row('package.summary',                'handoff.context.summary',                 is.shaped(pack.summary), { also: ['handoff.summary', 'handoff.message'] }),
      row('package.context',                'handoff.context.background',              is.backgroundOrContext(pack.context), { also: ['handoff.context'] }),
      row('package.decisions',              'handoff.context.decisions',               is.shaped(pack.decisions)),
      row('package.artifacts',              'handoff.context.artifacts',               is.shaped(pack.artifacts)),
      row('package.open_questions',         'handoff.context.open_questions',          is.shaped(pack.open_questions)),
      row('package.constraints',            'handoff.context.constraints',             is.shaped(pack.constraints)),
      row('gate',                           'handoff.context.gate',                    is.shaped(Gate())),
      row('error',                          'handoff.context.error',                   is.shaped(Failure())),
      row('record.branch',                  'handoff.context.branch',                  is.shaped(record.branch), { also: ['handoff.branch'] }),
      row('record.commit_sha',              'handoff.context.commit_sha',              id(record.commit_sha), { also: ['handoff.commit_sha', 'handoff.commit'] }),
      row('record.tests_run',               'handoff.context.tests_run',               is.shaped(record.tests_run)),
      row('record.blockers',                'handoff.context.blockers',                is.shaped(record.blockers)),
      row('record.files_changed',           'handoff.context.files_changed',           is.shaped(record.files_changed)),
      row('record.related_thought_records', 'handoff.context.related_thought_records', is.shaped(record.related_thought_records)),
      row('record.notes',                   'handoff.context.notes',                   is.shaped(record.notes), { also: ['handoff.notes'] }),
      row('workflow',                       'handoff.context.workflow_state',          is.shaped(shape.workflow), { from: is.workflowState }),
      row('package.data',                   'handoff.context.*',                       shown(), { isOpen: true }),
      // The document does not know these, and agents write them all the same.
      row('started_at', 'handoff.started_at',   is.scalarTime, { from: is.neverWritten, lossy: NO }),
      row('updated_at', 'handoff.updated_at',   is.scalarTime, { from: is.neverWritten, lossy: NO }),
      row('ended_at',   'handoff.completed_at', is.scalarTime, { from: is.neverWritten, lossy: 'a block has one time, when it was written' }),
      row('next_steps', 'handoff.next_steps',   is.nextSteps,      { from: is.neverWritten, lossy: NO }),
      row('id',         'handoff.id',           is.shortLabel,      { from: is.neverWritten, lossy: NO }),
      row('title',      'handoff.title',        is.shortLabel,      { from: is.neverWritten, lossy: NO }),
      row('from_role',  'handoff.from_role',    is.shortLabel,      { from: is.neverWritten, lossy: NO }),
      row('to_role',    'handoff.to_role',      is.shortLabel,      { from: is.neverWritten, lossy: NO }),
    ],
    lost: {
      progress: 'a block says it as metrics.progress',
      body:     'it holds a block itself, or is empty or too long to stand above one',
      uid: NO, type: NO, to_reason: NO, from_phase: NO, to_phase: NO, from_step: NO, to_step: NO, in_reply_to: NO, supersedes: NO, accepted_at: NO,
      accepted_by: NO, ack_notes: NO, ack_deadline: NO, target_completion: NO, timeout_s: NO, 'retry.delay_s': NO, 'retry.multiplier': NO, retry_available: NO, review: NO,
      not_before: NO, rejection: NO, input_schema: NO, output_schema: NO, expected_output: NO, result: NO, verification: NO, acknowledgment: NO,
      'record.summary': NO, 'record.status': NO, 'package.purpose': NO, 'package.deliverables': NO, 'package.criteria': NO, 'package.input': NO,
      'package.links': NO, 'package.checks': NO, 'package.validation_request': NO,
    },
  })
})
