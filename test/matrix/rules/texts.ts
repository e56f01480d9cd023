import {
  accepted,
  carrying,
  DOCUMENTS,
  NOT_HANDOFFS,
  newFile,
  offered,
  WORK,
  workFor,
} from '../situations.ts'
import { CALLS, cannot, type Rule, refused } from '../table.ts'
import { appended, edited, steps } from './acting.ts'
import { completed } from './gates.ts'

/** Looks like a key and is none. */
const KEY = ['AKIA', 'Q7ZL5M2XW9RT3YB4'].join('')
const HOLDS =
  'holds what looks like an AWS access key; remove it, and name the secret store or variable that holds it'
const inText = { sentence: `text ${HOLDS}`, why: 'No field holds it, so the text of the document is named.' }
const LEAK = `The key is ${KEY}`
const inContext = {
  sentence: `context ${HOLDS}`,
  why: 'A package has a summary where a markdown handoff has its context.',
}
const LONG = `${'text '.repeat(12_800)}more`
const MANY = Array.from({ length: 201 }, (_, i) => `Part ${i}`)
const MANY_EXPECTED = `  expectations:\n    deliverables: ${JSON.stringify(MANY)}\n`
const RECORD = {
  task_id: 'P1.1',
  branch: 'feature/p1-1-limits',
  commit_sha: 'a'.repeat(40),
  tests_run: [],
  blockers: [],
  summary: 'x'.repeat(8_001),
}
const PLAIN_INPUT = cannot(
  'A package that is too large stays plain input of the request. Input has no such limit.',
)
const IN_ITS_TEXT = cannot('A block keeps such a value in its own text alone.')
const SUMMARY = 'A package has a summary where a markdown handoff has its context.'
const NO_RECORD = cannot('A handoff holds no task record.')
const NOT_A_RECORD = {
  'file: markdown': NO_RECORD,
  'file: queue': NO_RECORD,
  'file: package': NO_RECORD,
  'import: markdown': NO_RECORD,
  'import: queue': NO_RECORD,
  'import: block': NO_RECORD,
  'import: package': NO_RECORD,
  collect: NO_RECORD,
  'task import': cannot('A task list holds no task record.'),
}

export const TEXTS: readonly Rule[] = [
  {
    kind: 'secrets',
    rule: 'A key is not sent.',
    home: 'package',
    code: 'invalid_input',
    sentence: `summary ${HOLDS}`,
    asked: { as: 'planner', op: 'handoff_send', input: workFor('codex', { summary: LEAK }) },
    cells: {
      ...CALLS,
      'file: markdown': newFile('markdown', { context: LEAK }, inContext),
      'file: queue': newFile('queue', carrying({ summary: LEAK })),
      'file: package': newFile('package', { summary: LEAK }),
      'import: markdown': refused(() => DOCUMENTS.markdown({ context: LEAK }), inContext),
      'import: queue': refused(() => DOCUMENTS.queue(carrying({ summary: LEAK }))),
      'import: block': refused(() => DOCUMENTS.block({ summary: LEAK })),
      'import: writeback': refused(() => JSON.stringify({ ...RECORD, summary: LEAK })),
      'import: package': refused(() => DOCUMENTS.package({ summary: LEAK })),
      collect: refused(() => DOCUMENTS.block({ summary: LEAK }), { trace: [] }),
      'task import': refused(() => `id,title,status\nP1.1,${LEAK},todo\n`, {
        sentence: `title ${HOLDS}`,
        why: 'A task list has titles, and the title is named.',
      }),
    },
  },
  {
    kind: 'secrets',
    rule: 'A key under a name that no format knows is not sent either.',
    home: 'package',
    code: 'invalid_input',
    sentence: `data.ticket ${HOLDS}`,
    asked: { as: 'planner', op: 'handoff_send', input: workFor('codex', { data: { ticket: LEAK } }) },
    cells: {
      ...CALLS,
      'file: markdown': newFile('markdown', { more: `ticket: ${KEY}\n` }, inText),
      'file: queue': newFile('queue', { more: { ticket: KEY } }, inText),
      'file: package': newFile('package', { more: `  ticket: ${KEY}\n` }, inText),
      'import: markdown': refused(() => DOCUMENTS.markdown({ more: `ticket: ${KEY}\n` }), inText),
      'import: queue': refused(() => DOCUMENTS.queue({ more: { ticket: KEY } }), inText),
      'import: block': refused(() => DOCUMENTS.block({ more: `  metrics: {key: "${KEY}"}\n` }), inText),
      'import: writeback': refused(() => JSON.stringify({ ...RECORD, summary: 'Done', ticket: KEY }), inText),
      'import: package': refused(() => DOCUMENTS.package({ more: `  ticket: ${KEY}\n` }), inText),
      collect: refused(() => DOCUMENTS.block({ more: `  metrics: {key: "${KEY}"}\n` }), {
        sentence: `block ${HOLDS}`,
        why: 'The block has no field for it, so the block is named.',
        trace: [],
      }),
      'task import': cannot('A task list keeps only the columns that it knows.'),
    },
  },
  {
    kind: 'secrets',
    rule: 'A key is not handed in.',
    home: 'queue',
    code: 'invalid_input',
    sentence: `note ${HOLDS}`,
    prepare: accepted,
    asked: { as: 'codex', op: 'handoff_submit', input: { id: WORK, note: `The key is ${KEY}`, output: {} } },
    cells: steps({
      'file: markdown': refused(
        edited([
          'completed_at: null\n',
          `completed_at: null\nevidence:\n  - {deliverable: Middleware, evidence: "${KEY}"}\n`,
        ]),
        {
          sentence: `evidence[0].evidence ${HOLDS}`,
          why: 'The file hands evidence in, and the evidence is named.',
        },
      ),
      'file: queue': refused(completed({ next_steps: [`Use ${KEY}`] }), {
        sentence: `next_steps[0] ${HOLDS}`,
        why: 'The file hands a next step in, and the step is named.',
      }),
      'file: package': cannot('A package is completed by its status alone. It hands no text in.'),
    }),
  },
  {
    kind: 'secrets',
    rule: 'A key is not asked about.',
    home: 'package',
    code: 'invalid_input',
    sentence: `questions[0] ${HOLDS}`,
    prepare: offered,
    asked: { as: 'codex', op: 'handoff_accept', input: { id: WORK, questions: [LEAK] } },
    cells: steps({
      'file: markdown': refused(
        edited(
          ['status: Active', 'status: Acknowledged'],
          ['acknowledged_by: null', 'acknowledged_by: codex'],
          ['acknowledgment_notes: null', `acknowledgment_notes: ${LEAK}`],
        ),
        { sentence: `notes ${HOLDS}`, why: 'A markdown file has notes where a package has questions.' },
      ),
      'file: queue': cannot('The queue format has no key for questions.'),
      'file: package': refused(
        appended(
          `acknowledgment:\n  received: true\n  by: codex\n  understood: partial\n  questions: ["${LEAK}"]\n`,
        ),
      ),
    }),
  },
  {
    kind: 'size',
    rule: 'A text has at most 64,000 characters.',
    home: 'markdown',
    code: 'invalid_input',
    sentence: 'context takes at most 64000 characters',
    asked: { as: 'planner', op: 'handoff_send', input: workFor('codex', { context: LONG }) },
    cells: {
      ...CALLS,
      'file: markdown': newFile('markdown', { context: LONG }),
      'file: queue': PLAIN_INPUT,
      'file: package': newFile(
        'package',
        { summary: LONG },
        { sentence: 'summary takes at most 64000 characters', why: SUMMARY },
      ),
      'import: markdown': refused(() => DOCUMENTS.markdown({ context: LONG })),
      'import: queue': PLAIN_INPUT,
      'import: block': IN_ITS_TEXT,
      'import: package': refused(() => DOCUMENTS.package({ summary: LONG }), {
        sentence: 'summary takes at most 64000 characters',
        why: SUMMARY,
      }),
      'import: writeback': cannot('A task record has a rule of its own for its length.'),
      collect: IN_ITS_TEXT,
      'task import': NOT_HANDOFFS,
    },
  },
  {
    kind: 'size',
    rule: 'A handoff names at most 200 deliverables.',
    home: 'markdown',
    code: 'invalid_input',
    sentence: 'deliverables takes at most 200 of them',
    asked: { as: 'planner', op: 'handoff_send', input: workFor('codex', { deliverables: MANY }) },
    cells: {
      ...CALLS,
      'file: markdown': newFile('markdown', { deliverables: MANY }),
      'file: queue': PLAIN_INPUT,
      'file: package': newFile('package', { more: MANY_EXPECTED }),
      'import: markdown': refused(() => DOCUMENTS.markdown({ deliverables: MANY })),
      'import: queue': PLAIN_INPUT,
      'import: block': IN_ITS_TEXT,
      'import: package': refused(() => DOCUMENTS.package({ more: MANY_EXPECTED })),
      'import: writeback': cannot('A task record names no deliverables.'),
      collect: IN_ITS_TEXT,
      'task import': NOT_HANDOFFS,
    },
  },
  {
    kind: 'size',
    rule: 'The summary of a task record has at most 8,000 characters.',
    code: 'invalid_input',
    sentence: 'summary takes at most 8000 characters',
    prepare: async (world) => {
      await world.does('importer', 'task_create', { id: RECORD.task_id, title: 'Rate limits' })
    },
    asked: { as: 'importer', op: 'thought_record', input: RECORD },
    cells: {
      ...CALLS,
      ...NOT_A_RECORD,
      'import: writeback': refused(() => JSON.stringify(RECORD)),
    },
  },
]
