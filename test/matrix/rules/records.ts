import assert from 'node:assert/strict'
import { WRITEBACK_REQUIRED } from '../../../src/domain/tasks/writeback.ts'
import { quick } from '../../support/program/command.ts'
import { adopted, DOCUMENTS, newFile, PACKAGES_ONLY } from '../situations.ts'
import { CALLS, type Cell, type Cells, cannot, type Rule, refused } from '../table.ts'
import type { World } from '../world.ts'
import { OUTPUT } from './gates.ts'

const TASK = 'BPRD-2026-0077'

const aTask = async (world: World): Promise<void> => {
  await world.does('codex', 'task_create', { id: TASK, title: 'Rate limits' })
  await world.does('codex', 'task_update', { task_id: TASK, status: 'in_progress' })
}

const RECORD = {
  task_id: TASK,
  branch: 'feature/bprd-2026-0077-limits',
  commit_sha: 'a'.repeat(40),
  tests_run: ['npm test'],
  summary: 'The limits are in. The tests pass. Nothing else changed.',
  blockers: [],
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

async function staysOpen({ service }: World): Promise<void> {
  assert.notEqual((await service.deps.store.task(TASK))?.task.status, 'done')
}

/** A handoff of this task that ends elsewhere; its task stays open. */
const ended = (format: 'markdown' | 'queue' | 'package', facts: object): Cell =>
  adopted(
    format,
    { task: TASK, ...facts },
    'The handoff is done elsewhere. Its task is not done without its record.',
    staysOpen,
  )

const NO_TASKS = cannot('The end of a handoff does not end its task.')
const NOT_TASKS = cannot('A handoff holds no task record.')

const records = (cells: Partial<Cells>): Cells => ({
  ...CALLS,
  'file: markdown': NOT_TASKS,
  'file: queue': NOT_TASKS,
  'file: package': NOT_TASKS,
  'import: markdown': NOT_TASKS,
  'import: queue': NOT_TASKS,
  'import: block': NOT_TASKS,
  'import: package': NOT_TASKS,
  'import: writeback': NOT_TASKS,
  collect: NOT_TASKS,
  'task import': cannot('A task list holds no task record.'),
  ...cells,
})

export const RECORDS: readonly Rule[] = [
  {
    kind: 'writeback before done',
    rule: 'A task is done when its record is written.',
    code: 'unmet',
    sentence: WRITEBACK_REQUIRED,
    prepare: aTask,
    asked: { as: 'importer', op: 'task_update', input: { task_id: TASK, status: 'done' } },
    cells: {
      ...CALLS,
      'file: markdown': NO_TASKS,
      'file: queue': NO_TASKS,
      'file: package': NO_TASKS,
      'import: markdown': ended('markdown', {
        status: 'Complete',
        more: 'verification_record:\n  verified_at: 2026-11-17T10:00:00Z\n  deliverable_checks:\n    - {deliverable: Middleware, status: verified, evidence: seen}\n',
      }),
      'import: queue': ended('queue', {
        status: 'completed',
        more: {
          timestamp_completed: new Date().toISOString(),
          output: OUTPUT,
          validation: { status: 'passed' },
        },
      }),
      'import: block': adopted(
        'block',
        { task: TASK },
        'The handoff is done elsewhere. Its task is not done without its record.',
        staysOpen,
      ),
      'import: package': ended('package', { status: 'completed' }),
      'import: writeback': refused(() =>
        json({ task_id: TASK, status: 'done', progress: 100, notes: 'Done' }),
      ),
      collect: {
        is: 'adopts',
        by: () => DOCUMENTS.block({ from: 'codex', to: 'None', task: TASK }),
        why: 'The block is kept as history. The task is not done without its record.',
        holds: staysOpen,
      },
      'task import': {
        is: 'adopts',
        by: () => `id,title,status\n${TASK},Rate limits,done\n`,
        why: 'The task is listed as done there and stays open here.',
        async holds(world) {
          await staysOpen(world)
          const args = ['task', 'import', 'tasks.csv', '--with-done', '--as', 'codex']
          assert.notEqual((await quick(world.where, ...args)).code, 0)
          await staysOpen(world)
        },
      },
    },
  },
  {
    kind: 'writeback before done',
    rule: 'A record names the commit.',
    code: 'invalid_input',
    sentence: 'commit_sha abc123 is cut short; write all 40 characters, as `git rev-parse HEAD` prints them.',
    prepare: aTask,
    asked: { as: 'codex', op: 'thought_record', input: { ...RECORD, commit_sha: 'abc123' } },
    cells: records({
      'import: writeback': refused(() => json({ ...RECORD, commit_sha: 'abc123' })),
    }),
  },
  {
    kind: 'writeback before done',
    rule: 'Only people and the role pm write the record of another agent.',
    code: 'not_allowed',
    sentence:
      'importer may not write for codex: on_behalf_of is for people and the role pm. A person can run: baton agent add importer --role pm',
    prepare: aTask,
    asked: { as: 'importer', op: 'thought_record', input: { ...RECORD, on_behalf_of: 'codex' } },
    cells: records({
      'import: writeback': refused(() => json({ ...RECORD, agent: 'codex' })),
    }),
  },
  {
    kind: 'returns',
    rule: 'A return answers a delegation that is open.',
    home: 'package',
    code: 'invalid_input',
    sentence:
      'planner has no open delegation to codex that this return could answer; leave out the type, or see: baton inbox',
    asked: {
      as: 'codex',
      op: 'handoff_send',
      input: { to: 'planner', title: 'Checked', type: 'return', summary: 'The login was reviewed; 2 risks' },
    },
    cells: {
      ...CALLS,
      ...PACKAGES_ONLY,
      'file: package': newFile('package', { from: 'codex', to: 'planner', type: 'return' }),
      'import: package': adopted(
        'package',
        { from: 'codex', to: 'planner', type: 'return' },
        'It was returned elsewhere and answers nothing here.',
      ),
    },
  },
  {
    kind: 'returns',
    rule: 'A return says which of two delegations it answers.',
    home: 'package',
    code: 'invalid_input',
    sentence: 'this could answer handoff-b or handoff-a; name one as in_reply_to',
    prepare: async (world) => {
      for (const alias of ['handoff-a', 'handoff-b']) {
        const asked = { to: 'codex', title: 'Check', summary: 'The login module needs a review', alias }
        await world.does('planner', 'handoff_send', {
          ...asked,
          type: 'delegation',
          deliverables: ['Risks'],
          home: 'package',
        })
        await world.does('codex', 'handoff_accept', { id: alias, understood: 'Review the login' })
      }
    },
    asked: {
      as: 'codex',
      op: 'handoff_send',
      input: { to: 'planner', title: 'Checked', type: 'return', summary: 'The login was reviewed; 2 risks' },
    },
    cells: {
      ...CALLS,
      ...PACKAGES_ONLY,
      'file: package': newFile('package', { from: 'codex', to: 'planner', type: 'return' }),
      'import: package': adopted(
        'package',
        { from: 'codex', to: 'planner', type: 'return' },
        'It was returned elsewhere and answers neither here.',
        async ({ service }) => {
          for (const id of ['handoff-a', 'handoff-b'])
            assert.equal((await service.deps.store.handoff(id))?.state, 'in_progress')
        },
      ),
    },
  },
]
