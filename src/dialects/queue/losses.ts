import type { Loss } from '../dialect.ts'
import { type Data, keysOf, own, sameData } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { isMapping, valueAt } from '../text/tree.ts'
import { CARRIED, carriedIn } from './carried.ts'
import { queueState, type StatusWord } from './names.ts'

/** Fields that document 001 has no key for. */
// biome-ignore format: read as a table
const NEVER: Readonly<Record<string, string>> = {
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
}

interface Case {
  readonly field: string
  readonly reason: string
  isLost(draft: Draft, native: Readonly<Data>): boolean
}

const CONTEXT_KEYS = ['project_id', 'task_id', 'tech_stack_artifact_id']
const ARTIFACT_KEYS = ['path', 'type', 'role']

/** Fields that are lost only when they say more than the keys can. */
const SOMETIMES: readonly Case[] = [
  {
    field: 'state',
    reason: 'the queue format has four states',
    isLost: ({ state }, { status }) => state !== queueState(status as StatusWord),
  },
  {
    field: 'accepted_at',
    reason: 'taking work on and starting it are one step, written as started_at',
    isLost: ({ accepted_at: at }, { started_at: started }) => at !== started,
  },
  {
    field: 'accepted_by',
    reason: 'only the target takes the work on, and started_at says that it has',
    isLost: ({ accepted_by: by, to }, native) => by !== to || native.started_at === undefined,
  },
  {
    field: 'ended_at',
    reason: 'only completed and failed work has an end',
    isLost: (_, { status }) => status === 'pending' || status === 'in_progress',
  },
  {
    field: 'retry_available',
    reason: 'all retries are made, so there is none left',
    isLost: ({ retry_available: said }, native) => said !== native.retry_available,
  },
  {
    field: 'depends_on',
    reason: 'a request depends on one artifact, context.tech_stack_artifact_id, and not on tasks',
    isLost: ({ depends_on: [only, ...others] = [] }) => !only?.startsWith('artifact-') || others.length > 0,
  },
  {
    field: 'package.data',
    reason: `${CONTEXT_KEYS.join(', ')} have their own meaning in context`,
    isLost: ({ package: pack }) => CONTEXT_KEYS.some((key) => own(pack?.data, key) !== undefined),
  },
  {
    field: 'package.input',
    reason: `input.data.${CARRIED} holds what has no key of its own`,
    isLost: ({ package: pack }) => own(pack?.input, CARRIED) !== undefined,
  },
  {
    field: 'expected_output',
    reason: 'expected_output.schema is the name of the schema of the output',
    isLost: ({ expected_output: expected }) => own(expected, 'schema') !== undefined,
  },
  {
    field: 'result.artifacts',
    reason: 'a response names one artifact, by path and type',
    isLost: ({ result }) => !isPlainOutput(result?.artifacts),
  },
  {
    field: 'result.validation',
    reason: 'the same key holds what was wrong with the input',
    isLost: ({ error, result }) =>
      error !== undefined && (error.details !== undefined || own(result?.validation, 'errors') !== undefined),
  },
  {
    field: 'extra',
    reason: 'the document gives these keys another meaning',
    isLost: ({ extra }, native) => !isSaidBy(native, extra),
  },
]

/** What the draft says and its native form does not. */
export function lossesOf(draft: Draft, native: Readonly<Data>): readonly Loss[] {
  const isSaid = (field: string) => valueAt(draft, field.split('.')) !== undefined
  return [
    ...Object.entries(NEVER)
      .filter(([field]) => isSaid(field))
      .map(([field, reason]) => ({ field, reason })),
    ...SOMETIMES.filter(({ field, isLost }) => isSaid(field) && isLost(draft, native)).map(
      ({ field, reason }) => ({ field, reason }),
    ),
    ...uncarried(draft),
    ...empty(draft),
  ]
}

/** Whether every value of a mapping stands in another at the same place. */
function isSaidBy(native: unknown, extra: unknown): boolean {
  if (!isMapping(extra) || !isMapping(native)) return sameData(native, extra)
  return keysOf(extra).every((key) => isSaidBy(own(native, key), own(extra, key)))
}

function isPlainOutput(artifacts: NonNullable<Draft['result']>['artifacts'] = []): boolean {
  const [only, ...others] = artifacts
  if (only === undefined || others.length > 0 || only.role !== 'output') return false
  return keysOf(only).every((key) => ARTIFACT_KEYS.includes(key))
}

/** An input that is no mapping has no room for anything beside it. */
function uncarried(draft: Draft): Loss[] {
  const input = draft.package?.input
  if (input === undefined || isMapping(input)) return []
  const reason = 'the input is a single value and leaves no room beside it'
  return keysOf(carriedIn(draft) ?? {}).map((key) => ({
    field: own(draft, key) === undefined ? `package.${key}` : key,
    reason,
  }))
}

/** A mapping without keys says nothing that could be written. */
function empty(draft: Draft): Loss[] {
  const isEmpty = (value: unknown) => isMapping(value) && keysOf(value).length === 0
  return keysOf(draft).flatMap((field) => {
    const value = own(draft, field)
    if (!isMapping(value)) return []
    const below = isEmpty(value)
      ? [field]
      : keysOf(value)
          .filter((key) => isEmpty(own(value, key)))
          .map((key) => `${field}.${key}`)
    return below.map((path) => ({ field: path, reason: 'it is empty' }))
  })
}
