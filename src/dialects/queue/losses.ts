import { keysOf } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { isMapping, valueAt } from '../text/tree.ts'
import { CARRIED, CARRIED_KEYS } from './carried.ts'

/** Why document 001 does not say a field. */
// biome-ignore format: read as a table
const QUEUE_LOSSES: Readonly<Record<string, string>> = {
  uid:                 'the id of the engine is not the id of the document',
  type:                'the queue format has one kind of handoff',
  phase:               'phases are numbers here, and no rule turns a word into a number',
  from_step:           'steps have no key; phases are numbers',
  to_step:             'steps have no key; phases are numbers',
  in_reply_to:         'a request does not name an earlier one',
  supersedes:          'a request does not name an earlier one',
  updated_at:          'only creation, start and end have a time',
  ack_deadline:        'there is a timeout for the work and none for taking it on',
  ack_notes:           'taking work on is a move of the file and carries no words',
  acknowledgment:      'taking work on is a move of the file and carries no words',
  target_completion:   'there is a timeout in seconds and no date',
  on_failure:          'retry_policy says how often and how fast, and nothing about routes',
  rejection:           'a refusal is written as a failure',
  verification:        'nobody but the specialist says that the work is done',
  record:              'a writeback record has no key',
  progress:            'there is no key for progress',
  body:                'a JSON file has no text beside its keys',
  'result.evidence':   'the evidence is the artifact and its validation',
  'result.note':       'the evidence is the artifact and its validation',
  'result.checks':     'the evidence is the artifact and its validation',
  'result.submitted_at': 'only creation, start and end have a time',
  'result.metadata':   'it is written as metadata and read as metrics',
  'result.next_steps': 'they are written as next_steps of the handoff',
  state:               'the queue format has four states',
  accepted_at:         'taking work on and starting it are one step, written as started_at',
  accepted_by:         'only the target takes the work on, and started_at says that it has',
  ended_at:            'only completed and failed work has an end',
  retry_available:     'all retries are made, so there is none left',
  depends_on:          'a request depends on one artifact, context.tech_stack_artifact_id, and not on tasks',
  'package.data':      'project_id, task_id, tech_stack_artifact_id have their own meaning in context',
  'package.input':     `input.data.${CARRIED} holds what has no key of its own`,
  expected_output:     'expected_output.schema is the name of the schema of the output',
  'result.artifacts':  'a response names one artifact, by path and type',
  'result.validation': 'the same key holds what was wrong with the input',
}

export function queueLossReason(field: string, draft: Draft): string | undefined {
  const value = valueAt(draft, field.split('.'))
  if (isMapping(value) && keysOf(value).length === 0) return 'it is empty'
  if (CARRIED_KEYS.includes(field.replace(/^package\./, '')))
    return 'the input is a single value and leaves no room beside it'
  return QUEUE_LOSSES[field]
}
